"""Run a coding agent's own program on a task: in a jail, behind the proxy."""

from __future__ import annotations

import os
import re
import tempfile
import threading
import time
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from envwright.agents.base import Allowance, Answer, Task, Usage
from envwright.agents.cli import installed
from envwright.agents.cli.ending import judge
from envwright.agents.cli.tool import Call, CliTool, Ended
from envwright.agents.prices import Prices, Tokens, load_prices
from envwright.agents.proxy import (
    FILE,
    PROTOCOLS,
    Account,
    Patience,
    Places,
    Proxy,
    Tape,
    Upstream,
    new_token,
    unpriced,
)
from envwright.agents.turn_folder import keep_output, temporary_home
from envwright.errors import EnvwrightError
from envwright.sandbox import (
    Child,
    Finished,
    Jail,
    Limits,
    finished_rooms,
    run,
    start,
    tools,
    tree,
    why_not,
)

PORT = 8080  # in the jail, where nothing else listens
LONGEST = 100_000  # letters of an agent's last words
GRACE = 8.0  # seconds for a program to end by itself once the proxy has given up


class CliAgent:
    """A coding agent that is a command-line program.

    It reads the key from the environment at construction; only the proxy sees it. With `recording`
    (the folder of a run), no endpoint is asked: each turn is answered from the exchanges in the
    recorded turn's folder.
    """

    patient = False

    def __init__(
        self,
        program: CliTool,
        *,
        model: str | None = None,
        endpoint: str | None = None,
        key: str | None = None,
        executable: str | os.PathLike[str] | None = None,
        prices: Prices | None = None,
        unsafe: bool = False,
        recording: str | os.PathLike[str] | None = None,
        patience: Patience | None = None,
        turns: int = 200,
        memory_mb: int = 8192,
    ) -> None:
        self.name = program.name
        self.program = program
        self.model = model or program.model
        self.executable = installed.find(program, executable)
        self.prices = prices or load_prices()
        self.unsafe = unsafe
        self.turns = turns
        self._memory_mb = memory_mb
        self._patience = patience or Patience()
        self._protocol = PROTOCOLS[program.protocol]
        self._recording = Path(recording) if recording is not None else None
        self._key = "" if self._recording else key or _key_of(program)
        self._upstream = Upstream(
            endpoint or program.endpoint, self._key, self._protocol, self._patience
        )
        if not unsafe and (reason := why_not()):
            raise EnvwrightError(
                f"{program.name} would run without a jail: {reason}; "
                "or accept that with --unsafe, where it may read and change all that you may"
            )

    def ask(self, task: Task) -> Answer:
        """Run the program in the workspace until it ends or must stop."""
        started = time.monotonic()
        task = replace(task, workspace=task.workspace.resolve(), folder=task.folder.resolve())
        reason = unpriced(self.model, task.allowance, self.prices, self.model)
        if reason is not None:
            raise EnvwrightError(reason)
        with temporary_home(task.folder) as home:
            finished, proxy, limits = self._ended(task, home)
            said = self.program.said(Ended(finished.code, finished.stdout, finished.stderr, home))
        keep_output(task.folder, "stdout.txt", finished.stdout)
        keep_output(task.folder, "stderr.txt", finished.stderr)
        status, reason = judge(self.program, finished, limits, said, proxy.trouble)
        seconds = time.monotonic() - started
        return Answer(status, reason, said.text[:LONGEST], proxy.usage, seconds)

    def _ended(self, task: Task, home: Path) -> tuple[Finished, Proxy, Limits]:
        """Run the program to its end."""
        # Not in the turn's folder: a socket's path is limited to 107 characters.
        with tempfile.TemporaryDirectory(prefix="envwright-") as short:
            socket = Path(short) / "proxy"
            proxy = self._proxy(task, home, socket)
            with proxy:
                call = self._call(task, home, proxy)
                jail = self._jail(call, task.allowance, socket)
                return self._run(call, jail, proxy), proxy, jail.limits

    def price(self, usage: Usage) -> float | None:
        """Return the price of this usage in dollars, or None if the price is unknown."""
        if not self.prices.knows(self.model):
            return None
        calls = max(usage.calls, 1)  # long requests may have a price of their own
        parts = (usage.prompt // calls, usage.cached // calls, 0, usage.output // calls)
        return calls * self.prices.dollars(self.model, Tokens(*parts))

    def describe(self) -> dict[str, str]:
        """Describe the agent for the journal."""
        cost = f"dollars from {self.prices.source} times tokens counted by the proxy"
        if not self.prices.knows(self.model):
            cost = f"no dollars: no price is known for {self.model}; tokens counted by the proxy"
        source = f"recording {self._recording}" if self._recording else self._upstream.endpoint
        return {
            "kind": self.name,
            "version": self._version,
            "model": self.model,
            "endpoint": source,
            "costs": cost,
            "confined": "no" if self.unsafe else "yes",
        }

    def _proxy(self, task: Task, home: Path, socket: Path) -> Proxy:
        token = new_token()
        folders = {"workspace": task.workspace, "home": home, "folder": task.folder}
        places = Places(folders, {"key": self._key, "token": token})
        source: Upstream | Tape = self._upstream
        if self._recording is not None:
            source = Tape(self._recording / task.folder.name / FILE, places)
        return Proxy(
            self._protocol,
            source,
            Account(task.allowance, self.prices, self.model),
            task.folder / FILE,
            places,
            patience=self._patience,
            socket=None if self.unsafe else socket,
            token=token,
        )

    def _call(self, task: Task, home: Path, proxy: Proxy) -> Call:
        call = Call(
            model=self.model,
            base=f"http://127.0.0.1:{proxy.port or PORT}",
            token=proxy.token,
            prompt=task.prompt,
            workspace=task.workspace,
            home=home,
            turns=self.turns,
            confined=not self.unsafe,
        )
        for name, text in self.program.settings(call).items():
            tree.write(home, name, text.encode())
        return call

    def _jail(self, call: Call, allowance: Allowance, socket: Path) -> Jail:
        return Jail(
            writable=(call.workspace,),
            readable=self._readable,
            hidden=finished_rooms(),
            home=call.home,
            env=self.program.environment(call),
            socket=None if self.unsafe else socket,
            port=PORT,
            limits=Limits(
                seconds=allowance.seconds,
                memory_mb=self._memory_mb,
                processes=512,
                disk_mb=4096,
                output_mb=64,
            ),
            confined=not self.unsafe,
        )

    def _run(self, call: Call, jail: Jail, proxy: Proxy) -> Finished:
        command = [str(self.executable), *self.program.arguments(call)]
        stdin = call.prompt.encode() if self.program.stdin else b""
        ended = threading.Event()
        with start(command, jail, cwd=call.workspace) as child:
            threading.Thread(target=_usher, args=(child, proxy, ended), daemon=True).start()
            try:
                code, stdout = child.answer(stdin)
            finally:
                ended.set()
        return Finished(code, stdout, child.errors, child.seconds, child.stopped)

    @cached_property
    def _readable(self) -> tuple[Path, ...]:
        # The agent runs the workspace's tests, so it needs more than its own program.
        return tuple(dict.fromkeys([*installed.folders(self.executable), *tools()]))

    @cached_property
    def _version(self) -> str:
        jail = Jail(readable=self._readable, limits=Limits(seconds=60.0), confined=not self.unsafe)
        told = run([str(self.executable), *self.program.ask_version], jail)
        found = re.search(r"\d+\.\d+\.\d+\S*", told.stdout)
        return found[0].rstrip(".") if found else "unknown"


def _usher(child: Child, proxy: Proxy, ended: threading.Event) -> None:
    """Stop a program that keeps sending requests after the proxy has given up."""
    while not ended.wait(0.25):
        if proxy.over_for > GRACE:
            child.close()
            return


def _key_of(program: CliTool) -> str:
    for variable in program.keys:
        if key := os.environ.get(variable, "").strip():
            return key
    raise EnvwrightError(
        f"{program.name} needs a key for its endpoint: set {' or '.join(program.keys)} "
        "(to any text where your endpoint asks for none)"
    )
