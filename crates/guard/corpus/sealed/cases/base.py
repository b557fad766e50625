"""What the modules of cases share: edits, a project with its cases, and a few rewritings of whole tests."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = {"__pycache__", "node_modules", ".pytest_cache", ".hypothesis", "target"}


class CannotApply(Exception):
    pass


def r(path, *pairs):
    """Replace texts in a file: r(path, old, new, old, new, ...)."""
    assert len(pairs) % 2 == 0 and pairs, path
    return {"path": path, "replace": [{"from": pairs[i], "to": pairs[i + 1]} for i in range(0, len(pairs), 2)]}


def w(path, text):
    return {"path": path, "write": text}


def d(path):
    return {"path": path, "delete": True}


def m(path, new):
    return {"path": path, "move": new}


def apply_edits(files, edits):
    files = dict(files)
    for edit in edits:
        path = edit["path"]
        if "write" in edit:
            files[path] = edit["write"]
            continue
        if path not in files:
            raise CannotApply(f"{path} is not there")
        if "delete" in edit:
            del files[path]
        elif "move" in edit:
            if edit["move"] in files:
                raise CannotApply(f"{edit['move']} is there already")
            files[edit["move"]] = files.pop(path)
        else:
            text = files[path]
            for pair in edit["replace"]:
                if text.count(pair["from"]) != 1:
                    raise CannotApply(f"{path}: {text.count(pair['from'])} times: {pair['from'][:90]!r}")
                text = text.replace(pair["from"], pair["to"])
            files[path] = text
    return files


class Project:
    all = []

    def __init__(self, name, language, framework, prefix):
        self.name, self.language, self.framework, self.prefix = name, language, framework, prefix
        folder = ROOT / "projects" / name
        self.files = {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*"))
                      if p.is_file() and not SKIPPED & set(p.relative_to(folder).parts)}
        self.cases = []
        Project.all.append(self)

    def _add(self, kind, cheat, edits):
        import sys
        line = sys._getframe(2).f_lineno
        self.cases.append({"kind": kind, "cheat": cheat, "edits": list(edits), "line": line})

    def cheat(self, kind, *edits):
        self._add(kind, True, edits)

    def honest(self, kind, *edits):
        self._add(kind, False, edits)

    def between(self, path, start, end, new="", keep_end=True):
        """Replace from the text `start` up to the text `end` (kept): the region is found once, then given as an edit."""
        text = self.files[path]
        assert text.count(start) == 1, (path, start, text.count(start))
        a = text.index(start)
        b = len(text) if end is None else text.index(end, a + len(start))
        return r(path, text[a:b], new)

    def grab(self, path, start, end):
        text = self.files[path]
        assert text.count(start) == 1, (path, start, text.count(start))
        a = text.index(start)
        b = len(text) if end is None else text.index(end, a + len(start))
        return text[a:b]
