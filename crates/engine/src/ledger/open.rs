//! A ledger that is being changed: what is decided is put on record first, then file and log follow.

use std::sync::Arc;

use piton_files::gaps::{Document, Draft, UpdateError, append_flips};
use piton_model::Timestamp;
use piton_model::ledger::{Gap, Overruled, merge, problems_since_sound};
use piton_model::ledger_machine::{Command, Effect, LedgerEvent, State, decide};
use piton_sys::lock::FileLock;

use super::journal::{self, Planned};
use super::on_disk::{Known, is_cut};
use super::{ABSENT, Changed, Ledger, LedgerError, adoption_of, digest};
use crate::load::Loaded;

/// How often a decision is made again because somebody was faster.
const TRIES_MAX: usize = 32;

/// The gaps of the content that was last seen or written. A file that still holds it says so itself.
fn base_of(state: &State, file: Option<&Known>) -> Vec<Gap> {
    match file.filter(|file| state.digest.as_ref() == Some(&file.digest)) {
        Some(file) => file.document.gaps().to_vec(),
        None => state.base(),
    }
}

/// The file had more gaps when it was read, and may be half of one now.
struct Emptied;

/// A ledger that is being changed.
pub struct Open<'l, 'a> {
    pub(super) ledger: &'l Ledger<'a>,
    pub(super) loaded: Loaded<State>,
    pub(super) changed: Changed,
    /// The file with the last wish in it, as far as nobody edits it in between.
    pub(super) draft: Option<Draft>,
    pub(super) _lock: FileLock,
}

impl Open<'_, '_> {
    /// The fold of everything on record.
    pub fn state(&self) -> &State {
        &self.loaded.state
    }

    /// The same, for whoever has nothing more to change.
    pub fn into_state(self) -> State {
        self.loaded.state
    }

    /// What came of the work that others had left open, which is none of what is asked for next.
    pub fn caught_up(&mut self) -> Changed {
        std::mem::take(&mut self.changed)
    }

    /// Decides, records, and brings file and log along.
    pub async fn run(&mut self, command: Command, now: Timestamp) -> Result<Changed, LedgerError> {
        let events = self.record(command, now).await?;
        self.complete(now).await?;
        journal::keep_checkpoint(self.ledger.store(), &self.ledger.run, &mut self.loaded).await;
        Ok(Changed { events, ..std::mem::take(&mut self.changed) })
    }

    /// What follows from the command, on record.
    async fn record(&mut self, command: Command, now: Timestamp) -> Result<Vec<LedgerEvent>, LedgerError> {
        for _ in 0..TRIES_MAX {
            let events = decide(self.state(), command.clone(), now)?;
            let planned = journal::plan(&self.loaded, &events);
            // What has happened to file and log is a fact; only wishes can be refused.
            let is_fact = matches!(
                command,
                Command::Adopt { .. }
                    | Command::Written { .. }
                    | Command::Logged { .. }
                    | Command::Watch { .. }
            );
            if !is_fact {
                self.check_room(&planned.state).await?;
            }
            match self.append(planned).await {
                Ok(()) => return Ok(events),
                Err(LedgerError::Store(piton_store::Error::Conflict { .. })) => {
                    self.loaded = self.ledger.load().await?;
                }
                Err(error) => return Err(error),
            }
        }
        Err(LedgerError::Busy(self.ledger.path()))
    }

    pub(super) async fn append(&mut self, planned: Planned) -> Result<(), LedgerError> {
        Ok(journal::append(self.ledger.store(), &self.ledger.run, &mut self.loaded, planned).await?)
    }

    /// What the file could not be made to say is refused before it is on record.
    async fn check_room(&mut self, after: &State) -> Result<(), LedgerError> {
        if after.unwritten.is_empty() {
            return Ok(());
        }
        let file = self.ledger.file_beside(after).await?;
        let base = base_of(after, file.as_ref());
        let document = file.map_or_else(|| Arc::new(Document::empty()), |file| file.document);
        let wanted = merge(&base, document.gaps(), &after.gaps).gaps;
        self.draft = Some(document.draft(wanted)?);
        Ok(())
    }

    /// Does what is open: adopt what people wrote, write the file, log the flips.
    pub(super) async fn complete(&mut self, now: Timestamp) -> Result<(), LedgerError> {
        for _ in 0..TRIES_MAX {
            self.adopt(now).await?;
            match self.state().effects().into_iter().next() {
                None => return Ok(()),
                Some(Effect::WriteFile) => self.write(now).await?,
                Some(Effect::LogFlips { flips, after }) => {
                    let logged =
                        append_flips(&self.ledger.layout.root().join(&self.state().log), &flips, after)
                            .map_err(LedgerError::NotLogged)?;
                    self.record(Command::Logged { count: flips.len(), end: logged.end }, now).await?;
                }
            }
        }
        Err(LedgerError::Busy(self.ledger.path()))
    }

    async fn adopt(&mut self, now: Timestamp) -> Result<(), LedgerError> {
        let known = self.state().digest.as_deref().unwrap_or(ABSENT);
        if known == self.ledger.digest()? {
            return Ok(());
        }
        let file = self.ledger.file_beside(self.state()).await?;
        let adoption = adoption_of(self.ledger.layout.root(), self.state(), file.as_ref());
        for event in self.record(adoption, now).await? {
            if let LedgerEvent::FileAdopted { overruled, .. } = event {
                self.changed.overruled.extend(overruled);
            }
        }
        Ok(())
    }

    /// Writes what is wished for. Where that does not fit what people have made of the file, they are right. A file that was cut
    /// since it was read is left alone: whoever completes the work reads it again first.
    async fn write(&mut self, now: Timestamp) -> Result<(), LedgerError> {
        self.ledger.create_directory()?;
        let known = self.ledger.known();
        let (base, ours) = (base_of(self.state(), known.as_ref()), self.state().gaps.clone());
        let mut overruled = Vec::new();
        let filled = |file: &[Gap]| if is_cut(file, &base) { Err(Emptied) } else { Ok(()) };
        let wish = |file: &[Gap]| {
            filled(file)?;
            let merged = merge(&base, file, &ours);
            match problems_since_sound(file, &merged.gaps).is_empty() {
                true => {
                    overruled = merged.overruled;
                    Ok(merged.gaps)
                }
                false => {
                    let given_up = |gap: &String| Overruled::Change { gap: gap.clone() };
                    overruled = self.loaded.state.unwritten.keys().map(given_up).collect();
                    Ok(file.to_vec())
                }
            }
        };
        let ledger_file = self.ledger.ledger_file().knowing(known.map(|known| known.document));
        let updated = match ledger_file.update_with(self.draft.take(), wish) {
            Err(UpdateError::Rewrite(_)) => {
                let given_up = |gap: &String| Overruled::Change { gap: gap.clone() };
                overruled = self.loaded.state.unwritten.keys().map(given_up).collect();
                ledger_file.update(|file: &[Gap]| filled(file).map(|()| file.to_vec()))
            }
            updated => updated,
        };
        let is_elsewhere = matches!(&updated, Err(UpdateError::File(error)) if error.is_cross_device());
        if is_elsewhere && !self.ledger.beside().is_dir() {
            // It is written at the next look at what is open.
            return self.ledger.write_beside();
        }
        let updated = match updated {
            Ok(updated) => updated,
            Err(UpdateError::Wish(Emptied) | UpdateError::Emptied(_)) => return Ok(()),
            Err(UpdateError::Invalid { path, problems }) => {
                return Err(LedgerError::Invalid { path, problems });
            }
            Err(UpdateError::File(error)) => return Err(error.into()),
            Err(UpdateError::Rewrite(error)) => return Err(error.into()),
            Err(UpdateError::Busy(path)) => return Err(LedgerError::Busy(path)),
        };
        overruled.extend(updated.overruled);
        self.changed.overruled.extend(overruled.iter().cloned());
        self.changed.kept.extend(updated.kept);
        let digest = match updated.text.is_empty() && updated.gaps.is_empty() && !updated.wrote {
            true => self.ledger.digest()?,
            false => digest(Some(updated.text.as_bytes())),
        };
        self.record(Command::Written { digest, gaps: updated.gaps, overruled }, now).await?;
        Ok(())
    }
}
