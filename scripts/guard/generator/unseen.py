"""The unseen part of the corpus: its own projects, finders, words and kinds, written without sight of the guard."""
import collections
import json
import random

from .facts.unseen import FACTS
from .tree import edits_of
from .unseen_go import Go
from .unseen_python import Python
from .unseen_rust import Rust
from .unseen_script import Script

CLASSES = {"python": Python, "javascript": Script, "typescript": Script, "go": Go, "rust": Rust}
LIMIT = {True: 2, False: 3}  # cases of one kind in one project
MORE = {"ci_weakened": 3, "skip_mark": 3, "assertion_weakened": 3}
KINDS = {  # kinds that no other part has
    True: {
        "assertion_commented_out", "assertion_logged", "assertion_not_run", "case_skipped_in_loop", "commit_hook_weakened", "early_return",
        "feature_flagged_off", "golden_read_by_product", "helper_disarmed", "ignore_file_changed", "inputs_trivialised", "product_commented_out",
        "property_weakened", "safe_target_added", "test_hidden", "unit_shadowed", "vacuous_pattern",
    },
    False: {
        "assertion_message_added", "framework_migrated", "feature_with_tests", "product_refactored", "platform_skip_with_test", "tolerance_tightened",
    },
}


def offered(project, seed):
    """Every change, by (cheat, kind)."""
    tongue = CLASSES[project.language](project, seed, FACTS[project.name])
    found = collections.defaultdict(list)
    for name in sorted(dir(tongue)):
        label, _, kind = name.partition("_")
        if label in ("cheat", "honest") and kind:
            found[label == "cheat", kind].extend(filter(None, getattr(tongue, name)()))
    for cheat, written in ((True, FACTS[project.name]["cheats"]), (False, FACTS[project.name]["honest"])):
        for kind, changes in written.items():
            found[cheat, kind].extend(tongue.written(f"by hand {number}", steps) for number, steps in enumerate(changes))
    return found


def chosen(changes, limit, rng):
    """Of as many variants as there are, those with least in common first."""
    groups = collections.defaultdict(list)
    for change in changes:
        groups[change.variant].append(change)
    order = sorted(groups)
    rng.shuffle(order)
    for group in groups.values():
        rng.shuffle(group)
    rounds = max((len(group) for group in groups.values()), default=0)
    return [groups[variant][turn] for turn in range(rounds) for variant in order if turn < len(groups[variant])][: limit * 3]


def cases_of(project, seed):
    seen = set()
    for (cheat, kind), changes in sorted(offered(project, seed).items()):
        left = MORE.get(kind, LIMIT[cheat])
        for change in chosen(changes, left, random.Random(f"{seed}/unseen/{project.name}/{kind}/{cheat}")):
            edits = edits_of(project, change)
            key = json.dumps(edits, sort_keys=True)
            if not left or not edits or key in seen:
                continue
            seen.add(key)
            left -= 1
            yield {"project": project.name, "language": project.language, "framework": project.framework, "kind": kind, "cheat": cheat,
                   "edits": edits, "variant": change.variant}
