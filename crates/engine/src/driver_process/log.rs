//! What drivers say that no event says: notes while they work, last words when they leave in trouble.
//!
//! A driver writes to a log of its own until it holds the lease; then that is the log of the run, in place of the one before.

use std::path::Path;

use piton_model::RunId;
use piton_sys::file;
use piton_view::{Error, ErrorKind};

use super::Duty;
use crate::client::{DAMAGED, UNLINKED};
use crate::layout::Layout;

const NOTE: &str = "driver note: ";
const EXIT: &str = "driver exit ";

/// More of a log is not read.
const LOG_BYTES_MAX: u64 = 1 << 20;

/// The driver that holds the lease of `run` speaks for the run from now on.
pub(super) fn take(layout: &Layout, run: &RunId, starter: u32) -> Result<(), Error> {
    file::remove_file_if_exists(&layout.driver_log(run))?;
    match file::rename_noreplace(&layout.driver_log_at_start(run, starter), &layout.driver_log(run)) {
        // Whoever started us has given up.
        Err(error) if error.is_not_found() => {}
        renamed => drop(renamed?),
    }
    sweep(layout, run, |starter| piton_sys::process::identity(starter).is_none())
}

/// Removes everything that drivers of `run` said.
pub(crate) fn remove(layout: &Layout, run: &RunId) -> Result<(), Error> {
    file::remove_file_if_exists(&layout.driver_log(run))?;
    sweep(layout, run, |_| true)
}

/// Removes the logs of drivers that never held the lease, by the process that started them.
fn sweep(layout: &Layout, run: &RunId, stale: impl Fn(u32) -> bool) -> Result<(), Error> {
    let Ok(listing) = std::fs::read_dir(layout.driver_logs()) else { return Ok(()) };
    let starter_of = |name: &str| {
        name.strip_prefix(run.as_str())?.strip_prefix('.')?.strip_suffix(".log")?.parse::<u32>().ok()
    };
    for entry in listing.flatten() {
        let starter = entry.file_name().to_str().and_then(starter_of);
        if starter.is_some_and(&stale) {
            file::remove_file_if_exists(&entry.path())?;
        }
    }
    Ok(())
}

/// How a driver that leaves in trouble says so, for whoever looks next.
pub(super) fn last_words_of(failure: &Error) -> String {
    let data = serde_json::to_string(failure).expect("an error is plain data");
    format!("{EXIT}{data}")
}

/// Says it once more where the log was deleted under the driver: whoever sees no last words starts another driver, and with it the
/// same work again. Where another took over, the log is that one's.
pub(super) fn keep_last_words(layout: &Layout, duty: &Duty, failure: &Error) {
    let at_start = duty.starter.map(|starter| layout.driver_log_at_start(&duty.run, starter));
    let is_there = at_start.is_some_and(|log| log.exists()) || layout.driver_log(&duty.run).exists();
    if failure.kind != ErrorKind::Held && !is_there {
        append(layout, &duty.run, &last_words_of(failure));
    }
}

/// How a driver says something that no event says.
pub(super) fn note_of(text: &str) -> String {
    format!("{NOTE}{}", text.replace('\n', " "))
}

/// Adds to what drivers of `run` said, where nobody drives it. No reason to fail: it is said elsewhere, too.
pub(crate) fn add(layout: &Layout, run: &RunId, text: &str) {
    append(layout, run, &note_of(text));
}

fn append(layout: &Layout, run: &RunId, line: &str) {
    let _ = file::create_private_dir_below(&layout.state(), &layout.driver_logs())
        .and_then(|()| file::append(&layout.driver_log(run), format!("{line}\n").as_bytes()));
}

/// What the last driver of `run` wanted a person to know.
pub(crate) fn notes(layout: &Layout, run: &RunId) -> Vec<String> {
    let bytes = file::read_regular(&layout.driver_log(run), LOG_BYTES_MAX).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter_map(|line| line.strip_prefix(NOTE)).map(str::to_owned).collect()
}

/// What the last driver of `run` said when it left in trouble.
pub(crate) fn last_words(layout: &Layout, run: &RunId) -> Option<Error> {
    let words = last_words_in(&layout.driver_log(run), run)?;
    Some(if was_elsewhere(layout, &words) { moved(run) } else { words })
}

/// Whether it missed, somewhere else, a journal that lies here by now: the repository was moved under it.
fn was_elsewhere(layout: &Layout, words: &Error) -> bool {
    let here = layout.store().file().filter(|_| layout.store().exists());
    let place = here.as_deref().and_then(Path::parent);
    let is_meant = |place: &Path| words.message.contains(&format!("`{}/", place.display()));
    words.hint.as_deref() == Some(UNLINKED) && place.is_some_and(|place| !is_meant(place))
}

fn moved(run: &RunId) -> Error {
    let message = format!(
        "the repository was moved here while run `{run}` worked: its driver has left, and its agent was ended"
    );
    Error::new(ErrorKind::Environment, message).hint(format!(
        "run `piton resume {}`: it goes on here, and nothing that was recorded is lost",
        run.short()
    ))
}

pub(super) fn last_words_in(log: &Path, run: &RunId) -> Option<Error> {
    let bytes = file::read_regular(log, LOG_BYTES_MAX).ok()??;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let said = text.lines().rev().find_map(|line| line.strip_prefix(EXIT))?;
    // An older piton left words alone.
    let failure = serde_json::from_str(said).unwrap_or_else(|_| Error::new(ErrorKind::Environment, said));
    Some(match failure.hint {
        Some(_) => failure,
        None if failure.kind == ErrorKind::Corrupt => failure.hint(DAMAGED),
        None => {
            failure.hint(format!("run `piton resume {}` when that is mended; nothing is lost", run.short()))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_come_back_as_they_were_said() {
        let run: RunId = "r1".parse().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("r1.log");
        let needs_a_person = Error::new(ErrorKind::Person, "the journal is\nsomebody else's")
            .hint("run `piton trust --journal`")
            .details(vec!["it came with the repository".to_owned()]);
        let lines =
            ["warming up", &note_of("slow"), &last_words_of(&needs_a_person), "thread 1 ended"].join("\n");
        let says =
            |text: &str| file::write_atomic(&log, text.as_bytes(), file::Durability::Unsynced).unwrap();
        says(&lines);
        assert_eq!(last_words_in(&log, &run), Some(needs_a_person));

        says(&last_words_of(&Error::new(ErrorKind::Corrupt, "torn")));
        let failure = last_words_in(&log, &run).unwrap();
        assert_eq!((failure.kind, failure.message.as_str()), (ErrorKind::Corrupt, "torn"));
        assert_eq!(failure.hint.as_deref(), Some(DAMAGED));

        says("driver exit 7: the disk is full\n");
        assert_eq!(last_words_in(&log, &run).unwrap().kind, ErrorKind::Environment);
    }
}
