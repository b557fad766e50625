//! `piton import`: go on with a loop that another tool began.

use piton_files::ralph;
use piton_model::ExitCode;
use piton_model::loop_machine::{Adoption, Objectives};
use piton_sys::file;

use super::loops;
use crate::cli::{Global, ImportArguments, LoopArguments};
use crate::failure::Failure;
use crate::output::{Output, clean_line};
use crate::repository;

/// Larger files are not read.
const FILE_BYTES_MAX: u64 = 64 << 20;

pub(super) async fn run(
    global: &Global,
    arguments: ImportArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let path = &arguments.file;
    let bytes = file::read_regular(path, FILE_BYTES_MAX)?
        .ok_or_else(|| Failure::usage(format!("there is no file `{}`", path.display())))?;
    let state = ralph::parse(&bytes).map_err(|error| {
        Failure::of(ExitCode::Usage, &error).hint("`piton import` reads a `.ralph/state.json`")
    })?;
    let root = repository::layout(global)?.root().to_owned();
    let source =
        path.canonicalize().ok().and_then(|path| path.strip_prefix(&root).ok().map(ToOwned::to_owned));
    let adoption = Adoption {
        format: "ralph".to_owned(),
        source: source.unwrap_or_else(|| path.clone()).display().to_string(),
        digest: piton_store::chain::hex(&piton_store::chain::digest(&bytes))[..16].to_owned(),
        iterations: u32::try_from(state.metrics.total_iterations).unwrap_or(u32::MAX).max(finished(&state)),
        succeeded: u32::try_from(state.metrics.successful_iterations).unwrap_or(u32::MAX),
        failed: u32::try_from(state.metrics.failed_iterations).unwrap_or(u32::MAX),
        no_progress_in_a_row: state.progress.iterations_since_progress,
        last_progress_iteration: state.progress.last_progress_iteration,
        working_ms: state.metrics.total_execution_ms,
        objectives: Objectives {
            completed: state.progress.completed_objectives.clone(),
            pending: state.progress.pending_objectives.clone(),
        },
        modified_files: state.progress.modified_files.iter().map(|path| path.display().to_string()).collect(),
        custom: state.custom.clone().into_iter().filter(|(key, _)| key != "piton").collect(),
        ..Adoption::default()
    };
    out.note(clean_line(&format!(
        "{} of loop `{}`: {} iterations, {} since progress",
        path.display(),
        state.loop_id,
        adoption.iterations,
        adoption.no_progress_in_a_row
    )));
    let mut options = arguments.options;
    adopt_prompt(&mut options, &state, &root);
    loops::begin(global, &options, Some(adoption), out).await
}

/// An iteration that was under way when the file was written has no verdict yet.
fn finished(state: &ralph::PersistedLoopState) -> u32 {
    match state.core.status {
        ralph::LoopStatus::Running | ralph::LoopStatus::Rebooting => state.core.iteration.saturating_sub(1),
        _ => state.core.iteration,
    }
}

/// The prompt that the file names, where it is there and nothing else was said.
fn adopt_prompt(options: &mut LoopArguments, state: &ralph::PersistedLoopState, root: &std::path::Path) {
    let named = &state.core.prompt_path;
    if options.task.is_none() && options.prompt_file.is_none() && !named.as_os_str().is_empty() {
        let inside = named.strip_prefix(root).unwrap_or(named);
        if root.join(inside).is_file() {
            options.prompt_file = Some(inside.to_owned());
        }
    }
}
