//! `piton backup`: make, list, verify, restore and prune backups.

use piton_model::{ExitCode, Timestamp};
use piton_view::{
    BackedUp, BackupRestored, BackupView, BackupsVerified, BackupsView, ProofView, PruneOrder, PrunedView,
    ReplicaListed, RestoreOrder, words,
};

use crate::cli::{
    BackupArguments, BackupCommand, BackupPlace, BackupPruneArguments, BackupRestoreArguments, Global,
};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &BackupArguments, out: &Output) -> Result {
    let layout = repository::layout(global)?;
    match &arguments.command {
        BackupCommand::Create(place) => {
            let client = repository::open(&layout)?;
            Ok(created(&client.back_up(from_here(place)?.as_deref()).await?, out))
        }
        BackupCommand::List(place) => {
            let client = repository::open_or_create(&layout);
            Ok(listed(&client.backups(from_here(place)?.as_deref()).await?, out))
        }
        BackupCommand::Verify(arguments) => {
            let (client, to) = (repository::open_or_create(&layout), from_here(&arguments.place)?);
            let verified = client.verify_backups(to.as_deref(), arguments.name.as_deref()).await?;
            Ok(checked(&verified, out))
        }
        BackupCommand::Restore(arguments) => {
            let order = restore_order(arguments)?;
            let client = repository::open_or_create(&layout);
            Ok(restored(&client.restore_backup(order).await?, out))
        }
        BackupCommand::Prune(arguments) => {
            let order = prune_order(arguments)?;
            let client = repository::open(&layout)?;
            Ok(pruned(&client.prune_backups(order).await?, out))
        }
    }
}

/// A relative path is one from where the command was given.
pub(super) fn absolute(text: &str) -> Result<String> {
    if text.contains("://") || text.starts_with("~/") || text.is_empty() {
        return Ok(text.to_owned());
    }
    let path = std::path::absolute(text).map_err(|error| Failure::environment(&error))?;
    Ok(path.to_str().unwrap_or(text).to_owned())
}

pub(super) fn from_here(place: &BackupPlace) -> Result<Option<String>> {
    place.to.as_deref().map(absolute).transpose()
}

fn restore_order(arguments: &BackupRestoreArguments) -> Result<RestoreOrder> {
    let to_time = arguments.to_time.as_deref().map(str::parse::<Timestamp>).transpose();
    Ok(RestoreOrder {
        from: absolute(&arguments.url)?,
        backup: arguments.backup.clone(),
        run: arguments.run.clone(),
        to_seq: arguments.to_seq,
        to_time: to_time.map_err(|error| Failure::usage(error.to_string()))?,
    })
}

fn prune_order(arguments: &BackupPruneArguments) -> Result<PruneOrder> {
    let duration = |text: &String| piton_config::parse_duration(text).map_err(Failure::usage);
    Ok(PruneOrder {
        to: from_here(&arguments.place)?,
        keep: arguments.keep,
        younger_than_ms: arguments.younger_than.as_ref().map(duration).transpose()?,
        grace_ms: duration(&arguments.grace)?,
    })
}

fn created(made: &BackedUp, out: &Output) -> ExitCode {
    let backup = &made.backup;
    if out.json {
        out.json(made);
    } else {
        out.row(format!("{}  {}", backup.name, held(&made.proof)));
        let events = words::count(made.proof.events, "event");
        out.row(format!(
            "  restored and verified: {events}; {} new in {}",
            words::bytes(made.bytes_put),
            clean_line(&backup.at)
        ));
        removed(&made.pruned, out);
        noted(made.notes.iter().chain(&made.pruned.notes), out);
    }
    told(&backup.damaged, out)
}

/// What could not be backed up: it is told, and so is the exit code.
fn told(damaged: &[String], out: &Output) -> ExitCode {
    for problem in damaged {
        out.note(clean_line(&format!("warning: {problem}")));
    }
    if damaged.is_empty() { ExitCode::Done } else { ExitCode::Corrupt }
}

fn noted<'a>(notes: impl IntoIterator<Item = &'a String>, out: &Output) {
    notes.into_iter().for_each(|note| out.note(clean_line(&format!("warning: {note}"))));
}

fn held(proof: &ProofView) -> String {
    match proof.snapshots {
        0 => words::count(proof.runs, "run"),
        with => format!("{}, {with} with snapshots", words::count(proof.runs, "run")),
    }
}

fn listed(found: &BackupsView, out: &Output) -> ExitCode {
    if out.json {
        out.json(found);
    } else {
        let is_empty = found.damaged.is_empty() && found.locked.is_empty();
        if found.backups.is_empty() && found.replicas.is_empty() && is_empty {
            out.note(format!("no backup in {}; `piton backup create` makes one", clean_line(&found.at)));
        }
        found.backups.iter().for_each(|backup| out.row(line_of(backup)));
        found.replicas.iter().for_each(|replica| out.row(clean_line(&line_of_replica(replica))));
        found.notes.iter().for_each(|note| out.note(clean_line(note)));
        found.locked.iter().for_each(|what| out.row(clean_line(&format!("locked: {what}"))));
        found.damaged.iter().for_each(|problem| out.row(clean_line(&format!("damaged: {problem}"))));
    }
    let is_whole = found.damaged.is_empty()
        && found.backups.iter().all(|backup| !backup.has_failed)
        && found.replicas.iter().all(|replica| replica.broken.is_none());
    match is_whole {
        false => ExitCode::Corrupt,
        // What is locked of another journal is for somebody else.
        true if found.own_locked => ExitCode::Environment,
        true => ExitCode::Done,
    }
}

fn line_of_replica(replica: &ReplicaListed) -> String {
    let events: u64 = replica.runs.iter().map(|run| run.seq).sum();
    let (runs, events) = (words::count(replica.runs.len(), "run"), words::count(events, "event"));
    let to = replica.newest.map_or_else(|| "nothing".to_owned(), |to| to.to_string());
    let proven = match (replica.restorable_to, replica.proven_at) {
        (Some(to), Some(at)) => format!("restorable to {to}, proven {at}"),
        _ => "not proven yet".to_owned(),
    };
    let broken = replica.broken.as_ref().map_or_else(String::new, |what| format!("  damaged: {what}"));
    format!(
        "{}  replica  {runs}  {events}  {}  to {to}  {proven}  journal {}{broken}",
        replica.name,
        words::bytes(replica.bytes),
        &replica.journal[..8.min(replica.journal.len())]
    )
}

fn line_of(backup: &BackupView) -> String {
    let events: u64 = backup.runs.iter().map(|run| run.seq).sum();
    let (runs, events) = (words::count(backup.runs.len(), "run"), words::count(events, "event"));
    let proven = match backup.has_failed {
        true => "damaged: it could not be restored when that was tried last".to_owned(),
        false => format!("proven {}", backup.proven_at),
    };
    let open = if backup.is_open { "  not encrypted" } else { "" };
    format!(
        "{}  {runs}  {events}  {}  {proven}  journal {}{open}",
        backup.name,
        words::bytes(backup.bytes),
        &backup.journal[..8]
    )
}

fn checked(verified: &BackupsVerified, out: &Output) -> ExitCode {
    if out.json {
        out.json(verified);
    } else {
        for backup in &verified.checked {
            let said = match (&backup.proof, &backup.problem) {
                (Some(proof), _) => format!("ok: {}, {}", held(proof), words::count(proof.events, "event")),
                (None, problem) => {
                    format!("damaged: {}", problem.as_deref().unwrap_or("it does not restore"))
                }
            };
            out.row(clean_line(&format!("{}  {said}", backup.name)));
        }
        verified.locked.iter().for_each(|what| out.row(clean_line(&format!("locked: {what}"))));
        noted(&verified.notes, out);
    }
    if verified.ok { ExitCode::Done } else { ExitCode::Corrupt }
}

fn restored(done: &BackupRestored, out: &Output) -> ExitCode {
    let differs = done.runs.iter().any(|run| run.differs.is_some());
    let code = match done.broken.is_some() {
        true => ExitCode::Corrupt,
        // Which of the two is to go on, a person says.
        false if differs => ExitCode::Person,
        false => ExitCode::Done,
    };
    if out.json {
        out.json(done);
        return code;
    }
    out.row(format!("from backup {}", done.backup));
    for run in &done.runs {
        if let Some(differs) = &run.differs {
            out.row(clean_line(&format!("  {}  not restored: {differs}", run.run_id)));
            continue;
        }
        let said = match (run.seq, run.snapshots) {
            (Some(seq), true) => format!("{}, with its snapshots", words::count(seq, "event")),
            (Some(seq), false) => words::count(seq, "event"),
            (None, true) => "is here already; its snapshots came back".to_owned(),
            (None, false) => "is here already, left as it is".to_owned(),
        };
        out.row(format!("  {}  {said}", run.run_id));
    }
    if differs {
        out.note(
            "a run that is here is never changed by a restore: in an empty directory the same command shows the one of the backup; \
             after `piton rm RUN` it comes back here",
        );
    }
    if done.runs.iter().any(|run| run.snapshots) {
        out.note("`piton restore RUN` writes the files of its best iteration");
    }
    if let Some(what) = &done.broken {
        out.note(clean_line(&format!("warning: it goes no further, and there may have been more: {what}")));
    }
    code
}

fn pruned(done: &PrunedView, out: &Output) -> ExitCode {
    if out.json {
        out.json(done);
    } else {
        match done.backups.is_empty() && done.objects == 0 {
            true => out.did("nothing to remove"),
            false => removed(done, out),
        }
        noted(&done.notes, out);
    }
    ExitCode::Done
}

fn removed(done: &PrunedView, out: &Output) {
    if !done.backups.is_empty() || done.objects > 0 {
        let backups = words::count(done.backups.len(), "backup");
        out.did(format!("{backups} removed, and {} that only they needed", words::bytes(done.bytes)));
    }
}
