"""Disk states: full, read-only, closed, deleted, damaged, elsewhere, copied, and names that nobody expects.

Each begins with a run that rests and can go on. The state is brought about, people look at the run, go on with it and begin another;
then the state is undone. `refused`: what could not be done was said with its cause, and nothing was lost. `noticed`: it was done, and
the state was named. `works`: it was done. `open`: something hung, broke off, was silent or denied that there is a run, or was lost.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

from attack_ground import NOTICED, OPEN, REFUSED, WORKS, Way, honest, quoted
from attack_trees import PATH
from harness import Violation, end

CODES = {0, 1, 2, 3, 4, 5, 6, 7, 130}
LOOKS = (("status", "r"), ("ls",), ("log", "r"), ("show", "r"), ("why", "r"), ("verify",))
GO_ON = ("resume", "r", "--max-iterations", "+1")
DENIES = re.compile(r"there is no run|no runs? (here|yet)|there are no runs", re.I)
# The lines that tell a person of something beside the answer.
WARNS = re.compile(r"\s*(warning|note|beside|damaged|caution)\b")
AGENT = "echo more >> work.txt"
CHECK = "test -f never.txt"
FAR = 8 << 40


class Fault(Exception):
    """What a command did that no state of a disk excuses."""


def begin(ground, agent=AGENT, id="r"):
    """A run that reached its ceiling, and all that is on record of it."""
    done = ground.loop(agent, CHECK, id=id)
    if done.returncode != 3:
        raise Violation(f"the run does not begin: exit {done.returncode}: {done.stderr[-400:]}")
    ground.known = record(ground)


def record(ground, run="r"):
    return [(event["seq"], event["hash"]) for event in ground.events(run)]


def asked(ground, words, says, fine=(0,), timeout=30):
    """One command while the state holds."""
    try:
        done = ground.piton(*words, timeout=timeout)
    except Violation as error:
        raise Fault(str(error))
    said = done.stdout + done.stderr
    shown = f"`piton {' '.join(words)[:60]}` exits {done.returncode}: {said.strip()[-300:]}"
    if done.returncode not in CODES or "panicked" in said:
        raise Fault(f"breaks off: {shown}")
    if DENIES.search(said):
        raise Fault(f"denies the run: {shown}")
    is_named = lambda text: any(word.lower() in text.lower() for word in says)
    if done.returncode in fine:
        return NOTICED if any(is_named(line) for line in said.splitlines() if WARNS.match(line)) else WORKS
    if not is_named(said):
        raise Fault(f"does not name the cause: {shown}")
    return REFUSED


def sound(ground):
    """After the state was undone: everything on record is there, and the run goes on."""
    now = record(ground)
    if now[: len(ground.known)] != ground.known:
        raise Fault(f"{len(ground.known)} events were on record, {len(now)} are, and not the same")
    verified = ground.piton("verify")
    if verified.returncode != 0:
        raise Fault(f"`verify` exits {verified.returncode} afterwards: {(verified.stdout + verified.stderr)[-300:]}")
    done = ground.piton(*GO_ON)
    if done.returncode not in (0, 3) or len(record(ground)) <= len(now):
        raise Fault(f"does not go on afterwards: exit {done.returncode}: {(done.stdout + done.stderr)[-300:]}")


def worst(came):
    return max(came, key=(WORKS, NOTICED, REFUSED).index)


def tell(ground, error):
    if os.environ.get("ATTACK_WHY"):
        print(f"      open: {error}", file=sys.stderr)
    return OPEN


def met(ground, state, says, reads=False, acts=True, undone=True, start=begin):
    """What came of a run on a disk in this state. `reads`: looking must work; `undone`: what the state took is given back."""
    start(ground)
    steps = state(ground)
    next(steps)
    try:
        came = []
        for words in LOOKS:
            came.append(asked(ground, words, says))
            if words[0] == "verify":
                # To say what is wrong is what it is for.
                came[-1] = NOTICED if came[-1] == REFUSED else came[-1]
            if reads and came[-1] == REFUSED:
                raise Fault(f"`piton {words[0]}` is refused, although the journal can be read")
        if acts:
            came.append(asked(ground, GO_ON, says, fine=(0, 3)))
            came.append(
                asked(
                    ground,
                    (
                        "loop",
                        "more",
                        "--id",
                        "n",
                        "--here",
                        "--exec",
                        AGENT,
                        "--check",
                        f"c={CHECK}",
                        "--max-iterations",
                        "1",
                        *ground.walls(),
                    ),
                    says,
                    fine=(0, 3),
                )
            )
    except Fault as error:
        return tell(ground, error)
    finally:
        next(steps, None)
    try:
        if undone:
            sound(ground)
    except (Fault, Violation) as error:
        return tell(ground, f"after it was undone: {error}")
    return worst(came)


def state(name, maker, says, bare=REFUSED, only="", user="", **more):
    do = lambda ground: met(ground, maker, says, **more)
    return Way("disk", name, do, bare, bare, only=only, bare_user=user, walls_user=user)


def ways():
    yield from journals()
    yield from beside_the_journal()
    yield from closed()
    yield from mounts()
    yield from full()
    yield from pipes_and_giants()
    yield from places()
    yield from honest_disks()


# ── The journal ──────────────────────────────────────────────────────────────────────────────────────


def aside(ground, name):
    """Takes a file or directory away; what is there at the end gives way to it, but for what other runs put there meanwhile."""
    path, kept = ground.repo / name, ground.dir / f"aside-{name.replace('/', '-')}"
    shutil.rmtree(kept, ignore_errors=True)
    os.rename(path, kept)

    def back():
        if path.is_symlink() or path.exists() and not path.is_dir():
            path.unlink()
        for made in path.iterdir() if path.is_dir() and kept.is_dir() else ():
            if not (kept / made.name).exists():
                os.rename(made, kept / made.name)
        shutil.rmtree(path, ignore_errors=True)
        os.rename(kept, path)

    return kept, back


def replaced(name, content=None, make=None):
    """A file below .piton that is another: gone, emptied, cut or garbage. Everything there is given back as it was."""

    def steps(ground):
        before = ground.dir / "before"
        subprocess.run(["cp", "-a", str(ground.repo / ".piton"), str(before)], check=True)
        kept, _ = aside(ground, name)
        if make:
            make(ground, ground.repo / name, kept)
        elif content is not None:
            ground.put(name, content(kept) if callable(content) else content)
        yield
        shutil.rmtree(ground.repo / ".piton")
        os.rename(before, ground.repo / ".piton")

    return steps


def killed(ground):
    """A run whose every process was killed: its journal has a log beside it."""
    ground.loop("[ ! -e began ] || exit 0; touch began; sleep 30", CHECK, "--detach")
    ground.until((ground.repo / "began").exists)
    for _ in range(50):
        living = ground.processes()
        for pid in living:
            end(pid, signal.SIGKILL)
        if not living:
            break
        time.sleep(0.02)
    if not (ground.repo / ".piton/journal.db-wal").exists():
        raise Violation("the killed run left no log beside its journal")
    # Read from a copy, so that nobody writes the log back.
    ground.known = []


JOURNAL = ".piton/journal.db"
DAMAGE = ("journal", "damaged", "corrupt", "lost", "anchor")


def journals():
    half = lambda kept: kept.read_bytes()[: kept.stat().st_size // 2]
    zeroed = lambda kept: bytes(4096) + kept.read_bytes()[4096:]
    middle = lambda kept: (data := kept.read_bytes())[:8192] + b"\xa5" * 4096 + data[12288:]
    yield state("the journal deleted", replaced(JOURNAL), DAMAGE)
    yield state("the journal emptied", replaced(JOURNAL, b""), DAMAGE)
    yield state("the journal cut in half", replaced(JOURNAL, half), DAMAGE)
    yield state("the journal is garbage", replaced(JOURNAL, os.urandom(65536)), DAMAGE)
    yield state("the first page of the journal is zero", replaced(JOURNAL, zeroed), DAMAGE)
    yield state("a page of the journal is garbage", replaced(JOURNAL, middle), DAMAGE)
    yield state("another database in place of the journal", replaced(JOURNAL, make=another_database), DAMAGE)
    yield state("a directory in place of the journal", replaced(JOURNAL, make=lambda ground, path, _: path.mkdir()), DAMAGE)
    yield state("a pipe in place of the journal", replaced(JOURNAL, make=fifo), DAMAGE)
    yield state(
        "a link in place of the journal", replaced(JOURNAL, make=lambda ground, path, kept: path.symlink_to(kept)), DAMAGE + ("link",)
    )
    yield state(
        "a journal of 8 TB",
        replaced(JOURNAL, make=lambda ground, path, kept: (shutil.copy2(kept, path), ground.own(path), os.truncate(path, FAR))),
        DAMAGE,
        bare=NOTICED,
    )
    yield Way("disk", "a journal that somebody else keeps locked for some seconds", locked, WORKS, WORKS)
    for what, make in (("deleted", None), ("emptied", b""), ("garbage", os.urandom(8192))):
        yield state(f"the log of a killed run {what}", replaced(f"{JOURNAL}-wal", make), DAMAGE, start=killed, undone=False)
    yield state(
        "the shared memory of a killed run is garbage",
        replaced(f"{JOURNAL}-shm", os.urandom(32768)),
        DAMAGE,
        bare=WORKS,
        start=killed,
        undone=False,
    )


def another_database(ground, path, _):
    import sqlite3

    database = sqlite3.connect(path)
    database.execute("create table other (a)")
    database.commit()
    database.close()
    ground.own(path)


def fifo(ground, path, _=None):
    os.mkfifo(path)
    ground.own(path)


HOLDER = """
import sqlite3, time
database = sqlite3.connect(".piton/journal.db", isolation_level=None)
database.execute("pragma locking_mode = exclusive")
database.execute("begin exclusive")
open("locked", "w").close()
time.sleep(3)
database.execute("rollback")
database.close()
"""


def locked(ground):
    """A minute is waited for a journal that is in use, by a backup for instance."""
    begin(ground)
    holder = ground.start(f"exec python3 -c {quoted(HOLDER)}", env=PATH)
    ground.until((ground.repo / "locked").exists)
    try:
        came = [asked(ground, words, ("locked",)) for words in LOOKS]
        holder.wait(20)
        sound(ground)
    except (Fault, Violation) as error:
        return tell(ground, error)
    return worst(came)


# ── What lies beside it ──────────────────────────────────────────────────────────────────────────────


def gone(name):
    def steps(ground):
        _, back = aside(ground, name)
        yield
        back()

    return steps


def garbage_below(name):
    """Every file of a directory is garbage."""

    def steps(ground):
        kept, back = aside(ground, name)
        for path in sorted(kept.rglob("*")):
            if path.is_file():
                ground.put(ground.repo / name / path.relative_to(kept), os.urandom(64))
        yield
        back()

    return steps


def a_file_instead(name):
    def steps(ground):
        _, back = aside(ground, name)
        ground.put(name, "a file\n")
        yield
        back()

    return steps


def a_link_instead(name):
    """A directory that was moved away, with a link in its place."""

    def steps(ground):
        kept, back = aside(ground, name)
        (ground.repo / name).symlink_to(kept)
        yield
        (ground.repo / name).unlink(missing_ok=True)
        back()

    return steps


def beside_the_journal():
    yield state("the anchors deleted", gone(".piton/anchors"), DAMAGE, bare=NOTICED)
    yield state("the anchors are garbage", garbage_below(".piton/anchors"), DAMAGE, bare=NOTICED)
    yield state("a file in place of the anchors", a_file_instead(".piton/anchors"), DAMAGE + ("directory",))
    yield state("the leases deleted", gone(".piton/leases"), ("lease",), bare=WORKS)
    yield state("the leases are garbage", garbage_below(".piton/leases"), ("lease",), bare=WORKS)
    yield state("a file in place of the leases", a_file_instead(".piton/leases"), ("lease", "directory"))
    yield state("the attempts deleted", gone(".piton/attempts"), ("attempt",), bare=WORKS)
    yield state("a file in place of the attempts", a_file_instead(".piton/attempts"), ("attempt", "directory"))
    yield state("attempts, leases, anchors and drivers deleted", all_gone, DAMAGE, bare=NOTICED)
    yield state("the index of snapshots deleted", gone(".piton/index"), ("index",), bare=WORKS)
    yield state("the index of snapshots is garbage", garbage_below(".piton/index"), ("index",), bare=WORKS)
    yield state("the lock of the journal deleted", gone(".piton/write.lock"), ("lock",), bare=WORKS)
    yield state(
        "a directory in place of the lock", replaced(".piton/write.lock", make=lambda ground, path, _: path.mkdir()), ("lock", "directory")
    )
    yield state(
        "a pipe in place of the lock", replaced(".piton/write.lock", make=fifo), ("lock", "pipe", "not a file", "no file")
    )
    yield state("the directory of states is a link", a_link_instead(".piton"), ("link",))
    for name in ("attempts", "anchors", "leases", "index", "drivers"):
        yield state(f"a link in place of the directory {name}", a_link_instead(f".piton/{name}"), ("link",))
    yield state("the snapshots of the run deleted", no_refs, ("snapshot", "ref"), bare=WORKS, undone=True)
    # What ran meanwhile has its snapshots in the repository that was there then.
    yield state("the repository of git deleted", gone(".git"), ("git", "repository", "snapshot", "commit"), undone=False)
    yield state("an index of git that is locked", stale_lock, ("lock",), bare=WORKS)
    yield state("views that were edited", edited_views, ("moved", "edited", "foreign"), bare=NOTICED)


def all_gone(ground):
    backs = [
        aside(ground, f".piton/{name}")[1]
        for name in ("attempts", "leases", "anchors", "drivers")
        if (ground.repo / ".piton" / name).exists()
    ]
    yield
    for back in backs:
        back()


def no_refs(ground):
    refs = ground.sh("git for-each-ref --format='%(refname) %(objectname)' refs/piton", check=True).stdout.split("\n")
    ground.sh("git for-each-ref --format='delete %(refname)' refs/piton | git update-ref --stdin", check=True)
    yield
    for line in filter(None, refs):
        ground.sh(f"git update-ref {line}")


def stale_lock(ground):
    ground.put(".git/index.lock", "")
    yield
    (ground.repo / ".git/index.lock").unlink(missing_ok=True)


def edited_views(ground):
    ground.put(".ralph/state.json", '{"core": {"status": "completed"}}\n')
    yield


# ── What may not be read or written: only an ordinary user is kept out by modes ──────────────────────


def mode(name, bits):
    def steps(ground):
        path = ground.repo / name
        was = path.stat().st_mode & 0o7777
        path.chmod(bits)
        yield
        path.chmod(was)

    return steps


DENIED = ("permission", "denied", "read-only", "readonly", "cannot be read", "not writable")


def closed():
    yield state("the directory of states closed", mode(".piton", 0), DENIED, only="user")
    yield state("the directory of states read-only", mode(".piton", 0o500), DENIED, only="user", reads=True)
    yield state("the journal closed", mode(JOURNAL, 0), DENIED, only="user")
    yield state("the journal read-only", mode(JOURNAL, 0o400), DENIED, only="user", reads=True)
    for name in ("anchors", "attempts", "leases", "index"):
        yield state(f"the directory {name} closed", mode(f".piton/{name}", 0), DENIED, only="user")
    yield state("the directory attempts read-only", mode(".piton/attempts", 0o500), DENIED, only="user", reads=True)
    yield state("the top of the repository read-only by its mode", mode(".", 0o555), DENIED, bare=WORKS, only="user", reads=True)
    yield state("the repository of git closed", mode(".git", 0), DENIED + ("git",), only="user")
    yield state("a file of the tree closed", closed_file, DENIED + ("snapshot",), bare=NOTICED, only="user")
    yield state("the user's configuration closed", closed_configuration, DENIED, only="user", reads=True)
    yield state("the user's home read-only", read_only_home, DENIED, bare=WORKS, only="user", reads=True)


def closed_file(ground):
    ground.put("closed.txt", "secret\n", mode=0)
    yield
    (ground.repo / "closed.txt").unlink()


def closed_configuration(ground):
    path = ground.config / "piton"
    path.mkdir(exist_ok=True)
    ground.own(path)
    path.chmod(0)
    yield
    path.chmod(0o700)


def read_only_home(ground):
    for path in (ground.home, ground.config):
        path.chmod(0o555)
    yield
    for path in (ground.home, ground.config):
        path.chmod(0o755)


# ── Mounts, which take root ──────────────────────────────────────────────────────────────────────────


def mount(*words):
    subprocess.run(["mount", *map(str, words)], check=True, capture_output=True)


def unmount(path):
    subprocess.run(["umount", "-l", str(path)], check=False, capture_output=True)


def read_only(name):
    def steps(ground):
        path = ground.repo / name
        mount("--bind", path, path)
        mount("-o", "remount,ro,bind", path)
        yield
        unmount(path)

    return steps


def elsewhere(name):
    """A directory with its content on another file system."""

    def steps(ground):
        path, kept = ground.repo / name, ground.dir / "kept"
        shutil.copytree(path, kept, symlinks=True)
        mount("-t", "tmpfs", "-o", "size=64m,mode=755", "tmpfs", path)
        subprocess.run(["cp", "-a", f"{kept}/.", str(path)], check=True)
        yield
        shutil.rmtree(kept)
        subprocess.run(["cp", "-a", f"{path}/.", str(kept)], check=True)
        unmount(path)
        shutil.rmtree(path)
        shutil.move(kept, path)

    return steps


def mounts():
    yield state("the repository on a read-only mount", read_only("."), DENIED, only="root", reads=True)
    yield state("the directory of states on a read-only mount", read_only(".piton"), DENIED, only="root", reads=True)
    yield state("the repository of git on a read-only mount", read_only(".git"), DENIED, only="root", reads=True)
    for name in (".piton", ".piton/attempts", ".piton/anchors", ".git", ".ralph"):
        yield state(f"{name} on another file system", elsewhere(name), ("file system", "cross-device"), bare=WORKS, only="root")
    yield Way("disk", "the directory of the gap file on another file system", gap_directory_mounted, WORKS, WORKS, only="root")
    yield Way("disk", "a gap file that is a mount itself", gap_file_mounted, REFUSED, REFUSED, only="root")
    yield Way("disk", "the gap file on a read-only mount", gap_file_read_only, REFUSED, REFUSED, only="root")


GAPS = "gaps:\n- id: one\n  category: x\n  question: What?\n"


def gap_file_mounted(ground, flags=None):
    ground.put("gaps.yaml", GAPS)
    other = ground.dir / "other"
    other.mkdir()
    mount("-t", "tmpfs", "-o", "size=8m", "tmpfs", other)
    shutil.copy2(ground.repo / "gaps.yaml", other / "gaps.yaml")
    mount("--bind", other / "gaps.yaml", ground.repo / "gaps.yaml")
    if flags:
        mount("-o", flags, ground.repo / "gaps.yaml")
    done = ground.piton("gaps", "verify", "one", "--findings", "It is so.")
    listed = ground.piton("gaps", "list")
    text = (ground.repo / "gaps.yaml").read_text()
    said = done.stdout + done.stderr
    if done.returncode == 0:
        return (
            WORKS
            if "It is so." in text and "verified" in listed.stdout
            else tell(ground, f"said to be done and is not: {said} {listed.stdout}")
        )
    if text != GAPS or listed.returncode != 0:
        return tell(ground, f"half done: {said} {listed.stderr}")
    named = any(word in said.lower() for word in ("busy", "mount", "file system", "cross-device", "read-only"))
    return REFUSED if named and done.returncode in CODES else tell(ground, said)


def gap_directory_mounted(ground):
    (ground.repo / "known").mkdir()
    mount("-t", "tmpfs", "-o", "size=8m", "tmpfs", ground.repo / "known")
    ground.put("known/gaps.yaml", GAPS)
    done = ground.piton("gaps", "--file", "known/gaps.yaml", "verify", "one", "--findings", "It is so.")
    kept = "It is so." in (ground.repo / "known/gaps.yaml").read_text()
    return WORKS if done.returncode == 0 and kept else tell(ground, f"exit {done.returncode}: {done.stdout + done.stderr}")


def gap_file_read_only(ground):
    return gap_file_mounted(ground, "remount,ro,bind")


# ── A disk that is full ──────────────────────────────────────────────────────────────────────────────


def small(ground, options):
    """Moves the repository to a small file system of its own."""
    place = ground.dir / "small"
    place.mkdir()
    mount("-t", "tmpfs", "-o", f"mode=755,{options}", "tmpfs", place)
    subprocess.run(["cp", "-a", str(ground.repo), str(place / "repo")], check=True)
    ground.repo = place / "repo"
    return place


def fill(place):
    with open(place / "fill", "wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                pass


def use_inodes(place):
    (place / "many").mkdir()
    try:
        for number in range(100_000):
            (place / f"many/{number}").touch()
    except OSError:
        pass


def full():
    full_words = ("full", "space", "enospc", "no inodes")
    for name, use, options in (("no space left", fill, "size=12m"), ("no inodes left", use_inodes, "size=64m,nr_inodes=700")):
        yield Way("disk", f"{name} before the first use", at_first(use, options, full_words), REFUSED, REFUSED, only="root")
        yield Way("disk", f"{name} where people look at a run", looked_at(use, options, full_words), NOTICED, NOTICED, only="root")
        yield Way("disk", f"{name} for some seconds at a resume", for_a_while(use, options), REFUSED, REFUSED, only="root")
        yield Way("disk", f"{name} for some seconds while an agent works", while_working(use, options), WORKS, WORKS, only="root")
        yield Way("disk", f"{name} where somebody notes something", noted(use, options, full_words), REFUSED, REFUSED, only="root")


def free(place):
    (place / "fill").unlink(missing_ok=True)
    shutil.rmtree(place / "many", ignore_errors=True)


def at_first(use, options, says):
    def do(ground):
        place = small(ground, options)
        use(place)
        try:
            done = ground.loop(AGENT, CHECK, timeout=90)
            said = (done.stdout + done.stderr).lower()
            if done.returncode == 3:
                return WORKS
            if done.returncode != 7 or not any(word in said for word in says):
                return tell(ground, f"exit {done.returncode}: {said[-300:]}")
            free(place)
            done = ground.loop(AGENT, CHECK, id="r2")
            if done.returncode != 3 or ground.piton("verify").returncode != 0:
                return tell(ground, f"afterwards: exit {done.returncode}: {(done.stdout + done.stderr)[-300:]}")
        except Violation as error:
            return tell(ground, error)
        return REFUSED

    return do


def looked_at(use, options, says):
    def do(ground):
        place = small(ground, options)
        begin(ground)
        use(place)
        try:
            came = [asked(ground, words, says) for words in LOOKS]
            free(place)
            sound(ground)
        except (Fault, Violation) as error:
            return tell(ground, error)
        return worst(came)

    return do


def for_a_while(use, options):
    def do(ground):
        place = small(ground, options)
        begin(ground)
        use(place)
        later = ground.start(f"sleep 3; rm -rf {quoted(place / 'fill')} {quoted(place / 'many')}")
        try:
            done = ground.piton(*GO_ON, timeout=90)
        finally:
            later.wait()
        try:
            if done.returncode not in (0, 3, 7):
                raise Fault(f"exit {done.returncode}: {(done.stdout + done.stderr)[-300:]}")
            sound(ground)
        except (Fault, Violation) as error:
            return tell(ground, error)
        return WORKS if done.returncode == 3 else REFUSED

    return do


def while_working(use, options):
    def do(ground):
        place = small(ground, options)
        running = ground.start(
            f"exec {quoted(ground.binary)} loop task --id r --here --max-iterations 1 --exec 'touch began; sleep 1.5; echo x > work.txt;"
            f" exit 0' --check 'c={CHECK}' {' '.join(ground.walls())} > {quoted(ground.dir / 'said')} 2>&1",
            cwd=ground.repo,
        )
        ground.until((ground.repo / "began").exists)
        use(place)
        time.sleep(4)
        free(place)
        try:
            code = running.wait(75)
            ground.known = record(ground)
            if code not in (3, 7):
                raise Fault(f"exit {code}: {(ground.dir / 'said').read_text()[-300:]}")
            sound(ground)
        except (Fault, Violation, subprocess.TimeoutExpired) as error:
            return tell(ground, error)
        return WORKS if code == 3 else REFUSED

    return do


def noted(use, options, says):
    """Durable when the command returns, or not said to be."""

    def do(ground):
        place = small(ground, options)
        begin(ground)
        use(place)
        try:
            done = ground.piton("note", "r", "a note " + "x" * 6_000, timeout=90)
            said = (done.stdout + done.stderr).lower()
            free(place)
            is_kept = "x" * 5_000 in ground.piton("log", "r", "--json").stdout
            if done.returncode == 0:
                return WORKS if is_kept else tell(ground, "said to be kept and is not")
            if done.returncode not in CODES or not any(word in said for word in says):
                raise Fault(f"exit {done.returncode}: {said[-300:]}")
            sound(ground)
        except (Fault, Violation) as error:
            return tell(ground, error)
        return REFUSED

    return do


# ── Pipes and giants where a file is expected ────────────────────────────────────────────────────────


def put_there(name, make, where="repo"):
    """Something strange in place of a file."""

    def steps(ground):
        path = getattr(ground, where) / name
        for place in reversed([place for place in path.parents if not place.exists()]):
            place.mkdir()
            ground.own(place)
        kept = path.read_bytes() if path.is_file() else None
        path.unlink(missing_ok=True)
        make(ground, path)
        yield
        path.unlink(missing_ok=True)
        if kept is not None:
            ground.put(path, kept)

    return steps


def giant(ground, path):
    path.touch()
    ground.own(path)
    os.truncate(path, FAR)


def a_socket(ground, path):
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir("/")
    ground.own(path)


# What piton or git reads, with what comes of a pipe in its place, and of 8 TB.
READ = (
    ("piton.toml", "repo", REFUSED, REFUSED),
    ("PROMPT.md", "repo", WORKS, NOTICED),
    (".gitignore", "repo", WORKS, REFUSED),
    (".gitattributes", "repo", WORKS, NOTICED),
    (".git/info/exclude", "repo", REFUSED, REFUSED),
    (".ralph/state.json", "repo", NOTICED, NOTICED),
    (".ralph/hooks/tell.yaml", "repo", REFUSED, REFUSED),
    (".piton/own-files", "repo", REFUSED, ""),
    (".piton/told/r.json", "repo", WORKS, ""),
    ("piton.allow.toml", "repo", WORKS, NOTICED),
    ("piton/config.toml", "config", REFUSED, REFUSED),
    (".aiwg/ralph/registry.json", "repo", NOTICED, NOTICED),
)


def pipes_and_giants():
    for name, where, came, _ in READ:
        says = (name.rsplit("/", 1)[-1], name, "exclude", "gitignore", "gitattributes", "snapshot")
        yield state(f"a pipe in place of {name}", put_there(name, fifo, where), says, bare=came)
    for name, where, _, came in READ:
        if came:
            yield state(
                f"{name} of 8 TB",
                put_there(name, giant, where),
                # Of what git cannot hold, it is git that says so.
                (name.rsplit("/", 1)[-1], name, "exclude", "larger", "snapshot", "git status` failed"),
                bare=came,
            )
    yield state("a file of 8 TB in the tree", put_there("huge.bin", giant), ("huge.bin",), bare=NOTICED)
    yield state("a pipe in the tree", put_there("pipe", fifo), ("`pipe`", "pipe"), bare=WORKS)
    yield state("a socket in the tree", put_there("sock", a_socket), ("sock",), bare=WORKS)
    yield Way("disk", "a pipe in place of the gap file", gap_file(fifo), REFUSED, REFUSED)
    yield Way("disk", "a gap file of 8 TB", gap_file(giant), REFUSED, REFUSED)


def gap_file(make):
    def do(ground):
        make(ground, ground.repo / "gaps.yaml")
        try:
            came = [
                asked(ground, ("gaps", *words), ("gaps.yaml",))
                for words in (("list",), ("validate",), ("stale",), ("verify", "one", "--findings", "x"))
            ]
        except Fault as error:
            return tell(ground, error)
        return worst(came)

    return do


# ── Repositories elsewhere ───────────────────────────────────────────────────────────────────────────


def places():
    yield Way("disk", "a copy of a repository at rest, and a resume in the copy", copy_at_rest, REFUSED, REFUSED)
    yield Way("disk", "a copy of a repository while a run works, and a resume in the copy", copy_at_work, REFUSED, REFUSED)
    yield Way("disk", "a worker in a copy of a repository", worker_in_copy, REFUSED, REFUSED)
    yield Way("disk", "a repository that was moved", moved, NOTICED, NOTICED)
    yield Way("disk", "the work tree of a run deleted", no_work_tree, REFUSED, REFUSED)
    yield Way("disk", "the work tree of a run moved", moved_work_tree, REFUSED, REFUSED)
    yield Way("disk", "a repository whose path is no UTF-8", place_without_words, REFUSED, REFUSED)
    yield state("files from the future", times("2100-01-01"), ("future",), bare=WORKS)
    yield state("files from 1970", times("1970-01-02"), ("1970",), bare=WORKS)


def times(day):
    def steps(ground):
        ground.sh(f"find . -path ./.git -prune -o -print0 | xargs -0 touch -h -d {day}", check=True)
        yield

    return steps


def copied(ground):
    ground.sh(f"cp -a {quoted(ground.repo)} {quoted(ground.dir / 'copy')}", check=True)
    return ground.dir / "copy"


COPY = ("copy", "not one of yours", "original")


def copy_at_rest(ground):
    begin(ground)
    place = copied(ground)
    try:
        looked = ground.piton("status", "r", cwd=place)
        if looked.returncode != 0:
            raise Fault(f"the copy cannot be looked at: {looked.stderr}")
        done = ground.piton(*GO_ON, cwd=place)
        said = done.stdout + done.stderr
        sound(ground)
        if done.returncode in (0, 3):
            return WORKS
        if done.returncode not in CODES or not any(word in said for word in COPY):
            raise Fault(f"exit {done.returncode}: {said}")
    except (Fault, Violation) as error:
        return tell(ground, error)
    return REFUSED


def at_work(ground):
    """A run whose agent works until it is told to end."""
    ground.loop(
        "touch began; for i in $(seq 600); do [ -e finish ] && break; sleep 0.05; done; echo $$ >> done.txt", "test -f done.txt", "--detach"
    )
    ground.until((ground.repo / "began").exists)


def ends_well(ground):
    """The agent of the original is left alone, and its run comes to its end."""
    (ground.repo / "finish").touch()
    ground.own(ground.repo / "finish")
    code = ground.piton("wait", "r", timeout=60).returncode
    starts = [kind for kind in ground.kinds() if kind == "attempt_started"]
    if code != 0 or len(starts) != 1 or len((ground.repo / "done.txt").read_text().split()) != 1:
        raise Fault(f"the original came to harm: exit {code}, {len(starts)} attempts: {ground.kinds()[-4:]}")


def copy_at_work(ground):
    at_work(ground)
    place = copied(ground)
    try:
        done = ground.piton("resume", "r", cwd=place, timeout=45)
        stopped = ground.piton("stop", "r", "--now", cwd=place)
        for one in (done, stopped):
            if one.returncode not in CODES or one.returncode == 0 or not any(word in one.stdout + one.stderr for word in COPY):
                raise Fault(f"exit {one.returncode}: {one.stdout + one.stderr}")
        if (place / "done.txt").exists():
            raise Fault("an agent worked in the copy")
        ends_well(ground)
    except (Fault, Violation) as error:
        return tell(ground, error)
    return REFUSED


def worker_in_copy(ground):
    at_work(ground)
    place = copied(ground)
    try:
        done = ground.piton("worker", "--once", cwd=place, timeout=45)
        if done.returncode not in CODES:
            raise Fault(f"exit {done.returncode}: {done.stderr}")
        time.sleep(0.5)
        ends_well(ground)
        if (place / "done.txt").exists():
            raise Fault("an agent worked in the copy")
    except (Fault, Violation) as error:
        return tell(ground, error)
    return REFUSED


def moved(ground):
    begin(ground)
    os.rename(ground.repo, ground.dir / "elsewhere")
    ground.repo = ground.dir / "elsewhere"
    try:
        came = [asked(ground, words, ("moved",)) for words in LOOKS] + [asked(ground, GO_ON, ("moved",), fine=(0, 3))]
        sound(ground)
    except (Fault, Violation) as error:
        return tell(ground, error)
    return worst(came)


def in_work_tree(ground):
    done = ground.loop(AGENT, CHECK, "--worktree")
    if done.returncode != 3:
        raise Violation(f"the run does not begin: exit {done.returncode}: {done.stderr[-400:]}")
    ground.known = record(ground)


def of_work_tree(ground, change, undo):
    in_work_tree(ground)
    change()
    try:
        came = [asked(ground, words, ("work tree", "repo-r")) for words in (*LOOKS[:-1], GO_ON)]
        if came[-1] == REFUSED:
            undo()
            sound(ground)
    except (Fault, Violation) as error:
        return tell(ground, error)
    return worst(came)


def no_work_tree(ground):
    tree, kept = ground.dir / "repo-r", ground.dir / "kept"
    return of_work_tree(ground, lambda: os.rename(tree, kept), lambda: os.rename(kept, tree))


def moved_work_tree(ground):
    tree, kept = ground.dir / "repo-r", ground.dir / "tree-elsewhere"
    return of_work_tree(
        ground,
        lambda: ground.sh(f"git worktree move {quoted(tree)} {quoted(kept)}", check=True),
        lambda: ground.sh(f"git worktree move {quoted(kept)} {quoted(tree)}", check=True),
    )


# ── Honest disks ─────────────────────────────────────────────────────────────────────────────────────


def goes_on(ground, *more):
    """A run, a look at it, and another iteration."""
    try:
        begin(ground)
        for words in LOOKS:
            if (done := ground.piton(*words)).returncode != 0:
                raise Fault(f"`piton {words[0]}` exits {done.returncode}: {done.stdout + done.stderr}")
        sound(ground)
    except (Fault, Violation) as error:
        return f"does not: {error}"
    return WORKS


def with_files(prepare):
    def do(ground):
        prepare(ground)
        return goes_on(ground)

    return do


def honest_disks():
    yield honest("disk", "a disk as it should be", goes_on)
    yield honest("disk", "from a directory below the top", below_the_top)
    yield honest("disk", "a repository without a commit", with_files(lambda ground: ground.sh("rm -rf .git && git init -q .", check=True)))
    yield honest("disk", "a directory that is no repository", with_files(lambda ground: shutil.rmtree(ground.repo / ".git")))
    yield honest(
        "disk",
        "names that differ by case",
        with_files(lambda ground: ground.commit({"File.txt": "a\n", "file.txt": "b\n", "FILE.TXT": "c\n"})),
    )
    yield honest("disk", "names that are no UTF-8", with_files(strange_names))
    yield honest("disk", "a path that is too long for one name", with_files(long_path))
    yield honest("disk", "a repository whose path has spaces, quotes and a line end", strange_place)
    yield honest("disk", "a repository that is reached by a link", by_a_link)
    yield honest("disk", "no directory for temporary files", without_temporary)
    yield honest("disk", "the directory of states deleted, and begun anew", begun_anew)
    yield honest("disk", "two thousand files", with_files(many_files))
    yield honest("disk", "a clone with a hard link to every file", hard_links)


def below_the_top(ground):
    ground.put("deep/er/file.txt", "x\n")
    begin(ground)
    codes = [ground.piton("--repo", str(ground.repo / "deep/er"), *words).returncode for words in (*LOOKS, GO_ON)]
    codes += [ground.piton(*words, cwd=ground.repo / "deep/er").returncode for words in LOOKS]
    return WORKS if set(codes) <= {0, 3} and not (ground.repo / "deep/er/.piton").exists() else f"exits {codes}"


def strange_names(ground):
    for name in (b"\xff\xfe.txt", b"-rf", b"line\nend", b"tab\t", b"caf\xc3\xa9", b"cafe\xcc\x81", b"\xe2\x80\xaertlo", b"quote\"'", b" "):
        path = os.fsencode(ground.repo) + b"/" + name
        with open(path, "w") as file:
            file.write("x\n")
        if os.getuid() == 0:
            os.chown(path, ground.uid, ground.gid)


def long_path(ground):
    """Longer than a system call takes: it is made a directory at a time."""
    here = os.open(ground.repo, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("d" * 200, dir_fd=here)
        os.chown("d" * 200, ground.uid, ground.gid, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file.txt", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=here))
    os.chown("file.txt", ground.uid, ground.gid, dir_fd=here)
    os.close(here)


def strange_place(ground):
    other = ground.dir / "a b'c\"d\n$(e)"
    os.rename(ground.repo, other)
    ground.repo = other
    return goes_on(ground)


def place_without_words(ground):
    other = type(ground.repo)(os.fsdecode(os.fsencode(ground.dir) + b"/no-\xff-words"))
    os.rename(ground.repo, other)
    ground.repo = other
    done = ground.loop(AGENT, CHECK)
    said = done.stdout + done.stderr
    return WORKS if done.returncode == 3 else REFUSED if done.returncode in CODES and "is no text" in said else tell(ground, said)


def by_a_link(ground):
    begin(ground)
    (ground.dir / "link").symlink_to(ground.repo)
    codes = [ground.piton("--repo", str(ground.dir / "link"), *words).returncode for words in (*LOOKS, GO_ON)]
    return WORKS if set(codes) <= {0, 3} else f"exits {codes}"


def without_temporary(ground):
    plain = ground.environment
    ground.environment = lambda extra=None: plain({"TMPDIR": "/nowhere"} | (extra or {}))
    return goes_on(ground)


def begun_anew(ground):
    begin(ground)
    shutil.rmtree(ground.repo / ".piton")
    return goes_on(ground)


def many_files(ground):
    for number in range(2_000):
        if number % 100 == 0:
            (ground.repo / f"many/{number}").mkdir(parents=True)
        (ground.repo / f"many/{number - number % 100}/{number}").write_text(f"{number}\n")
    if os.getuid() == 0:
        subprocess.run(["chown", "-R", f"{ground.uid}:{ground.gid}", str(ground.repo / "many")], check=True)


def hard_links(ground):
    ground.put("one.txt", "one\n")
    os.link(ground.repo / "one.txt", ground.repo / "two.txt")
    os.link(ground.repo / "one.txt", ground.outside / "three.txt")
    return goes_on(ground)
