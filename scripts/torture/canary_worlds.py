"""A repository in which everything happens that piton takes words in from: what `canary` looks for secrets in.

Each way in reads its words from a file of `said/`, outside of the repository; what a program prints, it prints as it is.
"""
import json
import shutil
import subprocess
import sys
import time

# A row for each way of keeping backups: name, what `[vault]` says, further variables.
VARIANTS = {
    "plain": ("", {}),
    "compressed": ("compress = true", {}),
}

# Where a secret may come in. Files have names, in which not every character fits; those of branches and files in a snapshot are as git has them.
NAMES = {"file-name", "artifact-name", "guard"}
WAYS_IN = [
    # A loop.
    "agent-out", "agent-err", "agent-cut", "agent-variable", "report-summary", "report-note", "report-objective", "report-custom", "blocked",
    "check-out", "check-err", "until-out", "hook-out", "hook-data", "hook-err", "task", "tell", "note", "note-set", "answer", "choose",
    "file-name", "guard", "metric",
    # A workflow.
    "step-out", "step-err", "step-report", "gate-out", "gate-err", "items", "manual-file", "answer-input", "artifact-name",
    # A cycle.
    "role-out", "role-report", "role-file", "role-plan", "discovery", "cycle-task", "feedback", "decision", "blocker", "phase-result",
    # A ledger.
    "gap-question", "gap-findings", "gap-reason", "gap-import", "gap-edit", "research-out", "research-findings",
]

# What is printed by these is looked at as well.
COMMANDS_KEPT = [
    ["log", "{run}"], ["status", "{run}"], ["why", "{run}"], ["report", "{run}"], ["output", "{run}"], ["show", "{run}"], ["ls", "--all"],
    ["log", "{run}", "--json"], ["status", "{run}", "--json"], ["show", "{run}", "--json"], ["export", "{run}"], ["best", "{run}"],
    ["metrics", "{run}"], ["doctor"], ["verify"],
]

# What a program does with the words of a way in.
PRELUDE = r'''
import json, os, sys, time
def said(way):
    with open(os.path.join(os.environ["SAID"], way), "rb") as file:
        return file.read()
def text(way):
    return said(way).decode(errors="ignore").replace("\0", "")
def out(way, to=1):
    os.write(to, said(way) + b"\n")
def dump(path, value):
    with open(path, "w") as file:
        json.dump(value, file)
'''

AGENT = PRELUDE + r'''
sys.stdin.read()
first = os.environ["PITON_ITERATION"] == "1"
out("agent-out"); out("agent-err", 2)
# Cut in two by a pause, at every sixth byte.
bytes_ = said("agent-cut") + b"\n"
for at in range(0, len(bytes_), 6):
    os.write(1, bytes_[at:at + 6])
    time.sleep(0.002)
out("agent-variable")
if first:
    open(text("file-name")[:200].split()[0] + ".txt", "w").close()
    weaker = open("test_login.py").read().replace("==", "!=")
    open("test_login.py", "w").write(weaker)
elif not os.path.exists(os.path.join(os.environ["SAID"], "asked")):
    open(os.path.join(os.environ["SAID"], "asked"), "w").close()
    dump(os.environ["PITON_REPORT"], {"status": "blocked", "reason": text("blocked")})
    sys.exit(0)
else:
    open("test_login.py", "w").write(open(os.path.join(os.environ["SAID"], "test_login.py")).read())
    open("b.txt", "w").close()
dump(os.environ["PITON_REPORT"], {"summary": text("report-summary"), "notes": [{"kind": "finding", "text": text("report-note")}],
     "objectives": {"completed": [text("report-objective")], "pending": []}, "custom": {"k": text("report-custom")}})
'''

HOOK = PRELUDE + r'''
print(json.dumps({"output": text("hook-out"), "modified_data": {"k": text("hook-data")}}))
'''

# A wrapper of a step: prints, and writes the report of it.
STEP = PRELUDE + r'''
sys.stdin.read()
out("step-out"); out("step-err", 2)
name = text("artifact-name").split()[0] + ".art"
open(name, "w").close()
dump(os.environ["REPORT_PATH"], {"schema": "run_report@v0", "run_id": os.environ["RUN_ID"], "step_id": os.environ["STEP_ID"],
     "agent": os.environ["AGENT_ID"], "started_at": "2026-01-01T00:00:00Z", "ended_at": "2026-01-01T00:00:01Z", "status": "COMPLETED",
     "logs": [text("step-report")], "artifacts": [name]})
'''

ROLE = PRELUDE + r'''
sys.stdin.read()
role, place = os.environ["PITON_ROLE"], os.environ["PITON_ROLE_DIR"]
out("role-out")
if role == "ra":
    open(place + "/requirements.md", "w").write("1. " + text("role-file") + "\n\n## Edge Cases\n\n- none\n")
    data = {"name": "login", "files": [], "summary": text("discovery")}
    dump(place + "/discoveries.ndjson", {"type": "existing_feature", "data": data})
elif role == "ep":
    open(place + "/exploration.md", "w").write("## Summary\n\nSmall.\n\n## Integration Points\n\n- code.txt\n\n## Risks\n\n- none\n")
    dump(place + "/plan.json", {"tasks": [{"id": "TASK-001", "description": text("role-plan"), "effort": "small", "depends_on": [],
         "files": ["code.txt"]}]})
elif role == "cd":
    open("code.txt", "a").write("x\n")
    open(place + "/implementation.md", "w").write("built\n")
else:
    open(place + "/validation.md", "w").write("looked\n")
dump(os.environ["PITON_REPORT"], {"summary": text("role-report")})
print("PHASE_RESULT:\n- phase: %s\n- status: completed\n- summary: %s\n" % (role, " ".join(text("phase-result").split())))
'''

RESEARCHER = PRELUDE + r'''
sys.stdin.read()
out("research-out", 2)
print(json.dumps({"outcome": "full_report", "findings": "It is " + text("research-findings"), "evidence": [{"file": "a.txt"}]}))
'''


class World:
    def __init__(self, bench, label, secrets):
        self.bench, self.secrets = bench, secrets
        self.dir = bench.base / label
        self.root, self.words = self.dir / "tree", self.dir / "said"
        for place in (self.root, self.words, self.dir / "home", self.dir / "config", self.dir / "tmp"):
            place.mkdir(parents=True)
        self.env = bench.environment({
            "HOME": str(self.dir / "home"), "XDG_CONFIG_HOME": str(self.dir / "config"), "TMPDIR": str(self.dir / "tmp"), "SAID": str(self.words),
            "LANG": "C.UTF-8",
        })
        self.python = f"{sys.executable} -S -E"
        self.printed = {}

    def say(self, way, texts):
        """Blanks between them, so that they stay one line where one is taken."""
        (self.words / way).write_bytes(b"  ".join(texts))

    def text(self, way):
        return (self.words / way).read_bytes().decode(errors="ignore").replace("\0", "").replace("\n", " ")

    def piton(self, *words, env=None):
        done = subprocess.run([self.bench.piton, "--repo", str(self.root), *words], env=self.env | (env or {}), cwd=self.root,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        # What was typed may be said back at once; what comes later may not hold it.
        self.printed[" ".join(words)[:60]] = done.stdout + done.stderr
        return done

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words], cwd=self.root, env=self.env, check=True,
                       capture_output=True)

    def program(self, name, text):
        path = self.words / f"{name}.py"
        path.write_text(text)
        return f"{self.python} {path}"

    def cat(self, *ways):
        """A shell line that prints what these say; `-err` to the other output."""
        return "; ".join(f"cat $SAID/{way}; echo" + (" >&2" if way.endswith("-err") else "") for way in ways)

    def configure(self, variant):
        lines = []
        if self.secrets:
            given = [secret for way, secret in self.secrets.items() if way != "agent-variable"]
            lines += ["[redact]", f"patterns = {json.dumps(given, ensure_ascii=False)}"]
            self.env["CANARY_TOKEN"] = self.secrets["agent-variable"]
        hook = self.program("hook", HOOK).replace("'", "")
        lines += [f"[metrics]\nm = 'cat $SAID/metric; echo; echo 5'", f"[hooks.h]\npoints = ['pre_iteration']\ncommand = '{hook}'",
                  "[hooks.failing]\npoints = ['loop_start']\ncommand = 'cat $SAID/hook-err >&2; exit 1'",
                  "[notify.channels.told]\ntype = 'logfile'\npath = '.piton/told.log'", "[notify.triggers]\niteration_complete = true",
                  f"[vault]\n{VARIANTS[variant][0]}"]
        (self.root / "piton.toml").write_text("\n".join(line for line in lines if line) + "\n")
        self.piton("trust", "--yes")

    def live(self, variant="plain"):
        """Everything happens."""
        self.git("init", "-q", "-b", "main")
        login = f"def test_login():\n    assert login('{self.text('guard')}') == 1\n    assert two('{self.text('guard')}') == 2\n"
        (self.words / "test_login.py").write_text(login)
        (self.root / "test_login.py").write_text(login)
        (self.root / "a.txt").write_text("a\n")
        (self.root / ".gitignore").write_text("piton.toml\n.ralph\n.agents\n.workflow\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "start")
        self.git("checkout", "-qb", "work")
        self.configure(variant)
        self.loop()
        self.workflow()
        self.ledger()
        self.git("add", "-A")
        self.git("commit", "-qm", "what there is")
        self.cycle()
        self.keep(variant)

    def loop(self):
        check = self.cat("check-out", "check-err") + "; test -f b.txt"
        words = ["loop", f"do {self.text('task')}", "--here", "--id", "r", "--exec", self.program("agent", AGENT), "--check", f"t={check}",
                 "--until", "checks-pass", "--until", f"cmd:{self.cat('until-out')}; test -f b.txt", "--max-iterations", "1"]
        self.piton(*words)
        self.piton("tell", "r", self.text("tell"))
        self.piton("note", "r", self.text("note"), "--set", f"k={json.dumps({'deep': [self.text('note-set')]})}")
        self.piton("resume", "r", "--max-iterations", "+1")
        self.piton("answer", "r", "--approve", "--comment", self.text("answer"))
        self.piton("wait", "r")
        self.piton("resume", "r", "--max-iterations", "+1")
        self.piton("best", "r", "--use", "1", "--reason", self.text("choose"))

    def workflow(self):
        (self.root / "do.md").write_text("Do it.\n")
        write_items = self.program("items", PRELUDE + "dump('items.json', [text('items')])\n")
        (self.root / "w.yaml").write_text(json.dumps({"name": "w", "steps": [
            {"id": "a", "agent": "coder", "prompt": "do.md"},
            {"id": "b", "run": write_items, "needs": ["a"]},
            {"id": "c", "run": "true", "needs": ["b"], "loop": {"items_from_artifact": "items.json"}},
            {"id": "d", "run": "true", "needs": ["c"], "human_in_the_loop": True},
            {"id": "e", "run": "true", "needs": ["d"], "human_in_the_loop": True},
        ]}))
        self.piton("run", "w.yaml", "--run-id", "w1", "--exec", self.program("step", STEP), "--pause-for-human-input", "--max-attempts", "1")
        place = self.root / ".agents/runs/w1/manual_inputs"
        place.mkdir(parents=True, exist_ok=True)
        (place / "w1__d.json").write_text(json.dumps({"approved": True, "comments": self.text("manual-file"), "data": {"k": self.text("manual-file")}}))
        self.piton("resume", "w1")
        (self.words / "in.json").write_text(json.dumps({"approved": True, "comments": self.text("answer-input"), "data": {"k": self.text("answer-input")}}))
        self.piton("answer", "w1", "--approve", "--input", str(self.words / "in.json"))
        self.piton("wait", "w1")

        (self.root / "v.yaml").write_text(json.dumps({"name": "v", "steps": [
            {"id": "a", "run": "true", "gates": [f"cmd:{self.cat('gate-out', 'gate-err')}; sleep 60; exit 1"]}]}))
        # Once a gate has answered, what it printed goes: only what one that is stopped at work has printed stays to be looked at.
        self.piton("run", "v.yaml", "--run-id", "w2", "--detach")
        deadline = time.monotonic() + 20
        is_said = lambda: any(log.stat().st_size for log in (self.root / ".piton/attempts/w2").glob("*/stderr.log"))
        while not is_said() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.piton("stop", "w2", "--now")

    def ledger(self):
        gaps = lambda *words: self.piton("gaps", *words)
        gaps("add", "teams", "--category", "c", f"question=what is {self.text('gap-question')}?")
        gaps("verify", "teams", "--findings", self.text("gap-findings"), "--source", "file:a.txt", "--reason", self.text("gap-reason"))
        imported = [{"id": "imported", "category": "c", "question": f"{self.text('gap-import')}?"}]
        (self.words / "more.yaml").write_text(json.dumps({"gaps": imported}))
        gaps("import", str(self.words / "more.yaml"))
        gaps("add", "open", "--category", "c", "question=what else?", "priority=4")
        edited = (self.root / "gaps.yaml").read_text().replace("what else?", json.dumps(self.text("gap-edit"))[1:-1])
        (self.root / "gaps.yaml").write_text(edited)
        gaps("check", "open")
        gaps("research", "--exec", self.program("researcher", RESEARCHER))

    def cycle(self):
        words = ["cycle", "start", f"build {self.text('cycle-task')}", "--id", "c", "--exec", self.program("role", ROLE), "--no-prep",
                 "--check", "test=test -f never", "--max-iterations", "1", "--auto"]
        self.piton(*words)
        self.piton("cycle", "feedback", "c", self.text("feedback"), "--to", "cd")
        self.piton("cycle", "decide", "c", "--propose", f"Which {self.text('decision')}?", "--between", "a", "--between", "b")
        self.piton("cycle", "blocker", "c", "--report", self.text("blocker"))

    def keep(self, variant):
        self.piton("backup", "create", "--to", str(self.dir / "kept"), env=VARIANTS[variant][1])
        for run in ("r", "w1", "w2", "c"):
            self.piton("rebuild", run)
            for words in COMMANDS_KEPT:
                if "{run}" in words or run == "r":
                    self.piton(*[word.format(run=run) for word in words])

    def places(self):
        """Where piton writes. The work tree is its owner's, and its snapshots keep it byte for byte."""
        written = [".piton", ".ralph", ".agents", ".workflow", ".aiwg", "gaps.yaml", "gap_audit.log", ".git/refs/piton", ".git/logs/refs/piton"]
        return [self.root / name for name in written] + [self.dir / name for name in ("kept", "home", "config", "tmp")]

    def messages(self):
        """What the commits say that piton made."""
        refs = subprocess.run(["git", "log", "--format=%B%n%an", "--glob=refs/piton"], cwd=self.root, env=self.env, capture_output=True)
        return refs.stdout

    def remove(self):
        shutil.rmtree(self.dir, ignore_errors=True)
