//! Who is told what of a run: the configuration of notifications, with every default filled in.
//!
//! Owns the words of triggers, priorities and channels. A run stores this with its first event, so it never holds
//! a secret itself: [`Given`] says where one is found when it is needed. What is sent when is decided in the
//! crate `notify`.

use std::collections::BTreeMap;

use crate::words::{words, written_as_text};
use std::fmt;
use std::str::FromStr;

use piton_record::record;

words! {
    /// What people can be told of.
    pub enum Trigger {
        /// The run began.
        LoopStarted = "loop_started",
        /// It reached its goal.
        LoopCompleted = "loop_completed",
        /// It gave up.
        LoopFailed = "loop_failed",
        /// It rests because a person asked.
        LoopPaused = "loop_paused",
        /// It goes on after a rest.
        LoopResumed = "loop_resumed",
        /// An iteration has its verdict.
        IterationComplete = "iteration_complete",
        /// Every check passes, and the round before one did not.
        TestsAllPassing = "tests_all_passing",
        /// A check fails, and the round before none did.
        TestsFailing = "tests_failing",
        /// An iteration changed nothing that matters.
        NoProgress = "no_progress",
        /// A fresh session was begun because the old one was spent.
        ContextRebooted = "context_rebooted",
        /// An attempt failed.
        Error = "error",
        /// A limit stopped it.
        SafetyLimit = "safety_limit",
        /// It changed between attended, unattended and hybrid.
        ModeSwitched = "mode_switched",
        /// There is a new best iteration.
        MilestoneReached = "milestone_reached",
        /// It needs a person.
        AttentionNeeded = "attention_needed",
    }
}

impl Trigger {
    /// How much it matters unless somebody says otherwise.
    pub fn priority(self) -> Priority {
        match self {
            Trigger::LoopFailed | Trigger::SafetyLimit => Priority::Critical,
            Trigger::LoopCompleted | Trigger::Error | Trigger::AttentionNeeded => Priority::High,
            Trigger::LoopPaused
            | Trigger::LoopResumed
            | Trigger::TestsAllPassing
            | Trigger::TestsFailing
            | Trigger::NoProgress
            | Trigger::ModeSwitched
            | Trigger::MilestoneReached => Priority::Normal,
            Trigger::LoopStarted | Trigger::IterationComplete | Trigger::ContextRebooted => Priority::Low,
        }
    }

    /// Whether people are told of it unless somebody says otherwise.
    pub fn is_on_by_default(self) -> bool {
        matches!(
            self,
            Trigger::LoopCompleted
                | Trigger::LoopFailed
                | Trigger::Error
                | Trigger::SafetyLimit
                | Trigger::AttentionNeeded
        )
    }
}

/// The facts that a template may name, as `{fact}`.
pub const FACTS: [&str; 18] = [
    "trigger",
    "priority",
    "time",
    "run",
    "short",
    "title",
    "kind",
    "status",
    "reason",
    "detail",
    "iteration",
    "max_iterations",
    "checks",
    "best",
    "cost",
    "working",
    "next",
    "repository",
];

words! {
    /// How much something matters.
    #[derive(Default)]
    pub enum Priority {
        /// Nice to know.
        Low = "low",
        /// Worth a look.
        #[default]
        Normal = "normal",
        /// Worth an interruption.
        High = "high",
        /// Worth waking somebody.
        Critical = "critical",
    }
}

/// Who is told what, and how often.
#[record(Eq, written(channels, on))]
pub struct Notify {
    /// Where messages go.
    pub channels: Vec<Channel>,
    /// What people are told of.
    pub on: BTreeMap<Trigger, On>,
    /// How many messages may leave, and how long apart.
    pub rate: Rate,
    /// When nobody is disturbed; absent: never.
    pub quiet: Option<QuietHours>,
}

impl Default for Notify {
    /// The desktop is told how a run ends and when it needs somebody.
    fn default() -> Self {
        let on = Trigger::ALL.into_iter().filter(|trigger| trigger.is_on_by_default());
        Self {
            channels: vec![Channel::new("desktop", ChannelKind::Desktop {})],
            on: on.map(|trigger| (trigger, On::of(trigger))).collect(),
            rate: Rate::default(),
            quiet: None,
        }
    }
}

/// How people are told of a trigger.
#[record(Eq)]
pub struct On {
    /// How much it matters.
    pub priority: Priority,
    /// The channels by name; empty means every channel.
    pub channels: Vec<String>,
    /// The first line instead of ours; `{key}` stands for a fact.
    pub title: Option<String>,
    /// The message instead of ours; `{key}` stands for a fact.
    pub text: Option<String>,
}

impl On {
    /// To every channel, in our words.
    pub fn of(trigger: Trigger) -> Self {
        Self { priority: trigger.priority(), channels: Vec::new(), title: None, text: None }
    }
}

/// A place where messages go.
#[record(Eq)]
pub struct Channel {
    pub name: String,
    /// What matters less does not go there.
    #[serde(default = "lowest", skip_serializing_if = "is_lowest")]
    pub min_priority: Priority,
    pub to: ChannelKind,
}

impl Channel {
    /// A channel for whatever happens.
    pub fn new(name: impl Into<String>, to: ChannelKind) -> Self {
        Self { name: name.into(), min_priority: Priority::Low, to }
    }
}

fn lowest() -> Priority {
    Priority::Low
}

fn is_lowest(priority: &Priority) -> bool {
    *priority == Priority::Low
}

#[record(Eq)]
#[serde(tag = "type")]
pub enum ChannelKind {
    /// The desktop of the machine that drives.
    Desktop {},
    /// An incoming webhook of Slack.
    Slack {
        /// Its address, which is a secret.
        url: Given,
    },
    /// A webhook of Discord.
    Discord {
        /// Its address, which is a secret.
        url: Given,
    },
    Email(Box<Email>),
    /// A JSON object by HTTP POST.
    Webhook {
        /// Where the request goes.
        url: Given,
        /// Sent as `Authorization: Bearer`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<Given>,
    },
    /// A line in a file.
    Logfile {
        /// Relative to the repository, absolute, or below `~/`.
        path: String,
    },
}

impl ChannelKind {
    /// The word used in files and on screens.
    pub fn as_str(&self) -> &'static str {
        match self {
            ChannelKind::Desktop {} => "desktop",
            ChannelKind::Slack { .. } => "slack",
            ChannelKind::Discord { .. } => "discord",
            ChannelKind::Email(_) => "email",
            ChannelKind::Webhook { .. } => "webhook",
            ChannelKind::Logfile { .. } => "logfile",
        }
    }

    /// Whether it makes no noise: neither quiet hours nor the rate keep anything from it.
    pub fn is_silent(&self) -> bool {
        matches!(self, ChannelKind::Logfile { .. })
    }
}

/// How mail is sent.
#[record(Eq, written(to))]
pub struct Email {
    /// The server that takes the mail.
    pub host: String,
    pub port: u16,
    /// How the connection is kept private.
    pub encryption: Encryption,
    /// The address that it comes from.
    pub from: String,
    /// Who gets it.
    pub to: Vec<String>,
    /// The name to log in with.
    pub username: Option<String>,
    /// The password that goes with it.
    pub password: Option<Given>,
}

words! {
    /// How a connection to a mail server is kept private.
    #[derive(Default)]
    pub enum Encryption {
        /// It begins in the clear and must be upgraded before anything is said.
        #[default]
        Starttls = "starttls",
        /// TLS from the first byte.
        Tls = "tls",
        /// Not at all: for a server on this machine.
        None = "none",
    }
}

impl Encryption {
    /// The port that goes with it.
    pub fn port(self) -> u16 {
        match self {
            Encryption::Starttls => 587,
            Encryption::Tls => 465,
            Encryption::None => 25,
        }
    }
}

/// A value, or where it is found when it is needed. A secret is never the value itself: this is kept in the journal.
#[record(Eq)]
pub enum Given {
    /// It stands in the file as it is.
    Plain(String),
    /// In this variable of the driver's environment.
    Env(String),
    /// In this file: absolute, or below `~/`. The line break at its end does not belong to it.
    File(String),
}

/// How often people are told. What is critical is counted and never held back by the hour.
#[record(Copy, Eq)]
pub struct Rate {
    /// Between two messages of the same trigger.
    pub per_trigger_ms: u64,
    /// Messages within an hour; 0 means as many as there are.
    pub per_hour: u32,
    /// How long a message waits for a newer one of the same trigger to take its place; 0 means not at all.
    pub debounce_ms: u64,
}

impl Default for Rate {
    fn default() -> Self {
        Self { per_trigger_ms: 60_000, per_hour: 20, debounce_ms: 5_000 }
    }
}

/// When nobody is disturbed, by the clock on the wall of the machine that drives.
#[record(Eq)]
pub struct QuietHours {
    /// From this time on.
    pub from: TimeOfDay,
    /// Until just before this time; at or before `from` it means the next day.
    pub to: TimeOfDay,
    /// The days on which they begin; empty means every day.
    pub days: Vec<Day>,
    /// Whether what is critical is told all the same.
    pub allow_critical: bool,
}

words! {
    /// A day of the week.
    pub enum Day {
        Sun = "sun",
        Mon = "mon",
        Tue = "tue",
        Wed = "wed",
        Thu = "thu",
        Fri = "fri",
        Sat = "sat",
    }
}

impl Day {
    /// The day before.
    pub fn yesterday(self) -> Self {
        Self::ALL[(self as usize + 6) % 7]
    }
}

/// A time of day to the minute, written `HH:MM`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeOfDay(u16);

impl TimeOfDay {
    /// `hour` and `minute` of a day of 24 hours.
    pub fn new(hour: u8, minute: u8) -> Option<Self> {
        (hour < 24 && minute < 60).then(|| Self(u16::from(hour) * 60 + u16::from(minute)))
    }

    /// Minutes since midnight.
    pub fn minutes(self) -> u16 {
        self.0
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

/// The text is not a time of day.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a time of day like `22:30`")]
pub struct ParseTimeOfDayError {
    text: String,
}

impl FromStr for TimeOfDay {
    type Err = ParseTimeOfDayError;

    fn from_str(text: &str) -> Result<Self, ParseTimeOfDayError> {
        let digits = |part: &str| {
            let fits = (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
            fits.then(|| part.parse::<u8>().ok()).flatten()
        };
        let parts = text.split_once(':').filter(|(_, minute)| minute.len() == 2);
        parts
            .and_then(|(hour, minute)| Self::new(digits(hour)?, digits(minute)?))
            .ok_or_else(|| ParseTimeOfDayError { text: text.to_owned() })
    }
}

written_as_text!(TimeOfDay);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_a_trigger_is_the_one_in_files() {
        for trigger in Trigger::ALL {
            assert_eq!(serde_json::to_value(trigger).unwrap(), trigger.as_str());
        }
        for priority in Priority::ALL {
            assert_eq!(serde_json::to_value(priority).unwrap(), priority.as_str());
        }
    }

    #[test]
    fn a_time_of_day_reads_back_and_nothing_else_is_one() {
        for text in ["00:00", "07:05", "23:59"] {
            assert_eq!(text.parse::<TimeOfDay>().unwrap().to_string(), text);
        }
        assert_eq!("7:05".parse::<TimeOfDay>().unwrap().minutes(), 425);
        for text in ["", "7", "24:00", "12:60", "12:5", "1:+1", "123:00", "12:00:00", "-1:00", " 7:05"] {
            assert!(text.parse::<TimeOfDay>().is_err(), "{text:?} was accepted");
        }
    }

    #[test]
    fn what_is_stored_reads_back() {
        let mut notify = Notify::default();
        notify.channels.push(Channel::new(
            "mail",
            ChannelKind::Email(Box::new(Email {
                host: "mail.example".to_owned(),
                port: 587,
                encryption: Encryption::Starttls,
                from: "a@example".to_owned(),
                to: vec!["b@example".to_owned()],
                username: Some("a".to_owned()),
                password: Some(Given::Env("MAIL_PASSWORD".to_owned())),
            })),
        ));
        notify.quiet = Some(QuietHours {
            from: "22:00".parse().unwrap(),
            to: "07:00".parse().unwrap(),
            days: vec![Day::Fri],
            allow_critical: true,
        });
        let json = serde_json::to_string(&notify).unwrap();
        assert_eq!(serde_json::from_str::<Notify>(&json).unwrap(), notify, "{json}");
    }
}
