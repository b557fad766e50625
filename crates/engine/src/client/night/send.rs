//! The morning as a message, to every channel of `[notify]`.

use piton_config::{Overrides, resolve};
use piton_model::notify::{Channel, Priority, Trigger};
use piton_model::{Kind, Status};
use piton_notify::send::Means;
use piton_notify::{Facts, Message};
use piton_sys::{Clock, SystemClock};
use piton_view::words::night as words;
use piton_view::{Error, ErrorKind, MorningView};

use crate::client::LocalClient;
use crate::configuration;
use crate::world::in_thread;

/// Sends it, and says to which channels. One that does not take it keeps it from no other; where none does, that is an error.
pub(crate) async fn send(client: &LocalClient, morning: &MorningView) -> Result<Vec<String>, Error> {
    let channels = channels(client)?;
    let layout = client.layout();
    let means = Means { redactor: client.redactor(), ..Means::of_this_machine(layout.root()) };
    let message = message(client, morning);
    let sent = in_thread(move || {
        let send = |channel: &Channel| match means.send(channel, &message) {
            Ok(()) => Ok(channel.name.clone()),
            Err(error) => Err(format!("{}: {error}", channel.name)),
        };
        Ok::<_, crate::world::WorldError>(channels.iter().map(send).collect::<Vec<_>>())
    });
    let (told, failed): (Vec<_>, Vec<_>) = sent.await?.into_iter().partition(Result::is_ok);
    let told: Vec<String> = told.into_iter().flatten().collect();
    let failed: Vec<String> = failed.into_iter().filter_map(Result::err).collect();
    if failed.is_empty() {
        return Ok(told);
    }
    Err(Error::new(ErrorKind::Environment, "not every channel took the message").details(failed))
}

/// The channels of a `piton.toml` that is trusted: they may run something, and send something away.
fn channels(client: &LocalClient) -> Result<Vec<Channel>, Error> {
    let files = configuration::read(client.layout())?;
    configuration::require_trust(client.layout(), &files)?;
    let resolved = resolve(&files, &configuration::variable, &Overrides::default());
    let notify = resolved.map_err(configuration::problems)?.settings.settled_notify();
    let channels = notify.map(|notify| notify.channels).unwrap_or_default();
    if channels.is_empty() {
        return Err(Error::usage("there is no channel to send it to")
            .hint("write one below `[notify.channels]` of piton.toml; docs/notifications.md says how"));
    }
    Ok(channels)
}

fn message(client: &LocalClient, morning: &MorningView) -> Message {
    let now = SystemClock.now();
    let repository = client.layout().root().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let needs_person = !morning.waiting.is_empty();
    let title = format!(
        "{repository}: {} ready to land, {} waiting for you, {} not done",
        morning.ready.len(),
        morning.waiting.len(),
        morning.not_done.len()
    );
    let facts = Facts {
        run: "night".to_owned(),
        short: "night".to_owned(),
        title: title.clone(),
        kind: Kind::Workflow,
        status: if needs_person { Status::Waiting } else { Status::Completed },
        reason: None,
        detail: None,
        iteration: 0,
        max_iterations: 0,
        steps: None,
        checks: None,
        best: None,
        cost_microusd: (!morning.spent.cost_is_least)
            .then_some((morning.spent.cost_usd * 1e6).round() as u64),
        working_ms: morning.spent.working_ms,
        repository,
    };
    Message {
        number: 1,
        trigger: if needs_person { Trigger::AttentionNeeded } else { Trigger::LoopCompleted },
        priority: Priority::High,
        title,
        text: words::morning(morning, now).join("\n"),
        at: now,
        held_back: 0,
        facts,
    }
}
