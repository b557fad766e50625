//! What is run when: the configuration of hooks, with every default filled in.
//!
//! Owns the words of points, kinds and conditions. A run stores this with its first event: a resumed run calls the
//! hooks that were trusted when it began. What runs when, and what its result means, is decided in the crate
//! `notify`.

use piton_record::record;

use crate::notify::Given;
use crate::words::words;

words! {
    /// Where in a run a hook can be called.
    pub enum HookPoint {
        /// Before the first iteration.
        LoopStart = "loop_start",
        /// When the run comes to rest.
        LoopEnd = "loop_end",
        /// Before an iteration.
        PreIteration = "pre_iteration",
        /// After an iteration has its verdict.
        PostIteration = "post_iteration",
        /// Before a fresh session takes the place of a spent one. A failure here keeps the old one.
        PreReboot = "pre_reboot",
        /// After it did.
        PostReboot = "post_reboot",
        /// A check failed.
        OnTestFailure = "on_test_failure",
        /// Every check passed.
        OnTestSuccess = "on_test_success",
        /// An iteration changed something that matters.
        OnProgress = "on_progress",
        /// An iteration changed nothing that matters.
        OnNoProgress = "on_no_progress",
        /// An attempt failed.
        OnError = "on_error",
        /// The run changed between attended, unattended and hybrid.
        OnModeSwitch = "on_mode_switch",
        /// An iteration changed files.
        OnFileChange = "on_file_change",
        /// Before an agent is started.
        PreSession = "pre_session",
        /// After an agent ended.
        PostSession = "post_session",
    }
}

/// The hooks of a run.
#[record(Eq, omit(fail_on_hook_error), written)]
pub struct Hooks {
    /// How long one may take that does not say so itself.
    pub default_timeout_ms: u64,
    /// Whether a hook that fails stops the run.
    pub fail_on_hook_error: bool,
    /// The hooks, in the order they were declared.
    pub hooks: Vec<Hook>,
}

impl Default for Hooks {
    /// None; half a minute each.
    fn default() -> Self {
        Self { default_timeout_ms: 30_000, fail_on_hook_error: false, hooks: Vec::new() }
    }
}

impl Hooks {
    /// Whether any is called at `point`.
    pub fn has(&self, point: HookPoint) -> bool {
        self.hooks.iter().any(|hook| hook.points.contains(&point))
    }
}

/// A hook of the user's: what is called, at which points, and under which condition.
#[record(Eq, omit(priority, untrusted), written(points))]
pub struct Hook {
    pub name: String,
    /// Where it is called.
    pub points: Vec<HookPoint>,
    /// Higher ones are called first; of equal ones the one declared first.
    pub priority: i32,
    /// How long it may take.
    pub timeout_ms: Option<u64>,
    pub run: HookKind,
    /// What must hold, all of it.
    pub conditions: Vec<HookCondition>,
    /// The file it comes from was not trusted when the run began: it is skipped, and that is said.
    pub untrusted: bool,
}

/// What a hook runs.
#[record(Eq)]
#[serde(tag = "type")]
pub enum HookKind {
    /// Something that piton brings.
    Builtin { builtin: Builtin },
    /// A program, started without a shell.
    Script {
        /// Relative to the repository, absolute, or below `~/`.
        path: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        args: Vec<String>,
        /// BLAKE3 of its content when it was trusted. A program that has changed since is not run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
    },
    /// A shell command.
    Command {
        /// Given to `sh -c`.
        command: String,
    },
    /// A call by HTTP, with the context as its JSON body.
    Webhook {
        /// Where the request goes; it may come from a variable, so that it need not stand in a file.
        url: Given,
        #[serde(default, skip_serializing_if = "crate::is_default")]
        method: Method,
    },
}

impl HookKind {
    /// What it would run, for a message.
    pub fn label(&self) -> String {
        match self {
            HookKind::Builtin { builtin } => format!("builtin {}", builtin.as_str()),
            HookKind::Script { path, args, .. } if args.is_empty() => path.clone(),
            HookKind::Script { path, args, .. } => format!("{path} {}", args.join(" ")),
            HookKind::Command { command } => command.clone(),
            HookKind::Webhook { url: Given::Env(name), method } => format!("{} ${name}", method.as_str()),
            HookKind::Webhook { url: Given::Plain(text) | Given::File(text), method } => {
                format!("{} {text}", method.as_str())
            }
        }
    }
}

words! {
    /// How a webhook is called.
    #[derive(Default)]
    pub enum Method {
        #[default]
        Post = "POST",
        Put = "PUT",
        Patch = "PATCH",
    }
}

words! {
    /// What piton brings.
    pub enum Builtin {
        /// A line in a file for each call.
        Logging = "logging",
        /// Writes the run's metrics.
        Metrics = "metrics",
        /// Backs the run's view up.
        Backup = "backup",
        /// `git add -A` in the work tree.
        Git = "git",
        /// Tells people, as the notifications are configured.
        Notification = "notification",
    }
}

impl Builtin {
    /// How early it is called among the others.
    pub fn priority(self) -> i32 {
        match self {
            Builtin::Logging => 100,
            Builtin::Metrics => 90,
            Builtin::Backup => 80,
            Builtin::Git => 50,
            Builtin::Notification => 10,
        }
    }

    /// Where it is called.
    pub fn points(self) -> Vec<HookPoint> {
        match self {
            Builtin::Logging => HookPoint::ALL.to_vec(),
            Builtin::Metrics => vec![HookPoint::PostIteration, HookPoint::LoopEnd],
            Builtin::Backup => vec![HookPoint::PreReboot, HookPoint::LoopEnd],
            Builtin::Git => vec![HookPoint::PostIteration],
            Builtin::Notification => vec![HookPoint::LoopEnd, HookPoint::OnError],
        }
    }

    /// It as a hook.
    pub fn hook(self) -> Hook {
        Hook {
            name: self.as_str().to_owned(),
            points: self.points(),
            priority: self.priority(),
            timeout_ms: None,
            run: HookKind::Builtin { builtin: self },
            conditions: Vec::new(),
            untrusted: false,
        }
    }
}

/// What must hold for a hook to be called.
#[record(Eq)]
#[serde(tag = "type")]
pub enum HookCondition {
    /// The iteration is a multiple of this.
    EveryN {
        /// At least 1.
        n: u32,
    },
    /// The run is in one of these modes.
    InMode { modes: Vec<Mode> },
    /// A regular expression matches the text of what happened: the agent's summary, or the error.
    IfPattern { pattern: String },
    /// The checks of the last round all pass, or one of them does not. Without a round it does not hold.
    IfTestStatus {
        /// Which of the two.
        passing: bool,
    },
}

words! {
    /// Whether a person is there.
    #[derive(Default)]
    pub enum Mode {
        /// A person decides between iterations.
        Attended = "attended",
        /// Nobody is asked unless it must be.
        #[default]
        Unattended = "unattended",
        /// A person is asked now and then.
        Hybrid = "hybrid",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_the_ones_in_files() {
        for point in HookPoint::ALL {
            assert_eq!(serde_json::to_value(point).unwrap(), point.as_str());
        }
        for builtin in Builtin::ALL {
            assert_eq!(serde_json::to_value(builtin).unwrap(), builtin.as_str());
        }
        for mode in Mode::ALL {
            assert_eq!(serde_json::to_value(mode).unwrap(), mode.as_str());
        }
    }

    #[test]
    fn what_is_stored_reads_back() {
        let mut hooks = Hooks::default();
        hooks.hooks.push(Builtin::Git.hook());
        hooks.hooks.push(Hook {
            name: "tell".to_owned(),
            points: vec![HookPoint::LoopEnd],
            priority: 5,
            timeout_ms: Some(1),
            run: HookKind::Script { path: "a.sh".to_owned(), args: Vec::new(), digest: Some("d".to_owned()) },
            conditions: vec![HookCondition::EveryN { n: 2 }, HookCondition::InMode { modes: Vec::new() }],
            untrusted: true,
        });
        let json = serde_json::to_string(&hooks).unwrap();
        assert_eq!(serde_json::from_str::<Hooks>(&json).unwrap(), hooks, "{json}");
    }
}
