"""Hostile clones: what a repository that somebody sent can do to whoever looks at it.

Each is met as a newcomer meets it: `status`, `ls`, `log`, `verify`, `doctor`, `worker --once`, `resume`, `answer`, `stop`, `rm`, a loop
of their own. The trap is armed only once the repository is complete. It counts as open if anything outside of the repository is
touched, a program of the sender's is run, somebody's process is ended, a command hangs or breaks off, or a terminal is written to.
"""

import json
import os
import re
import signal
import shutil
import subprocess
import time

from attack_ground import NOTICED, OPEN, REFUSED, WORKS, Way, honest, quoted
from attack_disk import CODES, fifo, giant, tell
from harness import Violation, end

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# What somebody does with a repository that they were sent: looking first, then everything that goes on with a run.
LOOKS = (
    ("status",),
    ("ls",),
    ("ls", "--everywhere"),
    ("status", "r"),
    ("log", "r"),
    ("show", "r"),
    ("why", "r"),
    ("output", "r"),
    ("report", "r"),
    ("verify",),
    ("doctor",),
    ("config", "show"),
    ("gaps", "list"),
    ("gaps", "validate"),
    ("guard", "HEAD"),
    ("diff", "r"),
    ("export", "r"),
    ("answer",),
)
ACTS = (
    ("worker", "--once"),
    ("answer", "r", "--approve"),
    ("resume", "r", "--max-iterations", "+1"),
    ("resume", "--all"),
    ("mode", "r", "unattended"),
    ("tell", "r", "go on"),
    ("stop", "r"),
    ("stop", "r", "--now"),
    ("rebuild", "r"),
    ("restore", "r", "--force"),
    ("fork", "r", "--iteration", "1"),
)
MINE = (
    ("loop", "mine", "--id", "mine", "--here", "--exec", "echo x >> mine.txt", "--check", "c=false", "--max-iterations", "1"),
    ("restore", "mine", "--iteration", "0", "--force"),
    (
        "loop",
        "mine",
        "--id",
        "tree",
        "--worktree",
        "--exec",
        "echo x >> mine.txt",
        "--check",
        "c=test -f mine.txt",
        "--max-iterations",
        "1",
    ),
    ("rm", "mine", "--force"),
    ("rm", "r", "--force"),
    ("init",),
)


def trap(ground):
    """A program of the sender's, and whether it was run once the trap was armed; it passes on what it is given."""
    path = ground.put(
        ground.dir / "evil",
        f'#!/bin/sh\n[ ! -e {ground.dir}/armed ] || echo "$0 $*" >> {ground.outside}/hit\ncat 2>/dev/null\nexit 0\n',
        mode=0o755,
    )
    return str(path)


def newcomer(ground, *more, victim=None, looks=LOOKS, acts=ACTS, mine=MINE):
    """Runs all that a newcomer runs, and says what came of it."""
    # What the sender's own run calls at its end may come late.
    ground.until(lambda: not [pid for pid in ground.processes() if not victim or pid != victim.pid])
    ground.put(ground.dir / "armed", "")
    problem = None
    for words in (*looks, *acts, *more, *mine):
        walls = ground.walls() if words[0] == "loop" else ()
        try:
            done = ground.piton(*words, *walls, timeout=30)
        except Violation as error:
            problem = str(error)
            break
        said = done.stdout + done.stderr
        if done.returncode not in CODES or "panicked" in said:
            problem = f"`{' '.join(words)}` exits {done.returncode}: {said[-300:]}"
        elif found := CONTROL.search(said.replace("\t", "")):
            problem = f"`{' '.join(words)}` prints {found.group()!r}"
        if (ground.outside / "hit").exists() or ground.is_touched():
            problem = f"`{' '.join(words)}` sprang the trap"
        if problem:
            break
    deadline = time.monotonic() + 4
    while time.monotonic() < deadline and [pid for pid in ground.processes() if not victim or pid != victim.pid]:
        time.sleep(0.05)
    if not problem and ground.is_touched():
        problem = f"something sprang the trap afterwards: {[name for name in ground.canaries() if name not in ground.before]}"
    if not problem and victim and victim.poll() is not None:
        problem = "somebody's process was ended"
    return tell(ground, problem) if problem else REFUSED


def clone(name, make, bare=REFUSED, *more, only="", **rest):
    """`make` fills the repository; the trap's path is given to it."""

    def do(ground):
        make(ground, trap(ground))
        return newcomer(ground, *more, **rest)

    return Way("clones", name, do, bare, bare, only=only)


def ways():
    yield from journals()
    yield from links()
    yield from git_settings()
    yield from nested()
    yield from untrusted()
    yield from other_tools()
    yield from files()
    yield from honest_clones()


# ── A journal that came along ────────────────────────────────────────────────────────────────────────


def sender(ground):
    """The environment of whoever made the repository: their own home, so that what they trust is not the newcomer's."""
    home = ground.dir / "sender"
    if not home.exists():
        home.mkdir()
        ground.own(home)
        ground.put(home / ".gitconfig", "[user]\nname = Eve\nemail = eve@example.org\n")
    return {"HOME": str(home)}


def theirs(ground, *words, codes=(0, 1, 3, 4), timeout=60):
    done = ground.piton(*words, env=sender(ground), timeout=timeout)
    if done.returncode not in codes:
        raise Violation(f"the sender cannot make it: exit {done.returncode}: {done.stderr[-400:]}")
    return done


def loop_words(evil, *more, check="false"):
    return ("loop", "evil", "--id", "r", "--here", "--exec", evil, "--check", f"c={check}", "--max-iterations", "1", *more)


def crash(ground):
    """Everything that works is killed, as by a power cut at the sender's."""
    for _ in range(100):
        living = ground.processes()
        for pid in living:
            end(pid, signal.SIGKILL)
        if not living:
            return
        time.sleep(0.02)


def at_ceiling(ground, evil):
    theirs(ground, *loop_words(evil))
    # Whoever is about to leave still tidies up.
    ground.until(lambda: not ground.processes())


def killed(ground, evil, *more):
    theirs(ground, *loop_words(f"{evil}; touch began; sleep 30", "--detach", *more))
    ground.until((ground.repo / "began").exists)
    crash(ground)


def waiting(ground, evil):
    agent = f'{evil}; echo \'{{"status": "blocked", "summary": "may I?"}}\' > "$PITON_REPORT"'
    theirs(ground, "loop", "evil", "--id", "r", "--here", "--exec", agent, "--check", f"c={evil}; false", "--max-iterations", "5")


def paused(ground, evil):
    theirs(
        ground,
        "loop",
        "evil",
        "--id",
        "r",
        "--here",
        "--exec",
        f"{evil}; touch began; sleep 1",
        "--check",
        "c=false",
        "--max-iterations",
        "9",
        "--detach",
    )
    ground.until((ground.repo / "began").exists)
    theirs(ground, "pause", "r")
    theirs(ground, "wait", "r")


def in_a_tree(ground, evil):
    theirs(ground, "loop", "evil", "--id", "r", "--worktree", "--exec", evil, "--check", "c=false", "--max-iterations", "1")


def with_everything(ground, evil):
    """Every program that a configuration can name, trusted by the sender."""
    ground.commit({"piton.toml": CONFIGURATION.replace("EVIL", evil)})
    theirs(ground, "trust", "--yes")
    theirs(ground, *loop_words(evil, "--on-done", evil, check=evil), codes=(0, 1, 2, 3, 4, 7))
    (ground.repo / "piton.toml").unlink()


CONFIGURATION = """
[checks]
c = "EVIL"
[metrics]
m = "EVIL"
[hooks.h]
points = ["loop_start", "loop_end", "pre_iteration", "post_iteration", "pre_session", "post_session", "on_error"]
command = "EVIL"
[stop]
conditions = [{ type = "shell_command", command = "EVIL; false" }]
[worktree]
setup = "EVIL"
"""


def failed_workflow(ground, evil):
    ground.put(
        "w.yaml", f"name: w\nsteps:\n- {{id: a, run: '{evil}; false'}}\n- {{id: b, needs: [a], run: '{evil}', gates: ['cmd:{evil}']}}\n"
    )
    theirs(ground, "run", "w.yaml", "--run-id", "r", "--max-attempts", "1")


def killed_workflow(ground, evil):
    ground.put("w.yaml", f"name: w\nsteps:\n- {{id: a, run: '{evil}; touch began; sleep 30'}}\n- {{id: b, needs: [a], run: '{evil}'}}\n")
    theirs(ground, "run", "w.yaml", "--run-id", "r", "--detach")
    ground.until((ground.repo / "began").exists)
    crash(ground)


def waiting_workflow(ground, evil):
    ground.put("w.yaml", f"name: w\nsteps:\n- {{id: a, run: '{evil}', human_in_the_loop: true}}\n- {{id: b, needs: [a], run: '{evil}'}}\n")
    theirs(ground, "run", "w.yaml", "--run-id", "r", "--pause-for-human-input")
    ground.put(".agents/runs/r/manual_inputs/a.json", '{"approved": true}')


def killed_research(ground, evil):
    ground.put("gaps.yaml", "gaps:\n- {id: one, category: x, question: What?}\n- {id: two, category: x, question: What?}\n")
    ground.start(f"exec {quoted(ground.binary)} gaps research --exec {quoted(evil + '; touch began; sleep 30')}", env=sender(ground))
    ground.until((ground.repo / "began").exists)
    crash(ground)


def committed(make):
    """The same, as a commit has it: git itself would take .piton for a repository in the repository."""

    def do(ground, evil):
        make(ground, evil)
        shutil.rmtree(ground.repo / ".piton/.git")
        (ground.repo / ".piton/.gitignore").unlink()
        ground.sh("git add -f -A .piton . && git commit -q -m evil", env=sender(ground), check=True)
        ground.sh(f"git clone -q {quoted(ground.repo)} {quoted(ground.dir / 'cloned')}", check=True)
        ground.repo = ground.dir / "cloned"
        if not (ground.repo / ".piton/journal.db").exists():
            raise Violation("the clone has no journal")

    return do


def journals():
    made = (
        ("a loop at its ceiling", at_ceiling),
        ("a loop that was killed", killed),
        ("a loop that waits for an answer", waiting),
        ("a loop that is paused", paused),
        ("a loop with a work tree", in_a_tree),
        ("hooks, metrics, conditions and what is called at the end", with_everything),
        ("a workflow that failed", failed_workflow),
        ("a workflow that was killed", killed_workflow),
        ("a workflow whose answer lies there", waiting_workflow),
        ("research that was killed", killed_research),
    )
    for name, make in made:
        yield clone(f"an archive with a journal: {name}", make)
    for name, make in made[:3] + made[7:9]:
        yield clone(f"a journal in a commit: {name}", committed(make))
    yield clone(
        "a journal in a commit, whose shell is chosen by its agent",
        committed(lambda ground, evil: theirs(ground, *loop_words(f"SHELL={evil} {evil}"))),
    )
    yield Way("clones", "an attempt on record that names somebody's process", names_a_process, REFUSED, REFUSED)
    yield clone(
        "a journal with words that write to a terminal",
        lambda ground, evil: theirs(
            ground,
            "loop",
            ESCAPES,
            "--id",
            "r",
            "--here",
            "--exec",
            f"printf '%s' {quoted(ESCAPES)}",
            "--check",
            "c=false",
            "--max-iterations",
            "1",
        ),
    )
    yield clone("a run with a name that leads elsewhere", named_elsewhere)
    yield clone("a loop that works in somebody's directory", works_elsewhere)


ESCAPES = "\x1b]0;owned\x07\x1b[2J\rdone \x9b31m\u202ereversed\u2066 \x1b]52;c;aGk=\x07"


def names_a_process(ground):
    """The attempt was killed at the sender's; what it says of its keeper and agent is the newcomer's own process."""
    evil = trap(ground)
    killed(ground, evil)
    victim = ground.start("exec sleep 120")
    try:
        stat = open(f"/proc/{victim.pid}/stat").read().rsplit(")", 1)[1].split()
        boot = open("/proc/sys/kernel/random/boot_id").read().strip()

        def forge(value):
            if isinstance(value, dict):
                return {
                    key: (
                        victim.pid
                        if key in ("pid", "pgid", "process", "session", "group") and isinstance(item, int)
                        else (
                            int(stat[19])
                            if key in ("start", "started", "start_time", "start_ticks", "ticks") and isinstance(item, int)
                            else boot if key == "boot" else forge(item)
                        )
                    )
                    for key, item in value.items()
                }
            return [forge(item) for item in value] if isinstance(value, list) else value

        for path in (ground.repo / ".piton/attempts").rglob("*.json"):
            try:
                ground.put(path, json.dumps(forge(json.loads(path.read_text()))))
            except ValueError:
                pass
        return newcomer(ground, victim=victim)
    finally:
        victim.kill()
        victim.wait()


def with_database(ground, *lines):
    """Changes a journal as somebody does who knows its tables, and can write every hash anew."""
    import sqlite3

    database = sqlite3.connect(ground.repo / ".piton/journal.db")
    for line, values in lines:
        database.execute(line, values)
    database.commit()
    database.close()
    for path in (ground.repo / ".piton").glob("journal.db*"):
        ground.own(path)


def named_elsewhere(ground, evil):
    at_ceiling(ground, evil)
    with_database(ground, ("update runs set id = ?", ("../../outside/directory",)))


def works_elsewhere(ground, evil):
    """The sender's repository is a work tree: its run works in a directory beside it, which at the newcomer's is somebody's."""
    in_a_tree(ground, evil)
    shutil.rmtree(ground.dir / "repo-r")
    (ground.dir / "repo-r").symlink_to(ground.outside / "directory")


# ── Links ────────────────────────────────────────────────────────────────────────────────────────────


def linked(name, to="directory", sent=True):
    """A link in place of something that piton reads or writes; `sent`: there is a run of the sender's."""

    def make(ground, evil):
        if sent:
            at_ceiling(ground, evil)
        path = ground.repo / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        for place in reversed([place for place in path.parents if not place.exists()]):
            place.mkdir()
            ground.own(place)
        path.symlink_to(ground.outside / to)
        if os.getuid() == 0:
            os.lchown(path, ground.uid, ground.gid)

    return make


def hard_linked(name, sent):
    def make(ground, evil):
        if sent:
            at_ceiling(ground, evil)
        path = ground.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        os.link(ground.outside / "canary", path)
        for place in (path.parent, path.parent.parent):
            ground.own(place)

    return make


def links():
    for name in ("", "/attempts", "/attempts/r", "/index", "/leases", "/anchors", "/drivers", "/blobs", "/trees"):
        yield clone(f"a link to a directory outside: .piton{name}", linked(f".piton{name}"))
    for name in (
        "/journal.db",
        "/write.lock",
        "/own-files",
        "/told/r.json",
        "/drivers/r.log",
        "/leases/r.1",
        "/anchors/r",
        "/attempts/r/brief.json",
    ):
        yield clone(f"a link to a file outside: .piton{name}", linked(f".piton{name}", "canary"))
    yield clone("a link to where nothing is: .piton", linked(".piton", "new", sent=False))
    yield clone("a link to where nothing is: .piton/journal.db", linked(".piton/journal.db", "new.db", sent=False))
    for name in (
        ".ralph",
        ".ralph/hooks",
        ".ralph/loops",
        ".ralph/backups",
        ".aiwg/ralph",
        ".aiwg/ralph/loops",
        ".agents",
        ".agents/runs",
        ".git/info",
    ):
        yield clone(f"a link to a directory outside: {name}", linked(name, sent=False))
    for name in (
        ".ralph/state.json",
        ".ralph/audit.log",
        ".ralph/metrics.prom",
        ".aiwg/ralph/registry.json",
        "gaps.yaml",
        "gap_audit.log",
        "piton.toml",
        "piton.allow.toml",
        "PROMPT.md",
        ".git/info/exclude",
        ".gitignore",
    ):
        yield clone(f"a link to a file outside: {name}", linked(name, "canary", sent=False))
    # A file of several names is written to where its content is kept, and not where it is replaced.
    for name in (".piton/write.lock", ".piton/journal.db", ".piton/own-files", ".piton/drivers/r.log", ".piton/leases/r.1"):
        yield clone(f"a second name of a file outside, with a run: {name}", hard_linked(name, True))
    for name in (
        ".piton/write.lock",
        ".piton/own-files",
        ".piton/drivers/mine.log",
        ".ralph/audit.log",
        ".ralph/state.json",
        ".ralph/metrics.prom",
        "gaps.yaml",
        "gap_audit.log",
        ".git/info/exclude",
    ):
        yield clone(
            f"a second name of a file outside: {name}", hard_linked(name, False), REFUSED, ("gaps", "add", "one", "--category", "x")
        )


# ── An archive with a .git of its own ────────────────────────────────────────────────────────────────

EVERY_HOOK = (
    "applypatch-msg",
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-checkout",
    "post-merge",
    "pre-auto-gc",
    "post-rewrite",
    "reference-transaction",
    "post-index-change",
    "fsmonitor-watchman",
    "pre-push",
    "update",
    "post-update",
    "sendemail-validate",
)


def configured(lines, attributes="", files=None):
    """`.git/config` says so; no git is called after that."""

    def make(ground, evil):
        ground.commit({"data.bin": "x\n"} | (files or {}) | ({".gitattributes": attributes} if attributes else {}))
        with open(ground.repo / ".git/config", "a") as config:
            config.write(lines.replace("EVIL", evil) + "\n")
        # Git looks at a file again only if it seems changed.
        ground.put("data.bin", "another\n")

    return make


def with_hooks(ground, evil, where=".git/hooks"):
    ground.commit({"data.bin": "x\n"})
    for name in EVERY_HOOK:
        ground.put(f"{where}/{name}", f"#!/bin/sh\nexec {evil}\n", mode=0o755)


def hooks_path(ground, evil):
    with_hooks(ground, evil, "hooks")
    with open(ground.repo / ".git/config", "a") as config:
        config.write("[core]\nhooksPath = hooks\n")


def included(ground, evil):
    ground.put("more.conf", f"[core]\nfsmonitor = {evil}\npager = {evil}\neditor = {evil}\n[alias]\nstatus = !{evil}\n")
    configured('[include]\npath = ../more.conf\n[includeIf "gitdir:**"]\npath = ../more.conf')(ground, evil)


def of_work_trees(ground, evil):
    configured("[extensions]\nworktreeConfig = true\n[core]\nrepositoryFormatVersion = 1")(ground, evil)
    ground.put(".git/config.worktree", f"[core]\nfsmonitor = {evil}\nhooksPath = {ground.repo}/hooks\n")


def promised(ground, evil):
    """An object that is missing, and a remote that would be asked for it."""
    ground.commit({"missing.txt": "missing\n"})
    blob = ground.sh("git rev-parse HEAD:missing.txt", check=True).stdout.strip()
    configured(
        '[extensions]\npartialClone = origin\n[core]\nrepositoryFormatVersion = 1\nsshCommand = EVIL\ngitProxy = EVIL\n[remote "origin"]\n'
        f"url = {ground.repo}\npromisor = true\npartialclonefilter = blob:none\nuploadpack = EVIL\nvcs = ext"
    )(ground, evil)
    (ground.repo / ".git/objects" / blob[:2] / blob[2:]).unlink()
    ground.put("missing.txt", "other\n")


def elsewhere(ground, evil):
    """`.git` is a file that leads to a repository with its own settings."""
    configured("[core]\nfsmonitor = EVIL\nhooksPath = EVIL")(ground, evil)
    os.rename(ground.repo / ".git", ground.repo / "dot-git")
    ground.put(".git", "gitdir: dot-git\n")


def git_settings():
    yield clone("an archive with hooks of git", with_hooks)
    yield clone("an archive with a path for hooks of git", hooks_path)
    for name, lines, attributes in (
        ("a file system monitor", "[core]\nfsmonitor = EVIL", ""),
        ("a filter that cleans", '[filter "e"]\nclean = EVIL\nrequired = true', "*.bin filter=e\n*.txt filter=e\n"),
        ("a filter that smudges", '[filter "e"]\nsmudge = EVIL\nclean = cat', "*.bin filter=e\n*.txt filter=e\n"),
        ("a process filter", '[filter "e"]\nprocess = EVIL', "* filter=e\n"),
        ("a text conversion", '[diff "e"]\ntextconv = EVIL\ncachetextconv = true', "* diff=e\n"),
        ("a diff of its own", '[diff "e"]\ncommand = EVIL', "* diff=e\n"),
        ("an external diff", "[diff]\nexternal = EVIL", ""),
        ("a merge driver", '[merge "e"]\ndriver = EVIL %O %A %B', "* merge=e\n"),
        (
            "pagers and editors",
            (
                "[core]\npager = EVIL\neditor = EVIL\n[pager]\nstatus = EVIL\ndiff = EVIL\nlog = EVIL\n[sequence]\neditor ="
                " EVIL\n[interactive]\ndiffFilter = EVIL"
            ),
            "",
        ),
        ("programs to ask for passwords", "[core]\naskPass = EVIL\nsshCommand = EVIL\n[credential]\nhelper = !EVIL", ""),
        (
            "a program that signs",
            (
                "[gpg]\nprogram = EVIL\nformat = openpgp\n[commit]\ngpgSign = true\n[tag]\ngpgSign = true\n[log]\nshowSignature ="
                " true\n[user]\nsigningKey = x"
            ),
            "",
        ),
        (
            "a program that signs by SSH",
            '[gpg]\nformat = ssh\n[gpg "ssh"]\nprogram = EVIL\ndefaultKeyCommand = EVIL\n[commit]\ngpgSign = true',
            "",
        ),
        (
            "aliases",
            "[alias]\n"
            + "\n".join(
                f"{name} = !EVIL" for name in ("status", "diff", "log", "add", "commit", "worktree", "rev-parse", "cat-file", "write-tree")
            ),
            "",
        ),
        ("a command for other refs", f"[core]\nalternateRefsCommand = EVIL", ""),
        ("an update of submodules", '[submodule "s"]\nupdate = !EVIL\nactive = true\nurl = .\n[submodule]\nrecurse = true', ""),
        ("another work tree", "[core]\nworktree = ../../outside/directory", ""),
        ("attributes and excludes outside", "[core]\nattributesFile = ../../outside/canary\nexcludesFile = ../../outside/canary", ""),
        (
            "hooks by configuration",
            '[hook "e"]\ncommand = EVIL\nevent = pre-commit\nevent = post-checkout\nevent = reference-transaction',
            "",
        ),
        (
            "trailers and templates",
            (
                '[trailer "e"]\nkey = e\ncmd = EVIL\ncommand = EVIL\nifmissing = add\n[commit]\ntemplate ='
                " ../../outside/canary\n[init]\ntemplateDir = hooks"
            ),
            "",
        ),
        (
            "a protocol that runs programs",
            (
                '[protocol "ext"]\nallow = always\n[remote "origin"]\nurl = ext::EVIL %S\n[branch "main"]\nremote = origin\nmerge ='
                " refs/heads/main\n[fetch]\nrecurseSubmodules = true\n[maintenance]\nauto = true"
            ),
            "",
        ),
    ):
        yield clone(f"an archive whose .git/config names {name}", configured(lines, attributes))
    yield clone("an archive whose .git/config includes a file of the tree", included)
    yield clone("an archive with settings for work trees", of_work_trees)
    yield clone("an archive with an object that a remote promised", promised)
    yield clone("an archive whose .git leads to another directory", elsewhere)


# ── Repositories in the repository ───────────────────────────────────────────────────────────────────


def nested_repository(bare):
    def make(ground, evil):
        place = ground.repo / ("data" if bare else "inner")
        ground.sh(f"git init -q {'--bare' if bare else ''} {quoted(place)}", check=True)
        config = place / ("config" if bare else ".git/config")
        with open(config, "a") as file:
            file.write(f'[core]\nfsmonitor = {evil}\n[diff]\nexternal = {evil}\n[filter "e"]\nclean = {evil}\nprocess = {evil}\n')
        ground.put(place / ".gitattributes", "* filter=e\n")
        ground.put(place / "file.txt", "x\n")

    return make


def submodule(ground, evil):
    """A submodule that is checked out, with settings in the repository's own .git."""
    library = ground.dir / "library"
    ground.put(library / "file.txt", "x\n")
    ground.sh("git init -q . && git add -A && git commit -qm x", cwd=library, check=True)
    ground.sh(f"git -c protocol.file.allow=always submodule -q add {quoted(library)} sub && git commit -qm sub", check=True)
    with open(ground.repo / ".git/modules/sub/config", "a") as file:
        file.write(
            f'[core]\nfsmonitor = {evil}\nhooksPath = {ground.dir}\n[filter "e"]\nclean = {evil}\nsmudge = {evil}\nprocess = {evil}\n'
        )
    ground.put(".git/modules/sub/info/attributes", "* filter=e\n")
    ground.put("sub/file.txt", "other\n")


def submodule_options(ground, evil):
    """Names and addresses that would be taken for options, or lead elsewhere."""
    ground.commit(
        {
            ".gitmodules": (
                f'[submodule "../../evil"]\npath = -u{evil}\nurl = --upload-pack={evil}\n[submodule "x"]\npath = x\nurl ='
                f" ext::{evil}\nupdate = !{evil}\n"
            )
        }
    )
    for path in (f"-u{evil.replace('/', '_')}", "x"):
        ground.sh(f"git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),{quoted(path)} && git commit -qm link", check=True)


def odd_branches(ground, evil):
    """Branches whose names would be taken for options; a link that leads out of the tree."""
    ground.sh(
        "git update-ref 'refs/heads/--upload-pack=evil' HEAD && git update-ref refs/heads/-x HEAD && git update-ref"
        " 'refs/heads/$(touch-hit)' HEAD",
        check=True,
    )
    os.symlink(ground.outside, ground.repo / "out")
    os.symlink("../outside/canary", ground.repo / "data.txt")
    ground.sh("git add -A && git commit -qm links", check=True)


def nested():
    yield clone("a repository inside, with programs in its settings", nested_repository(False))
    yield clone("a bare repository inside, with programs in its settings", nested_repository(True))
    yield clone("a submodule with programs in its settings", submodule)
    yield clone("submodules whose names are options", submodule_options)
    yield clone("branches whose names are options, and links that lead out", odd_branches)


# ── A piton.toml that nobody trusted ─────────────────────────────────────────────────────────────────


def untrusted():
    for name, text in (
        ("an agent", '[agent]\nuse = "evil"\n[agents.evil]\ncommand = ["EVIL"]\nwrites = ["~/.ssh"]'),
        ("another command for a known agent", '[agent]\nuse = "claude"\n[agents.claude]\ncommand = ["EVIL"]'),
        ("checks", '[checks]\ntest = "EVIL"\nlint = { command = "EVIL", cheap = true }'),
        ("metrics", '[metrics]\nm = "EVIL"'),
        ("a setup of work trees", '[worktree]\nsetup = "EVIL"\ncopy = ["../outside"]'),
        ("a hook that is a command", '[hooks.h]\npoints = ["loop_start", "loop_end"]\ncommand = "EVIL"'),
        ("a hook that is a program", '[hooks.h]\npoints = ["loop_start"]\npath = "EVIL"'),
        ("a directory of hooks outside", '[hooks]\ndir = "../outside/directory"'),
        (
            "conditions to stop",
            '[stop]\nconditions = [{ type = "shell_command", command = "EVIL" }, { type = "custom_script", script = "EVIL" }]',
        ),
        (
            "a log file of messages outside",
            (
                '[notify]\nmin_interval = "0s"\n[notify.channels.l]\ntype = "logfile"\npath = "../outside/hit"\n[notify.triggers]\nstarted'
                " = true\ncompleted = true\nfailed = true\nstopped = true"
            ),
        ),
        ("a gap file outside", '[gaps]\nfile = "../outside/canary"\naudit_log = "../outside/hit"'),
        ("an audit log outside", '[gaps]\naudit_log = "../outside/hit"'),
        ("a prompt outside", '[loop]\nprompt = "../outside/canary"'),
        ("walls with holes", '[confine]\nenabled = false\nwrite = ["/"]\nread = ["~/.ssh"]'),
        ("a guard that is off", '[guard]\nmode = "off"\nrules = { test-deleted = { off = true, reason = "x" } }'),
        ("a mode that approves by itself", '[mode]\nstart = "hybrid"\n[mode.hybrid]\nauto_approve = "1s"\n[checks]\nc = "EVIL"'),
    ):
        yield clone(
            f"an untrusted piton.toml with {name}",
            lambda ground, evil, text=text: ground.commit(
                {"piton.toml": text.replace("EVIL", evil) + "\n", "w.yaml": "name: w\nsteps:\n- {id: a, run: 'true'}\n"}
            ),
            REFUSED,
            ("run", "w.yaml", "--run-id", "w"),
            ("gaps", "add", "one", "--category", "x"),
            ("gaps", "research", "--exec", "true"),
        )
    yield Way("clones", "a piton.toml that changed after it was trusted", changed, REFUSED, REFUSED)
    yield clone(
        "files of hooks that nobody trusted",
        lambda ground, evil: ground.commit(
            {
                f".ralph/hooks/{kind}.yaml": (
                    f"name: {kind}\npoints: [loop_start, loop_end, pre_iteration, post_iteration]\nhook_type: {text}\n"
                )
                for kind, text in (
                    ("command", f"{{ type: command, command: '{evil}' }}"),
                    ("script", f"{{ type: script, path: '{evil}' }}"),
                    ("webhook", "{ type: webhook, url: { plain: 'http://127.0.0.1:9/' } }"),
                )
            }
        ),
    )


def changed(ground):
    evil = trap(ground)
    ground.commit({"piton.toml": '[checks]\nc = "true"\n'})
    ground.piton("trust", "--yes", check=True)
    ground.commit({"piton.toml": f'[checks]\nc = "{evil}"\n'}, "pulled")
    return newcomer(ground)


# ── What other tools left ────────────────────────────────────────────────────────────────────────────


def other_tools():
    ids = ("../../../outside/directory", "/etc", "a/../../b", "-rf", "x\x00y", ".", "a" * 5_000)
    registry = json.dumps(
        {
            "version": "2.0.0",
            "max_concurrent_loops": 4,
            "active_loops": [{"loop_id": id, "pid": 1, "status": "running", "state_file": "../../../outside/canary"} for id in ids],
        }
    )
    yield clone(
        "a registry of another tool whose names lead elsewhere",
        lambda ground, evil: ground.commit({".aiwg/ralph/registry.json": registry}),
        REFUSED,
        ("import", ".aiwg/ralph/registry.json"),
    )
    state = json.dumps(
        {
            "core": {"status": "running", "iteration": 3, "session_id": ESCAPES, "working_directory": "/"},
            "task": "$(EVIL)",
            "command": "EVIL",
            "hooks": ["EVIL"],
        }
    )
    yield clone(
        "a state of another tool with commands in it",
        lambda ground, evil: ground.commit({".ralph/state.json": state.replace("EVIL", evil), ".ralph/audit.log": ESCAPES}),
        REFUSED,
        ("import", ".ralph/state.json"),
        ("import", ".ralph"),
    )
    yield clone(
        "a state of another tool of 20 MB",
        lambda ground, evil: ground.commit({".ralph/state.json": "[" * 20_000_000}),
        REFUSED,
        ("import", ".ralph/state.json"),
    )
    run_state = json.dumps(
        {"run_id": "../../../outside/directory", "workflow": "w.yaml", "steps": {"../../x": {"status": "COMPLETED"}}, "status": "running"}
    )
    yield clone(
        "a directory of runs whose names lead elsewhere",
        lambda ground, evil: ground.commit(
            {
                ".agents/runs/old/run_state.json": run_state,
                "w.yaml": "name: w\nsteps:\n- {id: a, run: 'true'}\n",
                ".agents/runs/old/manual_inputs/a.json": '{"approved": true}',
            }
        ),
        REFUSED,
        ("import", ".agents/runs/old", "--workflow", "w.yaml"),
        ("run", "w.yaml", "--run-id", "w"),
    )
    yield clone(
        "old runs of another tool that a cleanup would delete through a link", old_runs, REFUSED, ("run", "w.yaml", "--run-id", "w")
    )
    yield clone(
        "an archive of runs that is no database",
        lambda ground, evil: ground.commit(
            {".agents/run_archive.db": "garbage\n" * 999, "w.yaml": "name: w\nsteps:\n- {id: a, run: 'true'}\n"}
        ),
        REFUSED,
        ("run", "w.yaml", "--run-id", "w"),
    )


def old_runs(ground, evil):
    ground.commit({"w.yaml": "name: w\nsteps:\n- {id: a, run: 'true'}\n"})
    for number in range(14):
        ground.put(
            f".agents/runs/old-{number}/run_state.json",
            json.dumps({"run_id": f"old-{number}", "status": "completed", "completed_at": "2020-01-01T00:00:00Z", "workflow_name": "w"}),
        )
        os.symlink(ground.outside / "directory", ground.repo / f".agents/runs/old-{number}/reports")
        os.utime(ground.repo / f".agents/runs/old-{number}", (1, 1))
    os.symlink(ground.outside / "directory", ground.repo / ".agents/runs/linked")


# ── Files that are read ──────────────────────────────────────────────────────────────────────────────


def files():
    gaps = lambda text: lambda ground, evil: ground.commit({"gaps.yaml": text.replace("EVIL", evil)})
    more = (
        ("gaps", "stale"),
        ("gaps", "batch"),
        ("gaps", "order"),
        ("gaps", "stale", "--apply"),
        ("gaps", "show", "a"),
        ("gaps", "export"),
        ("gaps", "research", "--exec", "true"),
    )
    laughs = (
        "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)) + "gaps: [*a9]\n"
    )
    yield clone("a gap file that laughs", gaps(laughs), REFUSED, *more)
    yield clone(
        "a gap file with a scalar of 20 MB",
        lambda ground, evil: ground.commit({"gaps.yaml": f"gaps:\n- id: a\n  category: {'x' * 20_000_000}\n"}),
        REFUSED,
        *more,
    )
    yield clone(
        "a gap file whose evidence leads elsewhere",
        gaps(
            "gaps:\n- id: a\n  category: x\n  status: verified\n  last_verified: '2020-01-01T00:00:00Z'\n  findings: f\n  evidence:\n  -"
            " {file: ../../outside/canary, sha256: x}\n  - {file: /etc/passwd}\n  - {url: 'file:///etc/passwd'}\n  - {command: 'EVIL'}\n"
        ),
        REFUSED,
        *more,
    )
    yield clone(
        "a gap file with names that lead elsewhere or write to a terminal",
        gaps(
            "gaps:\n- {id: '../../outside/x', category: x}\n- {id: '-rf', category: x}\n- {id: \"\\e]0;owned\\a\", category: \"\\e[2J\"}\n"
        ),
        REFUSED,
        *more,
    )
    for name, text in (
        ("steps whose names lead elsewhere", "name: w\nsteps:\n- {id: ../../../outside/x, run: 'true'}\n"),
        ("prompts outside", "name: w\nsteps:\n- {id: a, agent: x, prompt: ../outside/canary}\n"),
        ("items outside", "name: w\nsteps:\n- {id: a, run: 'true', loop: {items_from: ../outside/canary}}\n"),
        ("a nested workflow outside", "name: w\nsteps:\n- {id: a, workflow: ../outside/canary}\n"),
        ("a name that leads elsewhere", "name: ../../outside/x\nsteps:\n- {id: a, run: 'true'}\n"),
        ("outputs outside", "name: w\nsteps:\n- {id: a, run: 'true', artifacts: ['../outside/canary'], outputs: ['../../outside/hit']}\n"),
    ):
        yield clone(
            f"a workflow with {name}",
            lambda ground, evil, text=text: ground.commit({"w.yaml": text}),
            REFUSED,
            ("run", "w.yaml", "--check-only"),
            ("run", "w.yaml", "--run-id", "w", "--exec", "true"),
            ("show", "w"),
            ("rm", "w", "--force"),
        )
    yield clone(
        "a prompt that includes files outside",
        lambda ground, evil: ground.commit(
            {
                "PROMPT.md": (
                    "{{include ../outside/canary}}\n{{include: /etc/passwd}}\n{{> ../outside/canary}}\n@../outside/canary\n!`EVIL`\n"
                    .replace("EVIL", evil)
                )
            }
        ),
        REFUSED,
        ("loop", "--id", "p", "--here", "--exec", "cat > /dev/null", "--check", "c=false", "--max-iterations", "1"),
    )
    yield clone(
        "a tree with texts that write to a terminal",
        lambda ground, evil: ground.commit({f"test_{ESCAPES[:3]}.py": f"def test_a():\n    assert '{ESCAPES}'\n".replace("\r", "")}),
    )
    yield clone("pipes where files are expected", pipes)


def pipes(ground, evil):
    for name in ("piton.toml", "gaps.yaml", "PROMPT.md", "piton.allow.toml", ".ralph/state.json", ".aiwg/ralph/registry.json"):
        path = ground.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        ground.own(path.parent)
        fifo(ground, path)


# ── Honest clones ────────────────────────────────────────────────────────────────────────────────────

DONE = ("loop", "mine", "--id", "mine", "--here", "--exec", "echo x >> mine.txt", "--check", "c=test -f mine.txt", "--max-iterations", "2")


def fine(ground, *commands):
    for words in commands:
        done = ground.piton(*words, *(ground.walls() if words[0] == "loop" else ()))
        if done.returncode != 0:
            return f"`piton {' '.join(words)[:60]}` exits {done.returncode}: {(done.stdout + done.stderr)[-400:]}"
    return WORKS


def sent(make, *commands):
    def do(ground):
        make(ground)
        ground.sh(f"git clone -q {quoted(ground.repo)} {quoted(ground.dir / 'cloned')}", check=True)
        ground.repo = ground.dir / "cloned"
        return fine(ground, *commands)

    return do


def honest_clones():
    yield honest(
        "clones",
        "a clone with nothing in it",
        sent(lambda ground: None, ("ls",), DONE, ("status", "mine"), ("verify",), ("rm", "mine", "--force")),
    )
    trusted = lambda ground: ground.commit({"piton.toml": '[checks]\nhere = "true"\n[guard]\nprotect = ["spec"]\n', "spec/a": "x\n"})
    yield honest(
        "clones", "a clone with a piton.toml that was looked at", sent(trusted, ("config", "show"), ("trust", "--yes"), DONE, ("verify",))
    )
    yield honest("clones", "a clone with a piton.toml that is taken for this once", sent(trusted, (*DONE, "--trust"), ("verify",)))
    hook = "name: tell\npoints: [loop_end]\nhook_type: { type: command, command: 'echo told > told.txt' }\n"
    yield honest("clones", "a clone with files of hooks that were looked at", hooks_trusted(hook))
    yield honest(
        "clones",
        "a clone with gaps",
        sent(
            lambda ground: ground.commit({"gaps.yaml": "gaps:\n- {id: one, category: x, question: What?}\n"}),
            ("gaps", "list"),
            ("gaps", "validate"),
            ("gaps", "verify", "one", "--findings", "So."),
            ("gaps", "list"),
        ),
    )
    yield honest(
        "clones",
        "a clone with a workflow",
        sent(
            lambda ground: ground.commit({"w.yaml": "name: w\nsteps:\n- {id: a, run: 'true'}\n- {id: b, needs: [a], run: 'true'}\n"}),
            ("run", "w.yaml", "--check-only"),
            ("run", "w.yaml", "--run-id", "w"),
            ("status", "w"),
        ),
    )
    yield honest("clones", "a run of one's own that goes on", own_run)
    yield honest("clones", "a killed run of one's own that a worker goes on with", own_worker)
    yield honest("clones", "a filter of the user's own", own_filter)
    yield honest("clones", "a submodule and a repository inside", beside_others)


def hooks_trusted(text):
    def do(ground):
        ground.commit({".ralph/hooks/tell.yaml": text})
        came = fine(ground, ("trust", "--yes"), DONE)
        return came if came != WORKS or (ground.repo / "told.txt").exists() else "the hook was not called"

    return do


def own_run(ground):
    done = ground.piton(*loop_words("echo x >> work.txt", check="test $(wc -l < work.txt) -ge 2"), *ground.walls())
    if done.returncode != 3:
        return f"exit {done.returncode}: {done.stderr[-300:]}"
    return fine(ground, ("status", "r"), ("resume", "r", "--max-iterations", "+1"), ("log", "r"), ("rm", "r", "--force"))


def own_worker(ground):
    ground.piton(
        *loop_words("[ -e began ] && exit 0; touch began; sleep 30", "--detach", check="test -f began"), *ground.walls(), check=True
    )
    ground.until((ground.repo / "began").exists)
    crash(ground)
    ground.piton("worker", "--once", check=True)
    done = ground.piton("wait", "r")
    return WORKS if done.returncode == 0 else f"exit {done.returncode}: {ground.piton('status', 'r').stdout[-400:]}"


def own_filter(ground):
    """As `git lfs install` leaves it: the user names the filter, and the repository uses it."""
    with open(ground.home / ".gitconfig", "a") as config:
        config.write('[filter "up"]\nclean = tr a-z A-Z\nsmudge = tr A-Z a-z\n')
    ground.commit({".gitattributes": "*.up filter=up\n", "word.up": "word\n"})
    words = (
        "loop",
        "mine",
        "--id",
        "mine",
        "--worktree",
        "--exec",
        "echo other > word.up",
        "--check",
        "c=grep -q other word.up",
        "--max-iterations",
        "1",
    )
    came = fine(ground, words)
    stored = ground.sh("git cat-file blob piton/mine:word.up").stdout
    return came if came != WORKS or stored == "OTHER\n" else f"stored as {stored!r}"


def beside_others(ground):
    library = ground.dir / "library"
    ground.put(library / "file.txt", "x\n")
    ground.sh("git init -q . && git add -A && git commit -qm x", cwd=library, check=True)
    ground.sh(
        f"git -c protocol.file.allow=always submodule -q add {quoted(library)} sub && git commit -qm sub && git init -q inner && touch"
        " inner/a",
        check=True,
    )
    return fine(ground, DONE, ("verify",))
