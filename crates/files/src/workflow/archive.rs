//! `.agents/run_archive.db`: what is left of a run whose directory was removed, one row each.
//!
//! For the eyes of people and of tools that know this file. piton never reads it back: the journal has everything.

use std::path::{Path, PathBuf};

use piton_model::Timestamp;
use piton_model::workflow::{State, StepStatus};
use rusqlite::{Connection, OpenFlags, params};
use serde_json::Value;

use super::render::moment;

/// The version of the tables that is written.
const SCHEMA_VERSION: u32 = 1;

/// How long another process that writes a row is waited for.
const BUSY_MS: u64 = 2_000;

/// How long a summary may be.
const SUMMARY_CHARS_MAX: usize = 2_000;

/// The archive of a repository.
#[derive(Debug)]
pub struct RunArchive {
    connection: Connection,
}

/// Where the archive of `repo` is.
fn archive_path(repo: &Path) -> PathBuf {
    repo.join(".agents/run_archive.db")
}

impl RunArchive {
    /// Opens the archive of `repo`, which is made where there is none. A symbolic link is refused.
    pub fn open(repo: &Path) -> Result<Self, rusqlite::Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = Connection::open_with_flags(archive_path(repo), flags)?;
        connection.busy_timeout(std::time::Duration::from_millis(BUSY_MS))?;
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY);
             CREATE TABLE IF NOT EXISTS archived_runs (
                 run_id TEXT PRIMARY KEY, workflow_name TEXT, status TEXT, created_at TEXT, ended_at TEXT,
                 total_cost_usd REAL, total_input_tokens INTEGER, total_output_tokens INTEGER,
                 steps_completed INTEGER, steps_failed INTEGER, work_summary TEXT, archived_at TEXT);",
        )?;
        connection.execute("INSERT OR IGNORE INTO schema_version VALUES (?1)", [SCHEMA_VERSION])?;
        Ok(Self { connection })
    }

    /// Writes the row of a run, durably; a row of the same name is replaced.
    pub fn add(&self, state: &State, at: Timestamp) -> Result<(), rusqlite::Error> {
        let with =
            |status: StepStatus| state.steps.iter().filter(|step| step.status == status).count() as i64;
        let counters = &state.counters;
        // What some attempt did not report is unknown, not zero.
        let cost = (counters.cost_unknown == 0).then(|| counters.cost_microusd as f64 / 1e6);
        self.connection.execute(
            "INSERT OR REPLACE INTO archived_runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            params![
                state.run.as_str(),
                state.plan.name,
                state.status.as_str().to_uppercase(),
                moment(state.created_at),
                moment(state.since),
                cost,
                tokens(state, "input_tokens"),
                tokens(state, "output_tokens"),
                with(StepStatus::Completed),
                with(StepStatus::Failed),
                summary(state),
                moment(at),
            ],
        )?;
        Ok(())
    }
}

/// The sum of what steps reported; `None` where none did.
fn tokens(state: &State, metric: &str) -> Option<i64> {
    let reported = state.steps.iter().filter_map(|step| match step.metrics.get(metric)? {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    });
    reported.reduce(i64::saturating_add)
}

/// The last thing that each step said it did.
fn summary(state: &State) -> String {
    let said = state.steps.iter().enumerate().filter_map(|(index, step)| {
        let words = step.logs.last().or(step.last_error.as_ref())?;
        Some(format!("{}: {words}", state.id(index)))
    });
    said.collect::<Vec<_>>().join("; ").chars().take(SUMMARY_CHARS_MAX).collect()
}
