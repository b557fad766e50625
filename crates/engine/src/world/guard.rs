//! Looking at what an attempt left with the eyes of the guard.

use piton_git::{Entry, Tree};
use piton_guard::{Known, Options, is_of_tests, is_protected, pattern_of};
use piton_model::State;
use piton_model::loop_machine::{Counts, Finding, GuardMode, GuardReport, Probe, Snapshot, WRITES_TEST};
use piton_sys::redact::Redactor;
use piton_sys::{Clock, SystemClock};

use super::{Context, WorldError, snapshot_id};

/// Programs that run the script which follows.
const INTERPRETERS: [&str; 9] = ["sh", "bash", "zsh", "dash", "python", "python3", "node", "ruby", "perl"];

/// What Python takes from the top of the tree before its own.
const SHADOWS: [&str; 7] =
    ["unittest.py", "unittest", "pytest.py", "pytest", "_pytest", "sitecustomize.py", "usercustomize.py"];

/// What the guard says about `after`, compared with the last judged tree: the one before the iteration. `None` where it was not asked,
/// or has nothing to compare.
pub(super) fn look(
    context: &Context,
    state: &State,
    after: &Snapshot,
) -> Result<Option<GuardReport>, WorldError> {
    let before = state.work.before.as_ref().filter(|before| before.tree != after.tree);
    let Some(before) = before.filter(|_| state.config.guard != GuardMode::Off) else { return Ok(None) };
    let (base, head) =
        (context.workspace.tree(&snapshot_id(&before.id)?), context.workspace.tree(&snapshot_id(&after.id)?));
    let failed = |error: piton_guard::ReadError| WorldError::Guard { what: error.to_string() };
    let begin = SystemClock.monotonic();
    // What did not change needs no protection.
    let (changed, now) = head.differs_from(&base).map_err(|error| failed(error.into()))?;
    let is_there = |path: &str| changed.binary_search_by(|entry| entry.path.as_str().cmp(path)).is_ok();
    let mut protected = protected(state, &changed);
    let new: Vec<_> = now.iter().map(|entry| entry.path.as_str()).filter(|path| !is_there(path)).collect();
    protected.extend(shadows(&new, || base.entries()).map_err(failed)?);
    let today = today();
    let options =
        Options { protected, today: today.clone(), distrust: true, only_changed: true, measuring: false };
    let mut report = piton_guard::compare(&base, &head, &options, &mut Known::default()).map_err(failed)?;
    report.findings.retain(|finding| !is_off(state, &finding.rule, today.as_deref()));
    for finding in &mut report.findings {
        finding.pattern = pattern_of(finding, &is_there);
    }
    let duration_ms = (SystemClock.monotonic() - begin).as_millis() as u64;
    Ok(Some(GuardReport { duration_ms, ..kept(report, context.launch.redactor()) }))
}

/// Today, for allowances that expire.
fn today() -> Option<String> {
    SystemClock.now().to_string().split('T').next().map(str::to_owned)
}

/// Whether a rule about what checks write is switched off today.
pub(super) fn allows_writing_tests(state: &State) -> bool {
    is_off(state, WRITES_TEST, today().as_deref())
}

/// Whether somebody switched the rule off, and that still holds.
fn is_off(state: &State, rule: &str, today: Option<&str>) -> bool {
    let holds = |expires: &Option<String>| match (expires, today) {
        (Some(expires), Some(today)) => today <= expires.as_str(),
        _ => true,
    };
    state.config.rules_off.iter().any(|off| off.rule == rule && holds(&off.expires))
}

/// What no agent may change among these files of a tree: what the configuration names, the configuration itself, and
/// the scripts that the checks and the conditions to stop run.
pub(super) fn protected(state: &State, entries: &[Entry]) -> Vec<String> {
    let is_file = |path: &str| entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).is_ok();
    let mut protected = state.config.protect.clone();
    // Whoever may write down what is allowed need not hide a thing.
    protected.extend(["piton.toml", piton_guard::ALLOW_FILE].map(str::to_owned));
    protected.extend(scripts(state, &is_file));
    protected
}

/// What among these new files Python would load in place of what runs the tests, or of a test; not what takes the place of something
/// that was there by that name.
fn shadows(
    new: &[&str],
    entries: impl FnOnce() -> Result<Vec<Entry>, piton_guard::ReadError>,
) -> Result<Vec<String>, piton_guard::ReadError> {
    let of_runner = SHADOWS.iter().filter(|name| new.iter().any(|path| is_protected(path, name)));
    let packages = new.iter().filter_map(|path| path.strip_suffix("/__init__.py"));
    let packages: Vec<_> = packages.filter(|package| is_of_tests(&format!("{package}.py"))).collect();
    let mut found: Vec<String> = of_runner.map(|name| (*name).to_owned()).collect();
    if found.is_empty() && packages.is_empty() {
        return Ok(found);
    }
    let entries = entries()?;
    found.retain(|name| !entries.iter().any(|entry| is_protected(&entry.path, name)));
    let has = |path: &str| entries.iter().any(|entry| entry.path == path);
    let packages = packages.into_iter().filter(|package| has(&format!("{package}.py")));
    found.extend(packages.map(|package| format!("{package}/__init__.py")));
    Ok(found)
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

/// The scripts of the tree that the checks and the conditions to stop run: who changes them judges themselves.
fn scripts(state: &State, is_file: &dyn Fn(&str) -> bool) -> Vec<String> {
    let checks = state.config.checks.iter().map(|check| check.command.clone());
    let conditions =
        state.config.stop_probes().into_iter().filter_map(|condition| match condition.probe()? {
            Probe::Runs(command) => Some(command.to_string()),
            _ => None,
        });
    let words = checks.chain(conditions).flat_map(|command| script_words(&command));
    words.filter(|word| is_file(word)).collect()
}

/// The words of a shell command that are run: the first of each part, and what follows an interpreter.
fn script_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for command in piton_guard::commands(command) {
        let mut rest =
            command.into_iter().skip_while(|word| word.contains('=') || word == "env" || word == "exec");
        let Some(first) = rest.next() else { continue };
        let runs_next = INTERPRETERS.contains(&first.rsplit('/').next().unwrap_or(&first));
        words.push(first);
        words.extend(rest.find(|word| !word.starts_with('-')).filter(|_| runs_next));
    }
    words.into_iter().map(|word| word.strip_prefix("./").unwrap_or(&word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_loads_instead_is_found_unless_it_was_there() {
        let entry = |path: &str| Entry { path: path.to_owned(), id: String::new() };
        let found = |new: &[&str], old: &[&str]| {
            shadows(new, || Ok(old.iter().map(|path| entry(path)).collect())).unwrap()
        };
        assert_eq!(found(&["unittest.py", "a.py"], &["test_a.py"]), ["unittest.py"]);
        assert_eq!(found(&["pytest/__init__.py"], &[]), ["pytest"]);
        assert_eq!(found(&["tests/test_a/__init__.py"], &["tests/test_a.py"]), ["tests/test_a/__init__.py"]);
        let none: [&str; 0] = [];
        assert_eq!(found(&["pytest/new.py"], &["pytest/old.py"]), none);
        assert_eq!(found(&["tests/unittest.py", "test_b/__init__.py", "a/__init__.py"], &["a.py"]), none);
    }

    #[test]
    fn what_a_check_runs_is_found_in_its_command() {
        let cases: [(&str, &[&str]); 7] = [
            ("./check.sh", &["check.sh"]),
            ("sh -eu scripts/test --all", &["sh", "scripts/test"]),
            ("CI=1 python3 tools/run.py tests/a.py", &["python3", "tools/run.py"]),
            ("cargo test && scripts/lint | tee log", &["cargo", "scripts/lint", "tee"]),
            ("pytest tests/test_a.py", &["pytest"]),
            ("bash -c 'CI=1 ./check.sh || exit $?' # 'not this'", &["check.sh", "exit"]),
            ("", &[]),
        ];
        for (command, expected) in cases {
            assert_eq!(script_words(command), expected, "{command}");
        }
    }
}
