"""The cases of `hostile`: what each puts into a repository, the command that meets it, and what that must say.

`Place` is one repository with a tree of canaries beside it. Each family is a generator; a case without `says` has to
work.
"""
import json
import os
import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

GIB = 1 << 30
RUN = ("run", "w.yaml", "--run-id", "r1", "--max-attempts", "1")
ONE = b"name: w\nsteps:\n- {id: a, run: 'true'}\n"
# What people look at afterwards.
LOOKS = (("status", "r1"), ("why", "r1"), ("report", "r1"), ("log", "r1"), ("show", "r1"), ("output", "r1"), ("ls",),
         ("status", "r1", "--json"), ("log", "r1", "--json"), ("why", "r1", "--json"))
ESCAPES = "\x1b]0;owned\x07\x1b[2J\rdone \x9b31m\u202ereversed\u2066 \x1b]52;c;aGk=\x07"


class Place:
    """A repository, and what lies beside it."""

    def __init__(self, directory):
        self.root, self.outside = directory / "repo", directory / "outside"
        for place in (self.root, self.outside / "directory"):
            place.mkdir(parents=True)
        (self.outside / "passwd").write_text("root:x:0:0\n")
        (self.outside / "items.json").write_text('["stolen"]')
        (self.outside / "directory/kept.json").write_text("{}\n")
        (self.outside / "AGENTS.md").write_text("# outside\n")

    def put(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def sparse(self, name, size=GIB):
        self.put(name, b"")
        os.truncate(self.root / name, size)

    def link(self, name, target):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).symlink_to(target)

    def hard(self, name, target):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).hardlink_to(target)

    def fifo(self, name):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(self.root / name)


@dataclass
class Case:
    """`prepare` fills the place; `words` is the command, `codes` what it may exit with, `says` what it must say. `then` are further
    commands; `changes` are names at the top of the repository that may change; `slow` is how many seconds its own steps take."""
    name: str
    prepare: Callable
    words: tuple = RUN
    codes: tuple = (2,)
    says: tuple = ()
    then: tuple = ()
    changes: tuple = ()
    check: Callable = None
    slow: float = 1.0


def cases():
    for family in (documents, files, names, graphs, prompts, places, swaps, reports, memories, inputs, imports, texts):
        yield from family()


def document(name, content, *says, codes=(2,), words=RUN, **more):
    return Case(f"document: {name}", lambda place: place.put("w.yaml", content() if callable(content) else content), words, codes, says, **more)


def documents():
    laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
    merges = "m0: &m0 {a: b}\n" + "".join(
        f"m{n}: &m{n} {{<<: [{','.join([f'*m{n - 1}'] * 9)}], k{n}: v}}\n" for n in range(1, 10))
    step = "steps:\n- {id: a, run: 'true'%s}\n"
    yield document("billion laughs", laughs, "every alias written out")
    yield document("billion laughs below a step", step % f", metadata: {{ {laughs.replace(chr(10), ', ')} }}", "alias")
    yield document("merge keys", merges, "merge keys")
    yield document("nested flow", "steps: " + "[" * 100_000 + "]" * 100_000, "Invalid YAML")
    yield document("nested flow, never closed", "steps: " + "{a: " * 100_000, "Invalid YAML")
    yield document("nested block", "".join(f"{' ' * depth}a:\n" for depth in range(2_500)), "Invalid YAML")
    yield document("nested sequences", "steps:\n" + "- " * 100_000 + "a\n", "Invalid YAML")
    yield document("question marks", "? " * 100_000 + "a\n", "Invalid YAML")
    long = "x" * 1_000_000
    yield document("aliases of one long word", lambda: f"steps:\n- {{id: a, run: &a {long}}}\n" + "".join(
        f"- {{id: s{n}, run: *a}}\n" for n in range(50_000)), "every alias written out")
    yield document("aliases of one long prompt", lambda: f"steps:\n- {{id: a, agent: x, prompt: &a {long[:40_000]}}}\n" + "".join(
        f"- {{id: s{n}, agent: x, prompt: *a}}\n" for n in range(180)), "no prompt")
    yield document("aliases of one long key", lambda: f"? &a {long}\n: x\nsteps:\n" + "".join(f"- {{? *a : {n}}}\n" for n in range(1_000)), "every alias")
    yield document("anchors in anchors", lambda: "steps: " + "".join(f"[&a{n} " for n in range(28)) + "[" + ",".join("x" * 500_000) + "]" * 29, "anchors")
    yield document("many anchors", lambda: "steps: [" + ",".join(f"&a{n} x" for n in range(100_000)) + "]", "anchors")
    yield document("an alias of itself", "steps: &a [*a]\n", "alias")
    yield document("an alias of nothing", "steps: *ghost\n", "no anchor")
    yield document("a key twice", "name: a\nname: b\n" + step % "", "twice")
    yield document("a tag of python", "steps: !!python/object/apply:os.system ['touch owned']\n", "tag")
    yield document("a tag of its own", "%TAG ! tag:evil,2000:\n---\n" + step % ", metadata: !x {}", "tag")
    for number in ("1e999", ".nan", "-.inf", str(1 << 64), "0x7fffffffffffffffff", "-1", "1_000", "007", "9" * 10_000):
        yield document(f"max_attempts {number[:12]}", step % f", max_attempts: {number}", "max_attempts")
    for number in ("1e999", ".nan", str(1 << 64), "9" * 400):
        yield document(f"metadata {number[:12]}", step % f", metadata: {{n: {number}}}", "cannot be kept exactly")
    for number in ("1e999", ".nan", str(1 << 64), "-5s", "99999999999999999999d"):
        yield document(f"timeout {number[:12]}", step % f", timeout: {number}", "timeout")
    yield document("max_parallel 2^64", f"max_parallel: {1 << 64}\n" + step % "", "max_parallel")
    yield document("a mark of byte order", b"\xef\xbb\xbf" + ONE, codes=(0,))
    yield document("line ends of Windows", ONE.replace(b"\n", b"\r\n"), codes=(0,))
    yield document("old line ends of Macs", b"name: w\rsteps:\r- {id: a, run: 'true'}\r", codes=(0, 2))
    yield document("UTF-16", ONE.decode().encode("utf-16"), "UTF-8")
    yield document("a NUL", b"name: a\nsteps: a\0b\n", "NUL")
    yield document("an escaped NUL in a command", 'steps:\n- {id: a, run: "true \\0 x"}\n', "NUL")
    yield document("an escaped NUL in a model", 'steps:\n- {id: a, run: "true", model: "a\\0b"}\n', "NUL")
    yield document("an escaped NUL in a gate", 'steps:\n- {id: a, run: "true", gates: ["cmd:a\\0b"]}\n', "NUL")
    yield document("an escaped NUL in an item", 'steps:\n- {id: a, run: "true", loop: {items: ["a\\0b"]}}\n', codes=(0, 1, 2))
    yield document("an escaped NUL in a path", 'steps:\n- {id: a, agent: x, prompt: "a\\0b"}\n', codes=(2,))
    yield document("an escaped NUL in a name", 'name: "a\\0b"\n' + step % "", codes=(0, 2), then=LOOKS)
    yield document("a lone surrogate", 'name: "\\ud800"\n' + step % "", "Invalid YAML")
    yield document("bytes that are no text", b"name: a\nsteps: \xff\xfe\n", "UTF-8")
    yield document("half a character", b"name: a\xe2\x82\nsteps: []\n", "UTF-8")
    yield document("nothing", b"", "empty")
    yield document("only a comment", b"# nothing\n", "empty")
    yield document("only line ends", lambda: b"\n" * (4 << 20), "empty")
    yield document("two documents", b"a: b\n---\nc: d\n", "second document")
    yield document("tabs", b"steps:\n\t- id: a\n", "tabs")
    yield document("a huge scalar", lambda: b"name: \"" + b"x" * (5 << 20), "larger than")
    yield document("a scalar of 4 MB", lambda: b"steps:\n- {id: a, run: \"" + b"x" * (4_000_000) + b"\"}\n", codes=(2, 1, 7))
    yield document("a name of 4 MB", lambda: b"name: " + b"x" * 4_000_000 + b"\n" + ONE[8:], codes=(0, 2))
    yield document("a key of 4 MB", lambda: b"x" * 4_000_000 + b": y\n" + ONE, "Invalid YAML")
    yield document("300 000 keys", lambda: b"".join(b"%x: 1\n" % n for n in range(290_000)) + ONE, "no field")
    yield document("a field of 1 MB", lambda: "steps:\n- id: a\n  run: x\n  ? " + "x" * (1 << 20) + "\n  : y\n", "no field")
    yield document("no as an id", "steps:\n- {id: no, run: 'true'}\n", "true or false to many readers")
    yield document("\"no\" as an id", "steps:\n- {id: \"no\", run: 'true'}\n", codes=(0,))
    yield document("null as an id", "steps:\n- {id: ~, run: 'true'}\n", "empty")
    for what in ("[]", "{}", "~", "3", "x", "[[a]]", "[~]", "[{}]", "[{id: a}]", "[{id: [a], run: x}]", "[{id: {a: b}, run: x}]"):
        yield document(f"steps {what}", f"steps: {what}\n", "error")
    for what in ("a: b", "needs: x", "needs: {a: b}", "needs: [[a]]", "gates: 3", "when: [a]", "loop: x", "metadata: [a]",
                 "human_in_the_loop: maybe", "on_reject: x", "prompt: x", "run: {a: b}", "workflow: x", "model: [x]"):
        yield document(f"a step with {what}", f"steps:\n- {{id: a, run: x, {what}}}\n", "error")
    yield document("escapes in its words", f"name: {json.dumps(ESCAPES)}\nsteps:\n- {{id: {json.dumps(ESCAPES)}, run: x}}\n", "cannot name")
    yield document("escapes in its name", f"name: {json.dumps(ESCAPES)}\n" + step % "", codes=(0,), then=LOOKS)
    yield document("escapes in its plan", f"name: {json.dumps(ESCAPES)}\nsteps:\n- {{id: a, run: {json.dumps(ESCAPES)}}}\n",
                   words=("run", "w.yaml", "--check-only"), codes=(0,))


def files():
    """The workflow is no file, or not a plain one."""
    def case(name, prepare, *says, codes=(2,), words=RUN):
        return Case(f"file: {name}", prepare, words, codes, says)

    def bound(place):
        os.chdir(place.root)
        server = socket.socket(socket.AF_UNIX)
        server.bind("w.yaml")
        server.close()

    both = lambda first, second: lambda place: (first(place), second(place))
    yield case("1 GiB", lambda place: place.sparse("w.yaml"), "larger than")
    yield case("1 TiB", lambda place: place.sparse("w.yaml", 1 << 40), "larger than")
    yield case("a directory", lambda place: (place.root / "w.yaml").mkdir(), "not a regular file")
    yield case("a pipe", lambda place: place.fifo("w.yaml"), "not a regular file")
    yield case("a socket", bound, "not a regular file")
    yield case("a device", lambda place: None, "not a regular file", words=("run", "/dev/zero"))
    yield case("a terminal", lambda place: None, "not a regular file", words=("run", "/dev/tty"))
    yield case("missing", lambda place: None, "No such file")
    yield case("a name with escapes", lambda place: None, "error", words=("run", ESCAPES))
    yield case("a long name", lambda place: None, "error", words=("run", "x" * 10_000))
    yield case("a link", both(lambda place: place.put("real.yaml", ONE), lambda place: place.link("w.yaml", "real.yaml")), codes=(0,))
    yield case("a link to nothing", lambda place: place.link("w.yaml", "ghost"), "No such file")
    yield case("a link to itself", lambda place: place.link("w.yaml", "w.yaml"), "error")
    yield case("a link to a device", lambda place: place.link("w.yaml", "/dev/zero"), "not a regular file")
    yield case("not readable", both(lambda place: place.put("w.yaml", ONE), lambda place: (place.root / "w.yaml").chmod(0)), codes=(0, 2))
    yield case("a wrapper that is a pipe", both(lambda place: place.put("w.yaml", ONE), lambda place: place.fifo("x")),
               "no wrapper", words=(*RUN, "--wrapper", "x"))
    yield case("gate states in a pipe", both(lambda place: place.put("w.yaml", "steps:\n- {id: a, run: x, when: 'not gates.g', gates: []}\n"),
               lambda place: place.fifo("g")), codes=(0, 1), words=(*RUN, "--gate-state-file", "g"))


NAMES = ("../../etc/x", "..%2f", "/abs", "a/../b", ".", "..", "-rf", "x" * 10_000, "e\u0301", "\u00e9", "a\u202eb", "", " ", "a b",
         "a\nb", "\x1b[31m", "r1\n", "_x", "a:b", "a\\b", "con.", "~", "$(id)", "`id`", "a;b", "x" * 65, "run_state.json", "\U0001f600")


def names():
    one = lambda place: place.put("w.yaml", ONE)
    for name in NAMES:
        yield Case(f"run id {name[:12]!r}", one, ("run", "w.yaml", f"--run-id={name}"), (2,), ("not a run id",))
        if name:
            yield Case(f"step id {name[:12]!r}", lambda place, name=name: place.put("w.yaml", f"steps:\n- {{id: {json.dumps(name)}, run: x}}\n"),
                       RUN, (2,), ("cannot name a step",))
    for name in ("con", "nul", "aux", "CON"):
        yield Case(f"run id {name}", one, ("run", "w.yaml", f"--run-id={name}"), (0, 2))
    for name in ("../../etc/x", "/abs", "-rf", "a\u202eb", "x" * 10_000):
        for word in ("status", "resume", "report", "fork", "answer"):
            yield Case(f"{word} {name[:12]!r}", one, (word, "--", name), (2,), ("error",))
        yield Case(f"start at {name[:12]!r}", one, RUN, (0,), (), (("run", "w.yaml", "--run-id", "r1", f"--start-at-step={name}"),))
    twins = lambda place: place.put("w.yaml", "steps:\n- {id: RUN, run: x}\n- {id: run, run: x}\n")
    yield Case("step ids RUN and run", twins, RUN, (2,), ("only in case",))
    yield Case("run ids RUN and run", one, ("run", "w.yaml", "--run-id", "RUN"), (0,), (), (("run", "w.yaml", "--run-id", "run"),),
               check=lambda place: None if len(os.listdir(place.root / ".agents/runs")) == 1 else "two runs")


def graphs():
    def steps(lines):
        return "steps:\n" + "".join(f"- {{{line}}}\n" for line in lines)

    def chain(count, last=""):
        return steps([f"id: s{n}, run: x" + (f", needs: [s{n - 1}]" if n else last) for n in range(count)])

    check = ("run", "w.yaml", "--check-only")
    case = lambda name, content, *says, **more: document(name, content, *says, **{"words": check} | more)
    yield case("a cycle", steps(["id: a, run: x, needs: [b]", "id: b, run: x, needs: [c]", "id: c, run: x, needs: [a]"]), "wait for each other")
    yield case("an edge to itself", steps(["id: a, run: x, needs: [a]"]), "cannot wait for itself")
    yield case("10^5 nodes in a row", lambda: chain(100_000), codes=(0, 2))
    yield case("5*10^4 nodes in a circle", lambda: chain(50_000, ", needs: [s49999]"), "wait for each other")
    yield case("10^5 nodes side by side", lambda: steps([f"id: s{n}, run: x" for n in range(100_000)]), codes=(0,))
    yield case("10^5 + 1 nodes", lambda: steps([f"id: s{n}, run: x" for n in range(100_001)]), "100000")
    yield case("10^5 nodes of one name", lambda: steps(["id: a, run: x"] * 100_000), "twice")
    yield case("10^5 unknown needs", lambda: steps([f"id: s{n}, run: x, needs: [ghost{n}]" for n in range(60_000)]), "ghost")
    yield case("a layered fan of 10^5 edges", steps(
        [f"id: s{n}, run: x" + (f", needs: [{', '.join(f's{m}' for m in range(n - n % 100 - 100, n - n % 100))}]" if n >= 100 else "")
         for n in range(1_100)]), codes=(0,))
    row = lambda more: steps([f"id: s{n}, run: x, {more(n)}" + (f", needs: [s{n - 1}]" if n else "") for n in range(50_000)])
    yield case("10^5 looks to the first of a row", lambda: row(lambda n: "when: s0.status == COMPLETED" if n else "timeout: 1s"), "too far")
    yield case("10^5 ways back in a row", lambda: row(lambda n: "loop_back_to: s0"), codes=(0,))
    yield case("10^5 ways to the end of a row", lambda: row(lambda n: "loop_back_to: s49999"), "would never end")
    yield case("needs of 10^5 entries", lambda: steps(["id: a, run: x", f"id: b, run: x, needs: [{','.join(['a'] * 100_000)}]"]), "more than 1000 names")
    yield case("a name twice", steps(["id: a, run: x", "id: a, run: y"]), "twice")
    yield case("a need that is not there", steps(["id: a, run: x, needs: [b]"]), "there is no step `b`")
    yield case("back to itself", steps(["id: a, run: x, loop_back_to: a"]), codes=(0, 2))
    yield case("back to what comes later", steps(["id: a, run: x, loop_back_to: b", "id: b, run: x, needs: [a]"]), "would never end")
    yield case("back to nothing", steps(["id: a, run: x, loop_back_to: ghost"]), "ghost")
    yield case("a condition on itself", steps(["id: a, run: x, when: 'a.status == COMPLETED'"]), "before it ran")
    yield case("a condition on its own status", steps(["id: a, run: x, when: 'status == COMPLETED'"]), codes=(0, 2))
    yield case("a condition on what waits for it", steps(["id: a, run: x, when: 'b.status == COMPLETED'", "id: b, run: x, needs: [a]"]), "`b`")
    yield case("items of what waits for it", steps(["id: a, run: x, loop: {items_from_step: b}", "id: b, run: x, needs: [a]"]), "not among the `needs`")
    yield case("items of itself", steps(["id: a, run: x, loop: {items_from_step: a}, needs: [a]"]), "a")
    yield case("items of two sources", steps(["id: a, run: x, loop: {items: [a], items_from_artifact: b}"]), "loop")
    yield case("10^5 items", lambda: steps([f"id: a, run: x, loop: {{items: [{','.join(['i'] * 100_000)}]}}"]), "items")
    for name, when in {
        "parentheses": "(" * 1_000 + "a.status == X" + ")" * 1_000, "parentheses of 1 MB": "(" * (1 << 20),
        "nots": "not " * 1_000 + "a.gate == failed", "ors of 1 MB": " or ".join(["metrics.x"] * 80_000),
        "ands": " and ".join(["metrics.x"] * 300), "a quote": '"' * 999, "dots": "a" + ".b" * 1_000, "nothing": "()",
        "python": "__import__('os').system('touch owned')", "a template": "{{ 7 * 7 }}", "escapes": ESCAPES,
    }.items():
        yield case(f"when of {name}", f"steps:\n- id: a\n  run: x\n  when: {json.dumps(when)}\n", "`when`")
    for path in ("../../etc/passwd", "/etc/passwd", "a/../../x"):
        yield case(f"items in {path}", steps([f"id: a, run: x, loop: {{items_from_artifact: {path}}}"]), "out of the repository")

    def nested(files, *says, codes=(2,), name):
        def prepare(place):
            for path, content in files.items():
                place.put(path, content() if callable(content) else content)
        return Case(f"document: nested: {name}", prepare, RUN, codes, says)

    yield nested({"w.yaml": steps(["id: a, workflow: w.yaml"])}, "would run itself", name="itself")
    yield nested({"w.yaml": steps(["id: a, workflow: ./x/../w.yaml"]), "x/y": ""}, "would run itself", name="itself by another path")
    yield nested({"w.yaml": steps(["id: a, workflow: b.yaml"]), "b.yaml": steps(["id: a, workflow: w.yaml"])}, "would run itself", name="each other")
    yield nested({"w.yaml": steps(["id: a, workflow: n0.yaml"])} | {f"n{n}.yaml": steps([f"id: a, workflow: n{n + 1}.yaml"]) for n in range(50)},
                 "nest deeper", name="50 levels")
    yield nested({"w.yaml": steps(["id: a, workflow: ghost.yaml"])}, "no workflow", name="nothing")
    big = lambda: steps([f"id: s{n}, run: x" for n in range(90_000)])
    yield nested({"w.yaml": steps([f"id: s{n}, workflow: n{n}.yaml" for n in range(90)])} | {f"n{n}.yaml": big for n in range(90)},
                 "larger", name="90 large ones")
    yield Case("document: nested: itself by a link", lambda place: (place.put("w.yaml", steps(["id: a, workflow: l.yaml"])), place.link("l.yaml", "w.yaml")),
               RUN, (2,), ("would run itself",))
    yield Case("document: nested: a pipe", lambda place: (place.put("w.yaml", steps(["id: a, workflow: p.yaml"])), place.fifo("p.yaml")),
               RUN, (2,), ("no workflow",))
    yield Case("document: nested: outside", lambda place: place.put("w.yaml", steps(["id: a, workflow: ../outside/passwd"])),
               RUN, (2,), ("outside of the repository",))


def prompts():
    def case(name, prompt, *says, prepare=lambda place: None, codes=(2,), **more):
        def all(place):
            place.put("w.yaml", f"steps:\n- {{id: a, agent: x, prompt: {json.dumps(prompt)}}}\n")
            prepare(place)
        return Case(f"prompt: {name}", all, (*RUN, "--exec", "true"), codes, says, **more)

    yield case("in its place", "p.md", prepare=lambda place: place.put("p.md", "Do it."), codes=(0,))
    yield case("outside", "../outside/passwd", "outside of the repository")
    yield case("outside by a detour", "x/../../outside/passwd", "outside of the repository", prepare=lambda place: place.put("x/y", ""))
    yield case("a link to the outside", "p.md", "outside of the repository", prepare=lambda place: place.link("p.md", place.outside / "passwd"))
    yield case("below a link to the outside", "d/kept.json", "outside of the repository",
               prepare=lambda place: place.link("d", place.outside / "directory"))
    yield case("a link inside", "p.md", prepare=lambda place: (place.put("q.md", "Do it."), place.link("p.md", "q.md")), codes=(0,))
    yield case("a pipe", "p.md", "no prompt", prepare=lambda place: place.fifo("p.md"))
    yield case("a device", "/dev/zero", "no prompt")
    yield case("a directory", "d", "no prompt", prepare=lambda place: place.put("d/x", ""))
    yield case("1 GiB", "p.md", "larger than", prepare=lambda place: place.sparse("p.md"), codes=(1, 2))
    yield case("dots", "..", "no prompt")
    yield case("nothing", "", "prompt")
    yield Case("prompt: 10^5 of them are missing", lambda place: place.put("w.yaml", "steps:\n" + "".join(
        f"- {{id: s{n}, agent: x, prompt: p{n}.md}}\n" for n in range(80_000))), (*RUN, "--exec", "true"), (2,), ("no prompt", "more"))


# Where a run keeps something, and what is no directory there.
DIRECTORIES = (".agents", ".agents/runs", ".agents/runs/r1", ".agents/runs/r1/reports", ".agents/runs/r1/reports/archive",
               ".agents/runs/r1/logs", ".agents/runs/r1/manual_inputs", ".agents/runs/r1/artifacts", ".piton")
STEPS = b"name: w\nsteps:\n- {id: a, run: 'echo a'}\n- {id: b, run: 'echo b', needs: [a]}\n"


def places():
    """Something else lies where the run's files belong, before it begins."""
    def case(name, prepare, *says, codes=(2, 7), **more):
        return Case(f"place: {name}", lambda place: (place.put("w.yaml", STEPS), prepare(place)), RUN, codes, says, **more)

    for name in DIRECTORIES:
        yield case(f"{name} is a link to a directory", lambda place, name=name: place.link(name, place.outside / "directory"), "symbolic link")
        yield case(f"{name} is a link to a file", lambda place, name=name: place.link(name, place.outside / "passwd"), name)
        yield case(f"{name} is a link to nothing", lambda place, name=name: place.link(name, place.outside / "ghost"), name)
        yield case(f"{name} is a pipe", lambda place, name=name: place.fifo(name), name)
        yield case(f"{name} is a file", lambda place, name=name: place.put(name, "x"), name)
    state = ".agents/runs/r1/run_state.json"
    yield case("run_state.json is a link to a file", lambda place: place.link(state, place.outside / "passwd"), "symbolic link")
    yield case("run_state.json is a link to nothing", lambda place: place.link(state, place.outside / "ghost"), "symbolic link")
    yield case("run_state.json is a pipe", lambda place: place.fifo(state), "not a regular file")
    yield case("run_state.json is a directory", lambda place: (place.root / state).mkdir(parents=True), "not a regular file")
    yield case("run_state.json is a hard link", lambda place: place.hard(state, place.outside / "passwd"), "not a run state")
    yield case("run_state.json of 1 GiB", lambda place: place.sparse(state), "larger than")
    stats = ".agents/daily_stats"
    for kind, target in (("a directory", "directory"), ("a file", "passwd"), ("nothing", "ghost")):
        yield case(f"{stats} is a link to {kind}", lambda place, target=target: place.link(stats, place.outside / target), codes=(0,))
    yield case(f"{stats} is a pipe", lambda place: place.fifo(stats), codes=(0,))
    for name in (".agents/runs/r1/reports/r1__a.json", ".agents/runs/r1/logs/r1__a__attempt1.log", ".agents/runs/r1/manual_inputs/r1__a.json"):
        ok = (0, 1, 2, 4, 7)
        yield case(f"{name} is a link", lambda place, name=name: place.link(name, place.outside / "passwd"), codes=ok)
        yield case(f"{name} is a link to nothing", lambda place, name=name: place.link(name, place.outside / "ghost"), codes=ok)
        yield case(f"{name} is a pipe", lambda place, name=name: place.fifo(name), codes=ok)
        yield case(f"{name} is a directory", lambda place, name=name: place.put(f"{name}/x", ""), codes=ok)
        yield case(f"{name} is a hard link", lambda place, name=name: place.hard(name, place.outside / "passwd"), codes=ok)
        yield case(f"{name} is of 1 GiB", lambda place, name=name: place.sparse(name), codes=ok)
    yield case("guidance in a pipe and a link", lambda place: (place.fifo(".agents/guidance/a.md"), place.link(".agents/guidance/b.md", "/dev/zero")), codes=(0,))


def swaps():
    """A step puts a link to the outside where the run's files belong, and the run goes on."""
    for name in DIRECTORIES[:-1]:
        for target in ("directory", "ghost"):
            command = f"mv {name} {name}.old; ln -s $OUTSIDE/{target} {name}"
            yield Case(f"swap: {name} for a link to {target}", lambda place, command=command: place.put("w.yaml",
                       f"name: w\nsteps:\n- {{id: a, run: '{command}'}}\n- {{id: b, run: 'echo {{}} > x', needs: [a], loop_back_to: a}}\n"),
                       RUN, (0, 1, 4, 7), (), (("resume", "r1"), ("rebuild", "r1"), ("status", "r1")), ("x", ".agents.old"))
    for name in ("run_state.json", "logs/r1__b__attempt1.log", "reports/r1__b.json", "manual_inputs/r1__b.json"):
        for how in ("ln -sf $OUTSIDE/passwd", "ln -sf $OUTSIDE/ghost", "ln -f $OUTSIDE/passwd", "rm -f {0}; mkfifo", "rm -f {0}; mkdir"):
            path = f".agents/runs/r1/{name}"
            command = f"{how.format(path)} {path}"
            yield Case(f"swap: {name}: {how[:22]}", lambda place, command=command: place.put("w.yaml",
                       f"name: w\nsteps:\n- {{id: a, run: '{command}'}}\n- {{id: b, run: 'echo b', needs: [a]}}\n"),
                       RUN, (0, 1, 4, 7), (), (("resume", "r1"), ("rebuild", "r1"), ("status", "r1")))


def report(**more):
    now = "2026-01-01T00:00:00Z"
    known = {"schema": "run_report@v0", "run_id": "r1", "step_id": "a", "agent": "x", "status": "COMPLETED", "started_at": now, "ended_at": now,
             "logs": ["did it"]}
    return known | more


def reported(name, content, *says, codes=(1,), then=(), how="cp said.json $REPORT_PATH", **more):
    """A step that leaves these bytes as its report."""
    def prepare(place):
        place.put("w.yaml", f"name: w\nsteps:\n- {{id: a, run: {json.dumps(how)}}}\n- {{id: b, run: 'echo b', needs: [a]}}\n")
        said = content(place) if callable(content) else content
        if said is not None:
            place.put("said.json", said if isinstance(said, (bytes, str)) else json.dumps(said))
    return Case(f"report: {name}", prepare, RUN, codes, says, then, **more)


def reports():
    yield reported("a good one", report(), codes=(0,))
    yield reported("1 GiB", None, "larger than", how="truncate -s 1G $REPORT_PATH")
    yield reported("nested", '{"a":' * 100_000, "not JSON")
    yield reported("nested metrics", '{"metrics":' + "[" * 1_000_000, "not JSON")
    yield reported("NaN", json.dumps(report(metrics={"n": float("nan")})), "not JSON")
    yield reported("1e999", json.dumps(report(metrics={"n": 1})).replace('"n": 1', '"n": 1e999'), "not JSON")
    yield reported("2^64 tokens", report(metrics={"total_tokens": 1 << 64, "cost_usd": 1e300}), codes=(0,), then=LOOKS)
    yield reported("money that adds up to too much", report(metrics={"cost_usd": 999_999_999_999, "total_tokens": 10**17}), codes=(0,), then=LOOKS)
    yield reported("tokens that add up to too much", report(metrics={"input_tokens": 9e17, "output_tokens": 9e17}), codes=(0,), then=LOOKS)
    yield Case("report: money of forty steps that adds up to too much", lambda place: (place.put("said.json", json.dumps(
        report(metrics={"cost_usd": 999_999_999_999, "total_tokens": 9 * 10**17}))), place.put(
        "w.yaml", f"steps:\n- {{id: a, run: 'cp said.json $REPORT_PATH', loop: {{items: {list(range(40))}}}}}\n")),
        RUN, (0, 1, 3), (), LOOKS, slow=4)
    yield reported("another run", report(run_id="r2"), "run_id")
    yield reported("another step", report(step_id="b"), "step_id")
    yield reported("another run with escapes", report(run_id=ESCAPES), "run_id", then=LOOKS)
    yield reported("half a file", json.dumps(report())[:-5], "not JSON")
    yield reported("not UTF-8", b"\xff\xfe{}", "not JSON")
    yield reported("a lone surrogate", json.dumps(report()).replace("did it", "\\ud800"), "not JSON")
    yield reported("a mark of byte order", b"\xef\xbb\xbf" + json.dumps(report()).encode(), codes=(0,))
    yield reported("a NUL", report(logs=["a\0b"]), codes=(0,), then=LOOKS)
    yield reported("nothing", b"", "not JSON")
    for what in ("null", "3", "[]", '"x"', "true"):
        yield reported(f"is {what}", what, "not an object")
    for field in ("schema", "run_id", "step_id", "agent", "status", "started_at", "ended_at"):
        for wrong in (True, 3, None, ["x"], {"a": "b"}):
            yield reported(f"{field} is {json.dumps(wrong)}", report(**{field: wrong}), field)
    for field, wrongs in {"logs": (True, "x", [3], [["x"]], {"a": 1}), "artifacts": (True, "x", [3], [None], {"a": 1}), "metrics": (True, "x", [1]),
                          "gate_failure": ("yes", 1, [], {}), "next_suggested_steps": (3, "x", [1]), "memory_updates": (3, "x", {}),
                          "error": (3, [1])}.items():
        for wrong in wrongs:
            loose = field in ("memory_updates", "error")
            yield reported(f"{field} is {json.dumps(wrong)}", report(**{field: wrong}), *(() if loose else (field,)), codes=(0, 1) if loose else (1,))
    for path in ("../../etc/passwd", "/etc/passwd", "a/../../b", "", ".", "..", "a\0b", "a\\..\\b", "x" * 100_000, ESCAPES):
        inside = path in ("x" * 100_000, ESCAPES, ".")
        yield reported(f"artifact {path[:14]!r}", report(artifacts=[path]), *(() if inside else ("outside of the repository",)),
                       codes=(0, 1) if inside else (1,), then=LOOKS)
    many = lambda count: json.dumps(report(metrics={"k": 1})).replace('"k": 1', ",".join(f'"{n:x}":1' for n in range(count)))
    yield reported("300 000 metrics", lambda _: many(300_000), codes=(0,), then=(("status", "r1"),))
    yield reported("a million metrics", lambda _: many(1_000_000), "larger than")
    yield reported("a metric of 3 MB", lambda _: report(metrics={"x" * 1_500_000: "y" * 1_500_000}), codes=(0,), then=LOOKS[:3])
    yield reported("100 000 artifacts", report(artifacts=["a"] * 100_000), codes=(0,))
    yield reported("100 000 logs", report(logs=["x"] * 100_000), codes=(0,))
    yield reported("escapes in its logs", report(logs=[ESCAPES]), codes=(0,), then=LOOKS)
    yield reported("escapes in its failure", report(status="FAILED", logs=[ESCAPES], error=ESCAPES, metrics={ESCAPES: ESCAPES}), codes=(1,), then=LOOKS)
    yield reported("a status with escapes", report(status=ESCAPES, agent=ESCAPES), codes=(1,), then=LOOKS)
    yield reported("an error of 3 MB", lambda _: report(status="FAILED", error="x" * 3_000_000), codes=(1,), then=LOOKS)
    yield reported("a link", report(), "symbolic link", how="ln -s $PWD/said.json $REPORT_PATH")
    yield reported("a pipe", None, "not a regular file", how="mkfifo $REPORT_PATH")
    yield reported("a directory", None, "not a regular file", how="mkdir $REPORT_PATH")
    yield reported("a device", None, "symbolic link", how="ln -s /dev/zero $REPORT_PATH")
    yield reported("not readable", report(), codes=(0, 1), how="cp said.json $REPORT_PATH; chmod 0 $REPORT_PATH")
    yield reported("rewritten by somebody who stays", report(), codes=(0, 1),
                   how="cp said.json $REPORT_PATH; (setsid sh -c 'while :; do cp said.json $REPORT_PATH; : > $REPORT_PATH; done' >/dev/null 2>&1 &) ; sleep 0.1")
    yield reported("escapes on its outputs", None, codes=(1,), then=LOOKS, how="printf '\\033]0;x\\007\\033[2J\\rdone\\302\\233\\061m\\342\\200\\256' >&2; exit 3")
    yield reported("a line of 5 MB", None, codes=(1,), then=LOOKS, how="head -c 5000000 /dev/zero | tr '\\0' x >&2; exit 3")


def memories():
    entry = "the cache is keyed by the locale of whoever asks"
    fits = ("AGENTS.md",)

    def case(name, scope, prepare=lambda place: None, **more):
        def both(place):
            prepare(place)
            return report(memory_updates=[{"scope": scope, "section": "Gotchas", "entry": entry} | more])
        return reported(f"memory {name}", both, codes=(0,), changes=fits)

    yield case("here", ".")
    yield case("above", "../..")
    yield case("outside", "../outside")
    yield case("absolute", "/")
    yield case("of an absolute directory", "/tmp")
    yield case("below a link", "d", lambda place: place.link("d", place.outside))
    yield case("below two links", "d/e", lambda place: (place.link("f", place.outside), place.link("d", "f")))
    yield case("in a file that is a link", ".", lambda place: place.link("AGENTS.md", place.outside / "AGENTS.md"))
    yield case("in a file that is a hard link", ".", lambda place: place.hard("AGENTS.md", place.outside / "AGENTS.md"))
    yield case("in a file that is a pipe", ".", lambda place: place.fifo("AGENTS.md"))
    yield case("in a file of 1 GiB", ".", lambda place: place.sparse("AGENTS.md"))
    yield case("in the state directory", ".piton")
    yield case("with a NUL", "a\0b")
    yield case("that is no text", ["x"])
    yield case("under a heading with escapes", ".", section=f"x\n# y{ESCAPES}")
    many = lambda: [{"scope": ".", "entry": f"number {n} of the things to know"} for n in range(40_000)]
    yield reported("40 000 memories", lambda _: report(memory_updates=many()), codes=(0,), changes=fits)


def inputs():
    """What lies where a person's answer belongs, once the run has asked."""
    path = ".agents/runs/r1/manual_inputs/r1__a.json"
    ask = "name: w\nsteps:\n- {id: a, run: 'true', human_in_the_loop: true}\n- {id: b, run: 'cat $MANUAL_RESULT_PATH', needs: [a]}\n"

    def case(name, how, *says, codes=(4,), prepare=lambda place: None):
        # The answer is written by a second step, while the first one asks.
        def both(place):
            place.put("w.yaml", ask + f"- {{id: c, run: {json.dumps(f'for i in 1 2 3 4 5 6 7 8 9; do grep -q WAITING .agents/runs/r1/run_state.json && break; sleep 0.05; done; {how}; sleep 0.7')}}}\n")
            prepare(place)
        return Case(f"input: {name}", both, (*RUN, "--pause-for-human-input"), codes, says, LOOKS, slow=2)

    def said(name, content, *says, codes=(4,)):
        def prepare(place):
            place.put("said", content if isinstance(content, (bytes, str)) else json.dumps(content))
        return case(name, f"cp said {path}", *says, codes=codes, prepare=prepare)

    # A step that writes it may be answering for itself, so a person has to take it.
    yield said("a good one", {"approved": True}, "which may have done so")
    yield said("garbage", b"\x00\xff\xfe", "goes on waiting")
    yield said("escapes", ESCAPES, "goes on waiting")
    yield said("nested", "[" * 60_000, "goes on waiting")
    yield said("approved: \"no\"", {"approved": "no"}, "goes on waiting")
    yield said("approved: 1", {"approved": 1}, "goes on waiting")
    yield said("a list", [1], "goes on waiting")
    yield said("60 KB of comment", {"approved": True, "comments": "x" * 60_000}, "which may have done so")
    yield said("a comment with escapes", {"approved": True, "comments": ESCAPES, ESCAPES: 1}, "which may have done so")
    yield said("70 KB", {"approved": True, "comments": "x" * 70_000}, "larger than")
    yield case("1 GiB", f"truncate -s 1G {path}", "larger than")
    yield case("a pipe", f"mkfifo {path}", "not a regular file")
    yield case("a link", f"ln -s $OUTSIDE/directory/kept.json {path}", "symbolic link")
    yield case("a link to nothing", f"ln -s $OUTSIDE/ghost {path}", "symbolic link")
    yield case("a directory", f"mkdir {path}", "not a regular file")
    yield case("with the time of another day on it", f"echo {{}} > {path}; touch -d 2001-01-01 {path}", "which may have done so")


def imports():
    """A run directory that another tool is said to have left."""
    def step(**more):
        return {"status": "COMPLETED", "attempts": 1, "iteration_count": 0, "report_path": None, "started_at": None, "ended_at": None,
                "last_error": None, "artifacts": [], "metrics": {}, "logs": [], "manual_input_path": None, "blocked_by_loop": None} | more

    def state(steps=None, **more):
        known = {"run_id": "r1", "workflow_name": "w", "repo_dir": "/x", "reports_dir": "/x", "manual_inputs_dir": "/x", "created_at": "x",
                 "updated_at": "x"}
        return known | {"steps": steps if steps is not None else {"a": step(), "b": step(status="PENDING", attempts=0)}} | more

    def case(name, content, *says, codes=(2,), then=()):
        def prepare(place):
            place.put("w.yaml", STEPS)
            left = content() if callable(content) else content
            place.put(".agents/runs/r1/run_state.json", left if isinstance(left, (bytes, str)) else json.dumps(left))
        return Case(f"import: {name}", prepare, RUN, codes, says, then)

    yield case("a good one", state(), codes=(0,))
    yield case("nested", "[" * 1_000_000, "not a run state")
    yield case("nested metrics", json.dumps(state()).replace('"metrics": {}', '"metrics": {"a": ' + "[" * 100_000, 1), "not a run state")
    yield case("nothing", b"", "not a run state")
    yield case("NULs", b"\0" * 1000, "not a run state")
    yield case("not UTF-8", b'{"run_id": "\xff"}', "not a run state")
    yield case("a mark of byte order", b"\xef\xbb\xbf" + json.dumps(state()).encode(), codes=(0, 2))
    yield case("NaN", json.dumps(state({"a": step(metrics={"n": float("nan")})})), "not a run state")
    yield case("a lone surrogate", json.dumps(state()).replace('"w"', '"\\ud800"'), "not a run state")
    yield case("a key twice", json.dumps(state()).replace('"run_id": "r1"', '"run_id": "r1", "run_id": "r2"'), "not a run state")
    yield case("30 MB of spaces", lambda: json.dumps(state()) + " " * (30 << 20), "larger than")
    yield case("7 MB of spaces", lambda: json.dumps(state()) + " " * (7 << 20), codes=(0,))
    yield case("7 MB of error", lambda: state({"a": step(status="FAILED", last_error="x" * (7 << 20))}), codes=(0,), then=LOOKS[:4])
    yield case("7 MB of metrics", lambda: state({"a": step(metrics={f"k{n}": "v" for n in range(480_000)})}), codes=(0,), then=LOOKS[:4])
    yield case("200 000 steps", lambda: state({f"s{n}": {"status": "COMPLETED"} for n in range(200_000)}), codes=(0, 2), then=LOOKS[:2])
    for name in ("../../etc/x", "a\0b", "r2", "x" * 10_000, ESCAPES, ""):
        yield case(f"run_id {name[:12]!r}", state(run_id=name), "run_id")
        yield case(f"a step {name[:12]!r}", state({name: step(), "a": step()}), codes=(0, 2), then=LOOKS)
    for field, wrongs in {"run_id": (3, None, ["x"]), "workflow_name": (3, None), "steps": ([], 3, None, {"a": 3}, {"a": None}, {"a": []})}.items():
        for wrong in wrongs:
            yield case(f"{field} is {json.dumps(wrong)}", state() | {field: wrong}, "not a run state")
    for field, wrongs in {"status": (True, 3, "done", None, "COMPLETED\u202e"), "attempts": (-1, 1.5, 1 << 32, "1", None), "iteration_count": (-1, 1 << 64),
                          "artifacts": ("x", [3], {}), "metrics": ([], "x"), "logs": ("x", [3]), "last_error": (3, ["x"]), "report_path": (3,),
                          "started_at": (3,)}.items():
        for wrong in wrongs:
            yield case(f"{field} of a step is {json.dumps(wrong)}", state({"a": step(**{field: wrong})}), "step `a`")
    most = (1 << 32) - 1
    yield case("the most attempts", state({"a": step(status="FAILED", attempts=most, iteration_count=most), "b": step(status="PENDING", attempts=most)}), "attempts")
    yield case("the most loop-backs", state({"a": step(status="PENDING", attempts=1, iteration_count=most)}), "iteration_count")
    yield case("as many attempts as there may be", state({"a": step(status="FAILED", attempts=1000, iteration_count=1000),
               "b": step(status="PENDING", attempts=1000, iteration_count=1000)}), codes=(0, 1), then=LOOKS)
    for moment in ("+999999999999", "0000-00-00", "-9999999-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "x" * 10_000, ESCAPES):
        yield case(f"started_at {moment[:14]!r}", state({"a": step(started_at=moment, ended_at=moment)}), codes=(0, 2), then=LOOKS)
    for path in ("../../etc/passwd", "/etc/passwd", "a\0b", ESCAPES):
        yield case(f"artifact {path[:14]!r}", state({"a": step(artifacts=[path])}), codes=(0, 2) if path == ESCAPES else (2,), then=LOOKS)
    yield case("escapes", state({"a": step(last_error=ESCAPES, logs=[ESCAPES], metrics={ESCAPES: ESCAPES}, report_path=ESCAPES),
                                 "b": step(status="WAITING_ON_HUMAN", last_error=ESCAPES, logs=[ESCAPES])}, workflow_name=ESCAPES), codes=(0, 2, 4), then=LOOKS)
    yield case("what runs", state({"a": step(status="RUNNING"), "b": step(status="WAITING_ON_HUMAN", manual_input_path="/etc/passwd")}), codes=(0, 4), then=LOOKS)
    yield case("paths to the outside", state(reports_dir="/etc", manual_inputs_dir="../..", repo_dir="/"), codes=(0,))


def texts():
    """What a person types."""
    one = lambda place: place.put("w.yaml", STEPS)
    agent = lambda place: (place.put("w.yaml", "steps:\n- {id: a, agent: x, prompt: p.md}\n"), place.put("p.md", "Do it."))
    case = lambda name, *words, prepare=one, codes=(2,), says=("error",), then=(): Case(f"flag: {name}", prepare, (*RUN, *words) if "--max-attempts" not in words else (*RUN[:4], *words), codes, says, then)
    yield case("env without a value", "--env", "A")
    yield case("env without a name", "--env", "=x")
    yield case("env with escapes", "--env", f"{ESCAPES}=x", codes=(0, 2), says=())
    yield case("a template with a brace", "--command-template", "x {", prepare=agent, says=("brace",))
    yield case("a template with a quote", "--command-template", "x '", prepare=agent, says=("never closed",))
    yield case("a template of an attribute", "--command-template", "{run_id.__class__}", prepare=agent, says=("no placeholder",))
    yield case("a template of nothing", "--command-template", "", prepare=agent, says=("empty",))
    yield case("a template with escapes", "--command-template", ESCAPES + " {x}", prepare=agent, says=("no placeholder",))
    yield case("a template of 100 KB", "--command-template", "true " + "{repo} " * 14_000, prepare=agent, codes=(0, 1, 2, 7), says=())
    yield case("max-attempts 2^64", "--max-attempts", str(1 << 64))
    yield case("max-attempts 0", "--max-attempts", "0")
    yield case("max-attempts 2^31", "--max-attempts", str(1 << 31))
    yield case("max-parallel 2^31", "--max-parallel", str(1 << 31))
    for money in ("nan", "inf", "-1", "1e999", "1e300", "$"):
        yield case(f"max-cost {money}", f"--max-cost={money}", codes=(2,))
        yield case(f"daily-cost-limit {money}", f"--daily-cost-limit={money}", codes=(2,))
    yield case("an issue with a path", "--issue-number", "../../x", codes=(2,))
    yield case("a workdir that is a pipe", "--workdir", "p", prepare=lambda place: (one(place), place.fifo("p")))
    yield case("a workdir that is missing", "--workdir", "ghost")
