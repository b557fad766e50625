//! The replica of this journal: what is shipped as it is written, and proven again and again.
//!
//! - [`look`]: what is known of it on this machine, compared with the journal.
//! - [`work`]: the one process that ships. [`job`]: what it does beside that, so that nothing waits for it.
//!
//! One process replicates a journal, which a lock says. Drivers see to it that there is one where the configuration asks for a
//! replica: [`attend`].

mod job;
mod look;
mod work;

use std::ffi::OsString;
use std::time::Duration;

use piton_sys::process::{Detach, Output, spawn_detached};
use piton_sys::{Clock, SystemClock, file};
use piton_vault::replica::kept::Place;
use piton_view::Error;

pub(super) use look::{look, look_where_there};
pub(super) use work::replicate;

use super::LocalClient;
use crate::configuration;
use crate::launch::this_program;
use crate::layout::Layout;

/// Between two looks of a driver whether somebody replicates.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Starts a process that replicates the journal, where the configuration asks for a replica and nobody makes it. That it cannot be
/// started stops nobody: the state of the replica says how far behind it is.
pub(super) fn ensure(layout: &Layout) {
    if let Ok(Some(to)) = configuration::replicate(layout)
        && let Err(error) = start(layout)
    {
        // Whoever looks at the replica is told.
        let _ = Place::below(&layout.state()).note_trouble(&to, &error.message, SystemClock.now());
    }
}

/// The same where something of the journal is not at the target yet.
pub(crate) async fn ensure_where_behind(client: &LocalClient) {
    if matches!(configuration::replicate(client.layout()), Ok(Some(_)))
        && let Ok(Some(replica)) = look(client).await
        && replica.behind_ms.is_some()
    {
        ensure(client.layout());
    }
}

fn start(layout: &Layout) -> Result<(), Error> {
    if Place::below(&layout.state()).is_held()? {
        return Ok(());
    }
    let log = Place::below(&layout.state()).log();
    file::create_private_dir(&layout.state())?;
    Place::below(&layout.state()).make()?;
    // What an earlier one said is old.
    file::remove_file_if_exists(&log)?;
    let mut arguments = layout.arguments();
    arguments.extend(["replicate", "--while-driven"].map(OsString::from));
    let options = Detach {
        stdout: Output::Null,
        stderr: Output::Append(log),
        current_dir: Some(layout.root().to_owned()),
        ..Detach::default()
    };
    let exe = this_program().map_err(|error| Error::environment(&error))?;
    spawn_detached(&exe, &arguments, options).map_err(|error| Error::environment(&error))?;
    Ok(())
}

/// Sees to it that somebody replicates, for as long as it is waited for; never ends.
pub(crate) async fn attend(layout: &Layout) -> std::convert::Infallible {
    loop {
        ensure(layout);
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
