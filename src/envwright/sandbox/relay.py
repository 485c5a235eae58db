"""The only way out of a jail: forward connections on its loopback to a Unix socket outside.

The launcher creates the listener in the jail's own network and passes it out. The relay therefore
runs outside, where the jail cannot end it, and the socket itself is not in the jail.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import suppress
from pathlib import Path

AT_ONCE = 64  # connections; each needs a descriptor outside
CHUNK = 1 << 16


class Relay:
    """Serve one listener until it is closed."""

    def __init__(self, listener: socket.socket, target: Path) -> None:
        self._listener, self._target = listener, str(target)
        # The loop refers to tasks weakly: one that waits for the far end would be collected.
        self._connections: set[asyncio.Task[None] | None] = set()
        self._loop = asyncio.new_event_loop()
        self._closing = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="jail relay", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all connections."""
        with suppress(RuntimeError):  # it is already closed
            self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._connect, sock=self._listener)
        await self._closing.wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= AT_ONCE:
            writer.close()
            return
        task = asyncio.current_task()
        self._connections.add(task)
        writers = [writer]
        try:
            far_reader, far_writer = await asyncio.open_unix_connection(self._target)
            writers.append(far_writer)
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        except (OSError, asyncio.CancelledError):
            pass  # the other end sees a closed connection
        finally:
            self._connections.discard(task)
            for each in writers:
                each.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(CHUNK):
        writer.write(chunk)
        await writer.drain()
    with suppress(OSError):
        writer.write_eof()
