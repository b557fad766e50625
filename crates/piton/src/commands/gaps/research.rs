//! `piton gaps research`: let an agent look into the gaps that need it.

use std::path::Path;
use std::time::Duration;

use piton_config::{AgentOptions, Overrides, configured_agent, parse_duration, resolve};
use piton_engine::ledger::research::{Batch, Progress, Researcher, Turn, next_look};
use piton_engine::ledger::{Ledger, journal_for, observe};
use piton_model::ledger::{Observed, select_batch, survey, to_iso};
use piton_model::ledger_machine::{Command, ResearchEnd, ResearchLimits, ResearchResult, State, Used};
use piton_model::{ExitCode, Timestamp};
use piton_sys::{Clock, SystemClock};
use piton_view::words;
use serde_json::json;

use super::Place;
use super::look::all_current;
use crate::cli::gaps::ResearchArguments;
use crate::failure::{ErrorKind, Failure};
use crate::output::{Output, clean_line};
use crate::repository::{self, configuration};

/// How often a watcher looks whether somebody has edited the file, or a file that findings rest on.
const LOOK_EVERY: Duration = Duration::from_secs(2);

pub(super) async fn run(
    place: &Place,
    arguments: &ResearchArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let researcher = researcher(place, arguments)?;
    let limits = limits(arguments)?;
    let store = journal_for(&place.layout, &place.ledger)?;
    let ledger = Ledger::new(Some(&*store), &place.layout, place.ledger.clone());
    // A file that is not sound is told before anything else.
    ledger.read(place.now()).await?;
    let turn = ledger.take_turn()?.ok_or_else(|| {
        Failure::new(ErrorKind::Held, "another piton researches this ledger")
            .hint("wait for it; `piton ls --kind ledger` shows it")
    })?;
    let work = Work { place, arguments, ledger: &ledger, turn: &turn, researcher: &researcher, limits, out };
    match arguments.watch {
        false => work.once().await,
        true => work.watch().await,
    }
}

/// What a watcher looks at: the file, and the files that findings rest on.
type Sight = (Option<String>, Observed);

struct Work<'a> {
    place: &'a Place,
    arguments: &'a ResearchArguments,
    ledger: &'a Ledger<'a>,
    turn: &'a Turn,
    researcher: &'a Researcher,
    limits: ResearchLimits,
    out: &'a Output,
}

impl Work<'_> {
    /// One batch: the one that is under way, or else a new one.
    async fn once(&self) -> Result<ExitCode, Failure> {
        if let Some(number) = self.under_way().await? {
            self.out.note(format!("going on with research {number}"));
            return Ok(self.finish().await?.map_or(ExitCode::Done, |batch| code(&batch)));
        }
        if !self.begin(true).await? {
            return Ok(ExitCode::Done);
        }
        Ok(self.finish().await?.map_or(ExitCode::Done, |batch| code(&batch)))
    }

    async fn under_way(&self) -> Result<Option<u32>, Failure> {
        let open = self.ledger.open(self.place.now()).await?;
        Ok(open.state().research.as_ref().map(|research| research.number))
    }

    /// Flips what is due and plans a batch; `false` where nothing needs one.
    async fn begin(&self, by_hand: bool) -> Result<bool, Failure> {
        let now = self.place.now();
        let mut open = self.ledger.open(now).await?;
        self.check_named(open.state())?;
        let observed = observe(self.place.layout.root(), &open.state().gaps);
        open.run(Command::FlipDue { observed }, now).await?;
        let gaps = self.choose(open.state(), by_hand, now)?;
        if gaps.is_empty() {
            return Ok(false);
        }
        let forced = by_hand && !self.arguments.ids.is_empty();
        open.run(Command::Research { gaps, forced, limits: self.limits }, now).await?;
        Ok(true)
    }

    fn choose(&self, state: &State, by_hand: bool, now: Timestamp) -> Result<Vec<String>, Failure> {
        let max = self.place.max_per_run(self.arguments.max);
        if by_hand && !self.arguments.ids.is_empty() {
            return Ok(self.arguments.ids.clone());
        }
        let stale_since = state.stale_since();
        let survey = survey(&state.gaps, state.default_ttl_days, now, &stale_since);
        // A watcher leaves alone for a while what has just failed; a person who asks does not.
        let rests = |id: &str| state.failures.get(id).is_some_and(|failures| failures.retry_at() > now);
        let candidates = survey.candidates.iter().copied().filter(|gap| by_hand || !rests(&gap.id));
        let batch = select_batch(candidates, max);
        match batch.is_empty() {
            true if by_hand => {
                let text = all_current(state.gaps.len(), survey.checked.len(), survey.waiting.len());
                self.out.note(text);
            }
            true => {}
            false => self.out.note(survey.picture(batch.len())),
        }
        Ok(batch.iter().map(|gap| gap.id.clone()).collect())
    }

    /// Gaps that are not there are told before anything is changed.
    fn check_named(&self, state: &State) -> Result<(), Failure> {
        for id in &self.arguments.ids {
            if state.find(id).is_none() {
                return Err(Failure::usage(format!("there is no gap `{}`", clean_line(id)))
                    .hint("run `piton gaps list` to see what there is"));
            }
        }
        Ok(())
    }

    /// Carries the batch to its end, and tells each step.
    async fn finish(&self) -> Result<Option<Batch>, Failure> {
        let now = || self.place.now();
        let mut tell = |progress: Progress| tell(&progress, self.out);
        let batch = self.ledger.research(self.turn, self.researcher, &now, &mut tell).await?;
        if let Some(batch) = &batch {
            summary(batch, self.out);
        }
        Ok(batch)
    }

    /// Batch after batch, whenever something is due. The time of the next look is on record.
    async fn watch(&self) -> Result<ExitCode, Failure> {
        loop {
            // Before anything is decided: what changes while it is decided is seen as a change.
            let seen = self.look(&self.ledger.read(self.place.now()).await?.state);
            if self.under_way().await?.is_some() || self.begin(false).await? {
                if let Some(batch) = self.finish().await?
                    && matches!(batch.why, ResearchEnd::Cost | ResearchEnd::Tokens | ResearchEnd::Time)
                {
                    self.record_watch(None).await?;
                    return Ok(ExitCode::Limit);
                }
                continue;
            }
            let now = self.place.now();
            let until = self.next(now).await?;
            if self.record_watch(until).await? {
                let when = until.map_or_else(|| "an edit".to_owned(), to_iso);
                self.out.note(format!("nothing needs research now; looking again at {when}"));
            }
            self.wait(until, &seen).await?;
        }
    }

    async fn next(&self, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
        Ok(next_look(&self.ledger.read(now).await?.state, now))
    }

    async fn record_watch(&self, until: Option<Timestamp>) -> Result<bool, Failure> {
        let mut open = self.ledger.open(self.place.now()).await?;
        let changed = open.run(Command::Watch { until }, self.place.now()).await?;
        Ok(!changed.events.is_empty())
    }

    fn look(&self, state: &State) -> Sight {
        (state.digest.clone(), observe(self.place.layout.root(), &state.gaps))
    }

    /// Until the time has come, or the file, or one that findings rest on, is another.
    async fn wait(&self, until: Option<Timestamp>, seen: &Sight) -> Result<(), Failure> {
        loop {
            let now = SystemClock.now();
            let left = until.map(|until| Duration::from_millis(until.millis_since(now)));
            if until.is_some_and(|until| until <= now) {
                return Ok(());
            }
            tokio::time::sleep(left.map_or(LOOK_EVERY, |left| left.min(LOOK_EVERY))).await;
            // A file that somebody is in the middle of editing is looked at again when it is sound.
            if let Ok(reading) = self.ledger.read(self.place.now()).await
                && self.look(&reading.state) != *seen
            {
                return Ok(());
            }
        }
    }
}

fn code(batch: &Batch) -> ExitCode {
    match batch.why {
        ResearchEnd::Tokens | ResearchEnd::Cost | ResearchEnd::Time => ExitCode::Limit,
        ResearchEnd::Stopped => ExitCode::Person,
        ResearchEnd::Done if batch.failed > 0 && batch.settled == 0 => ExitCode::Failed,
        ResearchEnd::Done => ExitCode::Done,
    }
}

fn tell(progress: &Progress, out: &Output) {
    if out.json {
        let value = match progress {
            Progress::Started { gap, attempt, found } => {
                json!({ "event": "started", "gap": gap, "attempt": attempt, "found": found })
            }
            Progress::Ended { gap, result, used } => json!({
                "event": "ended", "gap": gap, "result": words::ledger::result(result),
                "tokens": used.tokens, "cost_usd": used.microusd.map(|cost| cost as f64 / 1e6),
                "duration_ms": used.working_ms,
            }),
            Progress::Skipped { gap } => json!({ "event": "skipped", "gap": gap }),
        };
        out.json_line(&value);
        return;
    }
    match progress {
        Progress::Started { gap, attempt, found: true } => {
            out.note(format!(
                "{}: attempt {attempt} was begun before; looking what became of it",
                clean_line(gap)
            ));
        }
        Progress::Started { gap, .. } => out.note(format!("{}: researching", clean_line(gap))),
        Progress::Ended { gap, result, used } => {
            let used = match result {
                ResearchResult::Lost { .. } => String::new(),
                _ => format!("  {}", words(used)),
            };
            out.line(format!("{}: {}{used}", clean_line(gap), clean_line(&words::ledger::result(result))));
        }
        Progress::Skipped { gap } => out.line(format!("{}: needs no research any more", clean_line(gap))),
    }
}

fn words(used: &Used) -> String {
    let cost = used.microusd.map_or_else(|| "cost unknown".to_owned(), words::money);
    let tokens = used.tokens.map_or_else(|| "tokens unknown".to_owned(), |tokens| format!("{tokens} tokens"));
    format!("{} · {tokens} · {cost}", words::duration(used.working_ms))
}

fn summary(batch: &Batch, out: &Output) {
    let Batch { why, spent, settled, failed, left } = batch;
    let cost = match (spent.microusd, spent.cost_unknown) {
        (0, 1..) => "cost unknown".to_owned(),
        (cost, 0) => words::money(cost),
        (cost, unknown) => format!("{} and {unknown} of unknown cost", words::money(cost)),
    };
    if out.json {
        out.json_line(&json!({
            "event": "over", "why": why.as_str(), "settled": settled, "failed": failed, "left": left,
            "tokens": spent.tokens, "cost_usd": spent.microusd as f64 / 1e6, "working_ms": spent.working_ms,
        }));
        return;
    }
    let rest = if left.is_empty() { String::new() } else { format!(", {} not begun", left.len()) };
    out.note(format!(
        "{}: {settled} settled, {failed} failed{rest} · {} · {cost}",
        why.as_str(),
        words::duration(spent.working_ms)
    ));
}

fn limits(arguments: &ResearchArguments) -> Result<ResearchLimits, Failure> {
    let duration = |flag: &str, text: &str| {
        parse_duration(text).map_err(|error| Failure::usage(format!("{flag}: {error}")))
    };
    let working_ms =
        arguments.max_duration.as_deref().map(|text| duration("--max-duration", text)).transpose()?;
    let microusd = match arguments.max_cost {
        Some(cost) if !cost.is_finite() || cost <= 0.0 => {
            return Err(Failure::usage("--max-cost: give an amount above 0"));
        }
        cost => cost.map(|cost| (cost * 1e6).round() as u64),
    };
    Ok(ResearchLimits { tokens: arguments.max_tokens, microusd, working_ms })
}

fn researcher(place: &Place, arguments: &ResearchArguments) -> Result<Researcher, Failure> {
    let files = configuration::read(&place.layout)?;
    if !arguments.trust && arguments.exec.is_none() {
        configuration::require_trust(&place.layout, &files)?;
    }
    let overrides = Overrides {
        agent: arguments.agent.clone(),
        exec: arguments.exec.clone(),
        options: AgentOptions {
            mode: arguments.sandbox.clone(),
            model: arguments.model.clone(),
            arguments: arguments.agent_arguments.clone(),
            ..AgentOptions::default()
        },
        ..Overrides::default()
    };
    let resolved = resolve(&files, &configuration::variable, &overrides).map_err(configuration::problems)?;
    let (agent, idle_ms) = configured_agent(&resolved, &overrides).map_err(configuration::problems)?;
    check_program(&agent.command[0], place.layout.root())?;
    let attempt_ms = parse_duration(&arguments.attempt_timeout)
        .map_err(|error| Failure::usage(format!("--attempt-timeout: {error}")))?;
    let (confine, protect) = configuration::walls(&place.layout, &files, arguments.trust)?;
    Ok(Researcher { agent, idle_ms, attempt_ms, exe: repository::exe()?, confine, protect })
}

fn check_program(program: &str, root: &Path) -> Result<(), Failure> {
    let path = std::env::var_os("PATH");
    match piton_sys::process::find_program(program.as_ref(), path.as_deref(), root) {
        Some(_) => Ok(()),
        None => Err(Failure::new(
            ErrorKind::Environment,
            format!("the agent program `{}` is not in PATH", clean_line(program)),
        )
        .hint("install it, or name another with --agent or --exec")),
    }
}
