//! Looking at what an attempt left with the eyes of the guard.

use piton_git::{Entry, Tree};
use piton_guard::{Known, Options, is_of_tests, is_protected, pattern_of};
use piton_model::State;
use piton_model::loop_machine::{Counts, Finding, GuardMode, GuardReport, Snapshot, WRITES_TEST};
use piton_sys::redact::Redactor;
use piton_sys::{Clock, SystemClock};

use super::protected::{Base, rules};
use super::{Context, WorldError, snapshot_id};

/// The rule about protected paths.
const PROTECTED: &str = "protected-path-changed";

/// What Python takes from the top of the tree before its own.
const SHADOWS: [&str; 7] =
    ["unittest.py", "unittest", "pytest.py", "pytest", "_pytest", "sitecustomize.py", "usercustomize.py"];

/// What the guard says about `after`, compared with the last judged tree: the one before the iteration, and about what was done where
/// no snapshot looks. `None` where it was not asked, or has nothing to compare.
pub(super) fn look(
    context: &Context,
    state: &State,
    after: &Snapshot,
    unseen: Vec<(String, String)>,
) -> Result<Option<GuardReport>, WorldError> {
    let before = state.work.before.as_ref().filter(|before| before.tree != after.tree || !unseen.is_empty());
    let Some(before) = before.filter(|_| state.config.guard != GuardMode::Off) else { return Ok(None) };
    let known = Base::of(context, state, before)?;
    let (base, head) =
        (context.workspace.tree(&snapshot_id(&before.id)?), context.workspace.tree(&snapshot_id(&after.id)?));
    let failed = |error: piton_guard::ReadError| WorldError::Guard { what: error.to_string() };
    let begin = SystemClock.monotonic();
    // What did not change needs no protection.
    let (changed, now) = head.differs_from(&base).map_err(|error| failed(error.into()))?;
    let is_there = |path: &str| changed.binary_search_by(|entry| entry.path.as_str().cmp(path)).is_ok();
    let new: Vec<_> = now.iter().map(|entry| entry.path.as_str()).filter(|path| !is_there(path)).collect();
    let mut protected = rules(state);
    let texts = |path: &str| {
        let side = |tree: &piton_git::CommittedTree, entries: &[Entry]| {
            let entry = entries.iter().find(|entry| entry.path == path)?;
            tree.read(std::slice::from_ref(entry)).ok()?.pop()
        };
        (side(&base, &changed), side(&head, &now))
    };
    let differing = changed.iter().map(|entry| entry.path.as_str()).chain(new.iter().copied());
    protected.extend(known.run_of(differing, &texts));
    protected.extend(shadows(&new, &known.entries));
    protected.extend(known.shadows_of_runners().filter(|path| new.contains(&path.as_str())));
    let mut unseen = unseen;
    if known.has_links_that_judge() {
        let written = context.workspace.written(&snapshot_id(&before.id)?, &snapshot_id(&after.id)?)?;
        let written: Vec<String> = written.iter().map(|change| change.path.to_string()).collect();
        let links = known.links_of(written.iter().map(String::as_str));
        let said = |path: String| (path.clone(), format!("`{path}` is a link that is protected and changed"));
        unseen.extend(links.into_iter().map(said));
    }
    let today = today();
    let options =
        Options { protected, today: today.clone(), distrust: true, only_changed: true, measuring: false };
    let mut report = piton_guard::compare(&base, &head, &options, &mut Known::default()).map_err(failed)?;
    let is_said = |path: &str| report.findings.iter().any(|finding| is_protected(&finding.file, path));
    let unseen = unseen.into_iter().filter(|(path, _)| !is_said(path)).collect::<Vec<_>>();
    report.findings.splice(0..0, piton_guard::protected_unseen(unseen));
    report.findings.retain(|finding| !is_off(state, &finding.rule, today.as_deref()));
    for finding in &mut report.findings {
        finding.pattern = pattern_of(finding, &is_there);
    }
    let duration_ms = (SystemClock.monotonic() - begin).as_millis() as u64;
    Ok(Some(GuardReport { duration_ms, ..kept(report, context.launch.redactor()) }))
}

/// Today, for allowances that expire.
pub(super) fn today() -> Option<String> {
    SystemClock.now().to_string().split('T').next().map(str::to_owned)
}

/// Whether a rule about what checks write is switched off today.
pub(super) fn allows_writing_tests(state: &State) -> bool {
    is_off(state, WRITES_TEST, today().as_deref())
}

/// Whether somebody switched the rule off, and that still holds.
pub(super) fn is_off(state: &State, rule: &str, today: Option<&str>) -> bool {
    let holds = |expires: &Option<String>| match (expires, today) {
        (Some(expires), Some(today)) => today <= expires.as_str(),
        _ => true,
    };
    state.config.rules_off.iter().any(|off| off.rule == rule && holds(&off.expires))
}

/// Whether what is done to what is protected blocks.
pub(super) fn blocks_what_is_protected(state: &State) -> bool {
    !is_off(state, PROTECTED, today().as_deref())
}

/// What among these new files Python would load in place of what runs the tests, or of a test; not what takes the place of something
/// that was there by that name. What no snapshot has is found on disk ([`super::unseen`]).
fn shadows(new: &[&str], entries: &[Entry]) -> Vec<String> {
    let of_runner = SHADOWS.iter().filter(|name| new.iter().any(|path| is_protected(path, name)));
    let packages = new.iter().filter_map(|path| path.strip_suffix("/__init__.py"));
    let packages: Vec<_> = packages.filter(|package| is_of_tests(&format!("{package}.py"))).collect();
    let mut found: Vec<String> = of_runner.map(|name| (*name).to_owned()).collect();
    found.retain(|name| !entries.iter().any(|entry| is_protected(&entry.path, name)));
    let has = |path: &str| entries.iter().any(|entry| entry.path == path);
    let packages = packages.into_iter().filter(|package| has(&format!("{package}.py")));
    found.extend(packages.map(|package| format!("{package}/__init__.py")));
    found
}

/// What a run keeps of a report: no excerpts, and no secret that a sentence quotes.
fn kept(report: piton_guard::Report, redactor: &Redactor) -> GuardReport {
    let clean = |finding: Finding| {
        let finding = finding.without_excerpts();
        Finding { message: redactor.redact(&finding.message).into_owned(), ..finding }
    };
    let (tests, assertions) = (report.tests, report.assertions);
    let findings_total = report.findings.len() as u32;
    let findings = report.findings.into_iter().filter(|finding| finding.allowed.is_none());
    GuardReport {
        tests: Counts { before: tests.before as u64, after: tests.after as u64 },
        assertions: Counts { before: assertions.before as u64, after: assertions.after as u64 },
        findings: findings.map(clean).collect(),
        findings_total,
        duration_ms: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_loads_instead_is_found_unless_it_was_there() {
        let entry = |path: &str| Entry { path: path.to_owned(), id: String::new() };
        let found = |new: &[&str], old: &[&str]| {
            shadows(new, &old.iter().map(|path| entry(path)).collect::<Vec<_>>())
        };
        assert_eq!(found(&["unittest.py", "a.py"], &["test_a.py"]), ["unittest.py"]);
        assert_eq!(found(&["pytest/__init__.py"], &[]), ["pytest"]);
        assert_eq!(found(&["tests/test_a/__init__.py"], &["tests/test_a.py"]), ["tests/test_a/__init__.py"]);
        let none: [&str; 0] = [];
        assert_eq!(found(&["pytest/new.py"], &["pytest/old.py"]), none);
        assert_eq!(found(&["tests/unittest.py", "test_b/__init__.py", "a/__init__.py"], &["a.py"]), none);
    }
}
