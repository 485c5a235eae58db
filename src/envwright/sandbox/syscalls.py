"""The system calls that no jailed program may make, and how each is rejected.

A jail's limits count what the kernel shows per process, folder or network. These calls would hold
memory or files where nothing counts them, reach the kernel's rarely used parts, or make a jail
inside the jail. Where a program expects kernels without a call, the call is "not implemented".
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from errno import EAFNOSUPPORT, EINVAL, ENOMEM, ENOPROTOOPT, ENOSYS, EPERM, EPROTONOSUPPORT
from socket import AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, SOL_SOCKET

from envwright.sandbox.bpf import Architecture, Condition, Rule, program
from envwright.sandbox.jail import JailFailed

MISSING = (
    "memfd_create memfd_secret userfaultfd",  # memory without a name or in other hands
    "shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl",
    "mq_open mq_unlink",
    "add_key request_key keyctl",
    "io_uring_setup io_uring_enter io_uring_register io_setup",
    "clone3",  # its flags are out of a filter's sight; C libraries fall back to clone
    "fanotify_init",
    "landlock_create_ruleset",  # its rules are memory that nothing counts
)
FORBIDDEN = (
    "bpf perf_event_open ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd",
    "unshare setns mount umount2 pivot_root chroot move_mount open_tree open_tree_attr",
    "fsopen fsconfig fsmount fspick mount_setattr open_by_handle_at",
    "init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff",
    "acct quotactl quotactl_fd settimeofday clock_settime syslog iopl ioperm lookup_dcookie",
    "vhangup sethostname setdomainname modify_ldt uselib",
)
# Pages in a pipe or socket stay when their file or mapping has gone. Programs copy instead.
PINNING = ("splice tee vmsplice sendfile",)

INTERNET = (AF_INET, AF_INET6)
NETLINK_ROUTE, TCP, UDP = 0, 6, 17
CLONE_FILES, CLONE_THREAD = 0x400, 0x10000
NAMESPACES = 0x7E02_0000  # every CLONE_NEW* that clone knows
CLOSE_RANGE_UNSHARE = 2
F_SETPIPE_SZ = 1031
MAP_SHARED, MAP_SHARED_VALIDATE, MAP_TYPE, MAP_ANONYMOUS, MAP_HUGETLB = 1, 3, 0xF, 0x20, 0x40000
PR_SET_DUMPABLE = 4
SO_SNDBUF, SO_RCVBUF, SO_ZEROCOPY = 7, 8, 60
F_NOTIFY = 1026
IN_ACCESS, IN_CLOSE_NOWRITE, IN_OPEN = 0x1, 0x10, 0x20


def _sockets() -> Iterator[Rule]:
    usual = Condition(0, (AF_UNIX, AF_NETLINK, *INTERNET), among=False)
    # Node.js fails where it cannot list network interfaces; without capabilities, it only reads.
    kernel = (Condition(0, (AF_NETLINK,)), Condition(2, (NETLINK_ROUTE,), among=False))
    exotic = (Condition(0, INTERNET), Condition(2, (0, TCP, UDP), among=False))
    for call in ("socket", "socketpair"):
        yield Rule(call, EAFNOSUPPORT, (usual,))
        yield Rule(call, EPROTONOSUPPORT, kernel)
        yield Rule(call, EPROTONOSUPPORT, exotic)


def _rules() -> Iterator[Rule]:
    for error, lines in ((ENOSYS, MISSING), (EPERM, FORBIDDEN), (EINVAL, PINNING)):
        yield from (Rule(call, error) for line in lines for call in line.split())
    yield from _sockets()
    yield Rule("clone", EPERM, (Condition(0, (0,), NAMESPACES, among=False),))
    # Threads share their files, so that one look at a process shows them all.
    alone = Condition(0, (CLONE_THREAD,), CLONE_THREAD | CLONE_FILES)
    yield Rule("clone", EPERM, (alone,))
    yield Rule("close_range", EINVAL, (Condition(2, (0,), CLOSE_RANGE_UNSHARE, among=False),))
    # A process that hides from its debuggers also hides from the watcher. Some do it out of
    # caution and stop if they cannot, so that they get to hear that they did.
    yield Rule("prctl", 0, (Condition(0, (PR_SET_DUMPABLE,)), Condition(1, (0,))))
    # Such memory stays when its pages are unmapped. /dev/shm offers the same, and is counted.
    shared = Condition(3, (MAP_SHARED, MAP_SHARED_VALIDATE), MAP_TYPE)
    yield Rule("mmap", EPERM, (shared, Condition(3, (MAP_ANONYMOUS,), MAP_ANONYMOUS)))
    yield Rule("mmap", ENOMEM, (Condition(3, (MAP_HUGETLB,), MAP_HUGETLB),))  # is not resident
    # Buffers keep their usual size, which the watcher multiplies.
    yield Rule("fcntl", EPERM, (Condition(1, (F_SETPIPE_SZ,)),))
    sized = Condition(2, (SO_SNDBUF, SO_RCVBUF))
    yield Rule("setsockopt", 0, (Condition(1, (SOL_SOCKET,)), sized))
    # Who hears that the watcher reads a folder can move files to where it has been. Programs do
    # not need to hear it, so that their watches remain silent.
    heard = Condition(2, (0,), IN_ACCESS | IN_CLOSE_NOWRITE | IN_OPEN, among=False)
    yield Rule("inotify_add_watch", 0, (heard,))
    yield Rule("fcntl", EINVAL, (Condition(1, (F_NOTIFY,)),))
    pinned = Condition(2, (SO_ZEROCOPY,))
    yield Rule("setsockopt", ENOPROTOOPT, (Condition(1, (SOL_SOCKET,)), pinned))


RULES = tuple(_rules())

# name: number on x86-64, number on aarch64 (or None)
NUMBERS: dict[str, tuple[int, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_settime": (227, 112),
    "clone": (56, 220),
    "clone3": (435, 435),
    "close_range": (436, 436),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "fcntl": (72, 25),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "inotify_add_watch": (254, 27),
    "io_setup": (206, 0),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "landlock_create_ruleset": (444, 444),
    "lookup_dcookie": (212, 18),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mmap": (9, 222),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "msgctl": (71, 187),
    "msgget": (68, 186),
    "msgrcv": (70, 188),
    "msgsnd": (69, 189),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "prctl": (157, 167),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "semctl": (66, 191),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "sendfile": (40, 71),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setsockopt": (54, 208),
    "settimeofday": (164, 170),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmdt": (67, 197),
    "shmget": (29, 194),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "splice": (275, 76),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "tee": (276, 77),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "uselib": (134, None),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
    "vmsplice": (278, 75),
}


def _architecture(audit: int, column: int, x32: bool = False) -> Architecture:
    numbers = {name: pair[column] for name, pair in NUMBERS.items()}
    return Architecture(audit, {k: v for k, v in numbers.items() if v is not None}, x32)


X86_64 = _architecture(0xC000_003E, 0, x32=True)
AARCH64 = _architecture(0xC000_00B7, 1)
ARCHITECTURES = {"x86_64": X86_64, "aarch64": AARCH64}


def jail_filter() -> bytes:
    """Return the filter of every jail on this machine."""
    machine = platform.machine()
    if machine not in ARCHITECTURES:
        known = " and ".join(ARCHITECTURES)
        raise JailFailed(f"jails work on {known}, not on {machine}; use such a machine")
    return program(RULES, ARCHITECTURES[machine])
