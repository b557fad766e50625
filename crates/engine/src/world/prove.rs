//! What is tried beside the checks of a loop, once they pass.
//!
//! The tree of the start is what everything is compared with: what an iteration made weaker stays so until the run is done.
//! Trials are no part of the work: no keeper holds them. What a driver leaves that dies in the middle are the trials that had ended: the next
//! one takes them from where they were put down, and counts each once.

use std::time::{Duration, UNIX_EPOCH};

use piton_guard::Options;
use piton_model::State;
use piton_model::loop_machine::{
    CheckRound, DoneRule, Finding, GuardMode, GuardReport, ProveMode, Proved, ReportStatus, Snapshot,
    done_rule,
};
use piton_prove::{Account, Asked, Check, Depth};

use super::{Context, WorldError, guard, snapshot_id};
use crate::prove::{self, Done, ProveError, Subject};

/// What was tried about the tree `after`, whose checks pass. Nothing where there is nothing to try; the outer nothing where somebody
/// wants to stop.
pub(super) fn look(
    context: &Context,
    state: &State,
    round: &CheckRound,
    after: &Snapshot,
) -> Result<Option<Option<Proved>>, WorldError> {
    let Some(start) = state.seen.start.as_ref().filter(|start| is_due(state, round, start, after)) else {
        return Ok(Some(None));
    };
    let depth = depth(state);
    if let Some(known) = known(state, round, after, depth) {
        return Ok(Some(Some(known)));
    }
    let base = context.workspace.tree(&snapshot_id(&start.id)?);
    let head = context.workspace.tree(&snapshot_id(&after.id)?);
    let created_ms = u64::try_from(state.created_at.as_millis()).unwrap_or(0);
    let since = UNIX_EPOCH.checked_add(Duration::from_millis(created_ms));
    let pair = [start.tree.clone(), after.tree.clone()];
    let done = Done::of_round(&context.attempts(), round.number, pair);
    let layout = &context.layout;
    let subject = Subject { layout, base: &base, head: &head, disk: None, since, done: Some(&done) };
    let runs_otherwise = runs_otherwise(round);
    let asked = Asked { checks: checks(state, round), depth, budget_ms: None, strict: false, runs_otherwise };
    let scratch = prove::scratch_of(&context.layout);
    let tried = prove::prove(&subject, &asked, &scratch, &|| context.is_cancelled());
    context.require_lease(state)?;
    let account = match tried {
        Ok(account) => account,
        Err(ProveError::Cancelled) => return Ok(None),
        Err(ProveError::Read(error)) => return Err(WorldError::Guard { what: error.to_string() }),
        // What cannot be tried here proves nothing, and hinders nobody.
        Err(error) => Account { not_proven: vec![error.to_string()], ..Account::default() },
    };
    if account == Account::default() {
        return Ok(Some(None));
    }
    let options = Options { today: guard::today(), ..Options::default() };
    let mut report = piton_guard::Report::default();
    piton_guard::add_demonstrated(&mut report, account.shown.clone(), &base, &options)
        .map_err(|error| WorldError::Guard { what: error.to_string() })?;
    if changed_nothing(state, start, after) {
        report.findings.iter_mut().for_each(|finding| finding.blocking = false);
    }
    Ok(Some(Some(kept(context, state, account, report.findings))))
}

/// The rule of the guard about code that knows the answers of its tests.
const KNOWS_ANSWERS: &str = "answer-hard-coded";

/// Gives what the guard refuses as an answer that is known by heart its counterexample: what the code gives beside the tested input, where
/// one trial shows that. The finding stands either way.
pub(super) fn exemplify(
    context: &Context,
    state: &State,
    after: &Snapshot,
    report: &mut GuardReport,
) -> Result<(), WorldError> {
    let is_meant = |finding: &Finding| finding.blocking && finding.rule == KNOWS_ANSWERS;
    let start = state.seen.start.as_ref().filter(|_| state.config.prove != ProveMode::Off);
    let (Some(start), true) = (start, report.findings.iter().any(is_meant)) else { return Ok(()) };
    let base = context.workspace.tree(&snapshot_id(&start.id)?);
    let head = context.workspace.tree(&snapshot_id(&after.id)?);
    let layout = &context.layout;
    let subject = Subject { layout, base: &base, head: &head, disk: None, since: None, done: None };
    let checks = state.seen.baseline.as_ref().map(|baseline| checks(state, baseline)).unwrap_or_default();
    let depth = Depth::Example;
    let asked = Asked { checks, depth, budget_ms: None, strict: false, runs_otherwise: false };
    let tried = prove::prove(&subject, &asked, &prove::scratch_of(layout), &|| context.is_cancelled());
    context.require_lease(state)?;
    // What cannot be tried here needs no example to be refused.
    let Ok(account) = tried else { return Ok(()) };
    let redactor = context.launch.redactor();
    for seen in piton_guard::demonstrated(account.shown, &Options::default()) {
        let mut known = report.findings.iter_mut().filter(|finding| is_meant(finding));
        let Some(finding) = known.find(|finding| finding.file == seen.file && finding.evidence.is_none())
        else {
            continue;
        };
        finding.message = redactor.redact(&seen.message).into_owned();
        finding.evidence =
            seen.evidence.map(|evidence| evidence.map(|text| redactor.redact(text).into_owned()));
        prove::keep_for(layout, &seen.id, finding);
    }
    Ok(())
}

/// Whether this iteration left the tree as it found it, which is another one than that of the start: what trials show is then somebody
/// else's, as what a person edited is. Where the run as a whole changed nothing, what git ignores may be its work.
fn changed_nothing(state: &State, start: &Snapshot, after: &Snapshot) -> bool {
    let is_same = state.work.before.as_ref().is_some_and(|before| before.tree == after.tree);
    is_same && start.tree != after.tree
}

/// Whether there is something to try: the checks of an iteration pass, on another tree than that of the start, or run otherwise.
fn is_due(state: &State, round: &CheckRound, start: &Snapshot, after: &Snapshot) -> bool {
    let is_asked = state.config.prove != ProveMode::Off && state.config.guard != GuardMode::Off;
    let is_judged = state.work.ended.is_some() && state.work.iteration > state.counters.iterations;
    // What the checks changed is run once more, and only that counts.
    let is_again = round.wrote.as_ref().is_some_and(|wrote| !wrote.changed.is_empty());
    let stays = state.work.restore.is_none() && !is_again;
    let passes = !round.checks.is_empty() && round.all_pass() && !round.cancelled;
    let failed = state.seen.baseline.as_ref().is_some_and(|baseline| !baseline.all_pass());
    is_asked && is_judged && stays && passes && (failed || start.tree != after.tree || runs_otherwise(round))
}

/// Whether what the checks read and run is other than at the start: then it is worth a look whether they can fail.
fn runs_otherwise(round: &CheckRound) -> bool {
    !round.closure_changed.is_empty()
}

/// Everything before it is done, a little otherwise.
fn depth(state: &State) -> Depth {
    let reported = state.work.ended.as_ref().and_then(|ended| ended.report.as_ref());
    let says_done = reported.is_some_and(|report| report.status == Some(ReportStatus::Done));
    let rule = done_rule(&state.config, state.seen.baseline.as_ref());
    match (state.config.prove, rule) {
        (ProveMode::Thorough, _) | (_, DoneRule::ChecksPass | DoneRule::Conditions) => Depth::Full,
        (ProveMode::Auto | ProveMode::Off, DoneRule::Done) if says_done => Depth::Full,
        (ProveMode::Auto | ProveMode::Off, DoneRule::Done) => Depth::Quick,
    }
}

/// What is known of this very tree from the round before.
fn known(state: &State, round: &CheckRound, after: &Snapshot, depth: Depth) -> Option<Proved> {
    let before = state.seen.checks.as_ref()?;
    if before.closure_changed != round.closure_changed {
        return None;
    }
    let is_same = before.snapshot.as_ref().is_some_and(|snapshot| snapshot.tree == after.tree);
    let known = before.proof.as_ref().filter(|known| is_same && known.findings.is_empty())?;
    // Where everything was tried, a little was as well.
    let is_enough = depth == Depth::Quick || known.full;
    is_enough.then(|| Proved { duration_ms: 0, ..known.clone() })
}

fn checks(state: &State, round: &CheckRound) -> Vec<Check> {
    let failed = |name: &str| {
        let baseline = state.seen.baseline.as_ref()?;
        baseline.checks.iter().find(|check| check.name == name).map(|check| !check.passed)
    };
    let took =
        |name: &str| round.checks.iter().find(|check| check.name == name).map(|check| check.duration_ms);
    let check = |check: &piton_model::loop_machine::Check| Check {
        name: check.name.clone(),
        command: check.command.clone(),
        failed_before: failed(&check.name),
        took_ms: took(&check.name),
    };
    state.config.checks.iter().map(check).collect()
}

/// What a run keeps of it: nothing that is secret, and nothing of rules that are off.
fn kept(context: &Context, state: &State, account: Account, findings: Vec<piton_guard::Finding>) -> Proved {
    let redactor = context.launch.redactor();
    let clean = |text: &str| redactor.redact(text).into_owned();
    let findings = findings.into_iter().filter(|finding| finding.allowed.is_none());
    let findings = findings.filter(|finding| !guard::is_off(state, &finding.rule, guard::today().as_deref()));
    let kept = findings.map(|finding| {
        let evidence = finding.evidence.clone().map(|evidence| evidence.map(clean));
        let message = clean(&finding.message);
        piton_guard::Finding { evidence, message, ..finding.without_excerpts() }
    });
    Proved {
        probes: account.probes.iter().map(|probe| probe.as_str().to_owned()).collect(),
        trials: account.trials,
        mutants: account.mutants,
        lived: account.lived,
        lost: account.lost,
        proved_by: account.proved_by,
        not_proven: account.not_proven.iter().map(|why| clean(why)).collect(),
        full: depth(state) == Depth::Full,
        findings: kept.collect(),
        duration_ms: account.took_ms,
    }
}
