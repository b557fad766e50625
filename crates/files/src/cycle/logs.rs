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
    let is_over = |iteration: u32| {
        iteration < state.iteration || (iteration == state.iteration && state.current.concluded)
    };
    let mut markers = markers.iter().filter(|(iteration, _)| is_over(**iteration)).peekable();
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
