//! How firmly a prompt speaks: within the token budget of its level, and with what was found in so many words.

use std::fmt::Write;

use piton_model::limits::clip;
use piton_model::loop_machine::{Level, Trigger, wants_proof};
use piton_model::{Finding, State};

/// What a token is, roughly, in bytes.
const BYTES_PER_TOKEN: usize = 4;

/// What a refused agent is told in any case, even where nothing else is said.
const REFUSAL_TOKENS_MIN: usize = 250;

/// Iterations whose scores are compared.
const SCORES_SHOWN: usize = 3;

/// Adds what the level of `state` calls for.
pub(super) fn reinforce(prompt: &mut String, state: &State) {
    let level = state.judged.reinforcement.level;
    let refused = state.judged.recent.back().is_some_and(|last| last.refused);
    let unproved = wants_proof(state);
    let shown = !refused && !of_trials(state).is_empty();
    let is_told = refused || unproved || shown;
    let tokens = level.tokens_max().max(if is_told { REFUSAL_TOKENS_MIN } else { 0 });
    let mut said = Budget { text: String::new(), bytes: tokens * BYTES_PER_TOKEN };
    if refused {
        say_refusal(&mut said, state);
    } else if unproved {
        say_unproved(&mut said);
    }
    if shown {
        say_shown(&mut said, state);
    }
    say_approach(&mut said, state);
    if level >= Level::Aggressive && !refused {
        say_findings(&mut said, state);
        say_standstill(&mut said, state);
    }
    if level == Level::Adaptive {
        say_tried(&mut said, state);
    }
    if level >= Level::Minimal {
        said.say(
            "Tests, checks and their settings are compared before and after; what weakens them is put back.",
        );
    }
    if level >= Level::Standard {
        said.say(
            "Fix the cause in the code. If a test itself is wrong, leave it and report that you are blocked.",
        );
        said.say("Keep every test, assertion, check of input and error that was there.");
    }
    if !said.text.is_empty() {
        let _ = write!(prompt, "\n{}", said.text);
    }
}

/// A text that grows line by line until its budget is spent.
struct Budget {
    text: String,
    bytes: usize,
}

impl Budget {
    fn say(&mut self, line: &str) {
        if self.text.len() + line.len() < self.bytes {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// The same for a line that must be there, cut where it has to be.
    fn say_first(&mut self, line: &str) {
        self.text.push_str(clip(line, self.bytes.saturating_sub(self.text.len() + 1)));
        self.text.push('\n');
    }
}

/// Why the last iteration was refused, in so many words: what was found, and what to do instead.
fn say_refusal(said: &mut Budget, state: &State) {
    let Some(last) = state.judged.recent.back() else { return };
    said.say(&format!(
        "Iteration {} was refused, and every file is back as it was before it. What was found:",
        last.number
    ));
    let found =
        state.judged.findings.iter().filter(|kept| kept.iteration == last.number && kept.finding.blocking);
    for (index, kept) in found.enumerate() {
        let line = format!("- {}. Instead: {}.", kept.finding.sentence(), kept.finding.undo);
        if index == 0 {
            said.say_first(&line)
        } else {
            said.say(&line)
        }
        say_evidence(said, &kept.finding);
    }
}

/// What trials showed about the work that stands, and nobody let pass.
fn of_trials(state: &State) -> Vec<&Finding> {
    let proof = state.seen.checks.as_ref().and_then(|round| round.proof.as_ref());
    proof.iter().flat_map(|proof| &proof.findings).filter(|finding| finding.allowed.is_none()).collect()
}

/// The same, in so many words: nothing was put back, but it is to be looked at.
fn say_shown(said: &mut Budget, state: &State) {
    said.say("The checks were run on copies of your work that were broken on purpose. That showed:");
    for finding in of_trials(state) {
        said.say(&format!("- {}. Instead: {}.", finding.sentence(), finding.undo));
        say_evidence(said, finding);
    }
}

fn say_evidence(said: &mut Budget, finding: &Finding) {
    let Some(evidence) = &finding.evidence else { return };
    said.say(&format!("  It was tried, with this change:\n{}", indented(&evidence.change)));
    said.say(&format!("  Then {}", evidence.outcome()));
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

/// What keeps a reported done from being one.
fn say_unproved(said: &mut Budget) {
    said.say_first("This work is not done: every check passes, but no test fails on the code of the start and passes now.");
    said.say("Add a test that shows what you changed: it must fail without your change.");
}

/// What this iteration is to do differently.
fn say_approach(said: &mut Budget, state: &State) {
    let Some(recovery) = &state.judged.recovery else { return };
    if let Some((_, approach)) = &recovery.adapted {
        if let Some((_, diagnosis)) =
            recovery.diagnosed.as_ref().filter(|_| !matches!(recovery.trigger, Trigger::Regression { .. }))
        {
            said.say(&format!("The run does not get on: {}.", diagnosis.sentence));
        }
        said.say(approach.advice());
    }
}

/// What the last iterations came to, so that this one takes another way.
fn say_tried(said: &mut Budget, state: &State) {
    for record in state.judged.recent.iter().rev().take(3).filter(|record| !record.skipped) {
        if record.was_put_back() {
            said.say(&format!("What iteration {} did was refused and put back.", record.number));
            continue;
        }
        let came_to = if record.progress { "" } else { ", which changed nothing that matters" };
        said.say(&format!(
            "Iteration {} came to {} of {} checks with +{} −{} lines{came_to}.",
            record.number, record.passed, record.total, record.added, record.removed
        ));
    }
    if !state.judged.recent.is_empty() {
        said.say("Do not do the same again: say first what was wrong with it, then take another way.");
    }
}

/// How the last iterations compare, and what still fails: what a prompt insists on where nothing wrong was found.
fn say_standstill(said: &mut Budget, state: &State) {
    let scored =
        state.judged.recent.iter().rev().filter_map(|record| record.quality.map(|quality| (record, quality)));
    let last: Vec<_> = scored.take(SCORES_SHOWN).collect();
    if let (Some((newest, score)), Some((oldest, then))) =
        (last.first(), last.last().filter(|_| last.len() > 1))
    {
        let way = match score.score.total_cmp(&then.score) {
            std::cmp::Ordering::Greater => "it gets better, and there is more to do",
            std::cmp::Ordering::Equal => "what was tried does not move it",
            std::cmp::Ordering::Less => "it gets worse",
        };
        said.say(&format!(
            "The score went from {:.1} in iteration {} to {:.1} in iteration {}: {way}.",
            then.score, oldest.number, score.score, newest.number
        ));
    }
    let failing = state.seen.checks.iter().flat_map(|round| &round.checks).filter(|check| !check.passed);
    let failing: Vec<_> = failing.map(|check| format!("`{}`", check.name)).collect();
    if !failing.is_empty() {
        said.say(&format!(
            "Still failing: {}. Before you edit, find out why, and say it.",
            failing.join(", ")
        ));
    }
}

/// What was found in earlier iterations, the newest first.
fn say_findings(said: &mut Budget, state: &State) {
    for kept in state.judged.findings.iter().rev().filter(|kept| kept.finding.blocking).take(3) {
        said.say(&format!("Refused in iteration {}: {}.", kept.iteration, kept.finding.sentence()));
    }
}
