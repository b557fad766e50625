//! From the format of before to this one: numbered steps, each in one transaction with its number.
//!
//! A migration that was interrupted was rolled back by the database, or is complete: whoever opens the journal next finds the
//! number of the last one that is, and goes on from there. A journal of a newer piton is refused before any of this.
//!
//! Invariant: a number is in the file exactly if everything of its migration is.

use piton_sys::fault;
use rusqlite::Connection;

use crate::error::Error;

/// What leads to a format from the one before it.
#[derive(Clone, Copy)]
pub(super) struct Migration {
    /// The format that it leads to.
    pub(super) to: i64,
    /// Its statements, in order.
    pub(super) steps: &'static [&'static str],
}

/// Every migration from the first format that was released on, in order. There is none yet: formats 1 and 2 never were.
pub(super) const MIGRATIONS: &[Migration] = &[];

/// Brings a journal of the format `found` to `format`. Whoever else does so at the same time waits, and finds it done.
pub(super) fn migrate(
    connection: &Connection,
    migrations: &[Migration],
    format: i64,
    found: i64,
) -> Result<(), Error> {
    let mut found = found;
    while found < format {
        let Some(next) = migrations.iter().find(|migration| migration.to == found + 1) else {
            return Err(Error::Older { found, known: format });
        };
        connection.execute_batch("begin immediate")?;
        match apply(connection, next, found) {
            Ok(()) => found = format_of(connection)?,
            Err(error) => {
                // It may have rolled back by itself; a second rollback then fails and changes nothing.
                let _ = connection.execute_batch("rollback");
                return Err(error);
            }
        }
    }
    Ok(())
}

fn apply(connection: &Connection, migration: &Migration, found: i64) -> Result<(), Error> {
    // Another process may have been first.
    if format_of(connection)? != found {
        connection.execute_batch("rollback")?;
        return Ok(());
    }
    for step in migration.steps {
        fault::point("store.migrate.step");
        connection.execute_batch(step)?;
    }
    connection.pragma_update(None, "user_version", migration.to)?;
    fault::point("store.migrate.commit");
    connection.execute_batch("commit")?;
    fault::point("store.migrate.committed");
    Ok(())
}

/// The number of the format that a database says to have.
pub(super) fn format_of(connection: &Connection) -> Result<i64, Error> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const PLANTED: &[Migration] = &[
        Migration {
            to: 4,
            steps: &[
                "create table extra (run integer primary key, word text not null)",
                "insert into extra select number, 'from ' || id from runs",
                "alter table runs add column word text",
                "update runs set word = (select word from extra where run = number)",
            ],
        },
        Migration { to: 5, steps: &["drop table extra", "create index runs_word on runs (word)"] },
    ];

    /// A database of format 3, with two runs as far as the planted migrations look at them.
    fn planted(path: &Path) {
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch(
                "pragma journal_mode = wal; create table runs (number integer primary key, id text not null); \
                 insert into runs (id) values ('a'), ('b'); pragma user_version = 3;",
            )
            .unwrap();
    }

    fn open(path: &Path) -> Result<(), Error> {
        let connection = Connection::open(path)?;
        let found = format_of(&connection)?;
        migrate(&connection, PLANTED, 5, found)
    }

    /// All of a format, or nothing of it.
    fn format_that_is_whole(path: &Path) -> i64 {
        let connection = Connection::open(path).unwrap();
        let check: String = connection.pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
        let has = |sql: &str| connection.prepare(sql).is_ok();
        let there = (
            has("select word from extra"),
            has("select word from runs"),
            has("select * from runs indexed by runs_word where word = ''"),
        );
        let format = format_of(&connection).unwrap();
        let expected = match format {
            3 => (false, false, false),
            4 => (true, true, false),
            5 => (false, true, true),
            other => panic!("format {other}"),
        };
        assert_eq!(there, expected, "format {format}");
        if format > 3 {
            let words: i64 = connection
                .query_row("select count(*) from runs where word = 'from ' || id", [], |row| row.get(0))
                .unwrap();
            assert_eq!(words, 2);
        }
        format
    }

    /// What the test below starts anew, to be killed.
    #[test]
    fn child_that_migrates() {
        if let Some(path) = std::env::var_os("PITON_TEST_MIGRATE") {
            open(Path::new(&path)).unwrap();
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test starts itself, to be killed")]
    fn a_migration_that_is_killed_at_any_statement_is_rolled_back_or_complete_and_goes_on() {
        let mut seen = Vec::new();
        for abort_at in 1.. {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("journal.db");
            planted(&path);
            let child = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "sqlite::migrate::tests::child_that_migrates", "--nocapture"])
                .env("PITON_TEST_MIGRATE", &path)
                .env("PITON_ABORT_AT", abort_at.to_string())
                .output()
                .unwrap();
            seen.push(format_that_is_whole(&path));
            open(&path).unwrap();
            assert_eq!(format_that_is_whole(&path), 5, "killed at {abort_at}");
            if child.status.success() {
                break;
            }
        }
        // Six statements, two commits, and what follows them; then nobody dies.
        assert_eq!(seen, [3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5]);
    }

    #[test]
    fn a_journal_of_before_the_first_migration_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.db");
        planted(&path);
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 2).unwrap();
        assert!(matches!(open(&path), Err(Error::Older { found: 2, known: 5 })));
    }

    #[test]
    fn a_migration_that_fails_changes_nothing() {
        const FAILS: &[Migration] =
            &[Migration { to: 4, steps: &["create table half (a)", "insert into nowhere values (1)"] }];
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.db");
        planted(&path);
        let connection = Connection::open(&path).unwrap();
        assert!(migrate(&connection, FAILS, 4, 3).is_err());
        assert!(connection.prepare("select * from half").is_err());
        assert_eq!(format_that_is_whole(&path), 3);
    }

    #[test]
    fn migrations_lead_from_the_first_format_to_this_one_without_a_gap() {
        let mut format = super::super::schema::FIRST_FORMAT;
        for migration in MIGRATIONS {
            format += 1;
            assert_eq!(migration.to, format);
        }
        assert_eq!(format, super::super::schema::FORMAT);
    }
}
