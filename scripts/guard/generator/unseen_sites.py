"""Where the unseen projects have tests, assertions, tables, functions and checks of input: line ranges, by language.

Written for the unseen part alone: it shares no finder with the other parts.
"""
import ast
import re
from dataclasses import dataclass, field

from .tree import Change


@dataclass
class Check:
    """One assertion: lines [start, end) of a test."""
    start: int
    end: int
    form: str  # equal, true, false, raises, near, other
    actual: str = ""
    expected: str = ""
    how: str = ""  # the call or operator it is written with


@dataclass
class Case:
    """One test: lines [start, end); its body is [body, body_end)."""
    path: str
    name: str
    start: int
    head: int
    body: int
    body_end: int
    end: int
    pad: str
    checks: list[Check] = field(default_factory=list)
    table: bool = False  # it has parameters
    group: str = ""


@dataclass
class Body:
    """A function of the product: lines [start, end); its body is [body, body_end)."""
    path: str
    name: str
    start: int
    body: int
    body_end: int
    end: int
    pad: str
    inputs: list[str]
    result: str = ""


@dataclass
class Refusal:
    """`if bad: raise` in the product: lines [start, end), the refusal itself is [at, stop)."""
    path: str
    start: int
    end: int
    at: int
    stop: int
    pad: str


def pad_of(line):
    return line[: len(line) - len(line.lstrip())]


def top_commas(text, lifetimes=False):
    """Splits at commas outside of brackets and quotes."""
    parts, depth, quote, last, at = [], 0, "", 0, 0
    while at < len(text):
        c = text[at]
        if quote:
            if c == "\\":
                at += 1
            elif c == quote:
                quote = ""
        elif c in "\"`" or (c == "'" and not (lifetimes and not re.match(r"'(?:[^'\\]|\\.)'", text[at:]))):
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[last:at].strip())
            last = at + 1
        at += 1
    parts.append(text[last:].strip())
    return [part for part in parts if part]


def match_at(text, at, lifetimes=False):
    """The index of the bracket that closes the one at `at`, or -1."""
    depth, quote = 0, ""
    while at < len(text):
        c = text[at]
        if quote:
            if c == "\\":
                at += 1
            elif c == quote:
                quote = ""
        elif c in "\"`" or (c == "'" and not (lifetimes and not re.match(r"'(?:[^'\\]|\\.)'", text[at:]))):
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return -1


def block_stop(lines, start):
    """The line after the block that begins at `start`, closed at the same indentation."""
    pad = pad_of(lines[start])
    for at in range(start + 1, len(lines)):
        if lines[at].strip() and pad_of(lines[at]) == pad and lines[at].strip()[0] in "})]":
            return at + 1
    return len(lines)


def statement_stop(lines, start, limit):
    """The line after the statement that begins at `start` and ends with a semicolon."""
    for at in range(start, limit):
        if lines[at].rstrip().endswith(";") and (at == start or pad_of(lines[at]) == pad_of(lines[start])):
            return at + 1
    return start + 1


class Files:
    """A project with helpers to rewrite line ranges of its files."""

    def __init__(self, project, rng):
        self.project, self.rng = project, rng

    def lines(self, path):
        return self.project.files[path].split("\n")

    def put(self, variant, path, *ranges, more=None):
        """The change that replaces [(start, end, lines)] of a file, and what `more` holds of others."""
        lines = self.lines(path)
        for start, end, new in sorted(ranges, key=lambda item: item[0], reverse=True):
            lines[start:end] = new
        return Change(variant, {path: "\n".join(lines), **(more or {})})

    def cut(self, path, start, end):
        """The lines of a file without [start, end) and without doubled blank lines."""
        lines = self.lines(path)
        before, after = lines[:start], lines[end:]
        while before and not before[-1].strip() and after and (not after[0].strip() or after[0].strip()[0] in "})"):
            before.pop()
        if before and before[-1].rstrip().endswith(("{", ":")):
            while after and not after[0].strip():
                after.pop(0)
        return before + after

    def without(self, variant, path, start, end):
        return Change(variant, {path: "\n".join(self.cut(path, start, end)).rstrip("\n") + "\n"})


def python_sites(files, path, framework):
    """(tests, functions, refusals) of a Python file."""
    text = files.project.files[path]
    lines = text.split("\n")
    tree = ast.parse(text)
    part = lambda node: ast.get_source_segment(text, node) or ""
    tests, functions, refusals = [], [], []

    def check_of(node):
        start, end = node.lineno - 1, node.end_lineno
        if isinstance(node, ast.Assert):
            test = node.test
            if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
                right = part(test.comparators[0])
                return Check(start, end, "near" if "approx" in right else "equal", part(test.left), right, "assert")
            if isinstance(test, ast.UnaryOp):
                return Check(start, end, "false", part(test.operand), "", "assert")
            return Check(start, end, "other" if isinstance(test, ast.Compare) else "true", part(test), "", "assert")
        if isinstance(node, ast.With):
            for item in node.items:
                call = part(item.context_expr)
                if "raises" in call or "assertRaises" in call:
                    return Check(start, end, "raises", "\n".join(lines[node.body[0].lineno - 1 : end]), call, "with")
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and part(node.value.func).startswith("self.assert"):
            name, arguments = part(node.value.func)[5:], [part(item) for item in node.value.args]
            form = {"assertEqual": "equal", "assertTrue": "true", "assertFalse": "false", "assertAlmostEqual": "near"}.get(name, "other")
            return Check(start, end, form, arguments[0], arguments[1] if len(arguments) > 1 else "", name)
        return None

    def walk(body, group):
        for node in body:
            if isinstance(node, ast.ClassDef):
                walk(node.body, node.name)
            if not isinstance(node, ast.FunctionDef):
                continue
            start = min([item.lineno for item in node.decorator_list] + [node.lineno]) - 1
            first = node.body[0].lineno - 1
            pad = pad_of(lines[first])
            if node.name.startswith("test"):
                case = Case(path, node.name, start, node.lineno - 1, first, node.end_lineno, node.end_lineno, pad, group=group,
                            table="parametrize" in "\n".join(lines[start : node.lineno]) or "@given" in "\n".join(lines[start : node.lineno]))
                for inner in ast.walk(node):
                    found = check_of(inner) if isinstance(inner, ast.stmt) else None
                    if found:
                        case.checks.append(found)
                case.checks.sort(key=lambda item: item.start)
                tests.append(case)
            else:
                if isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant):
                    first = node.body[1].lineno - 1 if len(node.body) > 1 else first
                inputs = [item.arg for item in node.args.args if item.arg not in ("self", "cls")]
                functions.append(Body(path, node.name, start, first, node.end_lineno, node.end_lineno, pad, inputs, part(node.returns) if node.returns else ""))
                for inner in ast.walk(node):
                    if isinstance(inner, ast.If) and len(inner.body) == 1 and isinstance(inner.body[0], ast.Raise) and not inner.orelse:
                        refusals.append(Refusal(path, inner.lineno - 1, inner.end_lineno, inner.body[0].lineno - 1, inner.body[0].end_lineno, pad_of(lines[inner.lineno - 1])))
    walk(tree.body, "")
    return tests, functions, refusals


SCRIPT_TEST = re.compile(r"(\s*)(?:await )?(it|test|t\.test)(\.each)?(?:\(|`)")


def script_check(lines, start, limit):
    """The assertion of JavaScript or TypeScript that begins at a line, or None."""
    if not re.match(r"\s*(?:await )?(?:expect|assert)\b", lines[start]):
        return None
    end = statement_stop(lines, start, limit)
    text = "\n".join(lines[start:end]).strip()
    found = re.match(r"(await )?assert\.(\w+)\(", text)
    if found:
        how = found.group(2)
        arguments = top_commas(text[found.end() : match_at(text, found.end() - 1)])
        form = {"equal": "equal", "deepEqual": "equal", "strictEqual": "equal", "throws": "raises", "rejects": "raises", "ok": "true"}.get(how, "other")
        return Check(start, end, form, arguments[0], arguments[1] if len(arguments) > 1 else "", how)
    found = re.match(r"(await )?expect\(", text)
    if not found:
        return None
    close = match_at(text, found.end() - 1)
    actual, rest = text[found.end() : close], text[close + 1 :].rstrip(";")
    named = re.match(r"((?:\.(?:to|be|have|not|deep|resolves|rejects|instanceOf|lengthOf)\b)*\.?\w+)\(", rest)
    if not named:
        return Check(start, end, "other", actual, "", rest)
    how = named.group(1)
    inner = rest[named.end() : match_at(rest, named.end() - 1)]
    if how in (".to.equal", ".to.deep.equal", ".toBe", ".toEqual", ".toStrictEqual"):
        form = "equal"
    elif "hrow" in how:
        form = "raises"
    elif how in (".toBeCloseTo", ".to.be.closeTo"):
        form = "near"
    else:
        form = "other"
    return Check(start, end, form, actual, inner, ("await " if found.group(1) else "") + how)


def script_sites(files, path, framework):
    lines = files.lines(path)
    tests, functions, refusals = [], [], []
    group = ""
    for at, line in enumerate(lines):
        found = SCRIPT_TEST.match(line)
        if found and re.search(r"\.(?:test|spec)\.[jt]s$", path):
            pad = found.group(1)
            end = next((row + 1 for row in range(at + 1, len(lines)) if re.match(re.escape(pad) + r"\}.*\);$", lines[row])), 0)
            head = next((row for row in range(at, end) if re.search(r"(?:=>|function \(\)) \{$", lines[row])), -1)
            if not end or head < 0:
                continue
            title = re.search(r"[(`](['`])(.*?)\1,", "\n".join(lines[at : head + 1]))
            inner = re.search(r"(?m)t\.test\(", "\n".join(lines[head + 1 : end]))
            case = Case(path, title.group(2) if title else "", at, at, head + 1, end - 1, end, pad + "  ",
                        table=bool(found.group(3)) or "${" in line, group=group)
            row = case.body
            while row < case.body_end and not inner:
                check = script_check(lines, row, case.body_end)
                if check:
                    case.checks.append(check)
                row = check.end if check else row + 1
            if not inner:
                tests.append(case)
        opened = re.match(r"describe\('(.*)', ", line)
        group = opened.group(1) if opened else "" if line.startswith("}") else group
        if re.search(r"\.(?:test|spec)\.[jt]s$", path):
            continue
        found = re.match(r"(\s*)(?:export )?(?:async )?(?:function )?(\w+)\((.*)\)(?:: ([^{]+))? \{$", line)
        if found and found.group(2) not in ("if", "for", "while", "switch", "catch", "super", "constructor") and (found.group(1) or "function" in line):
            end = block_stop(lines, at)
            inputs = [re.match(r"\W*(\w+)", item).group(1) for item in top_commas(found.group(3)) if re.match(r"\W*\w", item)]
            functions.append(Body(path, found.group(2), at, at + 1, end - 1, end, found.group(1) + "  ", inputs, (found.group(4) or "").strip()))
        if re.match(r"\s*if \(.*\) \{$", line) and lines[at + 1].strip().startswith("throw ") and at + 2 < len(lines) and lines[at + 2].strip() == "}":
            refusals.append(Refusal(path, at, at + 3, at + 1, at + 2, pad_of(line)))
    return tests, functions, refusals


def go_check(lines, start, limit):
    line = lines[start]
    found = re.match(r"\s*(assert|require|s|s\.Require\(\))\.([A-Z]\w*)\((t, )?", line)
    if found and found.group(2) not in ("Run", "Require", "T", "On", "Called"):
        text = line.strip()
        inner = text[text.index("(", len(found.group(1)) if found.group(1) != "s.Require()" else 12) + 1 : -1]
        arguments = top_commas(inner.removeprefix("t, "))
        how = found.group(1) + "." + found.group(2)
        name = found.group(2)
        if name == "Equal":
            return Check(start, start + 1, "equal", arguments[1], arguments[0], how)
        if name == "InDelta":
            return Check(start, start + 1, "near", arguments[1], arguments[0], how)
        if name in ("EqualError", "ErrorContains", "ErrorIs"):
            return Check(start, start + 1, "raises", arguments[0], arguments[1], how)
        return Check(start, start + 1, "other", arguments[0], "", how)
    if re.match(r"\s*if .* \{$", line):
        end = block_stop(lines, start)
        block = "\n".join(lines[start:end])
        if re.search(r"\bt\.(?:Error|Fatal)f?\(", block) and "*update" not in block:
            head = re.match(r"\s*if (?:(.*); )?(.*) \{$", line)
            operands = re.fullmatch(r"(\S.*?) != (\S+|\"[^\"]*\")", head.group(2))
            form = "raises" if "err" in head.group(2) else "equal" if operands and "||" not in head.group(2) else "other"
            if head.group(2) == "err != nil":
                form = "noerror"
            if "math.Abs" in head.group(2):
                form = "near"
            return Check(start, end, form, operands.group(1) if operands else head.group(2), operands.group(2) if operands else "", head.group(1) or "")
    return None


def go_sites(files, path, framework):
    lines = files.lines(path)
    tests, functions, refusals = [], [], []
    for at, line in enumerate(lines):
        found = re.match(r"func (?:\(s \*\w+\) )?((?:Test|Fuzz)\w+)\((?:[tf] \*testing\.[TF])?\) \{$", line)
        if found and path.endswith("_test.go"):
            end = block_stop(lines, at)
            body = "\n".join(lines[at:end])
            if "suite.Run" in body:
                continue
            case = Case(path, found.group(1), at, at, at + 1, end - 1, end, "\t", table="range" in body or "Fuzz" in line)
            row = case.body
            while row < case.body_end:
                check = go_check(lines, row, case.body_end)
                if check:
                    case.checks.append(check)
                row = check.end if check else row + 1
            tests.append(case)
        elif not path.endswith("_test.go") and line.startswith("func "):
            found = re.match(r"func (?:\(\w+ \*?\w+\) )?(\w+)\((.*?)\) ?(.*) \{$", line)
            if found:
                end = block_stop(lines, at)
                inputs = [item.split()[0] for item in top_commas(found.group(2))]
                start = at
                while start and lines[start - 1].startswith("//"):
                    start -= 1
                functions.append(Body(path, found.group(1), start, at + 1, end - 1, end, "\t", inputs, found.group(3)))
        if not path.endswith("_test.go") and re.match(r"\s*if .* \{$", line) and at + 2 < len(lines) and lines[at + 2].strip() == "}" \
                and re.match(r"\s*return .*(?:fmt\.Errorf|errors\.New|Err[A-Z])", lines[at + 1]):
            refusals.append(Refusal(path, at, at + 3, at + 1, at + 2, pad_of(line)))
    return tests, functions, refusals


def rust_sites(files, path, framework):
    lines = files.lines(path)
    tests, functions, refusals = [], [], []
    inside = False
    for at, line in enumerate(lines):
        inside = inside or line.startswith("#[cfg(test)]")
        found = re.match(r"(\s*)(?:pub )?fn (\w+)(?:<.*?>)?\((.*)\)(?: -> (.*))? \{$", line)
        if found:
            start = at
            while start and re.match(r"\s*(?:#\[|///)", lines[start - 1]) and not lines[start - 1].startswith("#[cfg(test)]"):
                start -= 1
            marks = "\n".join(lines[start:at])
            end = block_stop(lines, at)
            if "#[test]" in marks or "#[rstest]" in marks:
                case = Case(path, found.group(2), start, at, at + 1, end - 1, end, found.group(1) + "    ",
                            table="#[case" in marks or "#[values" in line or " in " in found.group(3))
                row = case.body
                while row < case.body_end:
                    check = rust_check(lines, row, case.body_end)
                    if check:
                        case.checks.append(check)
                    row = check.end if check else row + 1
                tests.append(case)
            elif not inside and path.startswith("src/"):
                inputs = [item.split(":")[0].strip() for item in top_commas(found.group(3), True) if "self" not in item]
                functions.append(Body(path, found.group(2), start, at + 1, end - 1, end, found.group(1) + "    ", inputs, found.group(4) or ""))
        if not inside and path.startswith("src/") and re.match(r"\s*if .* \{$", line) and re.match(r"\s*return Err\(", lines[at + 1]) and lines[at + 2].strip() == "}":
            refusals.append(Refusal(path, at, at + 3, at + 1, at + 2, pad_of(line)))
    return tests, functions, refusals


def rust_check(lines, start, limit):
    if not re.match(r"\s*(?:prop_)?assert(?:_eq|_ne)?!\(", lines[start]):
        return None
    end = statement_stop(lines, start, limit)
    text = "\n".join(lines[start:end]).strip()
    opened = text.index("(")
    arguments = top_commas(text[opened + 1 : match_at(text, opened, True)], True)
    how = text[: opened - 1]
    if how.endswith("assert_eq"):
        return Check(start, end, "raises" if "unwrap_err" in arguments[0] or arguments[1].startswith("Err(") else "equal", arguments[0], arguments[1], how)
    return Check(start, end, "near" if ".abs()" in arguments[0] else "true" if how.endswith("assert") else "other", arguments[0], "", how)


FINDERS = {"python": python_sites, "javascript": script_sites, "typescript": script_sites, "go": go_sites, "rust": rust_sites}
SUFFIX = {"python": (".py",), "javascript": (".js",), "typescript": (".ts",), "go": (".go",), "rust": (".rs",)}
