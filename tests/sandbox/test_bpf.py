"""The filter, interpreted as the kernel would."""

import re
import struct
from errno import EAFNOSUPPORT, EINVAL, ENOSYS, EPERM, EPROTONOSUPPORT
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from envwright.sandbox.bpf import (
    ALLOW,
    FAIL,
    Architecture,
    Condition,
    Rule,
    program,
)
from envwright.sandbox.syscalls import AARCH64, NUMBERS, RULES, X86_64

BOTH = pytest.mark.parametrize("machine", [X86_64, AARCH64], ids=["x86_64", "aarch64"])
HEADERS = (
    (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), r"#define __NR_(\w+)\s+(\d+)", 0),
    (Path("/usr/include/asm-generic/unistd.h"), r"#define __NR(?:3264)?_(\w+)\s+(\d+)", 1),
)
ALLOWED = "allowed"


def decide(code: bytes, audit: int, number: int, *arguments: int) -> int | str:
    """Run a filter on a call; return the error it gets, or `ALLOWED`."""
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("<iIQ6Q", number, audit, 0, *padded)
    instructions = list(struct.iter_unpack("<HBBI", code))
    register, at = 0, 0
    while True:
        kind, yes, no, constant = instructions[at]
        at += 1
        match kind:
            case 0x20:
                assert constant % 4 == 0 and constant <= len(data) - 4
                (register,) = struct.unpack_from("<I", data, constant)
            case 0x54:
                register &= constant
            case 0x15:
                at += yes if register == constant else no
            case 0x35:
                at += yes if register >= constant else no
            case 0x06:
                return ALLOWED if constant == ALLOW else constant ^ FAIL
            case _:
                raise AssertionError(f"{kind:#x} is not an instruction of these filters")


def asked(machine: Architecture, call: str, *arguments: int) -> int | str:
    return decide(program(RULES, machine), machine.audit, machine.numbers[call], *arguments)


@BOTH
def test_every_call_without_conditions_is_rejected_with_its_error(machine):
    plain = [rule for rule in RULES if not rule.conditions and rule.call in machine.numbers]
    assert len(plain) > 60
    assert [asked(machine, rule.call) for rule in plain] == [rule.error for rule in plain]


@BOTH
def test_a_call_that_no_rule_names_is_allowed(machine):
    code = program(RULES, machine)
    others = set(range(470)) - set(machine.numbers.values())
    assert {decide(code, machine.audit, number) for number in others} == {ALLOWED}


@BOTH
def test_the_calls_of_other_architectures_are_rejected(machine):
    code = program(RULES, machine)
    for audit in {X86_64.audit, AARCH64.audit, 0x4000_0003} - {machine.audit}:
        assert {decide(code, audit, number) for number in (0, 1, 39, 172)} == {ENOSYS}


def test_the_second_table_of_x86_is_rejected():
    code = program(RULES, X86_64)
    assert decide(code, X86_64.audit, 0x4000_0000 | 39) == ENOSYS
    assert decide(code, X86_64.audit, 39) == ALLOWED


@BOTH
def test_only_unix_and_internet_sockets_and_lists_of_interfaces_are_allowed(machine):
    answers = {family: asked(machine, "socket", family, 1, 0) for family in range(50)}
    assert {family for family, answer in answers.items() if answer == ALLOWED} == {1, 2, 10, 16}
    assert answers[40] == EAFNOSUPPORT
    assert asked(machine, "socket", 2, 1, 6) == asked(machine, "socket", 10, 2, 17) == ALLOWED
    assert asked(machine, "socket", 2, 1, 132) == EPROTONOSUPPORT
    assert asked(machine, "socket", 1, 1, 132) == ALLOWED, "no protocol there"
    assert asked(machine, "socket", 16, 3, 9) == EPROTONOSUPPORT
    assert asked(machine, "socketpair", 30, 1, 0) == EAFNOSUPPORT


@BOTH
def test_processes_and_threads_are_made_but_no_namespaces(machine):
    assert asked(machine, "clone", 17) == ALLOWED  # fork
    assert asked(machine, "clone", 0x3D0F00) == ALLOWED  # pthread_create
    assert asked(machine, "clone", 0x3D0F00 & ~0x400) == EPERM
    for bit in (0x20000, *(1 << n for n in range(25, 31))):
        assert asked(machine, "clone", 17 | bit) == EPERM


@BOTH
def test_only_the_named_bits_of_an_argument_decide(machine):
    assert asked(machine, "mmap", 0, 4096, 3, 0x21) == EPERM
    assert asked(machine, "mmap", 0, 4096, 3, 0x4021) == EPERM  # MAP_NORESERVE
    assert asked(machine, "mmap", 0, 4096, 3, 0x22) == ALLOWED
    assert asked(machine, "mmap", 0, 4096, 3, 0x01) == ALLOWED  # of a file
    assert asked(machine, "close_range", 3, 9, 4) == ALLOWED
    assert asked(machine, "close_range", 3, 9, 6) == EINVAL


@BOTH
def test_hiding_from_debuggers_succeeds_without_effect(machine):
    assert asked(machine, "prctl", 4, 0) == 0
    assert asked(machine, "prctl", 4, 1) == asked(machine, "prctl", 3, 0) == ALLOWED


WORD = st.integers(0, 7)
CONDITION = st.builds(
    Condition,
    argument=st.integers(0, 5),
    values=st.lists(WORD, min_size=1, max_size=4, unique=True).map(tuple),
    mask=st.sampled_from([0xFFFF_FFFF, 1, 6]),
    among=st.booleans(),
)
RULE = st.builds(
    Rule,
    call=st.sampled_from("abc"),
    error=st.integers(1, 99),
    conditions=st.lists(CONDITION, max_size=3).map(tuple),
)
TOY = Architecture(7, {"a": 0, "b": 1, "c": 2})


@given(st.lists(RULE, max_size=6), st.integers(0, 3), st.lists(WORD, min_size=6, max_size=6))
@example([Rule("a", 5, (Condition(0, (1, 2)),)), Rule("a", 6)], 0, [2] * 6)
@example([Rule("a", 5, (Condition(0, (1, 2), among=False),))], 0, [2] * 6)
def test_the_first_rule_whose_conditions_hold_decides(rules, number, arguments):
    def holds(condition: Condition) -> bool:
        value = arguments[condition.argument] & condition.mask
        return (value in condition.values) == condition.among

    hits = (
        rule.error
        for rule in rules
        if TOY.numbers[rule.call] == number and all(map(holds, rule.conditions))
    )
    high = [argument | 5 << 32 for argument in arguments]
    assert decide(program(rules, TOY), TOY.audit, number, *high) == next(hits, ALLOWED)


@pytest.mark.parametrize(("header", "pattern", "column"), HEADERS, ids=["x86_64", "aarch64"])
def test_the_numbers_are_those_of_the_kernels_headers(header, pattern, column):
    if not header.exists():
        pytest.skip(f"{header} is not installed")
    found = {name: int(number) for name, number in re.findall(pattern, header.read_text())}
    common = found.keys() & NUMBERS.keys()
    assert len(common) > 70
    assert {name: NUMBERS[name][column] for name in common} == {
        name: found[name] for name in common
    }
