//! The files of the team: rendered from the state by one writer, before anybody who may read them is started.

use std::path::PathBuf;

use piton_files::cycle::{CyclePlace, render};
use piton_model::cycle::{Edited, State};
use piton_sys::file::{self, Durability};
use piton_view::{Error, Rebuilt};

use super::Context;
use crate::client::LocalClient;
use crate::layout::Layout;
use crate::world::{WorldError, sentence};

/// Who writes the files of a cycle.
pub(super) struct Publisher {
    place: CyclePlace,
}

impl Publisher {
    pub(super) fn open(layout: &Layout, state: &State) -> Result<Self, WorldError> {
        let publisher = Self { place: CyclePlace::new(layout.root(), state.run.as_str()) };
        for role in &state.config.roles {
            let directory = publisher.place.directory(role.name.as_str());
            std::fs::create_dir_all(&directory)
                .map_err(|error| file::Error::new("create", &directory, error))?;
        }
        Ok(publisher)
    }

    fn publish(&self, state: &State) -> Result<Vec<PathBuf>, file::Error> {
        let path = self.place.state();
        file::write_shared(&path, &render(state, &self.place), Durability::Unsynced)?;
        Ok(vec![path])
    }

    pub(super) fn edited(&self, _state: &State) -> Option<Edited> {
        None
    }
}

/// Brings the files up to date; what a person should know of it.
pub(super) fn publish(context: &Context, state: &State, _at_rest: bool) -> Vec<String> {
    match context.view.publish(state) {
        Ok(_) => Vec::new(),
        Err(error) => vec![format!("the files of the cycle were not written: {}", sentence(&error))],
    }
}

/// Whether the files show something else than the state.
pub(crate) fn is_behind(_layout: &Layout, _state: &State) -> bool {
    false
}

pub(crate) async fn publish_at_rest(client: &LocalClient, state: &State) -> Option<String> {
    let published = Publisher::open(client.layout(), state).map(|view| view.publish(state).map(drop));
    match published {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(sentence(&error)),
        Err(error) => Some(sentence(&error)),
    }
}

pub(crate) async fn republish(client: &LocalClient, state: &State) -> Result<Rebuilt, Error> {
    let written = Publisher::open(client.layout(), state)?.publish(state)?;
    let written = written.iter().map(|path| path.display().to_string()).collect();
    Ok(Rebuilt { written, notes: Vec::new() })
}

/// The state file of a cycle.
pub(crate) fn view_bytes(layout: &Layout, state: &State) -> Vec<u8> {
    render(state, &CyclePlace::new(layout.root(), state.run.as_str()))
}
