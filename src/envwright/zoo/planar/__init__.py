"""Robots that move in a plane, with MuJoCo's physics.

| module | what it holds |
|---|---|
| `model` | a robot: links, tips that may touch the ground, motors |
| `extract` | reads a robot from a compiled MuJoCo model |
| `kinematics` | positions and velocities |
| `dynamics` | forces of gravity, springs and motion; accelerations from forces |
| `constraints` | joint limits and contacts with the ground: soft, one-sided springs |
| `solver` | the accelerations that all of these agree on, by Newton's method |
| `line_search` | the length of a Newton step |
| `engine` | a step in time |
| `materialize` | keeps XLA from repeating computations |
| `render` | pictures |

Every number is an array of the batch's shape, so that one operation here is one vector
instruction over environments; a single environment has shape `()`.
"""
