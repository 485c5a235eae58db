"""Python texts that a hostile program could run in a jail. Each is bounded by itself, too."""

# Makes calls that take numbers only, by their number, and prints the error of each.
CALLS = """
import ctypes, errno, json, sys
libc = ctypes.CDLL(None, use_errno=True)
for name, number in json.loads(sys.argv[1]).items():
    ctypes.set_errno(0)
    done = libc.syscall(number, 0, 0, 0, 0, 0, 0)
    print(name, errno.errorcode.get(ctypes.get_errno()) if done < 0 else 'done')
"""

# An opening that other attacks use.
TRIES = """
import ctypes, errno, fcntl, mmap, os, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p

def tried(name, act):
    try:
        done = act()
    except OSError as error:
        print(name, errno.errorcode[error.errno])
    else:
        print(name, 'done' if done is None else done)

def wrote(path, text='0'):
    with open(path, 'w') as file:
        file.write(text)
"""

OOM = """
for path in ('self', '1', str(os.getppid())):
    tried(path, lambda: wrote(f'/proc/{path}/oom_score_adj'))
print(open('/proc/self/oom_score_adj').read().strip(), flush=True)
if os.fork() == 0:
    tried('child', lambda: wrote('/proc/self/oom_score_adj'))
    sys.stdout.flush()
    os._exit(0)
os.wait()
"""
OOM_TOLD = "self EROFS\n1 EROFS\n{parent} EROFS\n1000\nchild EROFS\n"

FAMILIES = """
for name in sys.argv[1:]:
    family = getattr(socket, f'AF_{name}')
    tried(name, lambda: socket.socket(family, socket.SOCK_DGRAM).close())
tried('audit', lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9).close())
tried('sctp', lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132).close())
tried('unix', lambda: [each.close() for each in socket.socketpair()] and None)
tried('inet', lambda: socket.socket().close())
tried('inet6', lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).close())
"""
FAMILIES_TOLD = """\
VSOCK EAFNOSUPPORT
PACKET EAFNOSUPPORT
ALG EAFNOSUPPORT
TIPC EAFNOSUPPORT
CAN EAFNOSUPPORT
audit EPROTONOSUPPORT
sctp EPROTONOSUPPORT
unix done
inet done
inet6 done
"""
EXOTIC = [line.split()[0] for line in FAMILIES_TOLD.splitlines()[:5]]

# Other ways to keep memory that is not resident, or files that no folder lists.
LEFTOVERS = """
def thread_with_files_of_its_own():
    flags = 0x10000 | 0x800 | 0x100  # THREAD, SIGHAND, VM; not FILES
    number = {'x86_64': 56, 'aarch64': 220}[os.uname().machine]
    return libc.syscall(number, flags, 0, 0, 0, 0)

a, b = socket.socketpair()
before = a.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 * before)
print('buffer grown', a.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) > before)
r, w = os.pipe()
tried('pipe', lambda: fcntl.fcntl(w, 1031, 1 << 20))
tried('shared', lambda: mmap.mmap(-1, 4096).close())
tried('private', lambda: mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close())
tried('huge', lambda: mmap.mmap(-1, 1 << 21, flags=0x40000 | mmap.MAP_PRIVATE | 0x20).close())
tried('zero', lambda: mmap.mmap(os.open('/dev/zero', os.O_RDWR), 4096).close())
print('zeros', open('/dev/zero', 'rb').read(3))
tried('sendfile', lambda: os.sendfile(w, os.open('/etc/passwd', os.O_RDONLY), 0, 10))
try:
    open('/proc/1/mem', 'r+b')
except OSError:
    print('mem refused')
print('thread', thread_with_files_of_its_own())
print('dumpable', libc.prctl(4, 0, 0, 0, 0), libc.prctl(3, 0, 0, 0, 0))
print('zerocopy', libc.setsockopt(a.fileno(), 1, 60, ctypes.byref(ctypes.c_int(1)), 4))
"""
LEFTOVERS_TOLD = """\
buffer grown False
pipe EPERM
shared EPERM
private done
huge ENOMEM
zero ENODEV
zeros b'\\x00\\x00\\x00'
sendfile EINVAL
mem refused
thread -1
dumpable 0 1
zerocopy -1
"""

# Who hears when a folder is read knows where the watcher looks.
LISTENS = """
def heard(watches):
    notices = libc.inotify_init1(os.O_NONBLOCK)
    libc.inotify_add_watch(notices, b'.', watches)
    os.listdir('.')
    os.mkdir(str(watches))
    try:
        return len(os.read(notices, 4096)) > 0
    except BlockingIOError:
        return False

print('everything', heard(0xfff))
print('reads', heard(0x31))
print('changes', heard(0x100))
tried('signal', lambda: fcntl.fcntl(os.open('.', os.O_RDONLY), 1026, 1))
"""
LISTENS_TOLD = """\
everything False
reads False
changes True
signal EINVAL
"""

# The following hold megabytes (the first word) until they are stopped.
SOCKETS = """
kept, chunk, filled = [], b'x' * 65536, 0
while filled < int(sys.argv[1]) << 20:
    pair = socket.socketpair()
    kept.append(pair)
    for end in pair:
        end.setblocking(False)
        try:
            while True:
                filled += end.send(chunk)
        except BlockingIOError:
            pass
time.sleep(600)
"""
CONNECTIONS = """
kept, chunk, filled = [], b'x' * 65536, 0
listener = socket.create_server(('127.0.0.1', 0))
while filled < int(sys.argv[1]) << 20:
    there = socket.create_connection(listener.getsockname())
    here, _ = listener.accept()
    kept += [here, there]
    for end in (here, there):
        end.setblocking(False)
        try:
            while True:
                filled += end.send(chunk)
        except BlockingIOError:
            pass
time.sleep(600)
"""
PIPES = """
for _ in range(int(sys.argv[1]) << 4):
    try:
        r, w = os.pipe()
    except OSError:  # a process may have so many; the next goes on
        if os.fork():
            break
        os.closerange(3, 1 << 16)
        r, w = os.pipe()
    os.set_blocking(w, False)
    os.write(w, b'x' * 65536)
time.sleep(600)
"""
TABLES = """
# A page of zeros every 2 MB is not resident, but needs 4 KB of tables.
sparse = mmap.mmap(-1, int(sys.argv[1]) << 29, mmap.MAP_PRIVATE | 0x20, mmap.PROT_READ)
for place in range(0, len(sparse), 1 << 21):
    sparse[place]
time.sleep(600)
"""
HEADLESS = """
import threading
def grow():
    time.sleep(0.3)
    kept = [bytearray(1 << 20) for _ in range(int(sys.argv[1]))]
    time.sleep(600)
threading.Thread(target=grow).start()
libc.syscall({'x86_64': 60, 'aarch64': 93}[os.uname().machine], 0)  # of this thread only
"""
MEMORY = {
    "unix sockets": SOCKETS,
    "connections": CONNECTIONS,
    "pipes": PIPES,
    "page tables": TABLES,
    "first thread ended": HEADLESS,
}

UNLINKED = """
libc.prctl(4, 0, 0, 0, 0)  # out of sight of debuggers
kept = []
for number in range(int(sys.argv[1])):
    kept.append(open(sys.argv[2] + str(number), 'wb', buffering=0))
    os.unlink(sys.argv[2] + str(number))
    try:
        kept[-1].write(b'x' * (1 << 20))
    except OSError:
        break  # no room; what there is stays
time.sleep(600)
"""
MAPPED = """
kept = []
for number in range(int(sys.argv[1])):
    with open(sys.argv[2], 'w+b') as file:
        file.truncate(1 << 20)
        kept.append(mmap.mmap(file.fileno(), 1 << 20))
    os.unlink(sys.argv[2])
time.sleep(600)
"""
FAR = """
for _ in range(17):  # a path of more letters than /proc shows
    os.mkdir('d' * 250)
    os.chdir('d' * 250)
"""
NAMES = """
open('file', 'w').close()
for number in range(int(sys.argv[1])):
    os.link('file', str(number))
time.sleep(600)
"""
# The next make so many objects in the kernel.
WATCHES = """
import select
kept, pipe = [], os.pipe()
ends = [os.dup(pipe[0]) for _ in range(2000)]
for number in range(int(sys.argv[1])):
    if not number % len(ends):
        kept.append(select.epoll())
    kept[-1].register(ends[number % len(ends)], select.EPOLLIN)
time.sleep(600)
"""
LOCKS = """
for number in range(int(sys.argv[1]) // 500):
    file = os.open(str(number), os.O_CREAT | os.O_RDWR)
    for place in range(0, 1000, 2):
        fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
time.sleep(600)
"""
NOTIFIERS = """
kept = [libc.inotify_init1(0) for _ in range(min(int(sys.argv[1]), 20))]
time.sleep(600)
"""
INODES = """
for number in range(int(sys.argv[1])):
    os.close(os.open(sys.argv[2] + str(number), os.O_CREAT | os.O_WRONLY))
time.sleep(600)
"""
PASSED = """
a, b = socket.socketpair()
for number in range(int(sys.argv[1])):
    with open('file', 'wb') as file:
        os.unlink('file')
        file.write(b'x' * (1 << 20))
        file.flush()
        socket.send_fds(a, [b'x'], [file.fileno()])
time.sleep(600)
"""
