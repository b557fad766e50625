#!/usr/bin/env python3
"""Writes the part `sealed`: projects.toml and sealed/LANGUAGE.jsonl, from the modules in cases/. The same bytes every time.

--check proves that every case applies, differs from its base and from every other case, and parses (see check()).
--counts says how many cases there are of each kind. --show ID prints a case as a diff.
"""
import argparse
import ast
import collections
import difflib
import importlib
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases.base import ROOT, CannotApply, Project, apply_edits  # noqa: E402

MODULES = ("py_loyalty", "py_logsift", "js_seatmap", "js_feedmerge", "ts_invoice", "ts_timetable", "go_tariff", "go_bookshelf", "rs_pantry", "rs_routeplan")
SHORT = {"python": "py", "javascript": "js", "typescript": "ts", "go": "go", "rust": "rs"}
NODE = """
const ts = require('typescript');
let text = '';
process.stdin.on('data', (part) => (text += part));
process.stdin.on('end', () => {
  const bad = [];
  for (const [id, path, source] of JSON.parse(text)) {
    const kind = path.endsWith('.ts') ? ts.ScriptKind.TS : ts.ScriptKind.JS;
    const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, kind);
    for (const problem of file.parseDiagnostics) bad.push([id, path, ts.flattenDiagnosticMessageText(problem.messageText, ' ')]);
  }
  console.log(JSON.stringify(bad));
});
"""


def load(only=None):
    for name in MODULES:
        if (ROOT / "cases" / f"{name}.py").exists() and (not only or name == only):
            importlib.import_module(f"cases.{name}")
    for project in Project.all:
        for number, case in enumerate(project.cases, 1):
            case["id"] = f"sealed-{project.prefix}-{number:04}"
            case.update(project=project.name, language=project.language, framework=project.framework)
    return Project.all


def write(projects):
    toml = "# The honest projects the sealed part starts from.\n"
    lines = collections.defaultdict(list)
    for project in projects:
        toml += f'\n[[project]]\nname = "{project.name}"\nlanguage = "{project.language}"\nframework = "{project.framework}"\n'
        for case in project.cases:
            keys = ("id", "project", "language", "framework", "kind", "cheat", "edits")
            lines[project.language].append(json.dumps({k: case[k] for k in keys}, ensure_ascii=False))
    (ROOT / "projects.toml").write_text(toml)
    for language, found in lines.items():
        (ROOT / "sealed" / f"{language}.jsonl").write_text("\n".join(found) + "\n")


def check(projects, typescript):
    problems, seen, parts = [], set(), collections.defaultdict(dict)
    for project in projects:
        for case in project.cases:
            name = f"{case['id']} {case['kind']} (line {case['line']})"
            try:
                head = apply_edits(project.files, case["edits"])
            except CannotApply as error:
                problems.append(f"{name}: {error}")
                continue
            if head == project.files:
                problems.append(f"{name}: changes nothing")
            key = project.name + json.dumps(case["edits"], sort_keys=True)
            if key in seen:
                problems.append(f"{name}: the same edits as another case")
            seen.add(key)
            for path, text in head.items():
                if project.files.get(path) == text:
                    continue
                try:
                    if path.endswith(".py"):
                        ast.parse(text)
                    elif path.endswith(".json"):
                        json.loads(text)
                    elif path.endswith(".toml"):
                        tomllib.loads(text)
                    elif path.endswith((".yml", ".yaml")):
                        import yaml
                        yaml.safe_load(text)
                except Exception as error:  # every parser has its own
                    problems.append(f"{name}: {path}: {error}")
                suffix = Path(path).suffix
                kind = {".js": "js", ".mjs": "js", ".cjs": "js", ".ts": "js", ".go": "go", ".rs": "rs"}.get(suffix)
                if kind:
                    parts[kind].setdefault((path, text), name)
    for (path, text), name in parts["rs"].items():
        text = re.sub(r"(?m)^(\s*(?:pub )?mod \w+);$", r"\1 {}", text)
        result = subprocess.run(["rustfmt", "--edition", "2021"], input=text, capture_output=True, text=True, check=False)
        if result.returncode:
            problems.append(f"{name}: {path}: {result.stderr.strip().splitlines()[0]}")
    with tempfile.TemporaryDirectory() as folder:
        names = {}
        for number, ((path, text), name) in enumerate(parts["go"].items()):
            file = Path(folder) / f"f{number}.go"
            file.write_text(text)
            names[str(file)] = (name, path)
        if names:
            result = subprocess.run(["gofmt", "-e", "-l", *names], capture_output=True, text=True, check=False)
            problems += [f"{names[line.split(':')[0]]}: {line.split(':', 1)[1]}" for line in result.stderr.splitlines() if line.split(":")[0] in names]
    if parts["js"]:
        files = [(name, path, text) for (path, text), name in parts["js"].items()]
        result = subprocess.run(["node", "-e", NODE], cwd=typescript, input=json.dumps(files), capture_output=True, text=True, check=False)
        if result.returncode:
            raise SystemExit(result.stderr[-400:])
        problems += [": ".join(found) for found in json.loads(result.stdout)]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--show")
    parser.add_argument("--only")
    parser.add_argument("--typescript", default=".")
    options = parser.parse_args()
    projects = load(options.only)
    if options.show:
        for project in projects:
            for case in project.cases:
                if options.show in (case["id"], case["kind"], "all"):
                    head = apply_edits(project.files, case["edits"])
                    print(f"==== {case['id']} {case['kind']} {'CHEAT' if case['cheat'] else 'honest'}")
                    for path in sorted(set(head) | set(project.files)):
                        a, b = project.files.get(path, ""), head.get(path, "")
                        if a != b:
                            print("\n".join(difflib.unified_diff(a.splitlines(), b.splitlines(), path, path, n=1, lineterm="")))
        return 0
    problems = check(projects, options.typescript) if options.check else []
    print("\n".join(problems))
    if not options.only:
        write(projects)
    for project in projects:
        print(project.name, sum(c["cheat"] for c in project.cases), sum(not c["cheat"] for c in project.cases))
    everything = [case for project in projects for case in project.cases]
    for cheat in (True, False):
        kinds = collections.Counter(case["kind"] for case in everything if case["cheat"] == cheat)
        print("cheats" if cheat else "honest", sum(kinds.values()), "of", len(kinds), "kinds")
        if options.counts:
            print(", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
