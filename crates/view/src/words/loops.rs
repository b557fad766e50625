//! A loop in words: its first line and its last ones, its iterations, why it is where it is.

use std::fmt::Write;

use piton_model::loop_machine::{
    AttemptOutcome, CheckRound, DoneRule, Finding, IterationRecord, Measures, NamedStop, Objection,
    ReviewRuling, SessionPolicy, State, TestStatus, TestTracker, Verdict, all_asked, done_rule, is_unproved,
    lacks_proof, stop_decision,
};
use piton_model::{Reason, Status};

use crate::ChangedView;

use super::{
    beside, checks, clean, clean_line, count, duration, known_money, landed, moment, money, outcome_word,
};

/// The first line of a run.
pub(super) fn opening(state: &State) -> String {
    let session = match state.config.session {
        SessionPolicy::Fresh => "fresh session per iteration",
        SessionPolicy::Continue => "one session",
        SessionPolicy::Fork => "a copy of the last session per iteration",
    };
    let place = match &state.config.worktree {
        None => "in place".to_owned(),
        Some(worktree) => format!("worktree {}, branch {}", beside(&worktree.path), worktree.branch),
    };
    let others: Vec<&str> = state.config.fallback.agents.iter().map(|agent| agent.name.as_str()).collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!(" (then {})", others.join(", ")),
    };
    let agent = clean_line(&format!("{}{others}", state.config.agent.name));
    format!("run {} · {agent}, {session} · {place}", state.run)
}

/// What is said once the baseline is known.
pub(super) fn baseline(state: &State) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(round) = &state.seen.baseline
        && !(round.checks.is_empty() && round.conditions.is_empty())
    {
        let measured = measured(&round.measures);
        let gap = if measured.is_empty() { "" } else { "   " };
        lines.push(format!("baseline  {}{gap}{measured}   ({})", checks(round), duration(round.duration_ms)));
    }
    if state.seen.tests.unnamed {
        lines.push(format!("note      {PASSING_UNNAMED}"));
    }
    lines.extend(not_covered(state).into_iter().map(|line| format!("note      {line}")));
    lines.push(format!("note      {}", rule(state)));
    lines.push(format!("limits    {}", limits(state)));
    lines
}

/// What is said of files that no snapshot has: what became of those that are another by now, and which the others are.
pub(super) fn not_covered(state: &State) -> Vec<String> {
    let files = state.left_out();
    let names = |changed: bool| -> Option<String> {
        let names = files.iter().filter(|(_, is)| *is == changed).map(|(file, _)| clean_line(&file.path));
        let names: Vec<String> = names.collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let mut lines = Vec::new();
    if let Some(names) = names(false) {
        lines.push(format!("in no snapshot and no commit, so nothing puts it back: {names}"));
    }
    if let Some(names) = names(true) {
        lines.push(format!(
            "changed or gone since the start, and not put back, as no snapshot has it: {names}"
        ));
    }
    lines
}

/// What is said of a run that rests with red checks: what they may miss in its work tree.
pub(super) fn left_behind(state: &State) -> Option<String> {
    let is_red = state.seen.checks.as_ref().is_some_and(|round| !round.all_pass());
    let left = &state.config.worktree.as_ref().filter(|_| is_red && !state.status.is_active())?.left;
    (!left.is_empty())
        .then(|| clean_line(&format!("not in the work tree, as git ignores it: {}", left.join(", "))))
}

/// What is said of files that are in the tree and in no commit: those that checks made, and those within submodules.
pub fn uncommitted(state: &State) -> Vec<String> {
    let piton_model::loop_machine::Uncommitted { made, submodules } = &state.seen.uncommitted;
    let list = |paths: &[String]| clean_line(&paths.join(", "));
    let mut lines = Vec::new();
    if !made.is_empty() {
        lines.push(format!("made by the checks, and not committed: {}", list(made)));
    }
    if !submodules.is_empty() {
        lines.push(format!(
            "judged, and not committed, as it lies in a submodule: what changed in {}",
            list(submodules)
        ));
    }
    lines
}

/// When the run will be done.
fn rule(state: &State) -> String {
    let any: Vec<String> = state.config.stop.success.iter().map(NamedStop::label).collect();
    let any = clean_line(&any.join(", or "));
    let rule = match done_rule(&state.config, state.seen.baseline.as_ref()) {
        DoneRule::ChecksPass => "stopping when every check passes".to_owned(),
        DoneRule::Done if state.config.checks.is_empty() => {
            "stopping when the agent reports done and the tree changed (there is no check)".to_owned()
        }
        DoneRule::Done => {
            "stopping when the agent reports done, the tree changed and all checks are green".to_owned()
        }
        DoneRule::Conditions if state.config.until.is_empty() => {
            return format!("stopping when this holds: {any}");
        }
        DoneRule::Conditions => {
            let conditions: Vec<String> = state.config.until.iter().map(NamedStop::label).collect();
            format!("stopping when all of this holds: {}", clean_line(&conditions.join(", ")))
        }
    };
    let rule = if any.is_empty() { rule } else { format!("{rule}; or this alone: {any}") };
    match &state.config.review {
        Some(review) => clean_line(&format!("{rule}; and {} agrees", review.agent.name)),
        None => rule,
    }
}

fn limits(state: &State) -> String {
    let limits = &state.config.limits;
    let mut text = format!(
        "{} · {} working, waits not counted",
        count(limits.iterations, "iteration"),
        duration(limits.working_ms)
    );
    if let Some(cost) = limits.cost_microusd {
        let _ = write!(text, " · {}", money(cost));
    }
    if let Some(deadline) = limits.deadline {
        let _ = write!(text, " · until {}", moment(deadline));
    }
    if let Some(tokens) = limits.tokens {
        let _ = write!(text, " · {tokens} tokens");
    }
    if let Some(files) = limits.files {
        let _ = write!(text, " · {} changed", count(files, "file"));
    }
    if let Some(lines) = limits.lines {
        let _ = write!(text, " · {} changed", count(lines, "line"));
    }
    if let Some(reboots) = limits.reboots {
        let _ = write!(text, " · {}", count(reboots, "fresh session"));
    }
    let _ =
        write!(text, " · {} without progress · {} failures in a row", limits.no_progress, limits.failures);
    text
}

/// ` #3   5m03s  +9 −44   test ✓ · lint ✗`
pub(super) fn iteration(record: &IterationRecord, state: &State) -> String {
    let change = match (record.added, record.removed) {
        (0, 0) if !record.progress => "no change".to_owned(),
        (added, removed) => format!("+{added} −{removed}"),
    };
    let mut text =
        format!("{:>4}  {:>7}  {change:<12}", format!("#{}", record.number), duration(record.duration_ms));
    if record.skipped {
        text.push_str("  skipped");
    } else if let Some(round) = state.seen.checks.as_ref().filter(|_| !record.was_put_back()) {
        let _ = write!(text, "  {}", checks(round));
        let measured = record.measures.as_ref().map(measured).filter(|text| !text.is_empty());
        let _ = measured.map(|measured| write!(text, "   {measured}"));
        if round.tests.ran {
            tests_by_name(&state.seen.tests).iter().for_each(|sort| text.push_str(&format!("   {sort}")));
        }
    }
    if let Some(tests) = record.tests.filter(|tests| tests.before != tests.after) {
        let sign = if tests.after > tests.before { '+' } else { '−' };
        let _ = write!(text, "   {sign}{}", count(tests.after.abs_diff(tests.before), "test"));
    }
    if let Some(cost) = record.cost_microusd {
        let _ = write!(text, "   {}", money(cost));
    }
    match record.outcome {
        AttemptOutcome::Succeeded => {}
        outcome if !record.skipped => {
            let _ = write!(text, "   agent {}", outcome_word(outcome));
        }
        _ => {}
    }
    let is_last = state.judged.recent.back().is_some_and(|last| last.number == record.number);
    if is_last && lacks_proof(state) {
        text.push_str("   not done: no test fails on the code of the start and passes now");
    }
    if is_last && !record.was_put_back() && !shown(state).is_empty() {
        let proof = state.seen.checks.as_ref().and_then(|round| round.proof.as_ref());
        let findings = proof.iter().flat_map(|proof| &proof.findings).filter(|found| found.allowed.is_none());
        let _ = write!(text, "   SHOWN {}", clean_line(&found(findings)));
    }
    if let Some(doubts) = doubts(record, state) {
        let _ = write!(text, "   {doubts}");
    }
    text.trim_end().to_owned()
}

/// The last lines of a run that rests: why, what the result is, what to do next.
pub fn ending(state: &State, changed: &ChangedView, next: &str) -> Vec<String> {
    let head = match state.status {
        Status::Completed if is_unproved(state) => "done, unproved:",
        Status::Completed => "done",
        Status::Waiting => "waiting",
        Status::Paused => "paused",
        Status::Failed => "failed",
        _ => "stopped",
    };
    let mut lines = vec![format!("{head:<9} {} · {}", why(state), spent(state))];
    for question in &state.people.questions {
        lines.push(format!("question  {} ({})", clean_line(&question.text), question.digest));
    }
    lines.extend(review(state).map(|review| format!("review    {review}")));
    lines.extend(proof(state).map(|proof| format!("proof     {proof}")));
    lines.extend(runs_otherwise(state).map(|line| format!("note      {line}")));
    lines.extend(shown(state).into_iter().map(|line| format!("shown     {line}")));
    lines.push(format!("result    {}", result(state, changed)));
    let (left_out, start) = (state.left_out(), state.seen.start.as_ref());
    let is_more = left_out.len() > start.map_or(0, |start| start.left_out.len());
    if is_more || left_out.iter().any(|(_, changed)| *changed) {
        lines.extend(not_covered(state).into_iter().map(|line| format!("note      {line}")));
    }
    lines.extend(left_behind(state).map(|line| format!("note      {line}")));
    lines.extend(uncommitted(state).into_iter().map(|line| format!("note      {line}")));
    if state.status == Status::Failed {
        lines.push(format!("look      piton output {}", state.run.short()));
    }
    lines.push(format!("next      {next}"));
    lines
}

/// How far it is, in a few words each: tests, context, money.
pub(super) fn facts(state: &State) -> Vec<String> {
    let tests = state.seen.measures.as_ref().and_then(|measures| measures.tests);
    let tests = tests.map(|tests| format!("tests {}/{}", tests.passed, tests.passed + tests.failed));
    let is_kept = state.config.session != SessionPolicy::Fresh;
    let context = state.session.context_usage().filter(|_| is_kept);
    let context = context.map(|percent| format!("context {percent} %"));
    let (spent, max) = (state.counters.cost_microusd, state.config.limits.cost_microusd);
    let more = if state.counters.cost_unknown > 0 { " or more" } else { "" };
    let money = match (spent, max) {
        (0, None) => None,
        (spent, None) => Some(format!("{}{more}", money(spent))),
        (spent, Some(max)) => Some(format!("{}{more} of {}", money(spent), money(max))),
    };
    [tests, context, money].into_iter().flatten().collect()
}

/// What the checks run that is other than at the start, or is there besides.
pub(super) fn runs_otherwise(state: &State) -> Option<String> {
    const NAMES_MAX: usize = 3;
    let changed = &state.seen.checks.as_ref()?.closure_changed;
    let first: Vec<_> = changed.iter().take(NAMES_MAX).map(|said| clean_line(said)).collect();
    let more = match changed.len() - first.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!first.is_empty())
        .then(|| format!("the checks run other things than at the start: {}{more}", first.join(", ")))
}

/// How many breaks were tried, and what became of them: that none was lost says nothing where none was noticed.
pub fn mutants(mutants: u32, lived: u32, lost: u32) -> String {
    let tried = count(mutants, "mutant");
    match (lived, lost) {
        (lived, 0) if lived > 0 && lived == mutants => format!("{tried}, none noticed"),
        (0, lost) => format!("{tried}, {lost} lost"),
        (lived, lost) => format!("{tried}, {lived} not noticed, {lost} lost"),
    }
}

/// What trials showed about what stands now, a line for each of the first few: said whether it blocks or not.
pub(super) fn shown(state: &State) -> Vec<String> {
    const SHOWN_MAX: usize = 3;
    let proof = state.seen.checks.as_ref().and_then(|round| round.proof.as_ref());
    let findings = proof.iter().flat_map(|proof| &proof.findings).filter(|found| found.allowed.is_none());
    let line = |found: &Finding| {
        clean_line(&format!("{} (look: piton prove replay {})", found.sentence(), found.id))
    };
    findings.take(SHOWN_MAX).map(line).collect()
}

/// What was tried beside the checks on what stands now, and which tests prove it; nothing where nothing was to be tried.
pub(super) fn proof(state: &State) -> Option<String> {
    const NAMES_MAX: usize = 3;
    let proof = state.seen.checks.as_ref()?.proof.as_ref()?;
    if proof.probes.is_empty() {
        let why = proof.not_proven.first().map(|why| format!(": {}", clean_line(why)));
        return Some(format!("nothing is proven{}", why.unwrap_or_default()));
    }
    let broken = mutants(proof.mutants, proof.lived, proof.lost);
    let tried = format!("{}, {broken}", count(proof.probes.len(), "probe"));
    let names: Vec<_> = state.proved_by().take(NAMES_MAX).map(clean_line).collect();
    let more = state.proved_by().count() - names.len();
    // Where nobody names tests, a check that was red is what shows the work.
    let baseline = state.seen.baseline.iter().flat_map(|round| &round.checks);
    let red: Vec<_> = baseline.filter(|check| !check.passed).map(|check| clean_line(&check.name)).collect();
    Some(match (names.is_empty(), more) {
        (true, _) if !red.is_empty() => format!("{tried}; red at the start: {}", red.join(", ")),
        (true, _) => format!("{tried}; unproved: no test fails on the code of the start"),
        (false, 0) => format!("{tried}; proved by {}", names.join(", ")),
        (false, more) => format!("{tried}; proved by {} and {more} more", names.join(", ")),
    })
}

/// The cause of a status, as a sentence.
pub fn why(state: &State) -> String {
    let detail = state.detail.as_deref().map(clean_line);
    let counters = &state.counters;
    let green = || {
        let passed = state.seen.checks.as_ref().map_or(0, CheckRound::passed);
        match (passed, state.config.checks.len()) {
            (1, 1) => "the check is green".to_owned(),
            (passed, total) => format!("{passed} of {total} checks are green"),
        }
    };
    match state.reason {
        Some(Reason::ChecksPass) => green(),
        Some(Reason::Done) if state.config.checks.is_empty() => {
            "agent reported done, the tree changed".to_owned()
        }
        Some(Reason::Done) => format!("agent reported done, {}, the tree changed", green()),
        // An older piton did not say which.
        Some(Reason::ConditionsMet) if detail.is_none() && all_asked(state) => {
            "every condition holds".to_owned()
        }
        Some(Reason::ConditionsMet) => {
            let holds = |label: String| clean_line(&format!("{label} holds"));
            stop_decision(state).map_or_else(|| "a stop condition holds".to_owned(), holds)
        }
        Some(Reason::StopCondition) => {
            detail.map_or_else(|| "a stop condition holds".to_owned(), |label| format!("{label} holds"))
        }
        Some(Reason::LimitIterations) => {
            format!("reached its limit of {}", count(state.config.limits.iterations, "iteration"))
        }
        Some(Reason::LimitDuration) => {
            let limit = duration(state.config.limits.working_ms);
            format!("{}reached its limit of {limit} of working time", unreviewed(detail))
        }
        Some(Reason::LimitCost) => {
            format!(
                "{}reached its money ceiling, {} spent",
                unreviewed(detail),
                money(state.spent_microusd())
            )
        }
        Some(Reason::LimitDeadline) => detail.unwrap_or_else(|| "its deadline has come".to_owned()),
        Some(Reason::LimitFiles) => format!(
            "changed {}, more than its {}",
            count(state.seen.modified_files.len() as u32, "file"),
            state.config.limits.files.unwrap_or_default()
        ),
        Some(Reason::LimitLines) => format!(
            "changed {} lines, more than its {}",
            counters.lines_changed,
            state.config.limits.lines.unwrap_or_default()
        ),
        Some(Reason::LimitReboots) => {
            format!("began {}, and may not begin another", count(counters.reboots, "fresh session"))
        }
        Some(Reason::Hook) => detail.unwrap_or_else(|| "a hook wants it".to_owned()),
        Some(Reason::Attended) => "you decide how it goes on".to_owned(),
        Some(Reason::Schedule) => {
            detail.unwrap_or_else(|| format!("it does not work at this hour{}", until(state)))
        }
        Some(Reason::LimitTokens) => {
            format!("{}reached its token ceiling, {} used", unreviewed(detail), state.spent_tokens())
        }
        Some(Reason::NoProgress) => {
            let iterations = count(counters.no_progress_in_a_row, "iteration");
            format!("no progress in {iterations} in a row")
        }
        Some(Reason::FailureStreak) => detail.unwrap_or_else(|| "too many failures in a row".to_owned()),
        Some(Reason::Interrupted) => "interrupted".to_owned(),
        Some(Reason::Human) => "a person asked for it".to_owned(),
        Some(Reason::Guard) => doubted(state),
        Some(Reason::Review) => match state.review.objections.is_empty() {
            true => format!("all but {} says that it is done, which gave no verdict", reviewer(state)),
            false => format!("all but {} says that it is done, which objects", reviewer(state)),
        },
        Some(Reason::Stuck) => "it does not get on, whatever it tries".to_owned(),
        Some(Reason::Blocked) => "the agent reports that it cannot go on".to_owned(),
        Some(Reason::AttemptLost) => "the outcome of an attempt cannot be known".to_owned(),
        Some(Reason::RateLimit) => format!("the provider's limit{}", until(state)),
        Some(Reason::Overloaded) => format!("the provider is overloaded{}", until(state)),
        Some(Reason::Auth) => detail.unwrap_or_else(|| "the agent is not logged in".to_owned()),
        Some(Reason::Environment) => detail.unwrap_or_else(|| "something outside the run".to_owned()),
        Some(Reason::BaselineGreen) => detail.unwrap_or_else(|| "every check passes already".to_owned()),
        None => match state.status {
            Status::Created => "not started yet".to_owned(),
            _ => "under way".to_owned(),
        },
    }
}

/// What a run that only a review is missing says before the ceiling that it stands at.
fn unreviewed(detail: Option<String>) -> String {
    detail.map_or_else(String::new, |detail| format!("{detail}; "))
}

/// Who reads what it did.
pub(super) fn reviewer(state: &State) -> &str {
    state.config.review.as_ref().map_or("another agent", |review| review.agent.name.as_str())
}

/// What those came to who read what it did, and what that cost besides.
pub(super) fn review(state: &State) -> Option<String> {
    let reviewed = &state.review;
    let name = reviewer(state);
    let last = reviewed.last.as_ref()?;
    let of = last.iteration;
    let what = match &last.ruling {
        ReviewRuling::Agreed if reviewed.objections.is_empty() && reviewed.message.is_none() => {
            format!("{name} agrees to #{of}")
        }
        ReviewRuling::Agreed => format!("a person took #{of} as it is, {name} did not"),
        ReviewRuling::Objected | ReviewRuling::Asked if !reviewed.objections.is_empty() => {
            let places: Vec<_> = reviewed.objections.iter().map(Objection::sentence).collect();
            format!("{name} objects to #{of}: {}", places.join("; "))
        }
        _ => format!(
            "{name} gave no verdict on #{of}: {}",
            reviewed.message.as_deref().unwrap_or("it was cut short")
        ),
    };
    let mut spent = count(reviewed.number, "review");
    if reviewed.cost_microusd > 0 {
        let more = if reviewed.cost_unknown > 0 { " or more" } else { "" };
        let _ = write!(spent, ", {}{more} besides", money(reviewed.cost_microusd));
    }
    Some(clean_line(&format!("{what} ({spent})")))
}

fn until(state: &State) -> String {
    state.until.map_or_else(String::new, |until| format!(", going on at {}", moment(until)))
}

fn spent(state: &State) -> String {
    let counters = &state.counters;
    let mut text = format!("{}, {}", count(counters.iterations, "iteration"), duration(counters.working_ms));
    if counters.cost_microusd > 0 {
        let _ = write!(text, ", {}", money(counters.cost_microusd));
        if counters.cost_unknown > 0 {
            text.push_str(" or more");
        }
    }
    if counters.lost > 0 {
        let _ = write!(text, ", {} lost", counters.lost);
    }
    if counters.refused > 0 {
        let _ = write!(text, " · {} refused", counters.refused);
    }
    let reported = reported(state);
    if reported > 0 {
        let _ = write!(text, " · {} (piton report)", count(reported, "finding"));
    }
    text
}

fn result(state: &State, changed: &ChangedView) -> String {
    let place = match (&state.config.worktree, state.tree_changed()) {
        (Some(worktree), false) if state.status == Status::Completed => {
            format!("no file changed that git does not ignore; what was made is in {}", worktree.path)
        }
        (_, false) => "no file changed".to_owned(),
        (None, true) => "files changed in place, nothing committed".to_owned(),
        (Some(worktree), true) => on_branch(&worktree.branch, changed),
    };
    match &state.judged.best {
        Some(best) if state.status != Status::Completed && best.total > 0 => {
            format!("{place}; best is #{} with {} of {} checks", best.iteration, best.passed, best.total)
        }
        _ => place,
    }
}

/// What is on a run's branch, and where that went.
pub fn on_branch(branch: &str, changed: &ChangedView) -> String {
    let before = match changed.began_uncommitted {
        true => " and one of what was not committed before",
        false => "",
    };
    let where_to = landed(changed.landed_on.as_deref());
    format!("branch {branch}, {}{before}, {where_to}", count(changed.commits, "commit"))
}

/// How many findings would have been refused, and are only on record.
pub fn reported(state: &State) -> u32 {
    let found = state.judged.findings.iter();
    found.filter(|kept| kept.verdict == Verdict::Reported && kept.finding.blocking).count() as u32
}

/// Why a person is asked about the last iteration. Who only has worse numbers is not accused of anything.
fn doubted(state: &State) -> String {
    let last = state.judged.recent.back().map_or(0, |last| last.number);
    let findings = || {
        let of_last = state.judged.findings.iter().filter(|kept| kept.iteration == last);
        of_last.map(|kept| &kept.finding).filter(|finding| finding.blocking)
    };
    match findings().all(Finding::is_measured) {
        true => format!("numbers got worse: {}", clean_line(&found(findings()))),
        false => "the guard found what looks like cheating".to_owned(),
    }
}

/// What the guard found, in a few words: the first sentence, and how many more.
pub(super) fn found<'a>(findings: impl Iterator<Item = &'a Finding>) -> String {
    let mut findings = findings.peekable();
    let Some(first) = findings.next() else { return "nothing".to_owned() };
    match findings.count() {
        0 => first.message.clone(),
        more => format!("{} (and {more} more)", first.message),
    }
}

/// What speaks against an iteration.
pub(super) fn refused_for(record: &IterationRecord, state: &State) -> String {
    let of_iteration = state.judged.findings.iter();
    let of_iteration = of_iteration.filter(|kept| kept.iteration == record.number && kept.finding.blocking);
    clean_line(&found(of_iteration.map(|kept| &kept.finding)))
}

/// What became of an iteration that the guard doubts, and why.
fn doubts(record: &IterationRecord, state: &State) -> Option<String> {
    let what = refused_for(record, state);
    let kept = state
        .judged
        .recent
        .iter()
        .rev()
        .find(|earlier| earlier.number < record.number && !earlier.was_put_back());
    let back = kept.map_or_else(|| "the start".to_owned(), |kept| format!("#{}", kept.number));
    match (record.refused, record.doubted) {
        (true, _) => Some(format!("REFUSED {what} → back to {back}, agent told")),
        (false, true) => Some(format!("DOUBTED {what}")),
        (false, false) if record.rejected => Some(format!("put back by a person → back to {back}")),
        (false, false) => None,
    }
}

/// What was measured, in a few words: `tests 418/419 · coverage 84.0 %`.
pub(super) fn measured(measures: &Measures) -> String {
    let mut parts = Vec::new();
    if let Some(tests) = measures.tests {
        let cut = if tests.complete { "" } else { " (cut off)" };
        parts.push(format!("tests {}/{}{cut}", tests.passed, tests.passed + tests.failed));
    }
    if let Some(percent) = measures.coverage_percent() {
        parts.push(format!("coverage {percent:.1} %"));
    }
    if let Some(errors) = measures.errors().filter(|errors| *errors > 0) {
        parts.push(count(errors, "error"));
    }
    parts.extend(measures.custom.iter().map(|(name, value)| clean_line(&format!("{name} {value}"))));
    parts.join(" · ")
}

/// Tests that a line names of each sort.
const TESTS_NAMED_MAX: usize = 3;

/// What the last round did to tests by name, sort by sort: broke, fixed, no longer failing, flaky.
pub fn tests_by_name(tests: &TestTracker) -> Vec<String> {
    let sorts: [(&str, Vec<&String>); 4] = [
        ("broke", tests.just(TestStatus::Failing).collect()),
        ("fixed", tests.just(TestStatus::Passing).collect()),
        ("no longer failing", tests.lifted.iter().collect()),
        ("flaky", tests.flaky().collect()),
    ];
    let named = |(word, names): &(&str, Vec<&String>)| {
        let shown: Vec<String> = names.iter().take(TESTS_NAMED_MAX).map(|name| clean_line(name)).collect();
        let more = names.len().saturating_sub(TESTS_NAMED_MAX);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{word} {}{more}", shown.join(", "))
    };
    sorts.iter().filter(|(_, names)| !names.is_empty()).map(named).collect()
}

/// What is said where a runner names only the tests that fail.
pub(super) const PASSING_UNNAMED: &str = "the test runner does not name the tests that pass";

/// What was not the cause of where a loop is.
pub fn not_the_cause(state: &State) -> Vec<String> {
    let (limits, counters) = (&state.config.limits, &state.counters);
    let mut list = Vec::new();
    let mut unless = |reason: Reason, text: String| {
        if state.reason != Some(reason) {
            list.push(text);
        }
    };
    unless(Reason::LimitIterations, format!("iterations {} of {}", counters.iterations, limits.iterations));
    unless(
        Reason::LimitDuration,
        format!("time {} of {}", duration(counters.working_ms), duration(limits.working_ms)),
    );
    // What was reached is not said to have no part in it.
    if counters.no_progress_in_a_row < limits.no_progress {
        unless(
            Reason::NoProgress,
            format!("no progress {} of {}", counters.no_progress_in_a_row, limits.no_progress),
        );
    }
    if counters.failures_in_a_row < limits.failures {
        let failures = format!("failures {} of {}", counters.failures_in_a_row, limits.failures);
        unless(Reason::FailureStreak, failures);
    }
    if let Some(max) = limits.cost_microusd {
        let unknown = counters.cost_unknown.saturating_add(state.review.cost_unknown);
        let used = known_money(state.spent_microusd(), unknown);
        unless(Reason::LimitCost, format!("money {used} of {}", money(max)));
    }
    list
}

/// More about the last iteration, for somebody who is to decide.
pub fn details(state: &State) -> Vec<String> {
    let mut lines = vec![
        format!("status   {} · {}", super::status_word(state.status), why(state)),
        format!("mode     {}", state.mode().as_str()),
        format!("task     {}", clean_line(&state.title)),
    ];
    for check in state.seen.checks.iter().flat_map(|round| &round.checks) {
        let mark = if check.passed { '✓' } else { '✗' };
        lines.push(format!("check    {} {mark}", clean_line(&check.name)));
        if !check.passed {
            lines.push(clean(&check.tail));
        }
    }
    let tests = |status| state.seen.tests.named(status).count();
    let (passing, failing) = (tests(TestStatus::Passing), tests(TestStatus::Failing));
    if passing + failing > 0 {
        lines.push(format!("tests    {failing} of {} fail", passing + failing));
    }
    lines.extend(tests_by_name(&state.seen.tests).iter().map(|sort| format!("tests    {sort}")));
    if state.seen.tests.unnamed {
        lines.push(format!("tests    {PASSING_UNNAMED}"));
    }
    lines.push(format!(
        "changed  {}, {}",
        count(state.seen.modified_files.len(), "file"),
        count(state.counters.lines_changed, "line")
    ));
    for note in &state.memory.notes {
        lines.push(format!("note     #{} {}", note.iteration, clean_line(&note.note.text)));
    }
    lines
}
