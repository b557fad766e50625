//! The files of a loop under `.aiwg/`, for those who use that format.
//!
//! They hold complete histories, so a publisher of them is given what the journal says when its driver starts, and is
//! shown every state from then on, also those that are not rendered.

use piton_files::aiwg::{self, Context, History, Registered, View, Written};
use piton_model::{Seq, State};
use piton_view::Rebuilt;

use super::{WorldError, sentence};
use crate::layout::Layout;

/// Renders the extended files of one run.
pub(super) struct Extended {
    history: History,
    written: Written,
    told: Option<Registered>,
}

impl Extended {
    /// `history` has taken in every event so far.
    pub(super) fn new(history: History) -> Self {
        Self { history, written: Written::default(), told: None }
    }

    /// Takes in what a state shows.
    pub(super) fn absorb(&mut self, state: &State) {
        self.history.absorb(state);
    }

    /// Writes what changed; says what a person should know.
    pub(super) fn publish(&mut self, layout: &Layout, state: &State, head: Seq) -> Vec<String> {
        let view = view_of(layout, state, head, &self.history);
        match aiwg::publish(layout.root(), &view, &self.history, &mut self.written) {
            Ok(published) => {
                let mut notes: Vec<_> = published.quarantined.iter().map(ToString::to_string).collect();
                // Said once, not at every rendering.
                if published.registered != self.told {
                    notes.extend(published.registered.and_then(|found| registry_note(layout, found)));
                    self.told = published.registered;
                }
                notes
            }
            Err(error) => vec![format!("the files under .aiwg were not written: {}", sentence(&error))],
        }
    }
}

/// Renders the extended files again from the journal, and adds what it did to what was done before.
pub(super) fn rebuild(
    layout: &Layout,
    state: &State,
    head: Seq,
    history: &History,
    rebuilt: &mut Rebuilt,
) -> Result<(), WorldError> {
    let published = aiwg::rebuild(layout.root(), &view_of(layout, state, head, history), history)?;
    rebuilt.written.push(published.path.display().to_string());
    rebuilt.notes.extend(published.quarantined.iter().map(ToString::to_string));
    rebuilt.notes.extend(published.registered.and_then(|found| registry_note(layout, found)));
    Ok(())
}

/// The extended view of a run as it would be written.
pub(super) fn bytes(layout: &Layout, state: &State, head: Seq, history: &History) -> Vec<u8> {
    view_of(layout, state, head, history).bytes().to_owned()
}

fn view_of(layout: &Layout, state: &State, head: Seq, history: &History) -> View {
    let context = Context { working_directory: layout.of_run(&state.config).tree().to_owned() };
    aiwg::render(state, head, history, &context)
}

fn registry_note(layout: &Layout, registered: Registered) -> Option<String> {
    let registry = layout.root().join(".aiwg/ralph/registry.json");
    let registry = registry.display();
    match registered {
        Registered::Listed | Registered::Ended => None,
        Registered::Full { active } => Some(format!(
            "{registry} lists {active} loops, as many as it may; this one is listed when one of them ends"
        )),
        Registered::Busy => Some(format!(
            "{registry} is in use by another program; this run is brought up to date there the next time, or by `piton rebuild`"
        )),
        Registered::Unreadable => {
            Some(format!("{registry} cannot be read as a registry of version 2.x; it is left alone"))
        }
    }
}
