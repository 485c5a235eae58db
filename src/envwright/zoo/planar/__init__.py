"""Robots that move in a plane, with MuJoCo's physics.

| module | what it holds |
|---|---|
| `model` | what a robot is: links, tips that may touch the ground, motors |
| `extract` | a robot out of a compiled MuJoCo model |
| `kinematics` | where everything is, and how it moves |
| `dynamics` | forces of gravity, springs and motion; accelerations out of forces |
| `constraints` | joint limits and contacts with the ground: soft, one-sided springs |
| `solver` | the accelerations that all of these agree on, by Newton's method |
| `line_search` | how far to go along a Newton step |
| `engine` | a step in time |
| `materialize` | keeps XLA from computing things again and again |
| `render` | pictures |

Every number is an array of the batch's shape, so that one operation here is one vector
instruction over environments; a single environment has shape `()`.
"""
