//! What to send where, or why not.
//!
//! Pure: configuration, history, occasion and moment come in, messages go out. The order of the rules is the order
//! of [`Why`]. A silent channel (a file) gets everything that is on; the others share one rate.
//!
//! A burst becomes one message: what is not critical waits for `debounce`, and a newer occasion of the same trigger
//! takes its place without waiting longer. What was held back is counted, and the next message says so.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use piton_model::Timestamp;
use piton_model::notify::{Channel, Day, Notify, On, Priority, QuietHours, TimeOfDay, Trigger};
use serde::Serialize;

use crate::history::{Delivery, Held, History, RECORDS_MAX, Record};
use crate::occasion::{Facts, Occasion};
use crate::words;

const HOUR_MS: u64 = 3_600_000;

/// Now, and what the clock on the wall says then.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Now.
    pub now: Timestamp,
    /// Where the wall is.
    pub zone: TimeZone,
}

/// A message as it leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Counts the messages of a run.
    pub number: u64,
    /// What it is about.
    pub trigger: Trigger,
    /// How much it matters.
    pub priority: Priority,
    /// Its first line.
    pub title: String,
    /// What follows.
    pub text: String,
    /// When it happened.
    pub at: Timestamp,
    /// How many messages were held back before it.
    pub held_back: u32,
    /// How the run stood.
    pub facts: Facts,
}

/// A message, and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The names of the channels; at least one.
    pub channels: Vec<String>,
    pub message: Message,
}

/// What was decided about an occasion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// To be sent now.
    pub send: Vec<Dispatch>,
    /// What becomes of it on the channels that make noise.
    pub loud: Loud,
}

/// What becomes of an occasion on the channels that make noise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loud {
    /// It is sent now.
    Sent,
    /// It waits for newer ones until then.
    Held { until: Timestamp },
    /// Nobody is told.
    Not(Why),
}

/// Why nobody is told, the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nobody asked to be told of it.
    Off,
    /// No channel takes it.
    NoChannel,
    /// These are quiet hours.
    Quiet {
        /// Until then.
        until: TimeOfDay,
    },
    /// The same was told a moment ago.
    TooSoon {
        /// When it could be told again.
        again: Timestamp,
    },
    /// Enough was told this hour.
    TooMany {
        /// As many as are allowed.
        per_hour: u32,
    },
}

impl History {
    /// Something happened: what to send now. The history changes accordingly.
    pub fn tell(&mut self, config: &Notify, occasion: Occasion, moment: &Moment) -> Decided {
        let Some(on) = config.on.get(&occasion.trigger) else {
            return Decided { send: Vec::new(), loud: Loud::Not(Why::Off) };
        };
        let priority = on.priority;
        let (silent, loud) = channels(config, on, priority);
        let mut send = Vec::new();
        if !silent.is_empty() {
            self.last_number += 1;
            let message = message(self.last_number, &occasion, on, 0);
            send.push(Dispatch { channels: silent, message });
        }
        let refused = match loud.is_empty() {
            true => Some(Why::NoChannel),
            false => self.refusal(config, occasion.trigger, priority, moment),
        };
        let loud = match refused {
            Some(Why::NoChannel) => Loud::Not(Why::NoChannel),
            Some(why) => {
                self.held_back += 1;
                Loud::Not(why)
            }
            None if config.rate.debounce_ms == 0 || priority == Priority::Critical => {
                // What waited says less than what came now.
                self.held_back += u32::from(self.held.remove(&occasion.trigger).is_some());
                send.push(self.dispatch(&occasion, on, loud, moment.now));
                Loud::Sent
            }
            None => self.hold(occasion, moment.now.plus_millis(config.rate.debounce_ms)),
        };
        Decided { send, loud }
    }

    /// What waited long enough.
    pub fn due(&mut self, config: &Notify, moment: &Moment) -> Vec<Dispatch> {
        self.release(config, moment, |held| held.until <= moment.now)
    }

    /// All that waits: nobody will be there to send it later.
    pub fn flush(&mut self, config: &Notify, moment: &Moment) -> Vec<Dispatch> {
        self.release(config, moment, |_| true)
    }

    fn release(&mut self, config: &Notify, moment: &Moment, is_due: impl Fn(&Held) -> bool) -> Vec<Dispatch> {
        let (due, held) = std::mem::take(&mut self.held).into_iter().partition(|(_, held)| is_due(held));
        self.held = held;
        let mut due: Vec<_> = BTreeMap::into_values(due).collect();
        due.sort_by_key(|held: &Held| held.occasion.at);
        let mut send = Vec::new();
        for Held { occasion, .. } in due {
            let Some(on) = config.on.get(&occasion.trigger) else { continue };
            let priority = on.priority;
            let (_, loud) = channels(config, on, priority);
            if loud.is_empty() {
                continue;
            }
            match self.refusal(config, occasion.trigger, priority, moment) {
                Some(_) => self.held_back += 1,
                None => send.push(self.dispatch(&occasion, on, loud, moment.now)),
            }
        }
        send
    }

    /// The occasion waits, in the place of an older one if there is one: never longer than that one would have.
    fn hold(&mut self, occasion: Occasion, until: Timestamp) -> Loud {
        let until = match self.held.get(&occasion.trigger) {
            Some(older) => {
                self.held_back += 1;
                older.until.min(until)
            }
            None => until,
        };
        self.held.insert(occasion.trigger, Held { until, occasion });
        Loud::Held { until }
    }

    fn dispatch(&mut self, occasion: &Occasion, on: &On, loud: Vec<String>, now: Timestamp) -> Dispatch {
        self.last_number += 1;
        let message = message(self.last_number, occasion, on, std::mem::take(&mut self.held_back));
        self.push(Record {
            number: message.number,
            at: now,
            trigger: message.trigger,
            priority: message.priority,
            title: message.title.clone(),
            sent_to: loud.iter().map(|channel| (channel.clone(), Delivery::Open)).collect(),
            acknowledged_at: None,
        });
        Dispatch { channels: loud, message }
    }

    fn refusal(&self, config: &Notify, trigger: Trigger, priority: Priority, moment: &Moment) -> Option<Why> {
        let is_critical = priority == Priority::Critical;
        let quiet = config.quiet.as_ref().filter(|quiet| !(is_critical && quiet.allow_critical));
        if let Some(quiet) = quiet.filter(|quiet| is_quiet(quiet, moment)) {
            return Some(Why::Quiet { until: quiet.to });
        }
        let rate = config.rate;
        let last = self.records.iter().rev().find(|record| record.trigger == trigger);
        if let Some(last) = last.filter(|last| is_within(last.at, moment.now, rate.per_trigger_ms)) {
            return Some(Why::TooSoon { again: last.at.plus_millis(rate.per_trigger_ms) });
        }
        let in_this_hour = |record: &&Record| is_within(record.at, moment.now, HOUR_MS);
        let sent = self.records.iter().filter(in_this_hour).count();
        let most = (rate.per_hour as usize).min(RECORDS_MAX);
        (rate.per_hour > 0 && !is_critical && sent >= most)
            .then_some(Why::TooMany { per_hour: rate.per_hour })
    }
}

/// Whether `at` is less than `span_ms` ago. A moment that has not come yet is no reason for silence: the clock was
/// put back.
fn is_within(at: Timestamp, now: Timestamp, span_ms: u64) -> bool {
    at <= now && now.millis_since(at) < span_ms
}

/// The names of the silent and of the loud channels that take it.
fn channels(config: &Notify, on: &On, priority: Priority) -> (Vec<String>, Vec<String>) {
    let takes = |channel: &&Channel| {
        priority >= channel.min_priority && (on.channels.is_empty() || on.channels.contains(&channel.name))
    };
    let (silent, loud): (Vec<&Channel>, Vec<&Channel>) =
        config.channels.iter().filter(takes).partition(|channel| channel.to.is_silent());
    let names = |channels: Vec<&Channel>| channels.into_iter().map(|channel| channel.name.clone()).collect();
    (names(silent), names(loud))
}

fn message(number: u64, occasion: &Occasion, on: &On, held_back: u32) -> Message {
    let priority = on.priority;
    let (title, mut text) = words::of(occasion, on, priority);
    match held_back {
        0 => {}
        1 => text.push_str("\n(1 earlier message was held back)"),
        more => text.push_str(&format!("\n({more} earlier messages were held back)")),
    }
    let (trigger, at, facts) = (occasion.trigger, occasion.at, occasion.facts.clone());
    Message { number, trigger, priority, title, text, at, held_back, facts }
}

/// Whether it is quiet now. Hours that reach over midnight belong to the day on which they begin.
fn is_quiet(quiet: &QuietHours, moment: &Moment) -> bool {
    let Ok(now) = jiff::Timestamp::from_millisecond(moment.now.as_millis()) else { return false };
    let wall = now.to_zoned(moment.zone.clone());
    let minute = u16::from(wall.hour().unsigned_abs()) * 60 + u16::from(wall.minute().unsigned_abs());
    let today = Day::ALL[wall.weekday().to_sunday_zero_offset().unsigned_abs() as usize];
    let on = |day: Day| quiet.days.is_empty() || quiet.days.contains(&day);
    let (from, to) = (quiet.from.minutes(), quiet.to.minutes());
    if from < to {
        return on(today) && (from..to).contains(&minute);
    }
    (on(today) && minute >= from) || (on(today.yesterday()) && minute < to)
}

#[cfg(test)]
pub(crate) mod tests;
