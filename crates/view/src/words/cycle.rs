//! A cycle in words: the opening, a line per thing that happens, one screen, the account of it.

use std::fmt::Write;

use piton_model::cycle::{
    BlockerStatus, Counters, Criterion, CycleEvent as Event, DecisionStatus, Feedback, Gate, GateRecord,
    IterationVerdict, Nudge, PhaseStatus, Plan, PlanTask, PrepFound, RoleNote, RoleStatus, RoleVerdict,
    State, TaskStatus,
};
use piton_model::loop_machine::{AttemptOutcome, HookRecord, Verdict};
use piton_model::{Reason, Status, Timestamp};

use super::watch::{AtWork, checks_at_work};
use super::{
    ago, beside, cell, check_views, checks, clean_line, count, duration, known_money, landed, money,
    outcome_word, status_word,
};
use crate::{CycleStatus, RoleView, UnderWay};

/// Findings that a report names.
const FINDINGS_SHOWN: usize = 20;
/// Tasks of the critical path that a screen has room for.
const TASKS_SHOWN: usize = 4;

/// The first line of a run.
pub fn opening(state: &State) -> String {
    let team: Vec<String> = state
        .config
        .roles
        .iter()
        .map(|role| format!("{} ({})", role.name, clean_line(&role.agent.name)))
        .collect();
    let checks: Vec<&str> = state.config.checks.iter().map(|check| check.name.as_str()).collect();
    let judged = match checks.as_slice() {
        [] => "no checks: judged by what the roles report".to_owned(),
        names => format!("checks {}", names.join(", ")),
    };
    clean_line(&format!(
        "run {} · {} · {judged} · up to {}{}",
        state.run,
        team.join(" → "),
        count(state.config.limits.iterations, "iteration"),
        place(state).map_or_else(String::new, |place| format!(" · {place}")),
    ))
}

/// Where the team works, if not in place.
fn place(state: &State) -> Option<String> {
    let worktree = state.config.worktree.as_ref()?;
    Some(format!("worktree {}, branch {}", beside(&worktree.path), worktree.branch))
}

/// What a viewer says of an event, if it is worth a line.
pub fn progress(before: Option<&State>, event: &Event, after: &State) -> Option<String> {
    let text = match event {
        Event::IterationStarted { iteration, version, extension, gate, .. } => {
            let gate = gate.map_or_else(String::new, |gate| format!("  {gate}"));
            let added =
                extension.as_ref().map_or_else(String::new, |more| format!("  extension: {}", more.text));
            format!("#{iteration}  v{version}{gate}{added}")
        }
        Event::RoleFinished { attempt, end, ruling } => {
            let role = worked(before?, *attempt)?;
            let mut text =
                format!(" {role:<4} {:<7} {}", duration(end.duration_ms), ruling_word(end.outcome, ruling));
            if let Some(change) = &end.change {
                let _ = write!(text, "  +{} −{}", change.added, change.removed);
            }
            let documents: Vec<&str> =
                end.handed_in.documents.iter().map(|document| document.name.as_str()).collect();
            if !documents.is_empty() {
                let _ = write!(text, "  {}", documents.join(", "));
            }
            if let Some(cost) = end.cost_microusd {
                let _ = write!(text, "  {}", money(cost));
            }
            text
        }
        Event::RoleLost { attempt, .. } => format!(" {:<4} lost: started again", worked(before?, *attempt)?),
        Event::RoleNudged { attempt, nudge } => {
            let what = match nudge {
                Nudge::StatusCheck => "takes long: asked how it stands",
                Nudge::Finalize => "takes too long: asked to hand in what there is",
            };
            format!(" {:<4} {what}", worked(after, *attempt)?)
        }
        Event::ChecksFinished { round, .. } if !round.cancelled => {
            format!(" checks {:<7} {}", duration(round.duration_ms), checks(round))
        }
        Event::IterationConcluded { conclusion } => {
            let mut words: Vec<&str> = conclusion.issues.iter().take(3).map(String::as_str).collect();
            if conclusion.verdict == IterationVerdict::Converged {
                words.push("no problems found");
            }
            if conclusion.gate.as_ref().is_some_and(goes_further) {
                words.push("zero_to_one is passed, and everybody goes on with one_to_hundred");
            }
            format!("#{}  {}", conclusion.iteration, words.join("; "))
        }
        Event::PhaseErred { phase, error } => format!(" {phase:<4} ! {error}"),
        Event::HooksFinished { end } => {
            let warnings: Vec<String> = end.results.iter().filter_map(HookRecord::warning).collect();
            (!warnings.is_empty()).then(|| format!(" ! {}", warnings.join("; ")))?
        }
        Event::StateEdited { .. } | Event::RunResumed { .. } => event_words(event),
        Event::RunWaiting { .. } => why(after),
        _ => return None,
    };
    Some(clean_line(&text))
}

/// Whether an iteration made what the rest is built on.
fn goes_further(at: &GateRecord) -> bool {
    at.gate == Gate::ZeroToOne && at.passed == Some(true)
}

/// What was judged of a gate: `zero_to_one: code_compiles ✓, core_test_passes ✗`.
fn gate_words(at: &GateRecord) -> String {
    let criterion = |known: &Criterion| {
        let sign = match known.met {
            Some(true) => "✓",
            Some(false) => "✗",
            None => "(nobody measures it)",
        };
        let numbers = match (known.found, known.wanted) {
            (Some(found), Some(wanted)) => format!(" {found:.0} for {wanted}"),
            (None, Some(wanted)) => format!(" for {wanted}"),
            (_, None) => String::new(),
        };
        format!("{}{numbers} {sign}", known.name)
    };
    match at.passed {
        None => format!("{}, under way", at.gate),
        Some(passed) => {
            let criteria: Vec<String> = at.criteria.iter().map(criterion).collect();
            format!("{} {}: {}", at.gate, if passed { "passed" } else { "not passed" }, criteria.join(", "))
        }
    }
}

/// What became of a prep package, on a line.
fn prep_words(found: &PrepFound) -> String {
    match found {
        PrepFound::Taken(prep) => {
            let targets = &prep.convergence;
            format!(
                "{} (quality {} of 10): tests at least {} %, coverage {} %, critical bugs at most {}, open issues {}",
                prep.path,
                prep.quality_score,
                targets.test_pass_rate,
                targets.coverage,
                targets.max_critical_bugs,
                targets.max_open_issues
            )
        }
        PrepFound::Ignored { path, failed } => {
            let why: Vec<String> =
                failed.iter().map(|failure| format!("{}: {}", failure.check, failure.why)).collect();
            format!("{path} is ignored; {}", why.join("; "))
        }
    }
}

/// What went wrong in an attempt, a line each.
pub(super) fn errors(event: &Event) -> Vec<String> {
    let Event::RoleFinished { ruling, .. } = event else { return Vec::new() };
    let line = |error: &String| format!("      ! {}", clean_line(error.lines().next().unwrap_or_default()));
    ruling.errors.iter().take(3).map(line).collect()
}

fn worked(state: &State, attempt: u32) -> Option<String> {
    let is_it = |role: &&piton_model::cycle::OpenAttempt| role.number == attempt;
    let mut open = state.roles.iter().filter_map(|role| role.open.as_ref());
    open.find(is_it).map(|open| open.role.to_string())
}

fn ruling_word(outcome: AttemptOutcome, ruling: &piton_model::cycle::Ruling) -> String {
    match (&ruling.verdict, outcome) {
        (_, AttemptOutcome::Cancelled) => "stopped".to_owned(),
        (RoleVerdict::Done, _) if ruling.status == PhaseStatus::Unknown => {
            "done (it did not say how)".to_owned()
        }
        (RoleVerdict::Done, _) => ruling.status.to_string(),
        (RoleVerdict::Again { .. }, _) if ruling.guard == Some(Verdict::Refused) => {
            "refused, started again".to_owned()
        }
        (RoleVerdict::Again { .. }, AttemptOutcome::Succeeded) => "does not count, started again".to_owned(),
        (RoleVerdict::Again { .. }, _) => format!("{}, started again", outcome_word(outcome)),
        (RoleVerdict::Waits, _) => {
            let names: Vec<String> = ruling.asked.iter().map(ToString::to_string).collect();
            format!("blocked, asks {}", names.join(", "))
        }
        (RoleVerdict::Halt { reason }, _) => format!("needs a person ({reason})"),
        (RoleVerdict::Fail { .. }, _) => "failed for good".to_owned(),
    }
}

/// What is under way.
pub fn under_way(state: &State) -> UnderWay {
    let roles: Vec<_> = roles_at_work(state).map(|role| role.what).collect();
    let what = match (roles.is_empty(), state.checking, &state.calling) {
        (false, ..) => roles.join(", "),
        (true, Some(_), _) => "checks".to_owned(),
        (true, None, Some(_)) => "hooks".to_owned(),
        (true, None, None) => state.status.as_str().to_owned(),
    };
    UnderWay { at: format!("#{}", state.iteration), what, ..UnderWay::default() }
}

/// The roles and checks that may be at work.
pub(super) fn at_work(state: &State) -> Vec<AtWork> {
    let checks = state.checking.into_iter().flat_map(|round| checks_at_work(&state.config.checks, round));
    roles_at_work(state).chain(checks).collect()
}

fn roles_at_work(state: &State) -> impl Iterator<Item = AtWork> {
    state.team().filter_map(|(role, at)| {
        Some(AtWork {
            attempt: at.open.as_ref()?.number.to_string(),
            has_tries: false,
            what: role.name.to_string(),
            speaks: Some(role.agent.stream.clone()),
        })
    })
}

/// Why it is where it is.
pub fn why(state: &State) -> String {
    let text = match (state.status, state.reason, &state.detail) {
        (_, _, Some(detail)) => detail.clone(),
        // What was taken up as completed was judged by nobody here.
        (Status::Completed, Some(Reason::Done), None) if !state.config.checks.is_empty() => {
            "it was completed when it was taken up; no check was run here".to_owned()
        }
        (Status::Completed, _, None) => {
            let checks = state.config.checks.len() as u32;
            match checks {
                0 => "every role is done, and none found anything wrong".to_owned(),
                _ => format!(
                    "every role is done, and {} green",
                    if checks == 1 { "the check is".to_owned() } else { format!("all {checks} checks are") }
                ),
            }
        }
        (Status::Waiting, Some(Reason::Blocked), None) => {
            let open = state.blockers.iter().find(|blocker| blocker.status == BlockerStatus::Open);
            open.map_or_else(
                || "a role is blocked".to_owned(),
                |blocker| format!("{} of {}: {}", blocker.id, blocker.reported_by, blocker.description),
            )
        }
        (Status::Waiting, _, None) => {
            let waits = |status| status == DecisionStatus::Pending;
            let open = state.decisions.iter().find(|decision| decision.waits && waits(decision.status));
            open.map_or_else(String::new, |decision| {
                format!("{}: {} ({})", decision.id, decision.description, decision.options.join(" | "))
            })
        }
        (_, Some(reason), None) => reason.as_str().to_owned(),
        (_, None, None) => String::new(),
    };
    clean_line(&text)
}

/// What was not the cause of where it is.
pub fn not_the_cause(state: &State) -> Vec<String> {
    if state.status == Status::Completed {
        return Vec::new();
    }
    let (limits, counters) = (&state.config.limits, &state.counters);
    let mut list = Vec::new();
    let mut unless = |reason: Reason, text: String| {
        if state.reason != Some(reason) {
            list.push(text);
        }
    };
    unless(Reason::LimitIterations, format!("iterations {} of {}", state.iteration, limits.iterations));
    unless(
        Reason::NoProgress,
        format!("without progress {} of {}", state.idle_iterations, limits.no_progress),
    );
    unless(Reason::AttemptLost, format!("lost {}", counters.lost));
    if let Some(limit) = limits.cost_microusd {
        let used = known_money(counters.cost_microusd, counters.cost_unknown);
        unless(Reason::LimitCost, format!("money {used} of {}", money(limit)));
    }
    list
}

/// The last lines of a viewer.
pub fn ending(state: &State, landed_on: Option<&str>, next: &str) -> Vec<String> {
    let counters = &state.counters;
    let why = match why(state) {
        why if why.is_empty() => String::new(),
        why => format!("{why} · "),
    };
    let mut summary = format!(
        "{}   {why}{} · {}",
        status_word(state.status),
        count(state.iteration, "iteration"),
        count(counters.attempts, "attempt")
    );
    if counters.cost_microusd > 0 {
        summary.push_str(&money_of(counters));
    }
    let mut lines = vec![clean_line(&summary)];
    lines.extend(state.best.map(|best| format!("best    iteration {best}")));
    lines.extend(place(state).map(|place| clean_line(&format!("result  {place}, {}", landed(landed_on)))));
    lines.push(format!("next    {next}"));
    lines
}

/// One screen. `next`: what to do, in words.
pub fn status(view: &CycleStatus, state: &State, next: &str, now: Timestamp) -> Vec<String> {
    let mut lines = super::head(&view.entry, &why(state), view.driver.as_ref(), ago(now, view.since));
    lines.push(format!("phase   {}", strip(view)));
    lines.push(format!(
        "used    {} of {} iterations · {} of work · {}{}",
        state.iteration,
        state.config.limits.iterations,
        duration(view.used.working_ms),
        count(view.used.attempts, "attempt"),
        money_of(&state.counters),
    ));
    if let Some(found) = &state.config.prep {
        lines.push(clean_line(&format!("prep    {}", prep_words(found))));
    }
    if let Some(at) = view.iterations.last().and_then(|last| last.gate.as_ref()) {
        lines.push(format!("gate    {}", gate_words(at)));
    }
    lines.extend(place(state).map(|place| clean_line(&format!("tree    {place}"))));
    let widest = |of: fn(&RoleView) -> usize| view.roles.iter().map(of).max().unwrap_or(0);
    let version = |role: &RoleView| role.version.as_ref().map_or(0, |version| version.len() + 1);
    let widths = [widest(|role| role.name.len()), widest(|role| role.agent.chars().count()), widest(version)];
    let roles = view.roles.iter().zip(&state.roles);
    lines.extend(roles.map(|(role, at)| role_line(role, &at.counters, widths)));
    lines.extend(state.plan.as_deref().map(|plan| clean_line(&format!("plan    {}", plan_words(plan)))));
    if !view.checks.is_empty() {
        lines.push(clean_line(&format!("checks  {}", check_views(&view.checks))));
    }
    if let Some(best) = &view.best {
        let score = best.quality_score.map_or_else(String::new, |score| format!(", quality {score:.0}"));
        lines.push(format!("best    iteration {}{score}", best.iteration));
    }
    for issue in view.iterations.last().map(|last| last.issues.as_slice()).unwrap_or_default().iter().take(5)
    {
        lines.push(clean_line(&format!("issue   {issue}")));
    }
    let pending = view.decisions.iter().filter(|decision| decision.status == DecisionStatus::Pending);
    lines.extend(pending.map(|open| {
        clean_line(&format!("decide  {}  {} ({})", open.id, open.description, open.options.join(" | ")))
    }));
    let open = view.blockers.iter().filter(|blocker| blocker.status == BlockerStatus::Open);
    lines.extend(open.map(|blocker| {
        clean_line(&format!("blocked {}  {} ({})", blocker.id, blocker.description, blocker.reported_by))
    }));
    lines.extend(error_lines(view));
    lines.extend(view.unknown.iter().map(|text| clean_line(&format!("unknown {text}"))));
    lines.push(format!("next    {next}"));
    lines
}

/// How far the plan is: what is done, what can be done next, what decides how long it takes.
fn plan_words(plan: &Plan) -> String {
    let is_done =
        |id: &String| plan.tasks.iter().any(|task| task.id == *id && task.status == TaskStatus::Completed);
    let done = plan.tasks.iter().filter(|task| task.status == TaskStatus::Completed).count();
    let is_open = |task: &&PlanTask| !matches!(task.status, TaskStatus::Completed | TaskStatus::Blocked);
    let next = plan.tasks.iter().filter(is_open).find(|task| task.depends_on.iter().all(is_done));
    let next = next.map_or_else(String::new, |task| format!(" · next {}", task.id));
    let left: Vec<&str> =
        plan.critical_path.iter().filter(|id| !is_done(id)).map(String::as_str).take(TASKS_SHOWN).collect();
    let path = match left.len() {
        0 | 1 => String::new(),
        _ => format!(" · critical path {}", left.join(" → ")),
    };
    format!("{done} of {} done{next}{path}", count(plan.tasks.len() as u32, "task"))
}

/// The phases side by side: those that are done, the one under way, those to come.
fn strip(view: &CycleStatus) -> String {
    let sign = |role: &RoleView| match role.status {
        RoleStatus::Completed => '✓',
        RoleStatus::Running => '▶',
        RoleStatus::Waiting => '…',
        RoleStatus::Failed => '✗',
        RoleStatus::Idle => '·',
    };
    let roles: Vec<String> = view.roles.iter().map(|role| format!("{} {}", role.name, sign(role))).collect();
    let version = if view.version.is_empty() { String::new() } else { format!(", v{}", view.version) };
    format!("{} ({}{version})", roles.join(" → "), view.phase)
}

fn role_line(role: &RoleView, used: &Counters, [name, agent, version]: [usize; 3]) -> String {
    let written = role.version.as_ref().map_or_else(String::new, |version| format!("v{version}"));
    let mut line = format!("  {:<name$}  {:<10} {:<agent$}", role.name, role.status, role.agent);
    if version > 0 {
        let _ = write!(line, "  {written:<version$}");
    }
    let _ = write!(line, "  {}  {}", count(role.used.attempts, "attempt"), duration(role.used.working_ms));
    // Where nothing is known of any of it, that is said once.
    if used.cost_unknown == 0 || used.cost_microusd > 0 {
        line.push_str(&money_of(used));
    }
    clean_line(&line)
}

/// What went wrong: with each role as it is now, and last of all.
fn error_lines(view: &CycleStatus) -> Vec<String> {
    let of_roles = view.roles.iter().filter_map(|role| Some((role.name.as_str(), role.error.as_deref()?)));
    let mut errors: Vec<(&str, &str)> = of_roles.collect();
    let last = view.phase_errors.last().map(|last| (last.phase.as_str(), last.error.as_str()));
    errors.extend(last.filter(|last| !errors.contains(last)));
    errors.into_iter().map(|(phase, error)| clean_line(&format!("error   {phase}: {error}"))).collect()
}

/// What was spent; a lower bound where some attempts did not say.
fn money_of(used: &Counters) -> String {
    match (used.cost_microusd, used.cost_unknown) {
        (0, 0) => String::new(),
        (0, _) => " · money unknown".to_owned(),
        (cost, 0) => format!(" · {}", money(cost)),
        (cost, _) => format!(" · at least {}", money(cost)),
    }
}

/// One event, for `log` and `why`: the timeline of a cycle.
pub fn event(event: &Event) -> String {
    event_words(event)
}

fn event_words(event: &Event) -> String {
    let said = |feedback: &[Feedback]| {
        let told: Vec<String> = feedback
            .iter()
            .map(|entry| format!("{} → {} ({})", entry.source, entry.target, entry.kind))
            .collect();
        if told.is_empty() { String::new() } else { format!("; {}", told.join(", ")) }
    };
    let text = match event {
        Event::RunCreated { title, config, imported, base, .. } => {
            let roles: Vec<&str> = config.roles.iter().map(|role| role.name.as_str()).collect();
            let from = match imported.as_deref() {
                Some(imported) if imported.rebuilt => ", rebuilt from its progress files",
                Some(_) => ", imported",
                None => "",
            };
            let prep = config
                .prep
                .as_ref()
                .map_or_else(String::new, |found| format!("; prep {}", prep_words(found)));
            let over = base.as_ref().map_or("", |_| "; over what another run left, which nobody judged");
            format!("created: {title} ({}{from}){prep}{over}", roles.join(", "))
        }
        Event::SnapshotTaken { .. } => "looked at the work tree".to_owned(),
        Event::IterationStarted { iteration, version, extension, roles, gate, .. } => {
            let roles: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
            let gate = gate.map_or_else(String::new, |gate| format!(", {gate}"));
            let why =
                extension.as_ref().map_or_else(String::new, |extension| format!(", for: {}", extension.text));
            format!("iteration {iteration} begins (version {version}{gate}: {}{why})", roles.join(", "))
        }
        Event::RoleStarted { attempt } => {
            format!("{} begins (attempt {}, try {})", attempt.role, attempt.number, attempt.attempt)
        }
        Event::RoleNudged { attempt, nudge } => format!("attempt {attempt} takes long: {nudge}"),
        Event::RoleFinished { attempt, end, ruling } => format!(
            "attempt {attempt} ended after {}: {}{}{}",
            duration(end.duration_ms),
            ruling_word(end.outcome, ruling),
            ruling.errors.iter().map(|error| format!("; ! {error}")).collect::<String>(),
            said(&ruling.feedback)
        ),
        Event::RoleAbandoned { attempt } => format!("attempt {attempt} was never started"),
        Event::RoleLost { attempt, .. } => {
            format!("attempt {attempt} was lost: its outcome cannot be known, nothing of it runs any more")
        }
        Event::ChecksStarted { round } => format!("checks begin (round {round})"),
        Event::ChecksFinished { round, .. } if round.cancelled => "checks were cut short".to_owned(),
        Event::ChecksFinished { round, .. } => format!("checks: {}", checks(round)),
        Event::IterationConcluded { conclusion } => format!(
            "iteration {}: {}{}{}{}",
            conclusion.iteration,
            conclusion.verdict,
            conclusion.gate.as_ref().map_or_else(String::new, |at| format!("; {}", gate_words(at))),
            conclusion.issues.iter().map(|issue| format!("; {issue}")).collect::<String>(),
            said(&conclusion.feedback)
        ),
        Event::HooksStarted { call } => format!("hooks at {} are called", super::event::points(&call.points)),
        Event::HooksFinished { end } => super::event::hooks_words(end),
        Event::PhaseErred { phase, error } => format!("error in {phase}: {error}"),
        Event::StateEdited { edited, .. } => {
            let word = match edited.word.as_deref() {
                None => String::new(),
                Some("") => " (no status)".to_owned(),
                Some(word) => format!(" (`{word}`)"),
            };
            let signal = edited.signal.map_or_else(String::new, |signal| format!(": {signal}{word}"));
            let fields = match edited.fields.as_slice() {
                [] => String::new(),
                fields => format!("; not taken: {}", fields.join(", ")),
            };
            format!("somebody edited the state file{signal}{fields}")
        }
        Event::DriverStarted { epoch, pid, .. } => format!("driver {pid} took the lease (epoch {epoch})"),
        Event::RunWaiting { reason, .. } => format!("waiting ({reason})"),
        Event::RunPaused { reason, detail } => super::with_detail("paused", *reason, detail.as_deref()),
        Event::RunResumed { .. } => "resumed".to_owned(),
        Event::RunStopped { reason, detail } => super::with_detail("stopped", *reason, detail.as_deref()),
        Event::RunCompleted { .. } => "done".to_owned(),
        Event::RunFailed { reason, detail } => super::with_detail("failed", *reason, detail.as_deref()),
        Event::PauseRequested {} => "asked to pause".to_owned(),
        Event::StopRequested { now, .. } => {
            format!("asked to stop {}", if *now { "now" } else { "once the work under way has ended" })
        }
        Event::ResumeRequested { .. } => "asked to resume".to_owned(),
        Event::ExtensionRequested { text, .. } => format!("extension: {text}"),
        Event::FeedbackAdded { source, target, kind, content } => {
            format!("feedback {source} → {target} ({kind}): {content}")
        }
        Event::DecisionProposed { description, options, by, .. } => {
            format!("{by} wants a decision: {description} ({})", options.join(" | "))
        }
        Event::DecisionSettled { id, status, option, by } => match option {
            Some(option) => format!("{id} {status} by {by}: {option}"),
            None => format!("{id} {status} by {by}"),
        },
        Event::BlockerReported { description, by } => format!("{by} is blocked: {description}"),
        Event::BlockerSettled { id, status, resolution } => {
            let how = resolution.as_ref().map_or_else(String::new, |how| format!(": {how}"));
            format!("{id} {status}{how}")
        }
        Event::BestChosen { iteration: 0, .. } => "no iteration is preferred any more".to_owned(),
        Event::BestChosen { iteration, reason } => format!("iteration {iteration} is preferred: {reason}"),
        Event::CheckpointTaken { seq, .. } => format!("checkpoint at {seq}"),
    };
    clean_line(&text)
}

/// What was decided and found out, and what stands in the way, as Markdown.
fn settled(state: &State) -> String {
    let decided = state.decisions.iter().filter_map(|known| {
        let by = known.made_by.as_deref().unwrap_or("somebody");
        let (what, chosen) = (&known.description, known.chosen_option.as_ref()?);
        Some(format!("{}, decided by {by}: {what}: {chosen}", known.id))
    });
    let blockers = state.blockers.iter().map(|known| {
        let how = known.resolution.as_ref().map_or_else(String::new, |how| format!(" ({how})"));
        format!("{}, {}, of {}: {}{how}", known.id, known.status, known.reported_by, known.description)
    });
    let noted = state.notes.iter().map(|RoleNote { role, iteration, note }| {
        format!("#{iteration}, {role}, {}: {}", note.kind.as_str(), note.text)
    });
    let lines: String =
        decided.chain(blockers).chain(noted).map(|line| format!("- {}\n", clean_line(&line))).collect();
    if lines.is_empty() { lines } else { format!("\n## Decisions and findings\n\n{lines}") }
}

/// What the cycle did, as Markdown.
pub fn report(view: &CycleStatus, state: &State) -> String {
    let entry = &view.entry;
    let mut text = format!("# {}\n\n", clean_line(&entry.title));
    let _ = writeln!(text, "Cycle `{}`: **{}**, {}.\n", entry.run_id, status_word(entry.status), why(state));
    let _ = writeln!(
        text,
        "{} of {}, {} of work, {} ({} failed, {} lost){}.\n",
        state.iteration,
        count(state.config.limits.iterations, "iteration"),
        duration(view.used.working_ms),
        count(view.used.attempts, "attempt"),
        view.used.failures,
        view.used.lost,
        money_of(&state.counters),
    );
    text.push_str(
        "| role | agent | status | version | attempts | work | cost |\n|---|---|---|---|---|---|---|\n",
    );
    for (role, at) in view.roles.iter().zip(&state.roles) {
        let spent = match (at.counters.cost_microusd, at.counters.cost_unknown) {
            (0, 1..) => "unknown".to_owned(),
            (cost, 0) => money(cost),
            (cost, _) => format!("at least {}", money(cost)),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            cell(&role.name),
            cell(&role.agent),
            role.status,
            role.version.as_deref().unwrap_or("-"),
            role.used.attempts,
            duration(role.used.working_ms),
            spent,
        );
    }
    text.push_str("\n| iteration | version | verdict | tests | issues |\n|---|---|---|---|---|\n");
    for iteration in &view.iterations {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            iteration.number,
            iteration.version,
            iteration.verdict.unwrap_or("under way"),
            iteration.pass_rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.0} %")),
            cell(&iteration.issues.join("; ")),
        );
    }
    if let Some(found) = &state.config.prep {
        let _ = writeln!(text, "\nPrep package: {}.", clean_line(&prep_words(found)));
    }
    for (number, at) in view.iterations.iter().filter_map(|one| Some((one.number, one.gate.as_ref()?))) {
        let _ = writeln!(text, "\nGate of iteration {number}: {}.", gate_words(at));
    }
    if !view.checks.is_empty() {
        let _ = writeln!(text, "\nChecks: {}.", clean_line(&check_views(&view.checks)));
    }
    if !state.findings.is_empty() {
        let _ = writeln!(text, "\nThe guard had {}:\n", count(state.findings.len() as u32, "finding"));
        for kept in state.findings.iter().take(FINDINGS_SHOWN) {
            let became = match kept.verdict {
                Verdict::Refused | Verdict::Asked => "refused",
                Verdict::Reported => "reported",
            };
            let _ =
                writeln!(text, "- #{}, {became}: {}", kept.iteration, clean_line(&kept.finding.sentence()));
        }
    }
    text.push_str(&settled(state));
    let files: Vec<String> =
        state.changed_files.iter().take(50).map(|path| format!("`{}`", cell(path))).collect();
    if !files.is_empty() {
        let _ = writeln!(
            text,
            "\n{} changed: {}",
            count(state.changed_files.len() as u32, "file"),
            files.join(", ")
        );
    }
    text
}
