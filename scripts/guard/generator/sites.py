"""Places in a project that a transformation can work on, and helpers shared by all languages."""
import re
from dataclasses import dataclass, field


@dataclass
class Assertion:
    """One assertion: lines [start, end) of the file."""
    start: int
    end: int
    form: str  # equal, true, false, raises, near, no_error, other
    actual: str = ""
    expected: str = ""
    detail: str = ""


@dataclass
class Test:
    path: str
    name: str
    start: int  # the first line, decorators and attributes included
    head: int  # the line that declares it
    body: int  # the first line of its body
    end: int  # the line after its last
    indent: str
    assertions: list[Assertion] = field(default_factory=list)
    group: str = ""
    parameterised: bool = False
    skipped: bool = False
    close: int = 0  # lines after the body that belong to the test, such as a closing brace

    @property
    def body_end(self):
        return self.end - self.close


@dataclass
class Table:
    """Rows of a parameterised test: whole lines, or elements of a list within one line."""
    path: str
    test: str
    rows: list[int] = field(default_factory=list)
    line: int = -1
    span: tuple[int, int] = (0, 0)
    elements: list[str] = field(default_factory=list)


@dataclass
class Function:
    """A function of the product: lines [start, end), body [body, body_end)."""
    path: str
    name: str
    start: int
    head: int
    body: int
    body_end: int
    end: int
    indent: str
    parameters: list[str]
    returns: str = ""
    public: bool = True
    owner: str = ""


@dataclass
class Guard:
    """A check of the product that refuses bad input: lines [start, end), the refusal is at `refusal`."""
    path: str
    start: int
    end: int
    refusal: int
    indent: str
    function: str = ""


def indent_of(line):
    return line[: len(line) - len(line.lstrip())]


def put(project, path, start, end, new, text=None):
    """The text of a file with lines [start, end) replaced."""
    lines = (project.files[path] if text is None else text).split("\n")
    return "\n".join(lines[:start] + list(new) + lines[end:])


def put_many(project, path, parts):
    """The same for several ranges [(start, end, new)], which must not overlap."""
    lines = project.lines(path)
    for start, end, new in sorted(parts, key=lambda part: part[0], reverse=True):
        lines[start:end] = list(new)
    return "\n".join(lines)


def without_range(lines, start, end):
    """Lines without [start, end) and without the blank lines this leaves doubled."""
    before, after = lines[:start], lines[end:]
    while before and after and not before[-1].strip() and not after[0].strip():
        before.pop()
        if after and not after[0].strip() and before and not before[-1].strip():
            continue
        break
    if after and not after[0].strip() and before and before[-1].rstrip().endswith(("{", ":")):
        after = after[1:]
    if before and not before[-1].strip() and after and after[0].strip().startswith("}"):
        before.pop()
    while before and not before[-1].strip() and not any(line.strip() for line in after):
        before.pop()
    return before + after


def drop(project, path, ranges):
    lines = project.lines(path)
    for start, end in sorted(ranges, reverse=True):
        lines = without_range(lines, start, end)
    text = "\n".join(lines)
    return text if text.endswith("\n") else text + "\n"


def shift(lines, by):
    return [by + line if line.strip() else line for line in lines]


def opens_quote(text, at, lifetimes):
    """Whether a quote begins here; where there are lifetimes, `'a` is none."""
    if text[at] != "'" or not lifetimes:
        return text[at] in "\"'`"
    return bool(re.match(r"'(?:[^'\\]|\\.)'", text[at:]))


def split_arguments(text, lifetimes=False):
    """Splits at commas that are outside of brackets and quotes."""
    parts, depth, quote, start, at = [], 0, "", 0, 0
    while at < len(text):
        c = text[at]
        if quote:
            if c == "\\":
                at += 1
            elif c == quote:
                quote = ""
        elif opens_quote(text, at, lifetimes):
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
        at += 1
    rest = text[start:].strip()
    if rest:
        parts.append(rest)
    return parts


def closing(text, at, lifetimes=False):
    """The index of the bracket that closes the one at `at`, or -1."""
    depth, quote = 0, ""
    while at < len(text):
        c = text[at]
        if quote:
            if c == "\\":
                at += 1
            elif c == quote:
                quote = ""
        elif opens_quote(text, at, lifetimes):
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return -1


def block_end(lines, start, indent, closers=("}",)):
    """The line after the block that begins at `start` and is closed at the same indentation."""
    for at in range(start + 1, len(lines)):
        line = lines[at]
        if line.strip() and indent_of(line) == indent and line.strip().startswith(closers):
            return at + 1
    return len(lines)


NUMBER = re.compile(r"-?\d[\d_]*(?:\.\d+)?")


def literal_kind(text):
    text = text.strip()
    if re.fullmatch(r"-?\d[\d_]*u?", text):
        return "int"
    if re.fullmatch(r"-?\d[\d_]*\.\d+", text):
        return "float"
    if re.fullmatch(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", text):
        return "text"
    if text in ("true", "false", "True", "False"):
        return "bool"
    if text in ("null", "None", "nil", "undefined"):
        return "null"
    if re.fullmatch(r"(?:vec!|\[\]\w+)?[\[{](.*)[\]}]", text, re.S) and not re.search(r"[a-zA-Z_]\w*\(", text):
        return "list"
    wrapped = re.fullmatch(r"(?:Ok|Err|Some)\((.*)\)", text)
    if wrapped and literal_kind(wrapped.group(1)):
        return "wrapped"
    return ""


def other_value(text, rng):
    """A literal that is wrong where `text` was right, or None."""
    kind = literal_kind(text)
    text = text.strip()
    if kind == "int":
        number = int(text.rstrip("u").replace("_", ""))
        return str(rng.choice([number + 1, number - 1 if number > 1 else number + 2, number * 10 or 7]))
    if kind == "float":
        return rng.choice([f"{float(text) + 1:.1f}", f"{float(text) * 10:.1f}" if float(text) else "0.5"])
    if kind == "text":
        quote, inner = text[0], text[1:-1]
        if "\\" in inner:
            return None
        options = [inner + "s", inner.upper(), inner.title(), inner[:-1], "unknown" if inner != "unknown" else "none"]
        options = [option for option in options if option != inner]
        return quote + rng.choice(options) + quote
    if kind == "bool":
        return {"true": "false", "false": "true", "True": "False", "False": "True"}[text]
    if kind == "list":
        numbers = list(NUMBER.finditer(text))
        strings = list(re.finditer(r"\"([^\"\\]+)\"|'([^'\\]+)'", text))
        if strings:
            found = rng.choice(strings)
            inner = found.group(1) or found.group(2)
            if len(inner) > 1 or not numbers:
                return text[: found.start() + 1] + inner + "x" + text[found.end() - 1 :]
        if numbers:
            found = rng.choice(numbers)
            if "." in found.group():
                return text[: found.start()] + f"{float(found.group()) + 1:.1f}" + text[found.end() :]
            return text[: found.start()] + str(int(found.group().replace("_", "")) + 1) + text[found.end() :]
        return None
    if kind == "wrapped":
        outer, inner = re.fullmatch(r"(Ok|Err|Some)\((.*)\)", text).groups()
        changed = other_value(inner, rng)
        return f"{outer}({changed})" if changed else None
    return None


def same_bodies(project, tests):
    """Tests whose body occurs in another test as well: (path, name)."""
    seen = {}
    for test in tests:
        body = "\n".join(line.strip() for line in project.lines(test.path)[test.body : test.body_end])
        seen.setdefault(body, []).append((test.path, test.name))
    return {place for places in seen.values() if len(places) > 1 for place in places}
