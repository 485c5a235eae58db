"""The programs that a translation needs run under the default limits."""

import shutil

import pytest

from envwright.sandbox import Jail, JailFailed, node_runtime, python_runtime, run, rust_runtime
from envwright.sandbox.runtime import interpreter


def needs(program: str):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is missing")


def test_jax_computes(needs_jail, folder):
    code = "import jax, envwright; print((jax.jit(lambda x: x + 1)(jax.numpy.ones(3))).tolist())"
    done = run(["python", "-c", code], Jail((folder,), python_runtime()))
    assert (done.code, done.stdout, done.stopped) == (0, "[2.0, 2.0, 2.0]\n", ""), done.stderr


@needs("node")
def test_node_computes(needs_jail, folder):
    code = """
const {Worker} = require('worker_threads');
new Worker('require("worker_threads").parentPort.postMessage(6 * 7)', {eval: true})
  .on('message', (answer) => console.log(answer));
"""
    done = run(["node", "-e", code], Jail((folder,), node_runtime()))
    assert (done.code, done.stdout) == (0, "42\n"), done.stderr


@needs("cargo")
def test_cargo_builds_a_crate_without_dependencies(needs_jail, folder):
    (folder / "src").mkdir()
    (folder / "Cargo.toml").write_text('[package]\nname = "soup"\nedition = "2021"\n')
    (folder / "src" / "main.rs").write_text('fn main() { println!("{}", 6 * 7); }')
    jail = Jail((folder,), rust_runtime())
    for _ in range(2):  # the second time upon what the first has left
        done = run(["cargo", "run", "--offline", "--quiet"], jail)
        assert (done.code, done.stdout) == (0, "42\n"), done.stderr


def test_a_shell_finds_the_name_of_its_user(needs_jail, folder):
    assert run(["id", "-un"], Jail((folder,))).stdout == "jail\n"


def test_a_runtime_is_all_there_and_nothing_twice():
    paths = python_runtime()
    assert all(path.is_dir() for path in paths)
    assert not any(one in other.parents for one in paths for other in paths)
    assert all(
        any(base == path or path in base.parents for path in paths) for base in interpreter()
    )


def test_a_missing_program_is_named(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    for runtime in (node_runtime, rust_runtime):
        with pytest.raises(JailFailed, match="install"):
            runtime.__wrapped__()
