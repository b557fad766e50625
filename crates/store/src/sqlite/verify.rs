//! The whole truth about what is stored: every event, every digest, every anchor.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use piton_model::RunId;
use rusqlite::Connection;

use super::index::Record;
use super::{keep, read};
use crate::anchor::Anchor;
use crate::blob::Blobs;
use crate::error::{Error, Problem};
use crate::types::Head;

/// Everything that is wrong with the storage of `run`. `has_anchor`: its anchor is there, however old.
pub(super) fn run(
    connection: &Connection,
    run: &RunId,
    anchor: Option<Head>,
    has_anchor: bool,
    blobs: &Blobs,
) -> Result<Vec<Problem>, Error> {
    let mut problems = Vec::new();
    // One view of everything: a driver may append meanwhile.
    let _steady = read::steady(connection)?;
    let record = match Record::find(connection, run) {
        Ok(Some(record)) => record,
        Ok(None) => return Err(Error::UnknownRun { run: run.clone() }),
        Err(Error::Corrupt(problem)) => return Ok(vec![problem]),
        Err(error) => return Err(error),
    };
    if let Err(error) = record.clone().opened(blobs.keys()) {
        problems.push(problem(error)?);
    }
    if let Err(error) = chain_of(connection, &record, blobs) {
        problems.push(problem(error)?);
    }
    if let Err(error) = read::check_anchor(connection, &record.clone().into_row(), anchor) {
        problems.push(problem(error)?);
    }
    if !has_anchor && appends_of(connection, &record)? > 1 {
        let what = "its anchor is gone, empty or garbage, so that a lost tail would not show; the next event writes a new one";
        problems.push(Problem::of(run, what));
    }
    for seq in checkpoints_of(connection, &record)? {
        if let Err(error) = read::checkpoint_of(connection, &record, seq, blobs.keys()) {
            problems.push(problem(error)?);
        }
    }
    Ok(problems)
}

/// The chain from the first event to the head.
fn chain_of(connection: &Connection, record: &Record, blobs: &Blobs) -> Result<(), Error> {
    read::rows_from(connection, record, 1, |row, previous| {
        row.prove(&record.entry.run_id, previous, blobs.keys(), &|id| blobs.get(id)).map(Some)
    })
}

/// How often the run was appended to, up to 2: the anchor is written after the first time, before the second.
fn appends_of(connection: &Connection, record: &Record) -> Result<i64, Error> {
    let sql = "select count(*) from (select 1 from events where run = ?1 limit 2)";
    Ok(connection.prepare_cached(sql)?.query_row([record.number], |row| row.get(0))?)
}

fn checkpoints_of(connection: &Connection, record: &Record) -> Result<Vec<u64>, Error> {
    let mut statement = connection.prepare_cached("select seq from checkpoints where run = ?1")?;
    let rows = statement.query_map([record.number], |row| row.get::<_, i64>(0))?;
    rows.map(|seq| Ok(seq? as u64)).collect()
}

fn problem(error: Error) -> Result<Problem, Error> {
    match error {
        Error::Corrupt(problem) => Ok(problem),
        other => Err(other),
    }
}

/// What SQLite itself finds wrong, and events that belong to no run.
pub(super) fn database(connection: &Connection) -> Result<Vec<Problem>, Error> {
    let mut problems = Vec::new();
    match pages(connection, &mut problems) {
        // SQLite may stumble over the damage it is asked to list.
        Err(Error::Corrupt(problem)) => problems.push(problem),
        other => other?,
    }
    match keep::damaged_notes(connection) {
        Ok(damaged) => problems.extend(damaged),
        Err(Error::Corrupt(problem)) => problems.push(problem),
        Err(error) => return Err(error),
    }
    Ok(problems)
}

fn pages(connection: &Connection, problems: &mut Vec<Problem>) -> Result<(), Error> {
    let mut statement = connection.prepare("pragma integrity_check(20)")?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
    for line in lines {
        let line = line?;
        if line != "ok" {
            problems.push(Problem { run: None, seq: None, what: format!("SQLite says: {line}") });
        }
    }
    for (strays, what) in [
        (
            "events where run not in (select number from runs)",
            "there are events of a run that is not in the index",
        ),
        (
            "checkpoints where run not in (select number from runs)",
            "there is a checkpoint of a run that is not in the index",
        ),
        (
            "events where row not in (select back from events) and row not in (select head_row from runs)",
            "there are events that no run leads to",
        ),
    ] {
        let count: i64 =
            connection.query_row(&format!("select count(*) from {strays}"), [], |row| row.get(0))?;
        if count > 0 {
            problems.push(Problem { run: None, seq: None, what: what.to_owned() });
        }
    }
    Ok(())
}

/// The anchor of a run, to read it. What lies in its place and cannot be one is this run's damage, and nobody else's.
pub(super) fn anchor_of(run: &RunId, path: &Path, journal: [u8; 16]) -> Result<Option<Anchor>, Error> {
    Anchor::open(path, journal, false).map_err(|error| {
        let is_its_own = error.refusal().is_some() || error.source.kind() == ErrorKind::PermissionDenied;
        match is_its_own && path.symlink_metadata().is_ok() {
            true => {
                let what = format!(
                    "its anchor cannot be read, so that a lost tail would not show: {}",
                    error.source
                );
                Error::Corrupt(Problem::of(run, what))
            }
            false => error.into(),
        }
    })
}

/// Runs that have an anchor of this journal but no row: they were acknowledged and are gone.
pub(super) fn strangers(
    connection: &Connection,
    anchors: &Path,
    journal: [u8; 16],
) -> Result<Vec<Problem>, Error> {
    let mut problems = Vec::new();
    let listing =
        std::fs::read_dir(anchors).map_err(|error| piton_sys::file::Error::new("list", anchors, error))?;
    for entry in listing.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Ok(run) = name.parse::<RunId>() else { continue };
        let known = match Record::find(connection, &run) {
            Ok(record) => record.is_some(),
            Err(Error::Corrupt(_)) => true,
            Err(error) => return Err(error),
        };
        if known {
            continue;
        }
        let anchor = match anchor_of(&run, &entry.path(), journal) {
            Ok(Some(anchor)) => anchor,
            Ok(None) => continue,
            Err(error) => {
                problems.push(problem(error)?);
                continue;
            }
        };
        if let Some(head) = anchor.read() {
            problems.push(gone(&run, head));
        } else if anchor.is_foreign() {
            problems.push(Problem::of(&run, "it was recorded in another journal, which is not here"));
        }
    }
    Ok(problems)
}

/// What the anchors of this journal know, run by run.
pub(super) fn anchors(directory: &Path, journal: [u8; 16]) -> Result<Vec<(RunId, Head)>, Error> {
    let list = |error| piton_sys::file::Error::new("list", directory, error);
    let mut anchors = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(list)? {
        let entry = entry.map_err(list)?;
        let Some(run) = entry.file_name().to_str().and_then(|name| name.parse::<RunId>().ok()) else {
            continue;
        };
        if let Some(anchor) = anchor_of(&run, &entry.path(), journal)? {
            if anchor.is_foreign() {
                return Err(Error::Corrupt(foreign(&run)));
            }
            anchors.extend(anchor.read().map(|head| (run, head)));
        }
    }
    Ok(anchors)
}

/// What a run leaves in the state directory beside the database.
const TRACES: [&str; 4] = ["anchors", "leases", "attempts", "drivers"];

/// Whether there is nothing in the database, nor in its log.
pub(super) fn is_empty(database: &Path) -> bool {
    let log = database.with_extension("db-wal");
    let has_nothing = |path: &Path| path.metadata().map_or(true, |metadata| metadata.len() == 0);
    database.exists() && has_nothing(database) && has_nothing(&log)
}

/// Where there is no database there may be no trace of a run either: it was acknowledged.
pub(super) fn nothing_was_recorded(database: &Path, state: &Path) -> Result<(), Error> {
    let mut runs = BTreeSet::new();
    for directory in TRACES.map(|name| state.join(name)) {
        let listing = match std::fs::read_dir(&directory) {
            Ok(listing) => listing,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(piton_sys::file::Error::new("list", &directory, error).into()),
        };
        // A lease has its epoch after the name, which has no dot in it.
        let name = |name: String| name.split('.').next().map(str::to_owned).filter(|name| !name.is_empty());
        runs.extend(
            listing.flatten().filter_map(|entry| entry.file_name().into_string().ok().and_then(name)),
        );
    }
    // Somebody may have begun the journal since.
    if runs.is_empty() || (database.exists() && !is_empty(database)) {
        return Ok(());
    }
    let runs: Vec<_> = runs.into_iter().collect();
    let what = format!("the journal itself is gone (`{}`); it held {}", database.display(), runs.join(", "));
    Err(Error::Corrupt(Problem { run: None, seq: None, what }))
}

/// An anchor without a run: it was acknowledged, and it was not removed.
pub(super) fn gone(run: &RunId, anchored: Head) -> Problem {
    Problem::of(run, format!("the whole run is gone; {} events were acknowledged", anchored.seq))
}

/// An anchor that was written for another journal.
pub(super) fn foreign(run: &RunId) -> Problem {
    Problem::of(run, "its anchor belongs to another journal: one of the two was replaced")
}
