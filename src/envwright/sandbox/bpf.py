"""Assemble seccomp filters: classic BPF programs that reject system calls with an error.

Everything that no rule names is allowed. A call of another architecture's table is rejected.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from errno import ENOSYS

# The parts of `struct seccomp_data` that a program reads.
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
LOAD, AND, RETURN = 0x20, 0x54, 0x06  # 32 bits at an offset; with a constant; a constant
EQUAL, AT_LEAST = 0x15, 0x35  # jump forward by `yes` or `no` instructions
ALLOW, FAIL = 0x7FFF_0000, 0x0005_0000
X32 = 0x4000_0000  # numbers from here on are x86-64's other table

Instruction = tuple[int, int, int, int]  # code, yes, no, constant


@dataclass(frozen=True)
class Condition:
    """Whether bits of an argument's low half have one of some values, or none of them.

    The kernel ignores the high half of every argument that the rules look at.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFF_FFFF
    among: bool = True


@dataclass(frozen=True)
class Rule:
    """Reject a call if all conditions hold. Error 0 skips the call and reports success."""

    call: str
    error: int
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Architecture:
    """A processor's system calls, as Linux numbers them."""

    audit: int  # AUDIT_ARCH_*
    numbers: Mapping[str, int]
    x32: bool = False


def program(rules: Iterable[Rule], architecture: Architecture) -> bytes:
    """Return a filter as `struct sock_filter[]`. Skip calls that the architecture lacks."""
    instructions = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, architecture.audit),
        _fail(ENOSYS),
        (LOAD, 0, 0, NUMBER),
    ]
    if architecture.x32:
        instructions += [(AT_LEAST, 0, 1, X32), _fail(ENOSYS)]
    for rule in rules:
        if rule.call in architecture.numbers:
            instructions += _rejected(rule, architecture.numbers[rule.call])
    instructions.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("<HBBI", *each) for each in instructions)


def _rejected(rule: Rule, number: int) -> Iterator[Instruction]:
    body: list[Instruction] = [_fail(rule.error)]
    for condition in reversed(rule.conditions):
        body = [*_tested(condition, len(body)), *body]
    if rule.conditions:
        body.append((LOAD, 0, 0, NUMBER))  # for the next rule
    return iter([(EQUAL, 0, len(body), number), *body])


def _tested(condition: Condition, ahead: int) -> list[Instruction]:
    """Return a test that skips the `ahead` instructions after it unless the condition holds."""
    begin = [(LOAD, 0, 0, ARGUMENTS + 8 * condition.argument), (AND, 0, 0, condition.mask)]
    tests: list[Instruction] = []
    for left, value in zip(reversed(range(len(condition.values))), condition.values, strict=True):
        found = left if condition.among else left + ahead
        missed = ahead if condition.among and not left else 0
        tests.append((EQUAL, found, missed, value))
    return [*begin, *tests]


def _fail(error: int) -> Instruction:
    return (RETURN, 0, 0, FAIL | error)
