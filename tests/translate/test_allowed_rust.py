"""Rust that reads, waits, counts or looks around: it is rejected before it is built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.translate.rust_answers import CRANE, ENV, HEAT, changed

from envwright.translate.allowed_rust import forbidden_in_rust

RECORDINGS = Path(__file__).parents[2] / "recordings"
LINE = "        self.time += 1;"

CHEATS = {
    "reads golden pairs": ('std::fs::read("golden/heat.json");', "std::fs"),
    "reads with what is imported": ("use std::{cmp, fs::{self, File}};", "std::fs"),
    "gives the library another name": ("use std as s;", "std::itself"),
    "imports the library": ("extern crate std as s;", "extern"),
    "hides a path in a macro": (
        "macro_rules! m { ($a:ident) => { $a::fs::read } } m!(std);",
        "std",
    ),
    "imports everything": ("use std::*;", r"std::\*"),
    "asks another program": ('core::process::Command::new("python3");', "core::process"),
    "calls home": ('std::net::TcpStream::connect("1.1.1.1:80");', "std::net"),
    "looks at its arguments": ("std::env::args().count();", "std::env"),
    "looks at its build": ('option_env!("CARGO_TARGET_DIR");', "option_env!"),
    "is another in other builds": ("#[cfg(debug_assertions)] {}", "the attribute 'cfg'"),
    "takes a file of the host": ('include_bytes!("/proc/self/environ");', "include_bytes!"),
    "takes a module of the host": ('#[path = "/tmp/lamp.rs"] mod lamp;', "the attribute 'path'"),
    "waits for a day": ("std::time::SystemTime::now();", "std::time"),
    "answers from a thread": ("std::thread::spawn(|| {});", "std::thread"),
    "counts calls": ("static N: std::sync::atomic::AtomicU64 = todo!();", "std::sync"),
    "counts in a thread": ("thread_local! { static N: u8 = 0 }", "thread_local!"),
    "counts in a shared cell": ("let n = std::rc::Rc::new(0);", "std::rc"),
    "counts in a leaked cell": ("let n: &'static mut u8 = Box::leak(Box::new(0));", "leak"),
    "counts unseen": ("let n = core::cell::Cell::new(0);", "core::cell"),
    "looks whether it is compared": ("let n = rng.generator_words();", "generator_words"),
    "calls C": ('extern "C" { fn time(t: u64) -> u64; }', "extern"),
    "writes machine code": ('core::arch::asm!("nop");', "core::arch"),
    "is not safe": ("unsafe {}", "unsafe"),
    "prints answers": ('std::println!("1");', "std::println"),
    "writes answers": ("std::io::stdout();", "std::io"),
    "answers itself": ("crate::harness::serve(None, input, output);", "harness::serve"),
    "gives the harness another name": ("use crate::harness as h;", "harness::itself"),
    "rolls dice": ("std::collections::HashSet::from([1, 2]);", "HashSet"),
    "looks at addresses": ('let text = format!("{:p}", self);', "prints an address"),
    "casts addresses": ("let at = self as *const Self as usize;", "a raw pointer"),
    "compares addresses": ("let at = [0].as_ptr();", "as_ptr"),
    "gives a macro the name of another": (
        'macro_rules! m { ($a:ident) => { $a!("x") } } m!(include_str);',
        "include_str",
    ),
    "counts in a thread by a macro": (
        "macro_rules! m { ($a:tt $b:tt) => { $a $b { static N: u8 = 0; } } } m!(thread_local !);",
        "thread_local",
    ),
    "keeps a hook of the process": ("std::panic::set_hook(todo!());", "std::panic"),
    "imports hooks of the process": ("use std::{mem, panic};", "std::panic"),
    "counts in what is passed on to be leaked": ("rows.into_iter().map(Vec::leak);", "leak"),
    "hides behind a text of C": ('let a = cr"\\"; std::time::Instant::now(); "";', "std::time"),
    "hides behind a long letter": (
        "let a = ('\\u{2_____________2}','\"'); std::time::Instant::now(); let b = \"'\";",
        "std::time",
    ),
    "puts an address together": ('let a = format!(concat!("{:", "p}"), self);', "concat!"),
    "makes an address of tokens": ("let a = format!(stringify!({:p}), self);", "stringify!"),
    "spells it raw": ('r#std::r#fs::read("x");', "std::fs"),
}


@pytest.mark.parametrize("name", CHEATS)
def test_what_is_not_arithmetic_is_rejected_with_its_line(name):
    code, said = CHEATS[name]
    sources = {"src/fast_lamp/env.rs": changed(ENV, LINE, f"        {code}\n{LINE}").encode()}
    found = forbidden_in_rust(sources)
    line = 1 + ENV[: ENV.index(LINE)].count("\n")
    assert found and found[0].startswith(f"src/fast_lamp/env.rs:{line}: ")
    assert any(said.replace("\\", "") in each for each in found)


def test_honest_code_is_allowed():
    sources = {"a.rs": HEAT, "b.rs": ENV, "c.rs": CRANE, "notes.md": "use std::fs"}
    assert forbidden_in_rust({path: text.encode() for path, text in sources.items()}) == []
    for recording in RECORDINGS.glob("*rust*/recording.json"):
        for turn in json.loads(recording.read_text())["turns"]:
            code = {p: t.encode() for p, t in turn["files"].items() if t and p.startswith("src/")}
            assert code and forbidden_in_rust(code) == []


def test_texts_comments_and_lifetimes_are_not_code():
    code = """
// std::fs::read, and an "unfinished text
/* unsafe /* std::net */ extern */
use std::{cmp::Ordering, mem::{swap, take}};
const TEXT: &'static str = "std::fs::read() \\" unsafe";
const RAW: &str = r#"extern "C" std::env"#;
const LETTERS: [char; 3] = ['"', '\\'', 'x'];
fn leak_of(env: u8, time: u8) -> u8 { env * time }
"""
    assert forbidden_in_rust({"a.rs": code.encode()}) == []


def test_generators_like_those_of_the_reference_are_allowed():
    code = "use crate::harness::{NumpyRandomState, PythonRandom, Rng};"
    assert forbidden_in_rust({"a.rs": code.encode()}) == []


def test_macros_of_its_own_are_allowed():
    code = """
macro_rules! twice { ($a:expr) => { 2 * $a } }
#[cfg(test)] mod tests { fn f() { std::panic!("at {}", twice!(1)) } }
"""
    assert forbidden_in_rust({"a.rs": code.encode()}) == []


def test_names_of_variables_stay_free_beside_macros_of_its_own():
    code = """
macro_rules! twice { ($a:expr) => { 2.0 * $a } }
pub mod env;
use crate::env::Lamp as Light;
fn f(cfg: &Cfg, std: f64, core: f64) -> f64 {
    let env = [std, twice!(1.5)].concat_all();
    assert!(cfg.include > std, "{env:?}");
    cfg.asm + env + vec![core][0]
}
"""
    assert forbidden_in_rust({"src/a.rs": code.encode()}) == []


@pytest.mark.parametrize("call", ["other!(include_str)", "{ m![std fs] }", "vec![m!{ env }]"])
def test_names_that_go_into_a_macro_do_not(call):
    code = "macro_rules! m { ($($a:tt)*) => { $($a)* } } use m as other; fn f() { " + call + " }"
    assert forbidden_in_rust({"src/a.rs": code.encode()}) != []


def test_a_macro_may_not_take_the_name_of_another():
    code = "macro_rules! vec { ($a:ident) => { $a!(1) } } fn f() { vec![include_str] }"
    assert any("include_str" in found for found in forbidden_in_rust({"a.rs": code.encode()}))


@pytest.mark.parametrize("first", ['#!x "', '\ufeff#! "', '---\n"'])
def test_code_may_not_hide_behind_a_line_that_the_compiler_skips(first):
    code = f'{first}\nfn f() {{ std::time::Instant::now(); }}\n// "\n'
    (found,) = forbidden_in_rust({"src/a.rs": code.encode()})
    assert "begins with what the compiler skips" in found
    assert forbidden_in_rust({"src/a.rs": b"#![allow(dead_code)]"}) == []


def test_other_files_are_named():
    assert forbidden_in_rust({"src/p/build.sh": b""}) == ["src/p/build.sh is not Rust source"]


def test_names_of_the_standard_library_may_be_variables():
    code = (
        b'fn f(std: f64) -> f64 { let core = std; panic!("at: {step}, hp: {hp}"); self.std + core }'
    )
    assert forbidden_in_rust({"src/a.rs": code}) == []


@pytest.mark.parametrize("code", ["use {std as s};", "macro_rules! m { () => {} } m!(std fs);"])
def test_names_of_the_standard_library_that_may_become_paths_are_not(code):
    assert any("std::itself" in found for found in forbidden_in_rust({"src/a.rs": code.encode()}))


@pytest.mark.parametrize("part", [b"std ", b'r#"', b"'\\u{", b"/*"])
def test_reading_takes_time_in_proportion_to_the_text(part):
    found = forbidden_in_rust({"src/a.rs": part * 20_000})  # minutes if it looked ahead each time
    assert len(found) <= 20
