"""The first program in a jail: takes limits upon itself, gives up its rights, becomes the command.

It runs alone (`python -I -S -c`) and imports nothing of this package.
"""

import ctypes
import json
import os
import resource
import signal
import socket
import sys
from contextlib import suppress


def lower(limits: dict[str, int]) -> None:
    """Set resource limits; never above what is allowed already."""
    for name, value in limits.items():
        kind = getattr(resource, name)
        _, most = resource.getrlimit(kind)
        if most != resource.RLIM_INFINITY:
            value = min(value, most)
        resource.setrlimit(kind, (value, value))


def listen(port: int) -> socket.socket:
    """A listener on the jail's own loopback; whoever holds it may live outside."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(64)
    return listener


def become(uid: int) -> None:
    """Be this user and nobody else, with no capability left."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    # That leaves those which programs may inherit; version 3 of the call, this process, no bits.
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None).capset(header, none) != 0:
        raise OSError("capabilities could not be dropped")


def settle(order: dict) -> list[int]:
    """Everything before the command; the descriptors that the keeper outside watches by."""
    handed = []
    if order["confined"]:
        handed.append(os.pidfd_open(1))
        places = ("/proc", "/tmp", "/dev/shm")
        handed += [os.open(place, os.O_RDONLY | os.O_DIRECTORY) for place in places]
    if order["port"] is not None:
        handed.append(listen(order["port"]).detach())
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")  # should the machine run out of memory, the jail goes first
    lower(order["limits"])
    if order["uid"] is not None:
        become(order["uid"])
    os.environ.pop("PWD", None)  # bubblewrap's
    os.umask(0o022)
    os.makedirs(os.environ["HOME"], mode=0o700, exist_ok=True)
    os.chdir(order["cwd"])
    # Python ignores some signals, and would hand that on.
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    return handed


def main() -> None:
    """Settle in, tell the keeper, become the command."""
    order, command = json.loads(sys.argv[1]), sys.argv[2:]
    control = socket.socket(fileno=order["control"])
    control.set_inheritable(False)
    try:
        handed = settle(order)
    except OSError as error:
        control.sendall(f"failed {error}".encode())
        sys.exit(125)
    socket.send_fds(control, [b"ready"], handed)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror} in the jail", file=sys.stderr)
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


if __name__ == "__main__":
    main()
