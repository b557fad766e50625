//! The database file: its tables, and the settings that durability rests on.
//!
//! Settings are read back and compared: SQLite accepts a misspelt one silently.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_model::Epoch;
use piton_sys::file::{self, Durability};
use piton_sys::{Ids, SystemIds};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, ffi, params};

use super::migrate::{MIGRATIONS, format_of, migrate};
use crate::error::Error;
use crate::types::{Identity, JournalId};

/// The format this piton reads and writes. Since 2, events carry their verdicts and checkpoints the version of their
/// fold; since 3 the index does, too, and a journal knows its place. What was written before was never released, and is refused.
pub(super) const FORMAT: i64 = 3;

/// The first format that was released: from it on, [`migrate`](super::migrate) leads to this one.
pub(super) const FIRST_FORMAT: i64 = 3;

/// Pages after which the write-ahead log is folded into the database. Each fold costs about three
/// syncs, so a few thousand pages keep that below one per cent of a step.
const CHECKPOINT_PAGES: i64 = 1000;

/// How long whoever opens the journal, or reads it, waits for somebody who keeps it to himself: a person looks on.
const OPEN_PATIENCE: Duration = Duration::from_secs(5);

/// How long a write waits for its turn.
const WRITE_PATIENCE: Duration = Duration::from_secs(60);

const TABLES: &str = "
create table meta (
  name text primary key,
  value blob not null
) without rowid;

-- The index: one row per run, changed in the same transaction as its events.
create table runs (
  number integer primary key,
  id text not null,
  key text not null unique,
  kind text not null,
  title text not null,
  status text not null,
  reason text,
  created_at integer not null,
  updated_at integer not null,
  iteration integer not null,
  waiting_for text,
  epoch integer not null,
  holder text,
  head_seq integer not null,
  head_hash blob not null,
  head_row integer not null,
  digest blob not null,
  fold integer not null
);

-- One row per append, in arrival order: the fewest pages are dirtied per commit. `back` is the row
-- before it of the same run, 0 for the first; some rows are marked, so that a read need not go far.
create table events (
  row integer primary key,
  back integer not null,
  marked integer not null,
  run integer not null,
  seq integer not null,
  at integer not null,
  kinds text not null,
  codec integer not null,
  key_id integer not null,
  body blob not null,
  hash blob not null,
  request blob
);
create unique index events_marked on events (run, seq) where marked = 1;
create unique index events_by_request on events (run, request) where request is not null;

create table checkpoints (
  run integer not null,
  seq integer not null,
  codec integer not null,
  key_id integer not null,
  bytes blob not null,
  digest blob not null,
  primary key (run, seq)
);
";

/// Opens the database for writing, creating it if it is not there.
pub(super) fn open(path: &Path, new: &Identity) -> Result<Connection, Error> {
    if std::fs::symlink_metadata(path).is_err() {
        begin(path, new)?;
    }
    connect(path, new)
}

fn connect(path: &Path, new: &Identity) -> Result<Connection, Error> {
    let connection = match open_to_write(path) {
        Ok(connection) => connection,
        Err(error) => {
            let error = error.opening(path);
            // What the system says is plainer than what the database makes of it.
            if !matches!(error, Error::Locked { .. }) {
                file::check_writable(path)?;
                file::check_room(path)?;
            }
            return Err(error);
        }
    };
    set(&connection, "synchronous", "full", "2")?;
    set(&connection, "wal_autocheckpoint", &CHECKPOINT_PAGES.to_string(), &CHECKPOINT_PAGES.to_string())?;
    set(&connection, "cell_size_check", "on", "1")?;
    set(&connection, "trusted_schema", "off", "0")?;
    connection.set_prepared_statement_cache_capacity(32);
    create(&connection, new)?;
    connection.busy_timeout(WRITE_PATIENCE)?;
    Ok(connection)
}

/// What is written through this connection is not synced.
pub(super) fn sync_nothing(connection: &Connection) -> Result<(), Error> {
    set(connection, "synchronous", "off", "0")
}

/// Makes the files beside it, too.
fn open_to_write(path: &Path) -> Result<Connection, Error> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(OPEN_PATIENCE)?;
    // What cannot be written is opened to be read, without a word.
    if connection.is_readonly("main")? {
        return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_READONLY), None).into());
    }
    set(&connection, "journal_mode", "wal", "wal")?;
    Ok(connection)
}

/// Makes a whole database under another name, for this user alone, and gives it its name when it is closed, synced and looked at:
/// a disk that is full from the start leaves no journal, and never half of one. So many can begin one journal at once, too: none
/// of them meets a database that still changes its mode, which SQLite answers with "locked" whatever the patience.
fn begin(path: &Path, identity: &Identity) -> Result<(), Error> {
    let mut new = path.as_os_str().to_owned();
    new.push(format!(".{}", SystemIds.hex(16)));
    let new = Path::new(&new);
    let published = make(new, identity).and_then(|()| Ok(file::rename_noreplace(new, path)?));
    if !matches!(published, Ok(true)) {
        // It failed, or somebody else was faster.
        remove(new)?;
    }
    if published? {
        file::sync_dir(path.parent().expect("a database lies in a directory"))?;
    }
    Ok(())
}

fn make(new: &Path, id: &Identity) -> Result<(), Error> {
    file::create_new(new, b"", Durability::Unsynced)?;
    let connection = connect(new, id)?;
    // Closing would fold the log in as well, and would say nothing where that fails.
    let left: i64 = connection.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get(0))?;
    connection.close().map_err(|(_, error)| error)?;
    let log = beside(new, "-wal");
    if left != 0 || log.symlink_metadata().is_ok_and(|metadata| metadata.len() > 0) {
        return Err(unfinished("its log could not be folded in"));
    }
    // As it is on disk, and nothing beside it: it is about to get another name.
    let made = open_alone(new, true)?;
    let verdict: String = made.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    if verdict != "ok" || check_format(&made)? != FORMAT {
        return Err(unfinished("it is not what was written"));
    }
    identity(&made).map(drop)
}

/// Opens a database to read it and to make nothing beside it. One that `rests` is nobody's to change meanwhile, and has no log.
fn open_alone(path: &Path, rests: bool) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW
        | OpenFlags::SQLITE_OPEN_URI;
    // Byte by byte: a path need not be text.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte);
    let escaped: String = path
        .as_os_str()
        .as_bytes()
        .iter()
        .map(|&byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") })
        .collect();
    let how = if rests { "immutable=1" } else { "mode=ro" };
    Ok(Connection::open_with_flags(format!("file:{escaped}?{how}"), flags)?)
}

/// Opens the database where nothing can be written. Its log is read where there is one.
pub(super) fn open_read_only(path: &Path) -> Result<Connection, Error> {
    let has_log = beside(path, "-wal").symlink_metadata().is_ok_and(|log| log.len() > 0);
    let connection = open_alone(path, !has_log)?;
    connection.busy_timeout(OPEN_PATIENCE)?;
    set(&connection, "cell_size_check", "on", "1")?;
    check_format(&connection)?;
    Ok(connection)
}

/// Opens a damaged database to read what can be read: nothing about it is taken for granted.
pub(super) fn open_to_salvage(path: &Path) -> Result<Connection, Error> {
    let has_log = beside(path, "-wal").symlink_metadata().is_ok_and(|log| log.len() > 0);
    let connection = open_alone(path, !has_log)?;
    connection.busy_timeout(OPEN_PATIENCE)?;
    // Cells that lead out of their page are an error then, and not memory that is read.
    set(&connection, "cell_size_check", "on", "1")?;
    Ok(connection)
}

/// What belongs to the database at `path`, itself included, as far as it is there.
pub(super) fn files_of(path: &Path) -> Vec<PathBuf> {
    let files = ["-wal", "-shm", "-journal", ""].map(|ending| beside(path, ending));
    files.into_iter().filter(|file| file.symlink_metadata().is_ok()).collect()
}

fn remove(new: &Path) -> Result<(), Error> {
    for ending in ["", "-wal", "-shm", "-journal"] {
        file::remove_file_if_exists(&beside(new, ending))?;
    }
    Ok(())
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// A new journal that is not one yet: nothing is lost with it.
fn unfinished(why: &str) -> Error {
    let source = format!("a new journal could not be made: {why}; is the disk full?");
    Error::SyncFailed { source: source.into() }
}

/// Opens a second connection for reading what others write. It never folds the log when it closes.
pub(super) fn open_reader(path: &Path) -> Result<Connection, Error> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(OPEN_PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    set(&connection, "query_only", "on", "1")?;
    set(&connection, "cell_size_check", "on", "1")?;
    check_format(&connection)?;
    Ok(connection)
}

fn set(connection: &Connection, name: &str, value: &str, expected: &str) -> Result<(), Error> {
    connection.pragma_update_and_check(None, name, value, |_| Ok(())).or_else(|error| match error {
        rusqlite::Error::QueryReturnedNoRows => Ok(()),
        other => Err(other),
    })?;
    let found: String = connection.pragma_query_value(None, name, |row| {
        row.get_ref(0).map(|value| match value {
            rusqlite::types::ValueRef::Integer(number) => number.to_string(),
            other => other.as_str().unwrap_or_default().to_owned(),
        })
    })?;
    if found == expected {
        return Ok(());
    }
    let source = format!("setting `{name}` is `{found}`, not `{expected}`: is this a network file system?");
    Err(Error::SyncFailed { source: source.into() })
}

fn create(connection: &Connection, new: &Identity) -> Result<(), Error> {
    let found = check_format(connection)?;
    if found >= FIRST_FORMAT {
        return migrate(connection, MIGRATIONS, FORMAT, found);
    }
    connection.execute_batch("begin immediate")?;
    // Another process may have been first.
    if check_format(connection)? >= FIRST_FORMAT {
        connection.execute_batch("rollback")?;
        return Ok(());
    }
    connection.execute_batch(TABLES)?;
    identify(connection, new)?;
    connection.pragma_update(None, "user_version", FORMAT)?;
    connection.execute_batch("commit")?;
    Ok(())
}

fn check_format(connection: &Connection) -> Result<i64, Error> {
    let found = format_of(connection)?;
    if found > FORMAT {
        return Err(Error::Newer { found, known: FORMAT });
    }
    if (1..FIRST_FORMAT).contains(&found) {
        return Err(Error::Older { found, known: FORMAT });
    }
    // A database that is just being made has no format yet, and no tables either: both come in one step.
    let tables: i64 = connection.query_row("select count(*) from sqlite_master", [], |row| row.get(0))?;
    if found < FIRST_FORMAT && tables > 0 {
        let what = "it holds tables and has lost the number of its format".to_owned();
        return Err(Error::Corrupt(crate::error::Problem { run: None, seq: None, what }));
    }
    Ok(found)
}

/// The epoch a new run begins with: above that of every run that was removed, so that a driver of a
/// removed run can never pass for the driver of one that was given its name.
pub(super) fn first_epoch(connection: &Connection) -> Result<Epoch, Error> {
    let mut statement = connection.prepare_cached("select value from meta where name = 'first_epoch'")?;
    let found: Option<i64> = statement.query_row([], |row| row.get(0)).optional()?;
    Ok(found.unwrap_or(0) as Epoch)
}

/// The highest epoch that was granted to any run, those that were removed included.
pub(super) fn epoch_max(connection: &Connection) -> Result<Epoch, Error> {
    let of_runs: i64 =
        connection.query_row("select ifnull(max(epoch), 0) from runs", [], |row| row.get(0))?;
    Ok((of_runs as Epoch).max(first_epoch(connection)?))
}

/// A run was removed under `epoch`, or taken in.
pub(super) fn raise_first_epoch(connection: &Connection, epoch: Epoch) -> Result<(), Error> {
    connection.execute(
        "insert into meta values ('first_epoch', ?1) on conflict do update set value = max(value, excluded.value)",
        [epoch as i64],
    )?;
    Ok(())
}

/// Which journal this is, and where it says that it lies.
pub(super) fn identity(connection: &Connection) -> Result<Identity, Error> {
    let mut meta = connection.prepare_cached("select value from meta where name = ?1")?;
    let id: Option<[u8; 16]> = meta.query_row(["journal_id"], |row| row.get(0)).optional()?;
    let place: Option<Vec<u8>> = meta.query_row(["place"], |row| row.get(0)).optional()?;
    match (id, place) {
        (Some(id), Some(place)) => {
            Ok(Identity { id: JournalId(id), place: OsString::from_vec(place).into() })
        }
        _ => {
            let what = "it has lost its id".to_owned();
            Err(Error::Corrupt(crate::error::Problem { run: None, seq: None, what }))
        }
    }
}

/// Says which journal it is from now on, and where it lies.
pub(super) fn identify(connection: &Connection, identity: &Identity) -> Result<(), Error> {
    let mut meta = connection.prepare_cached("insert or replace into meta values (?1, ?2)")?;
    meta.execute(params!["journal_id", identity.id.0])?;
    meta.execute(params!["place", identity.place.as_os_str().as_bytes()])?;
    Ok(())
}
