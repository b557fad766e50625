"""What the ways of `attack` share: a `Way`, and the `Ground` on which it is tried.

A ground is one repository with everything that lies around it: a directory of canaries, a home with keys and logins in it, a
user, and perhaps walls. It lies neither in /tmp nor in /run, which walls cover up: what an attacker does not reach there would
prove nothing. Nothing of it is left: processes are found by its directory and ended by their id, mounts are taken down.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from harness import Violation, end

REFUSED, NOTICED, OPEN, WORKS = "refused", "noticed", "open", "works"
# What the docs say of a family as a whole.
SAYS = {"walls": "walls.md: An agent that may run every command can do whatever you can"}
# Worst last.
ORDER = (WORKS, REFUSED, NOTICED, OPEN)
# The ordinary user, where root runs the suite: an id that nobody else has, so that nothing else can be hit.
USER_ID = 61234
SECRET = "the-secret-of-this-home"
# For attackers: one that others can run, too.
PYTHON = f"{next((place for place in ('/usr/bin/python3', '/usr/local/bin/python3') if os.access(place, os.X_OK)), sys.executable)} -S -E"
# What has a key or a login in it, below the home.
KEYS = (".ssh/id_ed25519", ".gnupg/private-keys-v1.d/key", ".netrc", ".git-credentials", ".config/gh/hosts.yml", ".aws/credentials",
        ".kube/config", ".docker/config.json", ".cargo/credentials.toml", ".npmrc")


@dataclass
class Way:
    """`do` tries it on a fresh ground, and says what came of it; `bare` and `walls` are what is expected. `bare_user` and
    `walls_user` are for the ordinary user where the system itself makes a difference; `only` is "root" where it takes root. `says` is
    where the docs say that it is open: "page.md: words that stand there". Nothing may be open of which no page says so."""
    family: str
    name: str
    do: Callable
    bare: str
    walls: str
    only: str = ""
    honest: bool = False
    bare_user: str = ""
    walls_user: str = ""
    says: str = ""

    def expected(self, confined, user):
        told = (self.walls_user, self.walls) if confined else (self.bare_user, self.bare)
        return told[0] if user != "root" and told[0] else told[1]

    def is_conceded(self):
        """Whether it is expected to be open anywhere."""
        return OPEN in (self.bare, self.walls, self.bare_user, self.walls_user)

    def page(self):
        """(page of the docs, words on it) that say so. What is open in spite of walls is said by itself."""
        whole = "" if OPEN in (self.walls, self.walls_user) else SAYS.get(self.family, "")
        return (self.says or whole).partition(": ")[::2]


def honest(family, name, do, **more):
    """A way that must work, wherever it is taken."""
    return Way(family, name, do, WORKS, WORKS, honest=True, **more)


class Ground:
    """One fresh repository and all around it."""

    def __init__(self, bench, directory, confined, user):
        self.bench, self.dir, self.confined, self.user = bench, Path(directory), confined, user
        self.binary = bench.piton
        # What has to go with it besides: sockets, and directories elsewhere.
        self.servers, self.scratches = [], []
        self.uid = 0 if user == "root" else USER_ID if os.getuid() == 0 else os.getuid()
        self.gid = 0 if user == "root" else USER_ID if os.getuid() == 0 else os.getgid()
        self.repo, self.outside, self.home = self.dir / "repo", self.dir / "outside", self.dir / "home"
        self.config = self.home / ".config"
        for place in (self.dir, self.repo, self.outside, self.home, self.config, self.outside / "directory"):
            place.mkdir(mode=0o755)
            self.own(place)
        self.put(self.outside / "canary", "untouched\n")
        self.put(self.outside / "directory/canary", "untouched\n")
        self.put(self.outside / "program", "#!/bin/sh\necho honest\n", mode=0o755)
        self.put(self.home / ".profile", "# a profile\n")
        self.put(self.home / ".gitconfig", "[user]\nname = Ann\nemail = ann@example.org\n[init]\ndefaultBranch = main\n")
        for name in KEYS:
            self.put(self.home / name, f"token = {SECRET}\n//r/:_authToken={SECRET}\n", mode=0o600)
        self.sh("git init -q . && git config gc.auto 0", check=True)
        self.commit({"README": "a tree\n", "src/app.py": "def add(a, b):\n    return a - b\n"}, "first")
        self.before = self.canaries()

    # ── Files ────────────────────────────────────────────────────────────────────────────────────

    def own(self, path):
        if os.getuid() == 0:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def put(self, path, content, mode=None):
        """Writes a file that belongs to the user, with its directories; a name is taken below the repository."""
        path = self.repo / path
        missing = [place for place in path.parents if not place.exists()]
        for place in reversed(missing):
            place.mkdir(mode=0o755)
            self.own(place)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.own(path)
        if mode is not None:
            path.chmod(mode)
        return path

    def commit(self, files, message="more"):
        """Writes files and commits them, as the user."""
        for name, content in files.items():
            self.put(name, content)
        self.sh(f"git add -A -f -- {' '.join(map(quoted, files))} && git commit -q -m {quoted(message)}", check=True)

    def canaries(self):
        """Everything below `outside`: name, kind, mode and content."""
        found = {}
        for base, directories, files in os.walk(self.outside):
            for name in directories + files:
                path = os.path.join(base, name)
                at = os.lstat(path)
                content = Path(path).read_bytes() if os.path.isfile(path) and not os.path.islink(path) else b""
                found[os.path.relpath(path, self.outside)] = (at.st_mode, content)
        return found

    def is_touched(self):
        """Whether anything of the canaries is other than at the start."""
        return self.canaries() != self.before

    # ── Commands ─────────────────────────────────────────────────────────────────────────────────

    def environment(self, extra=None):
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        kept |= {
            "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", "NO_COLOR": "1", "TORTURE_BENCH": str(self.bench.base),
            "GROUND": str(self.dir), "OUTSIDE": str(self.outside), "REPO": str(self.repo), "PITON": self.binary,
        }
        return kept | (extra or {})

    def call(self, words, env=None, timeout=60, stdin=None, cwd=None, check=False):
        """Runs a command to its end as the user; one that hangs is a violation. What it leaves running is not waited for."""
        user = {"user": self.uid, "group": self.gid, "extra_groups": []} if os.getuid() == 0 else {}
        out, err = self.bench.base / f"{self.dir.name}.out", self.bench.base / f"{self.dir.name}.err"
        with open(out, "w+b") as stdout, open(err, "w+b") as stderr:
            running = subprocess.Popen(
                [str(word) for word in words], cwd=cwd or self.repo, env=self.environment(env), stdout=stdout, stderr=stderr,
                stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL, start_new_session=True, umask=0o022, **user)
            if stdin is not None:
                try:
                    running.stdin.write(stdin.encode() if isinstance(stdin, str) else stdin)
                    running.stdin.close()
                except BrokenPipeError:
                    pass
            try:
                code = running.wait(timeout)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()
                raise Violation(f"hangs for more than {timeout} s: {' '.join(map(str, words))[:200]}")
            said = []
            for file in (stdout, stderr):
                file.seek(0)
                said.append(file.read().decode(errors="replace"))
        done = subprocess.CompletedProcess(words, code, *said)
        if check and code != 0:
            raise Violation(f"exit {code}: {' '.join(map(str, words))[:200]}: {(done.stdout + done.stderr)[-600:]}")
        return done

    def piton(self, *words, env=None, timeout=60, stdin=None, cwd=None, check=False):
        return self.call([self.binary, *words], env, timeout, stdin, cwd, check)

    def sh(self, line, env=None, timeout=60, stdin=None, cwd=None, check=False):
        """A line of the shell, as that user, in the repository, outside of piton."""
        return self.call(["sh", "-c", line], env, timeout, stdin, cwd, check)

    def start(self, line, env=None, cwd=None):
        """A line of the shell that goes on beside the run, outside of piton."""
        user = {"user": self.uid, "group": self.gid, "extra_groups": []} if os.getuid() == 0 else {}
        return subprocess.Popen(["sh", "-c", line], cwd=cwd or self.repo, env=self.environment(env), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, umask=0o022, **user)

    def walls(self):
        return ("--confine",) if self.confined else ()

    def loop(self, agent, check="true", *more, id="r", env=None, timeout=60):
        """`piton loop` with a line of the shell as its agent, in place and for one iteration unless `more` says otherwise."""
        task = [] if "-P" in more else ["do it"]
        words = ["loop", *task, "--id", id, "--exec", agent, "--check", f"c={check}", *self.walls(), *more]
        if "--worktree" not in more:
            words.append("--here")
        if "--max-iterations" not in more:
            words += ["--max-iterations", "1"]
        return self.piton(*words, env=env, timeout=timeout)

    def workflow(self, yaml, *more, id="r", env=None, timeout=60):
        self.put("w.yaml", yaml)
        self.confine_all()
        return self.piton("run", "w.yaml", "--run-id", id, "--max-attempts", "1", *more, env=env, timeout=timeout)

    def confine_all(self):
        """Walls for whatever has no flag for them, by the user's own settings, where this ground has walls."""
        if self.confined:
            self.put(self.config / "piton/config.toml", "[confine]\nenabled = true\n")

    # ── What came of it ──────────────────────────────────────────────────────────────────────────

    def events(self, run="r"):
        """What is on record of a run, as `piton log --json` says it."""
        done = self.piton("log", run, "--json")
        if done.returncode != 0:
            raise Violation(f"`piton log {run}` exits {done.returncode}: {done.stderr[-300:]}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def kinds(self, run="r"):
        return [event["type"] for event in self.events(run)]

    def status(self, run="r"):
        done = self.piton("status", run, "--json")
        return json.loads(done.stdout) if done.returncode == 0 else {"status": f"exit {done.returncode}"}

    def output(self, run="r"):
        """What the agents of a run printed."""
        found = sorted((self.repo / ".piton/attempts" / run).glob("*/*.log"))
        return "".join(path.read_text(errors="replace") for path in found if path.is_file())

    def until(self, what, seconds=20):
        """Waits until something holds."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := what():
                return found
            time.sleep(0.02)
        raise Violation(f"nothing came of it within {seconds} s")

    # ── The end ──────────────────────────────────────────────────────────────────────────────────

    def processes(self):
        """The living processes of this ground: by their environment, their directory, or their words."""
        here, found = str(self.dir).encode(), []
        mark = re.compile(re.escape(here) + rb"(/|\0|$)")
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid():
                continue
            try:
                known = Path(f"/proc/{name}/cmdline").read_bytes()
                if not known:
                    continue
                known += b"\0" + Path(f"/proc/{name}/environ").read_bytes() + b"\0" + os.readlink(f"/proc/{name}/cwd").encode()
            except OSError:
                continue
            if mark.search(known):
                found.append(int(name))
        return found

    def close(self):
        """Ends what is left, and takes down what was mounted."""
        for _ in range(100):
            living = self.processes()
            if not living:
                break
            for pid in living:
                end(pid, signal.SIGKILL)
            time.sleep(0.02)
        for server in self.servers:
            server.close()
        for place in self.scratches:
            shutil.rmtree(place, ignore_errors=True)
        for line in reversed(Path("/proc/self/mountinfo").read_text().splitlines()):
            if f"{line.split()[4]}/".startswith(f"{self.dir}/"):
                subprocess.run(["umount", "-l", line.split()[4]], check=False, capture_output=True)


def quoted(text):
    return "'" + str(text).replace("'", "'\\''") + "'"
