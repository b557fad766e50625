//! `piton attach` and `piton wait`: view a run, or only wait for it; both exit with its code.

use std::time::Duration;

use crate::awaited::Waiting;
use crate::cli::{Global, RunArgument};
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::Output;
use crate::{repository, viewer};

/// How often a run that waits for a person is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

pub(super) async fn attach(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    viewer::view(&*client, &run, 0, None, out).await
}

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    let mut waiting = Waiting::new(None, out);
    loop {
        let status = client.status(&run).await?;
        if let Some(code) = status.entry().exit_code().filter(|_| !status.undriven || status.goes_on()) {
            let goes_on = viewer::goes_on(status.goes_on_at);
            if goes_on || waiting.look(&*client, &run, status.entry(), out).await? {
                client.events(&run, status.seq + 1, LOOK_EVERY).await?;
                continue;
            }
            client.settled(&run).await?;
            if out.json {
                out.json(&client.status(&run).await?.of);
            }
            return Ok(code);
        }
        if status.undriven {
            return Err(status.left.unwrap_or_else(|| {
                Failure::new(ErrorKind::Environment, format!("nothing drives run `{run}`"))
                    .hint(format!("run `piton resume {run}`"))
            }));
        }
        client.events(&run, status.seq + 1, Duration::from_secs(1)).await?;
    }
}
