//! Calling the hooks of a run: what the machine decided, done by the crate `notify`.
//!
//! Nothing is looked up here. Whether a hook of a call that a crash cut off has run cannot be known, so the whole call
//! is made again; its number is the same, for hooks that must not do their work twice.

use std::sync::Arc;

use piton_git::Workspace;
use piton_model::hook::{Builtin, HookPoint, Hooks};
use piton_model::loop_machine::{AgentConfig, HookCall, HookEnd, HookRecord};
use piton_model::notify::Trigger;
use piton_model::{Command, Kind, Reason, State, Status};
use piton_notify::hook::{Builtins, Context as Told, Runner};
use piton_notify::send::Means;
use piton_notify::{Line, Occasion, Seen, Watched};
use piton_store::Store;
use piton_sys::file::{self, Durability};
use piton_sys::{Clock, SystemClock};
use piton_view::words::metrics::prometheus;

use super::publish::keep_as_many_as_asked;
use super::{Context, WorldError, publish, sentence};
use crate::client::metrics::metrics;
use crate::layout::Layout;

/// Where the builtin `metrics` writes.
pub(super) const METRICS_FILE: &str = ".ralph/metrics.prom";

/// Calls the hooks of a loop.
pub(super) fn perform(context: &Context, call: &HookCall, state: &State) -> Result<Command, WorldError> {
    context.require_lease(state)?;
    let end = perform_call(context, call, state.config.hooks.as_ref(), &|| Calling {
        agent: state.agent().clone(),
        told: told(context, call, state),
        iteration_of: Box::new(move |point| state.work.iteration + u32::from(is_ahead(point, state))),
        seen: state.seen(&name_of(context)),
        judged: state.seen.snapshot.as_ref().map(|snapshot| snapshot.id.clone()),
    })?;
    Ok(Command::EndHooks(Box::new(end)))
}

/// What a call needs to know of its run, whatever its kind.
pub(crate) struct Calling<'a> {
    /// Whose surroundings hooks are started in: they run what that agent wrote.
    pub(crate) agent: AgentConfig,
    /// What hooks are told; point and iteration are filled in.
    pub(crate) told: Told,
    /// The iteration that a point belongs to.
    pub(crate) iteration_of: Box<dyn Fn(HookPoint) -> u32 + 'a>,
    /// How the run stands.
    pub(crate) seen: Seen,
    /// The files that were judged last.
    pub(crate) judged: Option<String>,
}

/// The repository's name for people.
pub(crate) fn name_of(context: &Context) -> String {
    context.layout.root().file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Makes a call: every hook at each of its points. `calling` is asked only where there are hooks.
pub(crate) fn perform_call<'a>(
    context: &Context,
    call: &HookCall,
    hooks: Option<&Hooks>,
    calling: &dyn Fn() -> Calling<'a>,
) -> Result<HookEnd, WorldError> {
    let mut end = HookEnd { number: call.number, ..HookEnd::default() };
    let Some(hooks) = hooks.cloned() else { return Ok(end) };
    let Calling { agent, mut told, iteration_of, seen, judged } = calling();
    let home = context.layout.root().join(".ralph");
    if !home.exists() {
        file::create_private_dir(&home)?;
    }
    let runner = Runner {
        hooks,
        means: Means {
            redactor: context.launch.redactor().clone(),
            ..Means::of_this_machine(context.layout.root())
        },
        log: context.layout.root().join(publish::AUDIT_LOG),
        // A hook works in the tree, and so runs what an agent wrote as a check does.
        program: &|argv| context.launch.program(argv, context.layout.tree(), &agent),
        is_cancelled: &|| context.is_cancelled(),
        clock: Arc::new(SystemClock),
        builtins: Box::new(Brought {
            layout: context.layout.clone(),
            store: Arc::clone(&context.store),
            run: context.run.clone(),
            line: context.line.clone(),
            seen,
            ending: call.ending.as_ref().map(|ending| (ending.status, ending.reason)),
            workspace: context.storing(&agent).map_err(|error| error.to_string()),
            judged,
        }),
    };
    for point in &call.points {
        // A person who wants it to stop now is not kept waiting by the rest.
        if context.is_cancelled() {
            break;
        }
        told.hook_point = *point;
        told.iteration = iteration_of(*point);
        let called = runner.call(told.clone());
        let judgement = called.judgement;
        end.results.extend(called.results.into_iter().map(|result| HookRecord {
            hook: result.hook_name,
            point: *point,
            success: result.success,
            skipped: result.skipped,
            duration_ms: result.duration_ms,
            said: result.error.or(result.output),
        }));
        told.data.extend(judgement.data.clone());
        end.set.extend(judgement.data);
        end.keep_session |= judgement.skip;
        end.stop = end.stop.or(judgement.stop.map(|stop| stop.why));
    }
    Ok(end)
}

/// No hook was called, since somebody wants to stop now.
pub(super) fn not_called(call: &HookCall) -> Command {
    Command::EndHooks(Box::new(HookEnd { number: call.number, ..HookEnd::default() }))
}

/// Whether a point belongs to the iteration that has not begun.
fn is_ahead(point: HookPoint, state: &State) -> bool {
    matches!(point, HookPoint::PreIteration | HookPoint::PreSession)
        && state.work.iteration == state.counters.iterations
}

fn told(context: &Context, call: &HookCall, state: &State) -> Told {
    let last = state.judged.recent.back();
    let failure = state.work.ended.as_ref().and_then(|ended| ended.message.clone());
    let summary = state.seen.report.as_ref().and_then(|report| report.summary.clone());
    let ending = call.ending.as_ref().and_then(|ending| ending.detail.clone());
    Told {
        hook_point: HookPoint::LoopStart,
        call: call.number,
        iteration: state.work.iteration,
        loop_id: context.run.to_string(),
        session_id: state.session.current.clone(),
        working_dir: context.layout.tree().display().to_string(),
        mode: state.mode(),
        tests_passing: state
            .seen
            .checks
            .as_ref()
            .filter(|round| !round.checks.is_empty())
            .map(|round| round.all_pass()),
        text: ending.or(failure).or_else(|| last.and_then(|last| last.message.clone())).or(summary),
        status: call.ending.as_ref().map(|ending| ending.status.as_str().to_owned()),
        reason: call.ending.as_ref().map(|ending| ending.reason.as_str().to_owned()),
        data: state.memory.custom.clone().into_iter().collect(),
    }
}

/// What piton brings itself.
struct Brought {
    layout: Layout,
    store: Arc<dyn Store>,
    run: piton_model::RunId,
    line: Option<Line>,
    seen: Seen,
    ending: Option<(Status, Reason)>,
    workspace: Result<Workspace, String>,
    /// The files that were judged last.
    judged: Option<String>,
}

impl Brought {
    /// Stages what was judged.
    fn stage(&self) -> Result<Option<String>, String> {
        let workspace = self.workspace.as_ref().map_err(Clone::clone)?;
        let Some(judged) = self.judged.as_deref().filter(|_| !workspace.is_private()) else {
            return Err("there is nothing to stage: this is no git repository".to_owned());
        };
        let judged = super::snapshot_id(judged).map_err(|error| error.to_string())?;
        workspace.stage(&judged).map(|()| None).map_err(|error| error.to_string())
    }

    fn metrics(&self) -> Result<Option<String>, String> {
        if self.seen.facts.kind != Kind::Loop {
            return Err("there are metrics of loops only".to_owned());
        }
        let runtime =
            tokio::runtime::Builder::new_current_thread().build().map_err(|error| sentence(&error))?;
        let numbers = runtime.block_on(metrics(&*self.store, &self.run)).map_err(|error| sentence(&error))?;
        let path = self.layout.root().join(METRICS_FILE);
        file::write_atomic(&path, prometheus(&[numbers]).as_bytes(), Durability::Unsynced)
            .map_err(|error| sentence(&error))?;
        Ok(Some(METRICS_FILE.to_owned()))
    }

    fn tell(&self, point: HookPoint) -> Result<Option<String>, String> {
        let Some(line) = &self.line else { return Ok(Some("nobody is to be told anything".to_owned())) };
        let trigger = match point {
            HookPoint::LoopStart => Trigger::LoopStarted,
            HookPoint::LoopEnd => match self.ending {
                Some((Status::Completed, _)) => Trigger::LoopCompleted,
                Some((Status::Failed, _)) => Trigger::LoopFailed,
                _ => Trigger::LoopPaused,
            },
            HookPoint::OnError => Trigger::Error,
            HookPoint::OnTestFailure => Trigger::TestsFailing,
            HookPoint::OnTestSuccess => Trigger::TestsAllPassing,
            HookPoint::OnNoProgress => Trigger::NoProgress,
            HookPoint::PreReboot | HookPoint::PostReboot => Trigger::ContextRebooted,
            HookPoint::OnModeSwitch => Trigger::ModeSwitched,
            HookPoint::OnProgress
            | HookPoint::OnFileChange
            | HookPoint::PreIteration
            | HookPoint::PostIteration
            | HookPoint::PreSession
            | HookPoint::PostSession => Trigger::IterationComplete,
        };
        line.tell(Occasion::new(trigger, SystemClock.now(), self.seen.facts.clone()));
        Ok(Some(trigger.as_str().to_owned()))
    }
}

impl Builtins for Brought {
    fn call(&self, builtin: Builtin, told: &Told) -> Result<Option<String>, String> {
        match builtin {
            Builtin::Metrics => self.metrics(),
            Builtin::Backup if self.seen.facts.kind != Kind::Loop => {
                Err("there are backups of the view of a loop only".to_owned())
            }
            Builtin::Backup if crate::keys::is_asked(&self.layout) => Err(
                "the state file is encrypted, and no copies are made of it: `piton backup create` keeps all of the journal"
                    .to_owned(),
            ),
            Builtin::Backup => match piton_files::ralph::keep_copy(self.layout.root(), &self.run) {
                Ok(kept) => {
                    keep_as_many_as_asked(&self.layout);
                    Ok(kept.map(|path| path.display().to_string()))
                }
                Err(error) => Err(error.to_string()),
            },
            Builtin::Git => self.stage(),
            Builtin::Notification => self.tell(told.hook_point),
            // It is done where hooks are called.
            Builtin::Logging => Ok(None),
        }
    }
}
