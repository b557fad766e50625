//! What the layers say about notifications and hooks, and what a run takes of it.
//!
//! Channels and hooks are merged by name and triggers by theirs: your own chat and a project's log go together.
//! Without a word about them nobody is told and nothing is called.

use piton_model::hook::{Builtin, Hook, Hooks};
use piton_model::notify::{Channel, Notify, On, QuietHours, Rate, Trigger};

use crate::problem::{Place, Problem, quoted};
use crate::settings::Sourced;

/// `[notify]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NotifySettings {
    /// The section is there.
    pub is_there: bool,
    /// Whether anybody is told anything.
    pub enabled: Option<Sourced<bool>>,
    /// `[notify.channels.NAME]`.
    pub channels: Vec<Sourced<Channel>>,
    /// `[notify.triggers]`: how people are told, or that they are not.
    pub triggers: Vec<Sourced<(Trigger, Option<On>)>>,
    /// `min_interval`: between two messages of the same trigger, in milliseconds.
    pub min_interval_ms: Option<Sourced<u64>>,
    /// `max_per_hour`.
    pub max_per_hour: Option<Sourced<u32>>,
    /// `debounce`, in milliseconds.
    pub debounce_ms: Option<Sourced<u64>>,
    /// `quiet_hours`.
    pub quiet_hours: Option<Sourced<QuietHours>>,
}

impl NotifySettings {
    pub(crate) fn overlaid_by(mut self, upper: Self) -> Self {
        self.is_there |= upper.is_there;
        self.enabled = upper.enabled.or(self.enabled);
        self.min_interval_ms = upper.min_interval_ms.or(self.min_interval_ms);
        self.max_per_hour = upper.max_per_hour.or(self.max_per_hour);
        self.debounce_ms = upper.debounce_ms.or(self.debounce_ms);
        self.quiet_hours = upper.quiet_hours.or(self.quiet_hours);
        merge(&mut self.channels, upper.channels, |channel| &channel.name);
        merge(&mut self.triggers, upper.triggers, |(trigger, _)| trigger);
        self
    }

    /// What a run is given; nothing where nobody said anything: then a desktop is told, if there is one.
    pub fn settled(&self) -> Option<Notify> {
        if self.enabled.as_ref().is_some_and(|enabled| !enabled.value) {
            return Some(Notify { channels: Vec::new(), on: Default::default(), ..Notify::default() });
        }
        if !self.is_there {
            return None;
        }
        let mut notify = Notify::default();
        if !self.channels.is_empty() {
            notify.channels = self.channels.iter().map(|channel| channel.value.clone()).collect();
        }
        for said in &self.triggers {
            match &said.value {
                (trigger, Some(on)) => notify.on.insert(*trigger, on.clone()),
                (trigger, None) => notify.on.remove(trigger),
            };
        }
        let rate = Rate::default();
        notify.rate = Rate {
            per_trigger_ms: self.min_interval_ms.as_ref().map_or(rate.per_trigger_ms, |said| said.value),
            per_hour: self.max_per_hour.as_ref().map_or(rate.per_hour, |said| said.value),
            debounce_ms: self.debounce_ms.as_ref().map_or(rate.debounce_ms, |said| said.value),
        };
        notify.quiet = self.quiet_hours.as_ref().map(|said| said.value.clone());
        Some(notify)
    }

    /// Triggers that name a channel which nobody described. Known only once all layers are together.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let known: Vec<_> = self.channels.iter().map(|channel| channel.value.name.as_str()).collect();
        let known = if known.is_empty() { vec!["desktop"] } else { known };
        let named = self.triggers.iter().filter_map(|said| Some((&said.place, said.value.1.as_ref()?)));
        let pairs = named.flat_map(|(place, on)| on.channels.iter().map(move |channel| (place, channel)));
        pairs
            .filter(|(_, channel)| !known.contains(&channel.as_str()))
            .map(|(place, channel): (&Place, _)| {
                let problem = Problem::new(place.clone(), format!("there is no channel {}", quoted(channel)));
                problem.hint(format!("known are {}", known.join(", ")))
            })
            .collect()
    }
}

/// `[hooks]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HooksSettings {
    /// The section is there.
    pub is_there: bool,
    /// Whether any hook is called.
    pub enabled: Option<Sourced<bool>>,
    /// Where hooks in files of their own are.
    pub dir: Option<Sourced<String>>,
    /// How long a hook may take, in milliseconds.
    pub default_timeout_ms: Option<Sourced<u64>>,
    /// Whether a hook that fails stops the run.
    pub fail_on_hook_error: Option<Sourced<bool>>,
    /// What piton brings and is to be called.
    pub builtin: Option<Sourced<Vec<Builtin>>>,
    /// `[hooks.NAME]`.
    pub hooks: Vec<Sourced<Hook>>,
}

impl HooksSettings {
    pub(crate) fn overlaid_by(mut self, upper: Self) -> Self {
        self.is_there |= upper.is_there;
        self.enabled = upper.enabled.or(self.enabled);
        self.dir = upper.dir.or(self.dir);
        self.default_timeout_ms = upper.default_timeout_ms.or(self.default_timeout_ms);
        self.fail_on_hook_error = upper.fail_on_hook_error.or(self.fail_on_hook_error);
        self.builtin = upper.builtin.or(self.builtin);
        merge(&mut self.hooks, upper.hooks, |hook| &hook.name);
        self
    }

    /// What a run is given; nothing where nothing is to be called. Scripts are not sealed yet.
    pub fn settled(&self) -> Option<Hooks> {
        if !self.is_there || self.enabled.as_ref().is_some_and(|enabled| !enabled.value) {
            return None;
        }
        let mut hooks = Hooks::default();
        if let Some(timeout) = &self.default_timeout_ms {
            hooks.default_timeout_ms = timeout.value;
        }
        hooks.fail_on_hook_error = self.fail_on_hook_error.as_ref().is_some_and(|flag| flag.value);
        let builtin = self.builtin.as_ref().map_or(vec![Builtin::Logging], |said| said.value.clone());
        // One that is described is called as it was described, and once.
        let is_described =
            |builtin: &Builtin| self.hooks.iter().any(|hook| hook.value.name == builtin.as_str());
        hooks.hooks.extend(builtin.into_iter().filter(|builtin| !is_described(builtin)).map(Builtin::hook));
        hooks.hooks.extend(self.hooks.iter().map(|hook| hook.value.clone()));
        Some(hooks)
    }
}

/// A known name is replaced where it stands, a new one comes last.
fn merge<T, N: PartialEq>(lower: &mut Vec<Sourced<T>>, upper: Vec<Sourced<T>>, name: impl Fn(&T) -> &N) {
    for item in upper {
        match lower.iter_mut().find(|known| name(&known.value) == name(&item.value)) {
            Some(known) => *known = item,
            None => lower.push(item),
        }
    }
}

#[cfg(test)]
mod tests;
