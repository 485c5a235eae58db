"""Seeded bugs in Rust: what is changed, what is left alone, and how they are named."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from envwright.verify.adequacy.mutation.rust.mutants import rust_mutants
from envwright.verify.adequacy.mutation.rust.tokens import RustSource

CRATES = Path(__file__).parents[3] / "crates"


def mutated(source, operator=None, **options):
    """The mutated sources, by operator or all."""
    found = rust_mutants(source, "game.rs", **options)
    return {m.apply(source) for m in found if operator in (None, m.operator)}


def of_expression(expression, operator=None):
    """The same for the value of a function."""
    head, tail = "fn f() {\n    y(", ")\n}\n"
    texts = mutated(f"{head}{expression}{tail}", operator)
    return {text.removeprefix(head).removesuffix(tail) for text in texts}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a + b", {"a - b"}),
        ("a - b", {"a + b"}),
        ("a * b", {"a / b"}),
        ("a % b", {"a / b"}),
        ("a << b", {"a >> b"}),
        ("a < b", {"a <= b", "a >= b"}),
        ("a >= b", {"a > b", "a < b"}),
        ("a == b", {"a != b"}),
        ("a & b", {"a | b"}),
        ("a ^ b", {"a | b"}),
        ("a && b", {"a || b"}),
        ("!a", {"a"}),
        ("-a", {"a"}),
        ("&a", set()),
        ("*a", set()),
        ("&mut a", set()),
        ("a?", set()),
        ("true", {"false"}),
        ("0", {"1"}),
        ("3", {"4", "2"}),
        ("1_000u64", {"1001u64", "999u64"}),
        ("0xff", {"0x100", "0xfe"}),
        ("2.0", {"2.2", "-2.0"}),
        ("0.0", {"1.0"}),
        ("1e-3_f32", {"0.0011f32", "-1e-3_f32"}),
        ("a * 2.0", {"a / 2.0", "a * 2.2"}),
        ("pair.0", set()),
        ("pair.0.1", set()),
        ("1.max(x)", {"2.max(x)", "0.max(x)", "1.min(x)"}),
        ("0..n", {"1..n", "0..=n"}),
        ("&a[..n]", {"&a[..=n]"}),
        ("&a[n..]", set()),
        ("1..=n", {"2..=n", "0..=n", "1..n"}),
        ("x.abs()", {"x"}),
        ("x.wrapping_add(y)", {"x.wrapping_sub(y)"}),
        ("g(a, b)", {"g(b, a)"}),
        ("g(a, a)", set()),
        ("g(a, h(b, c))", {"g(h(b, c), a)", "g(a, h(c, b))"}),
        ("x.fold(a, |s, t| s | t)", {"x.fold(|s, t| s | t, a)", "x.fold(a, |s, t| s & t)"}),
        ("x as Vec<u8>", set()),
        ("Vec::<u8>::new()", set()),
        ("<B as Batch>::GRAIN", set()),
        ('"a < b, 1 + 1"', set()),
        ('r#"1 + "1" "#', set()),
        ("'1'", set()),
        (r"'\''", set()),
        ("a /* 1 + 1 /* 2 */ 3 */", set()),
        ("a // 1 + 1\n", set()),
        ("vec![0; n]", {"vec![1; n]"}),
        ('format!("{}", 1 + 1)', set()),
    ],
)
def test_an_expression_gets_these_bugs_and_no_others(expression, expected):
    assert of_expression(expression) == expected


@pytest.mark.parametrize(
    "left_alone",
    [
        "const X: [f32; 8] = Y;",
        "#[derive(Clone)]\n#[repr(align(8))]\nstruct S {\n    a: [f32; 8],\n}",
        "enum E {\n    A = 1,\n}",
        "type T = [u8; 3];",
        "use a::{b, c};",
        "impl<A: B + C> D for E<A> {}",
        "fn f<T: A + B>(x: [T; 3]) -> [T; 3] {\n    x\n}",
        "fn f() {\n    let x: [f32; 8] = y;\n}",
        "#[cfg(test)]\nmod tests {\n    fn f() -> i32 {\n        1 + 1\n    }\n}",
        "#[test]\nfn f() {\n    g(1 + 1);\n}",
        "#[cfg(test)]\nuse a::b;",
        "macro_rules! m {\n    ($x:expr) => {\n        $x + 1\n    };\n}",
        'fn f() {\n    assert!(1 < 2, "{}", 3);\n}',
        "impl Display for E {\n    fn fmt(&self) -> R {\n        g(1)\n    }\n}",
        "fn f(x: E) {\n    match x {\n        A | B => {}\n    }\n}",
        "fn f<'a>(x: &'a str) -> &'a str {\n    x\n}",
    ],
)
def test_types_attributes_and_code_of_tests_are_left_alone(left_alone):
    assert mutated(left_alone) == set()


def test_what_follows_code_of_tests_is_changed_again():
    source = "#[cfg(test)]\nmod tests {\n    const A: i32 = 1;\n}\nconst B: bool = true;\n"
    assert mutated(source) == {source.replace("true", "false")}


def test_an_if_is_always_or_never_taken():
    source = "fn f() {\n    if a { b } else { c }\n}\n"
    expected = {source.replace("if a", "if true"), source.replace("if a", "if false")}
    assert mutated(source, "choice") == expected
    assert mutated("fn f() {\n    if let Some(a) = b { a }\n}\n", "choice") == set()


@pytest.mark.parametrize(
    ("statement", "is_deleted"),
    [
        ("self.a = b;", True),
        ("*a = b;", True),
        ("a[i] |= b;", True),
        ("a.push(b);", True),
        ("let a = b;", False),
        ("return a(b);", False),
        ("a(b)", False),
        ("println!(a);", False),
        ("for a in b(c) {}", False),
    ],
)
def test_a_statement_that_the_rest_can_do_without_is_deleted(statement, is_deleted):
    source = f"fn f() {{\n    {statement}\n}}\n"
    assert mutated(source, "delete") == ({source.replace(statement, "")} if is_deleted else set())


def test_names_tell_place_and_change_and_number_what_is_alike():
    source = "fn f() {\n    g(a < b && c < d)\n}\n"
    assert [m.id for m in rust_mutants(source, "game.rs")] == [
        "game.rs:f:compare:<-><=:g(a < b && c < d) #1",
        "game.rs:f:compare:<->>=:g(a < b && c < d) #1",
        "game.rs:f:logic:&&->||:g(a < b && c < d)",
        "game.rs:f:compare:<-><=:g(a < b && c < d) #2",
        "game.rs:f:compare:<->>=:g(a < b && c < d) #2",
    ]
    assert (
        rust_mutants(source, "game.rs")[0].diff() == "2: g(a < b && c < d)  ->  g(a <= b && c < d)"
    )


@pytest.mark.parametrize(
    ("body", "statement"),
    [
        ("let x = g(\n        a,\n        true,\n    );", "let x = g(a, true)"),
        ("a();\n    if b[i] == true {\n        c();\n    }", "if b[i] == true"),
        ("match a {\n        1 => g(b),\n        _ => g(true),\n    }", "_ => g(true)"),
        ("Game { x: y, over: [true; 8] }", "over: [true; 8]"),
        ("a\n        .iter() // each\n        .map(|b| b & true)", "a.iter().map(|b| b & true)"),
    ],
)
def test_a_name_holds_the_statement_arm_or_field(body, statement):
    mutants = rust_mutants(f"fn f() {{\n    {body}\n}}\n", "game.rs")
    found = [m.id for m in mutants if m.before == "true" and m.operator == "constant"]
    assert found == [f"game.rs:f:constant:true->false:{statement}"]


def test_functions_are_told_by_the_type_they_belong_to_and_can_be_excluded():
    source = dedent(
        """\
        const A: i32 = 1;
        impl<T: X> Trait<T> for Game<T> {
            fn step() -> bool {
                true
            }
            fn check() -> bool {
                false
            }
        }
        fn free() -> bool {
            true
        }
        """
    )
    assert {m.function for m in rust_mutants(source, "g.rs")} == {
        "", "Game::step", "Game::check", "free"
    }  # fmt: skip
    left = rust_mutants(source, "g.rs", exclude=("Game::check", "free"))
    assert {m.function for m in left} == {"", "Game::step"}
    assert {m.function for m in rust_mutants(source, "g.rs", exclude=("Game",))} == {"", "free"}


@pytest.mark.parametrize("path", sorted(CRATES.glob("*/src/*.rs")), ids=lambda p: p.name)
def test_every_source_of_ours_is_read_to_its_end(path):
    source = RustSource(path.read_text())
    brackets = [t.text for t in source.tokens if t.kind == "sign" and t.text in "()[]{}"]
    assert len(source.closing) * 2 == len(brackets)
    mutants = rust_mutants(source.text, path.name)
    assert len({m.id for m in mutants}) == len(mutants)
    assert all(m.apply(source.text) != source.text for m in mutants)
    assert mutants == rust_mutants(source.text, path.name)
