//! Calling hooks: processes with a deadline, requests, and what piton brings itself.
//!
//! One after another, in the order of [`due`]. Each sees the data as those before it left it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use piton_model::hook::{Builtin, Hook, HookKind, Hooks};
use piton_sys::Clock;
use piton_sys::process::{Program, RunLimits};

use super::answer;
use super::judge::{Judgement, judge};
use super::seal::digest_of;
use super::select::due;
use super::{Context, HookResult};
use crate::given;
use crate::send::{self, Means, http};

/// The most a hook may say on each of its outputs.
const OUTPUT_BYTES_MAX: usize = 1 << 20;

/// Why a hook has no result: nobody waits for it any more.
const ENDED: &str = "ended, since the run is to stop now";

/// What piton brings and this crate cannot do by itself.
pub trait Builtins {
    /// Does it. Says what it did, or why it could not.
    fn call(&self, builtin: Builtin, context: &Context) -> Result<Option<String>, String>;
}

/// Calls the hooks of one run.
pub struct Runner<'a> {
    pub hooks: Hooks,
    /// The repository, where secrets are, and what must not be said.
    pub means: Means,
    /// Where the builtin `logging` writes.
    pub log: PathBuf,
    /// What the command line of a hook becomes, in the surroundings of the run.
    pub program: &'a dyn Fn(Vec<String>) -> Program,
    /// Whether somebody wants hooks ended instead of awaited; asked while they work.
    pub is_cancelled: &'a dyn Fn() -> bool,
    pub clock: Arc<dyn Clock>,
    /// The other builtins.
    pub builtins: Box<dyn Builtins + Send + Sync>,
}

/// What came of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// What each hook did, in the order they were called.
    pub results: Vec<HookResult>,
    /// What that means.
    pub judgement: Judgement,
}

impl Runner<'_> {
    /// Calls every hook whose turn it is. Blocks until the last has ended; each has its deadline.
    pub fn call(&self, mut context: Context) -> Called {
        let mut results = Vec::new();
        for due in due(&self.hooks, &context.clone()) {
            let started = self.clock.monotonic();
            let mut result = match due.skipped {
                Some(why) => HookResult::skipped(&due.hook.name, why),
                None if (self.is_cancelled)() => HookResult::skipped(&due.hook.name, ENDED.to_owned()),
                None => self.call_one(due.hook, &context),
            };
            let took = self.clock.monotonic().saturating_sub(started);
            result.duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            context.data.extend(result.modified_data.clone());
            results.push(result);
        }
        let judgement = judge(&self.hooks, context.hook_point, &results);
        Called { results, judgement }
    }

    fn call_one(&self, hook: &Hook, context: &Context) -> HookResult {
        let name = &hook.name;
        let timeout = Duration::from_millis(hook.timeout_ms.unwrap_or(self.hooks.default_timeout_ms));
        match &hook.run {
            HookKind::Command { command } => {
                let argv = ["sh", "-c", command].map(str::to_owned).to_vec();
                self.process(name, (self.program)(argv), timeout, context)
            }
            HookKind::Script { path, args, digest } => {
                let path = self.means.root.join(given::place(path, &*self.means.vault));
                match refusal(&path, digest.as_deref()) {
                    Some(why) => HookResult::skipped(name, format!("{why}: {}", hook.run.label())),
                    None => {
                        let mut argv = vec![path.display().to_string()];
                        argv.extend(args.iter().cloned());
                        self.process(name, (self.program)(argv), timeout, context)
                    }
                }
            }
            HookKind::Webhook { url, method } => {
                let body = serde_json::to_value(context).expect("a context is plain data");
                let request = http::Request { method: *method, url, token: None, body };
                match http::call(&self.means, request, timeout) {
                    Ok(body) => answer::read_body(name, &body, &self.means.redactor),
                    Err(error) => HookResult::failed(name, error.to_string()),
                }
            }
            HookKind::Builtin { builtin } => self.builtin(name, *builtin, context),
        }
    }

    fn process(&self, name: &str, program: Program, timeout: Duration, context: &Context) -> HookResult {
        let mut program = program
            .current_dir(&context.working_dir)
            .stdin_bytes(serde_json::to_vec(context).expect("a context is plain data"));
        for (variable, value) in [
            ("PITON_HOOK", name),
            ("PITON_HOOK_POINT", context.hook_point.as_str()),
            ("PITON_HOOK_CALL", &context.call.to_string()),
            ("PITON_RUN_ID", &context.loop_id),
            ("PITON_ITERATION", &context.iteration.to_string()),
            ("PITON_MODE", context.mode.as_str()),
            ("PITON_SESSION_ID", context.session_id.as_deref().unwrap_or_default()),
        ] {
            program = program.env(variable, value);
        }
        let limits = RunLimits { deadline: timeout, output_bytes_max: OUTPUT_BYTES_MAX };
        match program.run_unless(limits, self.is_cancelled) {
            Ok(output) if output.cancelled => HookResult::skipped(name, ENDED.to_owned()),
            Ok(output) if output.timed_out => HookResult::failed(
                name,
                format!("it took longer than {} s and was ended", timeout.as_secs_f32()),
            ),
            Ok(output) => {
                let [stdout, stderr] =
                    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
                answer::read(name, output.status, &stdout, &stderr, &self.means.redactor)
            }
            Err(error) => {
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
                HookResult::failed(name, format!("{error}{}", cause.unwrap_or_default()))
            }
        }
    }

    fn builtin(&self, name: &str, builtin: Builtin, context: &Context) -> HookResult {
        let directory = self.log.parent().filter(|directory| directory.is_symlink());
        let done = match builtin {
            // An agent may have put the link there: it leads out of its walls.
            Builtin::Logging | Builtin::Metrics | Builtin::Backup if directory.is_some() => {
                Err("its directory is a symbolic link, and nothing is written through one".to_owned())
            }
            Builtin::Logging => send::add_line(&self.log, &self.line(context)).map(|()| None),
            Builtin::Metrics | Builtin::Backup | Builtin::Git | Builtin::Notification => {
                self.builtins.call(builtin, context)
            }
        };
        match done {
            Ok(output) => HookResult { output, ..HookResult::new(name) },
            Err(why) => HookResult::failed(name, why),
        }
    }

    fn line(&self, context: &Context) -> String {
        let point = context.hook_point.as_str().to_uppercase();
        let Context { loop_id, iteration, mode, .. } = context;
        format!("{} [{point}] {loop_id} iteration {iteration}, {}", self.clock.now(), mode.as_str())
    }
}

/// Why a script is not run.
fn refusal(path: &Path, digest: Option<&str>) -> Option<String> {
    let Some(digest) = digest else { return Some("skipped, not trusted".to_owned()) };
    match digest_of(path) {
        Ok(now) if now == digest => None,
        Ok(_) => Some("skipped, changed since it was trusted".to_owned()),
        Err(why) => Some(format!("skipped, {why}")),
    }
}
