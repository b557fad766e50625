//! `piton land --pr --watch`: what the forge says of a pull request becomes the next prompt of its run, until somebody takes it.
//!
//! Nothing is kept here: the run has on record what it heard, the forge has the pull request, so the command can be ended and given again.

use std::time::Duration;

use piton_model::{ExitCode, RunId, Status};
use piton_view::{Client, LandOrder, PullRequestState, PullRequestView, Request, words};

use crate::cli::LandArguments;
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean_line};
use crate::viewer;

/// How often in a row the forge may fail to answer.
const SILENCES_MAX: u32 = 3;

pub(super) async fn watch(
    client: &dyn Client,
    run: &RunId,
    order: LandOrder,
    arguments: &LandArguments,
    out: &Output,
) -> Result {
    let every = piton_config::parse_duration(&arguments.every).map_err(Failure::usage)?;
    let every = Duration::from_millis(every.max(100));
    client.landable(std::slice::from_ref(run), &order).await?;
    push(client, run, &order, out).await?;
    let (mut silences, mut shown) = (0, String::new());
    loop {
        let found = match client.pull_request(run).await {
            Ok(found) => found,
            // A forge that is away for a moment is asked again.
            Err(error) if error.kind == ErrorKind::Environment && silences + 1 < SILENCES_MAX => {
                silences += 1;
                tokio::time::sleep(every).await;
                continue;
            }
            Err(error) => return Err(error),
        };
        silences = 0;
        let Some(found) = found else {
            return Err(Failure::new(
                ErrorKind::Environment,
                format!("`{run}` has no pull request any more"),
            )
            .hint(format!("`piton land {run} --pr --watch` opens another")));
        };
        say(&found, &mut shown, out);
        match (found.state, &found.returned) {
            (PullRequestState::Merged, _) => return Ok(over(&found, "merged", ExitCode::Done, out)),
            (PullRequestState::Closed, _) => {
                return Ok(over(&found, "closed without being merged", ExitCode::Person, out));
            }
            (PullRequestState::Open, None) => tokio::time::sleep(every).await,
            (PullRequestState::Open, Some(_)) if found.rounds >= arguments.rounds => {
                return Err(used_up(run, &found));
            }
            (PullRequestState::Open, Some(returned)) => {
                let round = found.rounds + 1;
                out.note(format!("round   {round} of {}: {run} goes on with it", arguments.rounds));
                let after = client.status(run).await?.seq;
                client.request(run, Request::Return(returned.clone())).await?;
                let code = viewer::view(client, run, after, None, out).await?;
                if client.status(run).await?.entry().status != Status::Completed {
                    out.note(format!(
                        "note    nothing was pushed, as {run} is not done; `piton land {run} --pr --watch` goes on once it is"
                    ));
                    return Ok(code);
                }
                push(client, run, &order, out).await?;
            }
        }
    }
}

/// Pushes what there is, and opens the pull request where none is open.
async fn push(client: &dyn Client, run: &RunId, order: &LandOrder, out: &Output) -> Result<(), Failure> {
    let landed = client.land(run, order.clone()).await?;
    if let Some(address) = landed.pull_request.as_ref().filter(|_| !out.json) {
        let commits = words::count(u64::from(landed.commits), "commit");
        out.did(format!("asked   for {commits} to be taken into {}: {address}", clean_line(&landed.onto)));
    }
    Ok(())
}

/// What the forge says, where that is something else than before.
fn say(found: &PullRequestView, shown: &mut String, out: &Output) {
    let mut lines = Vec::new();
    if found.state == PullRequestState::Open {
        let checks = match (found.pending.is_empty(), found.red.is_empty()) {
            (false, _) => format!("waiting for {}", found.pending.join(", ")),
            (true, false) => format!("{} failed", found.red.join(", ")),
            (true, true) => "nothing failed; waiting for somebody to take it".to_owned(),
        };
        lines.push(format!("forge   {checks}"));
    }
    lines.extend(found.notes.iter().map(|note| format!("note    {}", clean_line(note))));
    let now = lines.join("\n");
    if now != *shown {
        lines.iter().for_each(|line| out.note(line));
        *shown = now;
    }
}

fn over(found: &PullRequestView, how: &str, code: ExitCode, out: &Output) -> ExitCode {
    match out.json {
        true => out.json(found),
        false => out.did(format!("{how}  {}", found.url)),
    }
    code
}

/// It came back more often than it may.
fn used_up(run: &RunId, found: &PullRequestView) -> Failure {
    let text = found.returned.as_ref().map(|returned| returned.text.clone()).unwrap_or_default();
    let rounds = words::count(found.rounds, "round");
    let what = format!("it came back after {rounds}, and a person is to look: {}", found.url);
    let more = found.rounds.saturating_add(3);
    Failure::new(ErrorKind::Limit, what)
        .details(text.lines().map(clean_line).collect())
        .hint(format!("`piton land {run} --pr --watch --rounds {more}` has it go on"))
}
