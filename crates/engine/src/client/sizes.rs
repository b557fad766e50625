//! What the journal and its runs take on the disk.

use std::time::{Duration, Instant};

use piton_git::Workspace;
use piton_view::{Error, RunSizeView, SizesView};

use super::collect::bytes_of;
use super::{ClientError, LocalClient, repair};
use crate::configuration;

/// How long git is asked about snapshots; runs beyond that are shown without.
const GIT_WITHIN: Duration = Duration::from_secs(3);

pub(super) async fn sizes(client: &LocalClient) -> Result<SizesView, Error> {
    let layout = client.layout();
    let Some(store) = client.existing_store()? else { return Err(ClientError::NoRuns.into()) };
    let sizes = store.sizes().await.map_err(ClientError::from)?;
    let workspace = Workspace::open(layout.root(), &layout.state()).ok();
    let with_snapshots = workspace.as_ref().and_then(|workspace| workspace.runs_with_snapshots().ok());
    let begun = Instant::now();
    let mut view = SizesView {
        journal_bytes: sizes.file_bytes,
        free_bytes: sizes.free_bytes,
        blob_bytes: sizes.blob_bytes,
        attempt_bytes: bytes_of(&layout.state().join("attempts")),
        aside_bytes: repair::quarantines(&repair::state_of(layout)).iter().map(|path| bytes_of(path)).sum(),
        warning: warning(client, sizes.file_bytes),
        ..SizesView::default()
    };
    for entry in client.entries().await? {
        let run = entry.run_id;
        let taken = sizes.runs.get(&run.key()).cloned().unwrap_or_default();
        let has = with_snapshots.as_ref().is_some_and(|runs| runs.iter().any(|name| name == run.as_str()));
        let snapshot_bytes = match (&workspace, has) {
            (Some(workspace), true) if begun.elapsed() < GIT_WITHIN => workspace.snapshot_bytes(run.as_str()),
            (Some(_), false) => Some(0),
            _ => None,
        };
        view.runs.push(RunSizeView {
            journal_bytes: taken.journal_bytes,
            blob_bytes: taken.blob_bytes,
            attempt_bytes: bytes_of(&layout.attempts(&run)),
            snapshot_bytes,
            archived: store.archived(&run).await.is_ok_and(|archived| archived.is_some()),
            run_id: run,
        });
    }
    let snapshots: u64 = view.runs.iter().filter_map(|run| run.snapshot_bytes).sum();
    view.total_bytes = bytes_of(&layout.state()) + snapshots;
    Ok(view)
}

/// What to do about a journal that is large, by a look at its file alone.
pub(super) fn warning(client: &LocalClient, file_bytes: u64) -> Option<String> {
    // A configuration that cannot be read is said elsewhere.
    let retention = configuration::retention(client.layout()).ok()?;
    let is_large = file_bytes >= retention.warn_at_bytes;
    let what = match retention.finished_for_ms {
        Some(_) => "`piton gc` archives what is over for long",
        None => {
            "`piton ls --size` says what takes it; with `[vault.retention] finished_for`, `piton gc` archives what is over"
        }
    };
    let (size, limit) = (words(file_bytes), words(retention.warn_at_bytes));
    is_large.then(|| format!("the journal takes {size} (`[vault.retention] warn_at` is {limit}): {what}"))
}

fn words(bytes: u64) -> String {
    piton_view::words::bytes(bytes)
}

/// What the file of the journal takes, with its log; nothing where it is no file.
pub(super) fn of_file(client: &LocalClient) -> u64 {
    let Some(file) = client.layout().store().file() else { return 0 };
    let mut log = file.clone().into_os_string();
    log.push("-wal");
    [file.into_os_string(), log]
        .iter()
        .filter_map(|path| std::fs::metadata(path).ok())
        .map(|found| found.len())
        .sum()
}
