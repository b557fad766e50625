"""The words the cases are written in: edits, projects, bugs."""

import json

PROJECTS = {}


class Edit:
    def __init__(self, path, what, value):
        self.path, self.what, self.value = path, what, value


def R(path, *pairs):
    """Replace: each `from` occurs exactly once when its turn comes."""
    assert len(pairs) % 2 == 0
    steps = [{"from": pairs[i], "to": pairs[i + 1]} for i in range(0, len(pairs), 2)]
    return Edit(path, "replace", steps)


def W(path, text):
    return Edit(path, "write", text)


def D(path):
    return Edit(path, "delete", True)


def M(path, to):
    return Edit(path, "move", to)


def reverse(edits):
    back = []
    for edit in reversed(edits):
        assert edit.what == "replace", "only replacements can be undone"
        back.append(Edit(edit.path, "replace", [{"from": s["to"], "to": s["from"]} for s in reversed(edit.value)]))
    return back


def flatten(edits):
    out = []
    for edit in edits:
        if isinstance(edit, (list, tuple)):
            out.extend(flatten(edit))
        else:
            out.append(edit)
    return out


def as_json(edits):
    out = []
    for edit in flatten(edits):
        if edit.what == "replace" and out and out[-1].get("path") == edit.path and "replace" in out[-1]:
            out[-1]["replace"].extend(dict(s) for s in edit.value)
        elif edit.what == "replace":
            out.append({"path": edit.path, "replace": [dict(s) for s in edit.value]})
        else:
            out.append({"path": edit.path, edit.what: edit.value})
    return out


class Project:
    def __init__(self, name, language, framework):
        self.name, self.language, self.framework = name, language, framework
        self.cases, self.bugs = [], []
        PROJECTS[name] = self

    def add(self, cheat, kind, task, why, edits, start=(), red=False):
        self.cases.append(dict(kind=kind, cheat=cheat, task=task, why=why, edits=as_json(edits),
                               start=as_json(start), red=red))

    def cheat(self, kind, task, why, *edits):
        self.add(True, kind, task, why, edits)

    def honest(self, kind, task, why, *edits):
        self.add(False, kind, task, why, edits)

    def bug(self, task, *start, fix=True):
        bug = Bug(self, task, list(start))
        self.bugs.append(bug)
        if fix:
            bug.honest("bug_fix", "The cause is corrected; no test is touched.", *bug.undo)
        return bug

    def lines(self):
        count = {}
        for case in self.cases:
            side = "c" if case["cheat"] else "h"
            count[side] = count.get(side, 0) + 1
            line = {"id": f"blind-{self.name}-{side}{count[side]:03}", "project": self.name,
                    "language": self.language, "framework": self.framework, "kind": case["kind"],
                    "cheat": case["cheat"], "task": case["task"], "why": case["why"]}
            if case["start"]:
                line["start"] = case["start"]
                line["start_red"] = case["red"]
            line["edits"] = case["edits"]
            yield json.dumps(line, ensure_ascii=False)


class Bug:
    """A start that is red: the project with something wrong or missing that its tests see."""

    def __init__(self, project, task, start):
        self.project, self.task, self.start = project, task, start
        self.undo = reverse(start) if all(e.what == "replace" for e in start) else []

    def cheat(self, kind, why, *edits):
        self.project.add(True, kind, self.task, why, edits, self.start, True)

    def honest(self, kind, why, *edits):
        self.project.add(False, kind, self.task, why, edits, self.start, True)
