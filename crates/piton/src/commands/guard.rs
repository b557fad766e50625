//! `piton guard`: two trees, and whether tests prove less in the second. Needs no run.

mod allow;
mod github;
mod mark;
mod prove;
mod text;

use std::path::Path;
use std::time::Instant;

use piton_git::{History, SnapshotId, Tree};
use piton_guard::{Finding, Known, Options, RULES, Report};
use piton_model::ExitCode;
use piton_sys::file::{self, Durability};
use piton_sys::redact::Redactor;
use serde::Serialize;
use serde_json::json;

use crate::cli::{Global, GuardArguments, GuardCommand, GuardFormat};
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository;

/// What is remembered of files, in the state directory where there is one.
const KNOWN_FILE: &str = "guard-known.json";
const KNOWN_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What was compared, as every format shows it.
#[derive(Debug, Serialize)]
struct Compared {
    base: String,
    head: String,
    #[serde(flatten)]
    report: Report,
    duration_ms: u64,
    /// What was tried, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<prove::Proof>,
}

pub(super) async fn run(global: &Global, arguments: &GuardArguments, out: &Output) -> Result {
    match &arguments.command {
        Some(GuardCommand::Rules) => return Ok(rules(out)),
        Some(GuardCommand::Allow(arguments)) => return allow::run(&open(global)?, arguments, out),
        Some(GuardCommand::Mark(arguments)) => return mark::run(global, arguments, out).await,
        None => {}
    }
    let history = open(global)?;
    let compared = compare(global, &history, arguments, out)?;
    if compared.proof.as_ref().is_some_and(|proof| proof.is_interrupted) {
        out.note("stopped in the middle of a trial: nothing is said");
        return Ok(ExitCode::Interrupted);
    }
    let format = arguments.format.unwrap_or(if out.json { GuardFormat::Json } else { GuardFormat::Text });
    match format {
        GuardFormat::Text => text::print(&compared, out),
        GuardFormat::Json => out.json(&compared),
        GuardFormat::Sarif => out.json(&piton_guard::sarif(&compared.report)),
        GuardFormat::Github => github::print(&compared, out),
    }
    Ok(if compared.report.blocking { ExitCode::Failed } else { ExitCode::Done })
}

pub(super) fn open(global: &Global) -> Result<History> {
    let start = match &global.repo {
        Some(repo) => repo.clone(),
        None => std::env::current_dir().map_err(|error| Failure::environment(&error))?,
    };
    match History::open(&start) {
        Ok(Some(history)) => Ok(history),
        Ok(None) => Err(Failure::usage(format!("`{}` is in no git repository", start.display()))
            .hint("run it inside of one, or give --repo DIR")),
        Err(error) => Err(Failure::environment(&error).hint("run `piton doctor`")),
    }
}

fn compare(global: &Global, history: &History, arguments: &GuardArguments, out: &Output) -> Result<Compared> {
    let started = Instant::now();
    let (base, head) = ends(history, arguments.range.as_deref())?;
    let base_tree = history.tree(&base);
    let head_tree: Box<dyn Tree> = match &head {
        Some(head) => Box::new(history.tree(head)),
        None => Box::new(history.work_tree()),
    };
    let options = Options {
        protected: arguments.protect.clone(),
        today: Some(jiff::Zoned::now().date().to_string()),
        distrust: arguments.strict,
        only_changed: false,
        measuring: arguments.measuring,
    };
    let known_path = history.root().join(".piton").join(KNOWN_FILE);
    let mut known = remembered(&known_path);
    let was_known = known.clone();
    let mut report = piton_guard::compare(&base_tree, head_tree.as_ref(), &options, &mut known)
        .map_err(|error| unreadable(error.as_ref()))?;
    if known != was_known {
        remember(&known_path, &known);
    }
    let proof = match arguments.prove {
        true => {
            let trees =
                prove::Trees { base: &base_tree, head: head_tree.as_ref(), is_on_disk: head.is_none() };
            Some(prove::run(global, history, arguments, &trees, (&mut report, &options), out)?)
        }
        false => None,
    };
    let redactor = repository::redactor(history.root())?;
    report.findings.iter_mut().for_each(|finding| redact(finding, &redactor));
    let head = head.map_or_else(|| "work tree".to_owned(), |head| head.to_string());
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Compared { base: base.to_string(), head, report, duration_ms, proof })
}

/// A finding quotes lines of the source; what is secret in them goes no further.
fn redact(finding: &mut Finding, redactor: &Redactor) {
    let quoted = [&mut finding.test, &mut finding.before, &mut finding.after];
    for text in quoted.into_iter().flatten().chain([&mut finding.message]) {
        *text = redactor.redact(text).into_owned();
    }
}

/// The commits to compare; without a second one, the work tree is meant.
fn ends(history: &History, range: Option<&str>) -> Result<(SnapshotId, Option<SnapshotId>)> {
    let failed = |error: piton_git::Error| Failure::environment(&error).hint("run `piton doctor`");
    let (base, head) = match range {
        Some(range) => match range.split_once("..") {
            Some((base, head)) => (Some(base), Some(head.trim_start_matches('.'))),
            None => (Some(range), None),
        },
        None => (None, None),
    };
    let commit = |name: &str| {
        let found = history.commit(name).map_err(failed)?;
        found.ok_or_else(|| missing(history, &format!("there is no commit `{name}`")))
    };
    let base = match base.filter(|name| !name.is_empty()) {
        Some(name) => commit(name)?,
        None => match history.default_branch().map_err(failed)? {
            Some((_, commit)) => commit,
            None => return Err(missing(history, "there is no default branch to compare with")),
        },
    };
    let head = head.map(|name| commit(if name.is_empty() { "HEAD" } else { name })).transpose()?;
    let tip = match &head {
        Some(head) => head.clone(),
        None => commit("HEAD")?,
    };
    match history.merge_base(&base, &tip).map_err(failed)? {
        Some(parted) => Ok((parted, head)),
        None => Err(missing(history, "the two commits have no common history")),
    }
}

/// What a tree holds cannot be read.
fn unreadable(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Failure {
    Failure::environment(error).hint(match error.downcast_ref::<piton_git::Error>() {
        Some(piton_git::Error::Partial { .. }) => {
            "run `git fetch --refetch --no-filter`, or `git backfill`; piton fetches nothing by itself"
        }
        _ => "run `piton doctor`",
    })
}

/// What is not there may only be missing from a shallow clone.
fn missing(history: &History, message: &str) -> Failure {
    if history.is_shallow() {
        return Failure::new(ErrorKind::Environment, format!("{message}: this clone is shallow"))
            .hint("run `git fetch --unshallow`; with actions/checkout, set `fetch-depth: 0`");
    }
    Failure::usage(message).hint("name the commit to compare with: `piton guard BASE`")
}

fn remembered(path: &Path) -> Known {
    let bytes = file::read_regular(path, KNOWN_BYTES_MAX).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// A cache that cannot be written costs time next time, and nothing else.
fn remember(path: &Path, known: &Known) {
    let has_state = path.parent().is_some_and(|state| state.is_dir());
    if let Some(bytes) = has_state.then(|| serde_json::to_vec(known).ok()).flatten() {
        let _ = file::write_atomic(path, &bytes, Durability::Unsynced);
    }
}

fn rules(out: &Output) -> ExitCode {
    if out.json {
        let rule = |rule: &piton_guard::Rule| {
            json!({
                "rule": rule.name, "regression_type": rule.regression_type, "pattern": rule.pattern,
                "severity": rule.severity, "confidence": rule.confidence(), "blocking": rule.blocks_somewhere(),
                "about": rule.about, "undo": rule.undo,
            })
        };
        out.json(&RULES.iter().map(rule).collect::<Vec<_>>());
        return ExitCode::Done;
    }
    for rule in RULES {
        let blocks = if rule.blocks_somewhere() { "blocks" } else { "reports" };
        out.row(clean_line(&format!(
            "{:<28} {blocks:<8} {:<9} {}",
            rule.name,
            rule.severity.as_str(),
            rule.about
        )));
    }
    ExitCode::Done
}
