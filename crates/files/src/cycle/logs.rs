//! Which lines each append-only log of a cycle has: a pure function of its state, or of its histories.

use std::collections::BTreeMap;

use piton_model::Timestamp;
use piton_model::cycle::limits::ITERATIONS_KEPT_MAX;
use piton_model::cycle::{ChangeEntry, Log, RoleName, State};

use super::changes::{change_line, document_line, marker_line};
use super::discoveries::discovery_line;
use super::histories::Histories;
use super::ndjson::line;
use super::place::{COORDINATION, CyclePlace};
use super::render::zone_of;
use super::timeline::{timeline_head, timeline_line};

/// The name of every role's log of changes.
pub const CHANGES: &str = "changes.log";
/// The name of a role's log of what it tried.
pub const DEBUG: &str = "debug-log.ndjson";
/// The name of what roles found out.
pub const DISCOVERIES: &str = "discoveries.ndjson";

/// A log that is only ever added to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LogFile {
    Changes(RoleName),
    Documents(RoleName),
    Debug(RoleName),
    Discoveries,
    Timeline,
}

/// The lines that a log ends with, and how many there are before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) before: u64,
    pub(super) lines: Vec<String>,
}

impl Wanted {
    /// The same behind so many lines of somebody else's.
    pub(super) fn after(self, earlier: u64) -> Self {
        Self { before: self.before.saturating_add(earlier), ..self }
    }
}

impl LogFile {
    /// Every log of a cycle. The files that were changed are in the log of the role that develops, the first of them.
    pub(super) fn of(state: &State) -> Vec<Self> {
        let developer = state.config.roles.iter().find(|role| role.develops).map(|role| &role.name);
        let mut all = Vec::new();
        for role in &state.config.roles {
            let name = role.name.clone();
            all.push(if developer == Some(&name) {
                Self::Changes(name.clone())
            } else {
                Self::Documents(name.clone())
            });
            all.push(Self::Debug(name));
        }
        all.extend([Self::Discoveries, Self::Timeline]);
        all
    }

    /// Its name below the progress directory.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Changes(role) | Self::Documents(role) => format!("{role}/{CHANGES}"),
            Self::Debug(role) => format!("{role}/{DEBUG}"),
            Self::Discoveries => format!("{COORDINATION}/{DISCOVERIES}"),
            Self::Timeline => format!("{COORDINATION}/timeline.md"),
        }
    }

    /// The role whose log it is.
    pub(super) fn role(&self) -> Option<&RoleName> {
        match self {
            Self::Changes(role) | Self::Documents(role) | Self::Debug(role) => Some(role),
            Self::Discoveries | Self::Timeline => None,
        }
    }

    /// How many lines it has by this state, apart from its head: what is counted, not what is kept.
    pub(super) fn count(&self, state: &State) -> u64 {
        let role = |name: &RoleName| state.role(name);
        match self {
            Self::Changes(_) => {
                let markers = state.iteration_markers.keys().filter(|iteration| is_over(state, **iteration));
                // Of those that are forgotten each iteration had one.
                let is_full = state.iteration_markers.len() >= ITERATIONS_KEPT_MAX;
                let first = state.iteration_markers.keys().next().filter(|_| is_full);
                let forgotten = first.map_or(0, |first| first.saturating_sub(1));
                state.changes.total + markers.count() as u64 + u64::from(forgotten)
            }
            Self::Documents(name) => role(name).map_or(0, |known| known.log.total),
            Self::Debug(name) => role(name).map_or(0, |known| known.debug.total),
            Self::Discoveries => state.discoveries.total,
            Self::Timeline => state.timeline.total,
        }
    }

    /// What it begins with.
    pub(super) fn head(&self, state: &State, place: &CyclePlace) -> Vec<u8> {
        match self {
            Self::Timeline => {
                timeline_head(&place.cycle_id, &state.config.task, state.created_at, zone_of(state))
                    .into_bytes()
            }
            Self::Changes(_) | Self::Documents(_) | Self::Debug(_) | Self::Discoveries => Vec::new(),
        }
    }

    /// What a state says of it.
    pub(super) fn wanted(&self, state: &State) -> Wanted {
        let zone = zone_of(state);
        let role = |name: &RoleName| state.role(name);
        match self {
            // Markers that are forgotten cannot be counted.
            Self::Changes(_) if state.iteration_markers.len() >= ITERATIONS_KEPT_MAX => {
                Wanted { before: u64::MAX, lines: Vec::new() }
            }
            Self::Changes(_) => {
                let first = state.changes.total - state.changes.recent.len() as u64;
                let recent: Vec<&ChangeEntry> = state.changes.recent.iter().collect();
                changes(state, first, &recent, &state.iteration_markers)
            }
            Self::Documents(name) => {
                window(role(name).map(|known| &known.log), |entry| document_line(name, entry, zone))
            }
            Self::Debug(name) => window(role(name).map(|known| &known.debug), line),
            Self::Discoveries => window(Some(&state.discoveries), |entry| discovery_line(entry, zone)),
            Self::Timeline => window(Some(&state.timeline), |entry| timeline_line(entry, zone)),
        }
    }

    /// All of it.
    pub(super) fn whole(&self, state: &State, all: &Histories) -> Wanted {
        let zone = zone_of(state);
        let lines = match self {
            Self::Changes(_) => {
                let entries: Vec<&ChangeEntry> = all.changes.iter().collect();
                return changes(state, 0, &entries, &all.markers);
            }
            Self::Documents(name) => {
                let entries = all.documents.get(name).into_iter().flatten();
                entries.map(|entry| document_line(name, entry, zone)).collect()
            }
            Self::Debug(name) => all.debug.get(name).into_iter().flatten().map(line).collect(),
            Self::Discoveries => all.discoveries.iter().map(|entry| discovery_line(entry, zone)).collect(),
            Self::Timeline => all.timeline.iter().map(|entry| timeline_line(entry, zone)).collect(),
        };
        Wanted { before: 0, lines }
    }
}

/// How many lines the log of changes has by this state: what stands behind them is an agent's own.
pub fn logged_changes(state: &State) -> u64 {
    LogFile::Changes(RoleName::default()).count(state)
}

/// Whether nothing more is changed in this iteration.
fn is_over(state: &State, iteration: u32) -> bool {
    iteration < state.iteration || (iteration == state.iteration && state.current.concluded)
}

fn window<T>(log: Option<&Log<T>>, show: impl Fn(&T) -> String) -> Wanted {
    let Some(log) = log else { return Wanted { before: 0, lines: Vec::new() } };
    Wanted { before: log.total - log.recent.len() as u64, lines: log.recent.iter().map(show).collect() }
}

/// The changes from the one of number `first` on, with the marker of each iteration behind its changes, once it is over.
fn changes(
    state: &State,
    first: u64,
    entries: &[&ChangeEntry],
    markers: &BTreeMap<u32, Timestamp>,
) -> Wanted {
    let zone = zone_of(state);
    let mut markers = markers.iter().filter(|(iteration, _)| is_over(state, **iteration)).peekable();
    let mut before = first;
    if let Some(entry) = entries.first().filter(|_| first > 0) {
        while markers.next_if(|(iteration, _)| **iteration < entry.iteration).is_some() {
            before += 1;
        }
    }
    let mut lines = Vec::new();
    for entry in entries {
        while let Some((iteration, at)) = markers.next_if(|(iteration, _)| **iteration < entry.iteration) {
            lines.push(marker_line(*iteration, *at, zone));
        }
        lines.push(change_line(entry, zone));
    }
    lines.extend(markers.map(|(iteration, at)| marker_line(*iteration, *at, zone)));
    Wanted { before, lines }
}
