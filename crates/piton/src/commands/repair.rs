//! `piton repair`: what is provably good of a damaged journal, made whole again.

use piton_model::ExitCode;
use piton_view::{RepairView, RunRepaired, words};

use crate::cli::Global;
use crate::failure::Result;
use crate::output::{Output, clean_line};
use crate::repository;

pub(super) async fn run(global: &Global, out: &Output) -> Result {
    let client = repository::open_or_create(&repository::layout(global)?);
    let repaired = client.repair().await?;
    if out.json {
        out.json(&repaired);
    } else {
        lines_of(&repaired).iter().for_each(|line| out.line(clean_line(line)));
    }
    // What an earlier repair could not find is no damage of the journal that there is.
    Ok(if repaired.damaged && repaired.lost { ExitCode::Corrupt } else { ExitCode::Done })
}

fn lines_of(repaired: &RepairView) -> Vec<String> {
    let mut lines: Vec<String> =
        repaired.keys.iter().map(|key| format!("key    {key} came back from beside a backup")).collect();
    if !repaired.damaged && !repaired.lost {
        lines.push(match lines.is_empty() {
            true => "nothing is damaged; nothing was changed".to_owned(),
            false => "nothing else is damaged; nothing else was changed".to_owned(),
        });
        return lines;
    }
    lines.extend(repaired.problems.iter().map(|problem| format!("found  {problem}")));
    lines.extend(repaired.quarantine.iter().map(|place| format!("aside  {place}")));
    for run in &repaired.runs {
        lines.push(format!("{}  {}", if run.seq == 0 { "gone " } else { "kept " }, line_of(run)));
        lines.extend(run.lost_to.map(|last| format!("lost   {}: {}", run.run_id, lost(run.seq, last))));
        lines.extend(run.note.iter().map(|note| format!("note   {}: {note}", run.run_id)));
    }
    lines.extend(repaired.unseen.iter().map(|place| format!("unseen {place}")));
    let lost = repaired.runs.iter().filter(|run| run.lost_to.is_some()).count();
    let runs = words::count(repaired.runs.len(), "run");
    lines.push(match (repaired.damaged, lost) {
        (false, _) => "nothing else is damaged; nothing was changed".to_owned(),
        (true, 0) => format!("repaired: {runs}, nothing is lost"),
        (true, lost) => format!("repaired: {runs}, something is lost of {lost}"),
    });
    lines.extend((lost > 0).then(|| WAY.to_owned()));
    lines
}

/// What helps once more turns up.
const WAY: &str = "a run that was cut goes on from there, and until it does, `piton repair` brings the rest once a place of `[vault]` \
                   (`backups`, `replicate`) has it; `piton backup restore URL --run RUN` brings one that is gone";

fn line_of(run: &RunRepaired) -> String {
    let from_backup = run.seq - run.from_journal.min(run.seq);
    match (run.seq, &run.backup) {
        (0, _) => format!("{}: nothing of it is proven, here or in what was looked at", run.run_id),
        (seq, Some(backup)) if from_backup > 0 => format!(
            "{}: {}, of them {from_backup} from backup {backup}",
            run.run_id,
            words::count(seq, "event")
        ),
        (seq, _) => format!("{}: {} from the journal itself", run.run_id, words::count(seq, "event")),
    }
}

fn lost(kept: u64, last: u64) -> String {
    match last - kept {
        1 => format!("event {last} was acknowledged, and is in nothing that was looked at"),
        _ => {
            format!("events {} to {last} were acknowledged, and are in nothing that was looked at", kept + 1)
        }
    }
}
