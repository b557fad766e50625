"""Projects, changes to them, and the edits that say a change in few bytes."""
import difflib
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
CORPUS = REPOSITORY / "crates" / "guard" / "corpus"


@dataclass
class Project:
    name: str
    language: str
    framework: str
    files: dict[str, str]

    def lines(self, path):
        return self.files[path].split("\n")


@dataclass
class Change:
    """A new state of some files: text, or None for a deleted file. Moves come first."""
    variant: str
    files: dict[str, str | None]
    moves: dict[str, str] = field(default_factory=dict)


class CannotApply(Exception):
    pass


def load_projects():
    listed = tomllib.loads((CORPUS / "projects.toml").read_text())["project"]
    projects = []
    for entry in listed:
        root = CORPUS / "projects" / entry["name"]
        files = {
            path.relative_to(root).as_posix(): path.read_text()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }
        projects.append(Project(entry["name"], entry["language"], entry["framework"], files))
    return projects


def occurrences(text, part):
    count, at = 0, text.find(part)
    while at >= 0:
        count, at = count + 1, text.find(part, at + 1)
    return count


def replacements(before, after):
    """Replacements that turn `before` into `after`; each `from` occurs exactly once when its turn comes."""
    current = before.splitlines(keepends=True)
    new = after.splitlines(keepends=True)
    steps = []
    matcher = difflib.SequenceMatcher(None, current, new, autojunk=False)
    for tag, i1, i2, j1, j2 in reversed(matcher.get_opcodes()):
        if tag == "equal":
            continue
        first, last = i1, i2
        up = True
        whole = "".join(current)
        while first == last or occurrences(whole, "".join(current[first:last])) != 1:
            if first == 0 and last == len(current):
                return None
            if (up and first > 0) or last == len(current):
                first -= 1
            else:
                last += 1
            up = not up
        old = "".join(current[first:last])
        put = "".join(current[first:i1]) + "".join(new[j1:j2]) + "".join(current[i2:last])
        steps.append({"from": old, "to": put})
        current[i1:i2] = new[j1:j2]
    return steps


def edits_of(project, change):
    """The edits of a change, in the order in which they apply."""
    edits = []
    base = dict(project.files)
    for old, new in change.moves.items():
        edits.append({"path": old, "move": new})
        base[new] = base.pop(old)
    for path, text in change.files.items():
        if text is None:
            if path not in base:
                raise CannotApply(f"{path} is not there to delete")
            edits.append({"path": path, "delete": True})
        elif path not in base:
            edits.append({"path": path, "write": text})
        elif base[path] != text:
            steps = replacements(base[path], text)
            size = sum(len(step["from"]) + len(step["to"]) for step in steps or [])
            if steps is None or size > len(text) + 200:
                edits.append({"path": path, "write": text})
            else:
                edits.append({"path": path, "replace": steps})
    return edits


def apply_edits(files, edits):
    """The head tree; raises CannotApply when an edit does not fit."""
    tree = dict(files)
    for edit in edits:
        path = edit["path"]
        if "write" in edit:
            tree[path] = edit["write"]
            continue
        if path not in tree:
            raise CannotApply(f"{path} does not exist")
        if "delete" in edit:
            del tree[path]
        elif "move" in edit:
            tree[edit["move"]] = tree.pop(path)
        else:
            text = tree[path]
            for step in edit["replace"]:
                if occurrences(text, step["from"]) != 1:
                    raise CannotApply(f"{path}: {step['from']!r} does not occur exactly once")
                text = text.replace(step["from"], step["to"])
            tree[path] = text
    return tree
