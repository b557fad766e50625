"""What the torture scripts share: a bench in a temporary directory, a run under torture, a checker.

The checker is independent of piton: it counts from the raw events that `piton log --json` prints, from a
copy of the database read with Python's own sqlite3, and from what the agent wrote down itself, outside the
work tree. Nothing is left behind: every process that belongs to the bench is found by its directory and
ended by its id, whatever happened.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# The agent: small steps, each on record outside the tree; a lock that the whole process tree shares, so that
# a second agent, or one grandchild that was left alive, is seen by whoever starts next.
AGENT = r'''
import fcntl, os, sys, time
base = os.environ["TORTURE_BASE_DIR"]
attempt = os.environ.get("PITON_ATTEMPT", "0")
iteration = os.environ.get("PITON_ITERATION", "0")
log = os.open(os.path.join(base, "agent.log"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
def say(word):
    line = "%s %s %s %d %d\n" % (word, attempt, iteration, os.getpid(), time.time_ns() // 1000000)
    os.write(log, line.encode())
lock = os.open(os.path.join(base, "agent.lock"), os.O_RDWR | os.O_CREAT, 0o600)
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    say("overlap")
    sys.exit(3)
say("start")
sys.stdin.read()
steps = int(os.environ.get("TORTURE_STEPS", "5"))
pause = float(os.environ.get("TORTURE_PAUSE", "0.012"))
if int(attempt) % 4 == 1 and os.environ.get("TORTURE_CHILD", "1") == "1":
    if os.fork() == 0:
        os.setsid()
        null = os.open("/dev/null", os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.set_inheritable(lock, True)
        time.sleep(60)
        os._exit(0)
bulk = os.environ.get("TORTURE_BULK", "")
for step in range(steps):
    with open("work-%d.txt" % (step % 3), "a") as file:
        file.write("%s %s %d%s\n" % (attempt, iteration, step, bulk))
    say("step")
    print("step", step, flush=True)
    time.sleep(pause)
# Not `os.path.exists`: that takes a disk that fails for a file that is not there, and the agent would end well with nothing done.
try:
    os.stat(os.path.join(base, "finish"))
    open("done.txt", "w").close()
except FileNotFoundError:
    pass
say("stop")
'''

# A check that looks whether an agent is at work beside it: none may be.
# Only a lock that is held says 99: the helper may be killed or fail to start.
CHECK = (
    'flock -n -E 99 "$TORTURE_BASE_DIR/agent.lock" true; '
    'test $? = 99 && echo "overlap 0 0 $$ 0" >> "$TORTURE_BASE_DIR/agent.log"; test -f done.txt'
)


def arguments(description, **defaults):
    """The flags of every script; `defaults` gives `rounds` and what `--short` makes of it."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--piton", type=Path, help="the binary (default: target/release/piton, else target/debug/piton)")
    parser.add_argument("--seed", type=int, default=None, help="for the moments and places (default: from the clock)")
    parser.add_argument("--short", action="store_true", help="a short pass, for every commit")
    parser.add_argument("--keep", action="store_true", help="keep the directory of a violation")
    parser.add_argument("--time", type=float, default=None, help="begin nothing new after this many seconds")
    for name, (value, text) in defaults.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=None, help=f"{text} (default: {value})")
    parser.set_defaults(**{f"_{name}": value for name, (value, _) in defaults.items()})
    return parser


def parse(parser, short):
    """Parses, fills in defaults (`short` has those of a short pass), and finds the binary."""
    args = parser.parse_args()
    for name, value in vars(args).copy().items():
        if name.startswith("_") and getattr(args, name[1:]) is None:
            setattr(args, name[1:], short.get(name[1:], value) if args.short else value)
    if args.short and args.time is None:
        args.time = short.get("time")
    if args.seed is None:
        args.seed = int(time.time()) & 0xFFFFFF
    args.piton = find_binary(args.piton)
    return args


def find_binary(given):
    places = [given] if given else [ROOT / "target/release/piton", ROOT / "target/debug/piton"]
    for place in places:
        if place.is_file():
            return place.resolve()
    sys.exit(f"no piton at {', '.join(map(str, places))}: build it first, or name it with --piton")


class Violation(Exception):
    """An invariant does not hold."""


class Bench:
    """A temporary directory, and every process that works in it."""

    def __init__(self, args, name, directory=None):
        self.args, self.name = args, name
        self.piton = str(args.piton)
        self.base = Path(tempfile.mkdtemp(prefix=f"piton-torture-{name}-", dir=directory))
        self.started = time.monotonic()
        self.violations = []
        self.counts = {}
        for place in ("home", "config"):
            (self.base / place).mkdir()

    def __enter__(self):
        for caught in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(caught, lambda *_: sys.exit(143))
        return self

    def __exit__(self, kind, error, trace):
        self.end_all()
        if self.args.keep and (self.violations or kind):
            print(f"kept: {self.base}", file=sys.stderr)
        else:
            shutil.rmtree(self.base, ignore_errors=True)

    def environment(self, extra=None):
        """What piton needs and nothing of the person's own configuration."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        kept |= {
            "HOME": str(self.base / "home"),
            "XDG_CONFIG_HOME": str(self.base / "config"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "NO_COLOR": "1",
            "TORTURE_BENCH": str(self.base),
        }
        return kept | (extra or {})

    def time_is_up(self):
        return self.args.time is not None and time.monotonic() - self.started > self.args.time

    def count(self, name, by=1):
        self.counts[name] = self.counts.get(name, 0) + by

    def violation(self, text):
        self.violations.append(text)
        print(f"VIOLATION: {text}", file=sys.stderr, flush=True)

    def processes(self, *words):
        """(pid, arguments) of the bench's living processes that have all of these arguments."""
        mark = f"TORTURE_BENCH={self.base}".encode()
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid():
                continue
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    argv = file.read().split(b"\0")[:-1]
                if not argv or any(word.encode() not in argv for word in words):
                    continue
                with open(f"/proc/{name}/environ", "rb") as file:
                    if mark not in file.read().split(b"\0"):
                        continue
            except OSError:
                continue
            found.append((int(name), [part.decode(errors="replace") for part in argv]))
        return found

    def end_all(self):
        """Ends every process of the bench, by its id."""
        for _ in range(50):
            living = self.processes()
            if not living:
                return
            for pid, _ in living:
                end(pid)
            time.sleep(0.02)

    def finish(self, rounds, unit="rounds", **more):
        """The last line, and the exit code."""
        figures = {
            "script": self.name,
            unit: rounds,
            "violations": len(self.violations),
            "bound_95": f"<= {3 / rounds:.2g} per {unit.rstrip('s')}" if rounds and not self.violations else None,
            "seed": self.args.seed,
            "binary": Path(self.piton).parent.name + "/" + Path(self.piton).name,
            "seconds": round(time.monotonic() - self.started, 1),
        }
        print(json.dumps(figures | self.counts | more))
        return 1 if self.violations else 0


def end(pid, how=signal.SIGKILL):
    """Signals a process; `False` where it is gone."""
    try:
        os.kill(pid, how)
        return True
    except ProcessLookupError:
        return False


def skip(name, why):
    """The machine cannot do this one: say so plainly."""
    print(f"{name}: skipped: {why}", file=sys.stderr)
    print(json.dumps({"script": name, "skipped": why}))
    sys.exit(0)


class Run:
    """One run of piton in a repository of its own, and everything that was acknowledged of it."""

    def __init__(self, bench, name, root=None, extra=None):
        self.bench, self.name = bench, name
        self.dir = bench.base / f"run-{name}"
        self.dir.mkdir()
        self.root = root or self.dir / "tree"
        self.root.mkdir(exist_ok=True)
        self.agent = self.dir / "agent.py"
        self.agent.write_text(AGENT)
        self.env = bench.environment({"TORTURE_BASE_DIR": str(self.dir)} | (extra or {}))
        self.acknowledged = {}
        self.viewers = []
        subprocess.run(["git", "init", "-q", "."], cwd=self.root, env=self.env, check=True)
        (self.root / "README").write_text("a tree\n")

    def command(self, *words):
        return [self.bench.piton, "--repo", str(self.root), *words]

    def call(self, *words, timeout=60, env=None):
        """Runs a command of piton to its end: (code, stdout, stderr)."""
        try:
            done = subprocess.run(
                self.command(*words), env=self.env | (env or {}), stdin=subprocess.DEVNULL,
                capture_output=True, timeout=timeout, text=True, errors="replace",
            )
        except subprocess.TimeoutExpired:
            raise Violation(f"{self.name}: `piton {' '.join(words)}` hangs for more than {timeout} s")
        return done.returncode, done.stdout, done.stderr

    def loop_words(self, *more, task="torture", iterations=100000):
        agent = f"{sys.executable} -S -E {self.agent}"
        return ("loop", task, "--here", "--id", self.name, "--exec", agent, "--check", f"test={CHECK}",
                "--max-iterations", str(iterations), "--json", *more)

    def view(self, *words, env=None):
        """Starts a viewer in the background; what it prints counts as acknowledged."""
        path = self.dir / f"viewer-{len(self.viewers)}.ndjson"
        out = open(path, "wb")
        viewer = subprocess.Popen(
            self.command(*words), env=self.env | (env or {}), stdin=subprocess.DEVNULL,
            stdout=out, stderr=subprocess.PIPE, start_new_session=True,
        )
        out.close()
        viewer.path = path
        self.viewers.append(viewer)
        return viewer

    def close(self, viewer, timeout=None):
        """Waits for a viewer (kills it at once without a timeout), takes what it printed: its exit code."""
        try:
            if timeout is None:
                viewer.kill()
            _, stderr = viewer.communicate(timeout=timeout or 10)
        except subprocess.TimeoutExpired:
            viewer.kill()
            viewer.communicate()
            raise Violation(f"{self.name}: a viewer did not end within {timeout} s: {self.call('status')[1]}")
        viewer.words = stderr.decode(errors="replace")
        for line in viewer.path.read_bytes().split(b"\n")[:-1]:
            self.acknowledge(json.loads(line))
        viewer.path.unlink()
        self.viewers.remove(viewer)
        return viewer.returncode

    def acknowledge(self, event):
        if "seq" not in event:
            return
        known = self.acknowledged.setdefault(event["seq"], event["hash"])
        if known != event["hash"]:
            raise Violation(f"{self.name}: event {event['seq']} was shown with two hashes")

    def driver(self):
        """The pid of the living driver, if there is one."""
        found = self.bench.processes("__driver", self.name)
        return found[0][0] if found else None

    def processes(self):
        """(pid, arguments) of what works for this run."""
        mine = lambda word: any(f"{place}/" in f"{word}/" for place in (self.dir, self.root))
        return [(pid, argv) for pid, argv in self.bench.processes() if any(map(mine, argv))]

    def keepers(self):
        mine = f"{self.root / '.piton'}/"
        return [(pid, argv) for pid, argv in self.bench.processes("__keeper") if argv[-2].startswith(mine)]

    def events(self):
        """Every event as piton tells it now; each counts as acknowledged from here on."""
        code, out, err = self.call("log", self.name, "--json")
        if code == 2 and not self.acknowledged:
            return []
        if code != 0:
            raise Violation(f"{self.name}: `piton log` exits {code}: {err.strip()}")
        return [json.loads(line) for line in out.splitlines()]

    def agent_lines(self):
        """(word, attempt, iteration, pid, ms) as the agents wrote them."""
        path = self.dir / "agent.log"
        if not path.exists():
            return []
        lines = [line.split() for line in path.read_text().splitlines()]
        return [(line[0], *map(int, line[1:])) for line in lines if len(line) == 5]

    def finish(self, timeout=60):
        """Lets the run reach its goal, resuming as often as it takes."""
        (self.dir / "finish").touch()
        deadline = time.monotonic() + timeout
        while True:
            words = ("attach" if self.driver() else "resume", self.name, "--json")
            code = self.close(viewer := self.view(*words), timeout=timeout)
            if code == 0 or self.status().get("status") == "completed":
                return
            if time.monotonic() > deadline:
                last = [event for event in self.events() if event["type"].startswith("run_")][-1]
                raise Violation(f"{self.name}: does not reach its goal after the faults ended: {viewer.words} {last}")

    def status(self):
        code, out, err = self.call("status", self.name, "--json")
        if code != 0:
            raise Violation(f"{self.name}: `piton status` exits {code}: {err.strip()}")
        return json.loads(out)

    # ── The checker ──────────────────────────────────────────────────────────────────────────────

    def check(self, at_rest=False):
        """Every invariant that can be judged now. Raises at the first that does not hold."""
        # The driver may be at work meanwhile: what had begun before the journal was read has to be in it.
        begun = {attempt for word, attempt, *_ in self.agent_lines() if word == "start"}
        events = self.events()
        hashes = {event["seq"]: event["hash"] for event in events}
        for seq, known in self.acknowledged.items():
            if hashes.get(seq) != known:
                raise Violation(f"{self.name}: event {seq} was acknowledged and is {'gone' if seq not in hashes else 'another'}")
        for event in events:
            self.acknowledge(event)
        facts = fold(self.name, events)
        check_agents(self.name, facts, begun, self.agent_lines())
        code, out, err = self.call("verify", "--json")
        if code == 0 and json.loads(out)["ok"] or code == 2 and not events:
            pass
        else:
            raise Violation(f"{self.name}: `piton verify` exits {code}: {out.strip() or err.strip()}")
        if at_rest:
            self.check_at_rest(events, facts)
        return facts

    def check_at_rest(self, events, facts):
        code, out, err = self.call("show", self.name, "--json")
        if code != 0:
            raise Violation(f"{self.name}: `piton show` exits {code}: {err.strip()}")
        shown = json.loads(out)
        counters = shown["state"]["counters"]
        for name, counted in (("iterations", facts.concluded), ("lost", len(facts.lost))):
            # Counters of zero may be left out.
            if counters.get(name, 0) != counted:
                raise Violation(f"{self.name}: counter {name} is {counters.get(name)}, the events say {counted}")
        if shown["seq"] != len(events):
            raise Violation(f"{self.name}: show is at {shown['seq']}, the log has {len(events)}")
        if self.status()["limits"]["iterations"]["used"] != facts.concluded:
            raise Violation(f"{self.name}: status counts another number of iterations than the events")
        self.check_database(events)
        patience = time.monotonic() + 3
        while living := [argv for _, argv in self.processes()]:
            if time.monotonic() > patience:
                raise Violation(f"{self.name}: at rest, and still alive: {living}")
            time.sleep(0.02)

    def check_database(self, events):
        """The rows of a copy of the database, read without piton."""
        copy = Path(tempfile.mkdtemp(dir=self.dir))
        for name in ("journal.db", "journal.db-wal"):
            if (self.root / ".piton" / name).exists():
                shutil.copy(self.root / ".piton" / name, copy / name)
        database = sqlite3.connect(copy / "journal.db")
        rows = database.execute(
            "select e.seq, e.kinds, hex(e.hash) from events e join runs r on r.number = e.run where r.id = ? order by e.seq",
            (self.name,),
        ).fetchall()
        head = database.execute("select head_seq, hex(head_hash) from runs where id = ?", (self.name,)).fetchone()
        database.close()
        shutil.rmtree(copy)
        expected, hashes = 1, {event["seq"]: event["hash"].upper() for event in events}
        for seq, kinds, last in rows:
            if seq != expected:
                raise Violation(f"{self.name}: the table goes from {expected - 1} to {seq}")
            expected += len(kinds.split())
            if hashes.get(expected - 1) != last:
                raise Violation(f"{self.name}: the table has another hash at {expected - 1} than the log")
        if head != (len(events), hashes.get(len(events))) or expected != len(events) + 1:
            raise Violation(f"{self.name}: the index ends at {head}, the table at {expected - 1}, the log at {len(events)}")


class Facts:
    """What the raw events come to, counted anew."""

    def __init__(self):
        self.started, self.finished, self.abandoned, self.lost = {}, {}, set(), {}
        self.concluded = 0
        self.epochs = []
        self.open = None


def fold(name, events):
    """Counts from raw events, and checks what must hold of any history."""
    facts, ended, rounds, looks, looked = Facts(), False, 0, False, False

    def refuse(event, why):
        raise Violation(f"{name}: event {event['seq']} ({event['type']}): {why}")

    for expected, event in enumerate(events, 1):
        kind, data = event["type"], event["data"]
        if event["seq"] != expected:
            refuse(event, f"a gap: expected {expected}")
        if (kind == "run_created") != (expected == 1):
            refuse(event, "a run is created once, first")
        if kind == "driver_started":
            if facts.epochs and data["epoch"] <= facts.epochs[-1]:
                refuse(event, f"epoch {data['epoch']} after {facts.epochs[-1]}")
            facts.epochs.append(data["epoch"])
        elif kind == "attempt_started":
            attempt = data["attempt"]
            if facts.open is not None:
                refuse(event, f"while {facts.open} is open")
            if attempt["number"] != len(facts.started) + 1:
                refuse(event, f"attempt {attempt['number']} after {len(facts.started)}")
            if attempt["iteration"] != facts.concluded + 1:
                refuse(event, f"iteration {attempt['iteration']} with {facts.concluded} concluded")
            facts.started[attempt["number"]] = event
            facts.open, ended, looked = ("attempt", attempt["number"]), False, False
        elif kind in ("attempt_finished", "attempt_abandoned", "attempt_lost"):
            if facts.open != ("attempt", data["attempt"]):
                refuse(event, f"while {facts.open} is open")
            facts.open = None
            if kind == "attempt_finished":
                facts.finished[data["attempt"]] = data["end"]
                ended = data["end"]["outcome"] not in ("cancelled", "not_startable")
            elif kind == "attempt_lost":
                facts.lost[data["attempt"]] = event
            else:
                facts.abandoned.add(data["attempt"])
        elif kind == "checks_started":
            rounds += 1
            looks = data.get("look", False)
            # What the last of too many lost attempts left is checked before the run fails or stops.
            ended = ended or looks or events[expected - 2]["type"] == "attempt_lost"
            if facts.open is not None or data["round"] != rounds:
                refuse(event, f"round {data['round']} while {facts.open} is open, expected {rounds}")
            facts.open = ("checks", rounds)
        elif kind in ("checks_finished", "checks_reused"):
            if kind == "checks_finished":
                if facts.open != ("checks", data["round"]["number"]):
                    refuse(event, f"while {facts.open} is open")
                facts.open = None
                if data["round"].get("cancelled"):
                    # Stopped in the middle: the same round is asked for again under a new number.
                    continue
            if facts.started and not ended:
                refuse(event, "a verdict without an attempt that ended")
            if facts.started:
                # A look at what an attempt left that was cut short is a verdict only where nothing is left to do.
                facts.concluded += not looks
                ended, looked = False, looks
        elif kind == "iteration_concluded" and looked:
            facts.concluded, looked = facts.concluded + 1, False
    return facts


def check_agents(name, facts, begun, lines):
    """What the agents wrote down agrees with the journal; `begun` are the attempts that had begun before it was read."""
    starts, stops = {}, {}
    for word, attempt, _, pid, at in lines:
        if word == "overlap":
            raise Violation(f"{name}: two at once in one tree (attempt {attempt}, pid {pid})")
        if word == "start":
            if attempt in starts:
                raise Violation(f"{name}: attempt {attempt} was started twice")
            starts[attempt] = at
        if word == "stop":
            stops[attempt] = at
        if attempt in facts.lost and at > millis(facts.lost[attempt]["at"]):
            raise Violation(f"{name}: attempt {attempt} was declared lost and still wrote")
    for attempt in begun:
        if attempt not in facts.started:
            raise Violation(f"{name}: the agent of attempt {attempt} ran before its intent was on record")
    for attempt in starts:
        if attempt in facts.abandoned:
            raise Violation(f"{name}: attempt {attempt} ran and is on record as never started")
    for attempt, finished in facts.finished.items():
        if finished["outcome"] == "succeeded" and attempt not in stops:
            raise Violation(f"{name}: attempt {attempt} is on record as succeeded and never came to its end")
    order = sorted(starts)
    for before, after in zip(order, order[1:]):
        if before in stops and stops[before] > starts[after]:
            raise Violation(f"{name}: attempt {after} began before {before} had ended")


def millis(text):
    return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000 + 0.5)
