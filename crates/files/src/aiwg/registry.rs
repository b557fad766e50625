//! `registry.json`: which loops are under way. Other tools write it, too, so it is read, changed and written under its
//! lock, and everything that is not ours stays as it is.
//!
//! A loop is counted once, when it is over: completed, or aborted, which a failed one counts as. One that is resumed is
//! taken out of the count again. What was counted is kept under `piton` in the file itself, so that the count and the
//! memory of it are written in one step.

use std::collections::BTreeMap;
use std::path::Path;

use piton_model::{RunId, Timestamp};
use piton_sys::fault;
use piton_sys::file::{self, Durability, Error};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde::{Deserialize, Serialize as DeriveSerialize};

use super::format::{Text, text};
use super::identity::loop_id;
use super::lock::RegistryLock;
use super::render::{OWNER, View};
use super::{STATE_VERSION, place};
use crate::plain::json_file;

/// The most loops that the registry lists.
pub const LOOPS_MAX: usize = 4;

const BYTES_MAX: u64 = 16 << 20;

/// What became of a loop's entry in the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registered {
    /// It is listed.
    Listed,
    /// It is over and was counted.
    Ended,
    /// As many loops as there may be are listed already; it will be when one of them ends.
    Full { active: usize },
    /// Somebody else is writing; tried again the next time.
    Busy,
    /// It does not parse, or is of a newer version: left alone.
    Unreadable,
}

/// How a loop ended, as far as the registry counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeriveSerialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    Completed,
    Aborted,
}

/// A loop that is under way.
#[derive(Clone, Debug, PartialEq, DeriveSerialize, Deserialize)]
pub(super) struct RegistryEntry {
    pub(super) loop_id: String,
    pub(super) task_summary: String,
    pub(super) status: String,
    pub(super) started_at: Timestamp,
    pub(super) owner: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pid: Option<u32>,
    pub(super) iteration: u32,
    pub(super) max_iterations: u32,
    pub(super) completion_criteria: String,
    pub(super) priority: String,
    pub(super) tags: Vec<String>,
    pub(super) state_file: String,
    pub(super) working_directory: String,
}

#[derive(Debug, Default)]
struct Registry {
    updated_at: Option<Timestamp>,
    active: Vec<Text>,
    completed: u64,
    aborted: u64,
    own: Own,
    /// Members that piton does not know.
    others: BTreeMap<String, Text>,
}

#[derive(Debug, Default, DeriveSerialize, Deserialize)]
struct Own {
    /// How the loops that were counted ended.
    #[serde(default)]
    ended: BTreeMap<String, End>,
}

/// Brings the loop's entry up to date. The caller is alone among pitons.
pub(super) fn register(root: &Path, view: &View) -> Result<Registered, Error> {
    change(root, view.at, |registry| registry.take(root, view))
}

/// Forgets a loop; its part in the totals stays.
pub(super) fn forget(root: &Path, run: &RunId, at: Timestamp) -> Result<Registered, Error> {
    if place::registry(root).symlink_metadata().is_err() {
        return Ok(Registered::Ended);
    }
    let id = loop_id(run);
    change(root, at, |registry| {
        let is_counted = registry.own.ended.remove(&id).is_some();
        (registry.unlist(&id) || is_counted, Registered::Ended)
    })
}

fn change(
    root: &Path,
    at: Timestamp,
    mut change: impl FnMut(&mut Registry) -> (bool, Registered),
) -> Result<Registered, Error> {
    let path = place::registry(root);
    // Most of the time nothing changes; then nobody needs to be kept out.
    if let Some(mut registry) = read(&path)?
        && let (false, registered) = change(&mut registry)
    {
        if place::registry_lock(root).symlink_metadata().is_ok() {
            // A crash may have left it behind; then it is stale, and goes when it is taken and let go.
            drop(RegistryLock::take(&place::registry_lock(root))?);
        }
        return Ok(registered);
    }
    let Some(_lock) = RegistryLock::take(&place::registry_lock(root))? else { return Ok(Registered::Busy) };
    let Some(mut registry) = read(&path)? else { return Ok(Registered::Unreadable) };
    let (changed, registered) = change(&mut registry);
    if changed {
        registry.updated_at = Some(at);
        fault::point("files.publish.write");
        file::write_atomic(&path, &json_file(&registry), Durability::Synced)?;
    }
    Ok(registered)
}

/// The registry, an empty one where there is none; `None` where it cannot be understood.
fn read(path: &Path) -> Result<Option<Registry>, Error> {
    match file::read_regular(path, BYTES_MAX)? {
        None => Ok(Some(Registry::default())),
        Some(bytes) => Ok(Registry::parse(&bytes)),
    }
}

impl Registry {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut members: BTreeMap<String, Text> = serde_json::from_slice(bytes).ok()?;
        let mut part = |name: &str| members.remove(name);
        let version: String = serde_json::from_str(part("version")?.get()).ok()?;
        if !version.starts_with("2.") {
            return None;
        }
        let number = |part: Option<Text>| match part {
            Some(part) => serde_json::from_str::<u64>(part.get()).ok(),
            None => Some(0),
        };
        let active = serde_json::from_str(part("active_loops")?.get()).ok()?;
        let (completed, aborted) = (number(part("total_completed"))?, number(part("total_aborted"))?);
        let updated_at = part("updated_at").and_then(|part| serde_json::from_str(part.get()).ok());
        let own = part("piton").and_then(|part| serde_json::from_str(part.get()).ok()).unwrap_or_default();
        for ours in ["max_concurrent_loops", "total_active"] {
            part(ours);
        }
        Some(Self { updated_at, active, completed, aborted, own, others: members })
    }

    /// Whether anything changed, and where the loop is now.
    fn take(&mut self, root: &Path, view: &View) -> (bool, Registered) {
        let pruned = self.prune(root);
        let (changed, registered) = match &view.listed {
            Ok(entry) => {
                let resumed = self.uncount(&view.loop_id);
                let (listed, registered) = self.list(entry);
                (resumed || listed, registered)
            }
            Err(end) => {
                let unlisted = self.unlist(&view.loop_id);
                (self.count(&view.loop_id, *end) || unlisted, Registered::Ended)
            }
        };
        (pruned || changed || self.updated_at.is_none(), registered)
    }

    /// Takes out what piton listed or counted of runs that were removed since.
    fn prune(&mut self, root: &Path) -> bool {
        let exists = |id: &str| place::loop_directory(root, id).symlink_metadata().is_ok();
        let before = (self.active.len(), self.own.ended.len());
        self.active.retain(|entry| {
            let ours = serde_json::from_str::<RegistryEntry>(entry.get()).ok();
            ours.is_none_or(|entry| entry.owner != OWNER || exists(&entry.loop_id))
        });
        self.own.ended.retain(|id, _| exists(id));
        before != (self.active.len(), self.own.ended.len())
    }

    fn list(&mut self, entry: &RegistryEntry) -> (bool, Registered) {
        let new = text(entry);
        match self.active.iter().position(|listed| id_of(listed).as_ref() == Some(&entry.loop_id)) {
            Some(index) => {
                let known = serde_json::from_str::<RegistryEntry>(self.active[index].get()).ok();
                let changed = known.as_ref() != Some(entry);
                if changed {
                    self.active[index] = new;
                }
                (changed, Registered::Listed)
            }
            None if self.active.len() >= LOOPS_MAX => (false, Registered::Full { active: self.active.len() }),
            None => {
                self.active.push(new);
                (true, Registered::Listed)
            }
        }
    }

    fn unlist(&mut self, id: &str) -> bool {
        let before = self.active.len();
        self.active.retain(|listed| id_of(listed).as_deref() != Some(id));
        before != self.active.len()
    }

    fn count(&mut self, id: &str, end: End) -> bool {
        if self.own.ended.get(id) == Some(&end) {
            return false;
        }
        self.uncount(id);
        *self.total(end) += 1;
        self.own.ended.insert(id.to_owned(), end);
        true
    }

    fn uncount(&mut self, id: &str) -> bool {
        let Some(end) = self.own.ended.remove(id) else { return false };
        let total = self.total(end);
        *total = total.saturating_sub(1);
        true
    }

    fn total(&mut self, end: End) -> &mut u64 {
        match end {
            End::Completed => &mut self.completed,
            End::Aborted => &mut self.aborted,
        }
    }
}

impl Serialize for Registry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("version", STATE_VERSION)?;
        map.serialize_entry("max_concurrent_loops", &LOOPS_MAX)?;
        map.serialize_entry("updated_at", &self.updated_at)?;
        map.serialize_entry("active_loops", &self.active)?;
        map.serialize_entry("total_active", &self.active.len())?;
        map.serialize_entry("total_completed", &self.completed)?;
        map.serialize_entry("total_aborted", &self.aborted)?;
        for (name, value) in &self.others {
            map.serialize_entry(name, value)?;
        }
        map.serialize_entry("piton", &self.own)?;
        map.end()
    }
}

fn id_of(entry: &Text) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        loop_id: String,
    }
    serde_json::from_str::<Named>(entry.get()).ok().map(|named| named.loop_id)
}
