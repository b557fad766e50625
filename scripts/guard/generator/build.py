"""Collects the changes of every kind, picks some of each, and writes them."""
import collections
import difflib
import json
import random
import tomllib

from . import unseen
from .fresh import CLASSES as FRESH_CLASSES
from .fresh import KINDS as FRESH_KINDS
from .settings import CHEATS, HONEST, Settings
from .tree import CORPUS, apply_edits, edits_of, load_projects

SEED = "2024"
LIMIT = {"cheat": 3, "honest": 3}  # cases of one kind in one project
FOLDERS = ("development", "held_out", "fresh", "unseen")
FRESH_LIMIT, FRESH_OWN_LIMIT = 1, 2  # in the fresh part: of kinds that others have, and of its own
MORE = {  # kinds whose sites are few but matter, or that have many forms
    "skip_mark": 5, "assertion_weakened": 5, "tautology": 4, "ci_weakened": 4, "assertion_removed": 4,
}
FEWER = {"java", "csharp", "ruby", "php", "cpp"}
SHORT = {"python": "py", "javascript": "js", "typescript": "ts", "rust": "rs", "csharp": "cs", "ruby": "rb"}


def languages():
    from .go import Go
    from .javascript import JavaScript
    from .others import CPlusPlus, CSharp, Java, Php, Ruby
    from .python import Python
    from .rust import Rust
    return {"python": Python, "javascript": JavaScript, "typescript": JavaScript, "go": Go, "rust": Rust,
            "java": Java, "csharp": CSharp, "ruby": Ruby, "php": Php, "cpp": CPlusPlus}


def candidates(project, seed, classes, fresh):
    """Every change the project offers, by (cheat, kind)."""
    language = (FRESH_CLASSES if fresh else classes)[project.language](project, seed)
    found = collections.defaultdict(list)
    for name in sorted(dir(language)):
        label, _, kind = name.partition("_")
        if label in ("cheat", "honest") and kind:
            found[label == "cheat", kind].extend(filter(None, getattr(language, name)()))
    if project.language not in FEWER:
        settings = Settings(language)
        for cheat, rules in ((True, CHEATS), (False, HONEST)):
            for kind, change in settings.changes(rules):
                if fresh and kind == "snapshot_regenerated":
                    continue  # these projects have no snapshots
                found[cheat, kind].append(change)
    return found


def pick(changes, limit, rng):
    """At most `limit`, of as many variants as there are."""
    groups = collections.defaultdict(list)
    for change in changes:
        groups[change.variant].append(change)
    for group in groups.values():
        rng.shuffle(group)
    order = sorted(groups)
    rng.shuffle(order)
    chosen = []
    while order and len(chosen) < limit:
        for variant in list(order):
            if len(chosen) == limit:
                break
            chosen.append(groups[variant].pop())
            if not groups[variant]:
                order.remove(variant)
    return chosen


def cases_of(project, seed, classes, fresh=False):
    seen = set()
    for (cheat, kind), changes in sorted(candidates(project, seed, classes, fresh).items()):
        rng = random.Random(f"{seed}/{project.name}/{kind}/{cheat}")
        limit = MORE.get(kind, LIMIT["cheat" if cheat else "honest"])
        if project.language in FEWER:
            limit = 2
        if fresh:
            limit = FRESH_OWN_LIMIT if kind in FRESH_KINDS[cheat] else FRESH_LIMIT
        for change in pick(changes, limit * 2, rng):
            if limit == 0:
                break
            edits = edits_of(project, change)
            key = json.dumps(edits, sort_keys=True)
            if not edits or key in seen:
                continue
            seen.add(key)
            limit -= 1
            yield {"project": project.name, "language": project.language, "framework": project.framework, "kind": kind, "cheat": cheat,
                   "edits": edits, "variant": change.variant}


def load_split():
    return tomllib.loads((CORPUS / "split.toml").read_text())


def folder_of(case, split):
    """The part of the corpus a case belongs to."""
    for part in ("fresh", "unseen"):
        if case["project"] in split[part]["projects"]:
            return part
    held = split["held_out"]
    if (case["kind"] in held["cheat_kinds" if case["cheat"] else "honest_kinds"] or case["framework"] in held["frameworks"]
            or case["project"] in held["projects"]):
        return "held_out"
    return "development"


def numbered(cases, split):
    counters = collections.Counter()
    for case in cases:
        folder = folder_of(case, split)
        part = f"{folder}-" if folder in ("fresh", "unseen") else ""
        prefix = f"{part}{SHORT.get(case['language'], case['language'])}-{case['framework'].replace(':', '-')}"
        counters[prefix] += 1
        yield {"id": f"{prefix}-{counters[prefix]:04d}", **case}


def show(project, case):
    print(f"\n##### {case.get('id', '')} {project.name} {case['kind']} {'CHEAT' if case['cheat'] else 'honest'} [{case.get('variant', '')}]")
    for edit in case["edits"]:
        if "move" in edit:
            print(f"    move {edit['path']} -> {edit['move']}")
        if "delete" in edit:
            print(f"    delete {edit['path']}")
    head = apply_edits(project.files, case["edits"])
    for path in sorted(set(head) | set(project.files)):
        before, after = project.files.get(path, ""), head.get(path, "")
        if before != after and (path in head or "delete" not in str(case["edits"])):
            print("\n".join(difflib.unified_diff(before.split("\n"), after.split("\n"), path, path, lineterm="", n=2)))


def print_counts(cases, split):
    table = collections.defaultdict(collections.Counter)
    for case in cases:
        table[case["cheat"], case["kind"]][case["language"]] += 1
        table[case["cheat"], case["kind"]][folder_of(case, split)] += 1
        table[case["cheat"], "all"][case["language"]] += 1
        table[case["cheat"], "all"][folder_of(case, split)] += 1
    columns = ["python", "javascript", "typescript", "go", "rust", "java", "csharp", "ruby", "php", "cpp", *FOLDERS]
    print("label   kind".ljust(42) + "".join(column[:6].rjust(7) for column in columns))
    for (cheat, kind), counter in sorted(table.items(), key=lambda item: (not item[0][0], item[0][1] == "all", item[0][1])):
        print(f"{'cheat' if cheat else 'honest':8}{kind:34}" + "".join(str(counter[column] or "").rjust(7) for column in columns))


def all_cases(projects, seed, split):
    classes = languages()

    def cases(project):
        if project.name in split["unseen"]["projects"]:
            return unseen.cases_of(project, seed)
        return cases_of(project, seed, classes, project.name in split["fresh"]["projects"])

    return list(numbered((case for project in projects for case in cases(project)), split))


def texts_of(cases, split):
    """What the files hold, by folder and language."""
    lines = collections.defaultdict(list)
    for case in cases:
        folder = folder_of(case, split)
        line = {key: value for key, value in case.items() if key != "variant"}
        lines[folder, case["language"]].append(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
    return {place: "\n".join(found) + "\n" for place, found in lines.items()}


def main(options):
    split = load_split()
    projects = [project for project in load_projects() if options.only in (None, project.name)]
    by_name = {project.name: project for project in projects}
    cases = all_cases(projects, options.seed, split)
    if options.show:
        for case in cases:
            if case["kind"] == options.show:
                show(by_name[case["project"]], case)
    if options.counts:
        print_counts(cases, split)
    if options.dry_run or options.only or options.show:
        return 0
    files = texts_of(cases, split)
    for folder in FOLDERS:
        (CORPUS / folder).mkdir(exist_ok=True)
        for old in (CORPUS / folder).glob("*.jsonl"):
            old.unlink()
    for (folder, language), text in sorted(files.items()):
        (CORPUS / folder / f"{language}.jsonl").write_text(text)
    print(f"{len(cases)} cases, {sum(len(text.encode()) for text in files.values())} bytes")
    return 0
