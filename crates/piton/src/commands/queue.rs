//! `piton queue`: the items of a queue, and what becomes of them.

use piton_model::workflow::{QueueChange, StepId};
use piton_model::{ExitCode, RunId};
use piton_view::{Asked, Client, ItemOrder, ItemView, QueueView, Request, StatusOf, words};

use super::{said, task};
use crate::cli::{Global, QueueArguments, QueueCommand};
use crate::failure::{Failure, Result};
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &QueueArguments, out: &Output) -> Result {
    let client = repository::open(&repository::layout(global)?)?;
    match &arguments.command {
        QueueCommand::List(argument) => {
            let (run, queue) = queue_of(&*client, argument.run.as_deref()).await?;
            show(&run, &queue, out);
        }
        QueueCommand::Add(add) => {
            let (run, queue) = queue_of(&*client, add.queue.run.as_deref()).await?;
            let text = task::text(add.task.clone())?;
            let name = |name: &String| named(&queue, name);
            let order = ItemOrder {
                task: text,
                id: add.id.clone(),
                after: add.after.iter().map(name).collect::<Result<_>>()?,
                before: add.before.as_ref().map(name).transpose()?,
                checks: add.check.clone(),
            };
            let asked = client.add_item(&run, order).await?;
            done(&run, &asked, "the item is added", out);
        }
        QueueCommand::Skip(item) => {
            let (run, queue) = queue_of(&*client, item.queue.run.as_deref()).await?;
            let step = StepId::new(named(&queue, &item.item)?);
            let text = format!("`{step}` is skipped");
            ask(&*client, &run, QueueChange::Skip { step }, &text, out).await?;
        }
        QueueCommand::Move(moved) => {
            let item = &moved.item;
            let (run, queue) = queue_of(&*client, item.queue.run.as_deref()).await?;
            let step = StepId::new(named(&queue, &item.item)?);
            let before = match (&moved.before, moved.first) {
                (Some(before), _) => Some(named(&queue, before)?),
                (None, true) => first(&queue, &step),
                (None, false) => None,
            };
            let text = format!("`{step}` is moved");
            let before = before.map(StepId::new);
            ask(&*client, &run, QueueChange::Move { step, before }, &text, out).await?;
        }
        QueueCommand::Retry(item) => {
            let (run, queue) = queue_of(&*client, item.queue.run.as_deref()).await?;
            let step = StepId::new(named(&queue, &item.item)?);
            let text = format!("`{step}` is tried again");
            ask(&*client, &run, QueueChange::Retry { step }, &text, out).await?;
        }
    }
    Ok(ExitCode::Done)
}

async fn ask(client: &dyn Client, run: &RunId, change: QueueChange, text: &str, out: &Output) -> Result<()> {
    let asked = client.request(run, Request::Queue(change)).await?;
    done(run, &asked, text, out);
    Ok(())
}

fn done(run: &RunId, asked: &Asked, text: &str, out: &Output) {
    said(asked, out);
    match out.json {
        true => out.json(&serde_json::json!({ "run_id": run, "status": asked.status })),
        false => out.note(format!("{text}; `piton queue list {run}` shows the queue")),
    }
}

/// The queue that is meant: the one that is named, else the one that is not done, else the newest.
async fn queue_of(client: &dyn Client, run: Option<&str>) -> Result<(RunId, QueueView)> {
    if let Some(run) = run {
        let run = client.resolve(Some(run)).await?;
        let queue = view_of(client, &run).await?;
        let queue = queue.ok_or_else(|| Failure::usage(format!("run `{run}` is no queue")))?;
        return Ok((run, queue));
    }
    let mut newest = None;
    let runs = client.runs().await?.listed.into_iter().map(|listed| listed.entry);
    for entry in runs.filter(|entry| entry.kind == piton_model::Kind::Workflow) {
        let Some(queue) = view_of(client, &entry.run_id).await? else { continue };
        if entry.status != piton_model::Status::Completed {
            return Ok((entry.run_id, queue));
        }
        newest.get_or_insert((entry.run_id, queue));
    }
    newest.ok_or_else(|| {
        Failure::usage("there is no queue here").hint("`piton loop --each TASKS.md` begins one")
    })
}

async fn view_of(client: &dyn Client, run: &RunId) -> Result<Option<QueueView>> {
    Ok(match client.status(run).await?.of {
        StatusOf::Workflow(status) => status.queue,
        StatusOf::Loop(_) | StatusOf::Cycle(_) | StatusOf::Ledger(_) => None,
    })
}

/// The item that is meant.
fn named(queue: &QueueView, text: &str) -> Result<String> {
    let key = text.to_ascii_lowercase();
    let names = || queue.items.iter().map(|item| item.id.clone());
    if let Some(whole) = names().find(|id| id.to_ascii_lowercase() == key) {
        return Ok(whole);
    }
    let fitting: Vec<String> = names().filter(|id| id.to_ascii_lowercase().starts_with(&key)).collect();
    match &fitting[..] {
        [one] => Ok(one.clone()),
        [] => Err(Failure::usage(format!("no item is called `{}`", words::clean_line(text)))
            .hint("`piton queue list` shows them")),
        many => {
            Err(Failure::usage(format!("`{}` could be any of {}", words::clean_line(text), many.join(", "))))
        }
    }
}

/// The first other item that has not begun.
fn first(queue: &QueueView, step: &StepId) -> Option<String> {
    let is_skipped = |item: &ItemView| item.because.as_deref() == Some("skipped");
    let waits = |item: &ItemView| matches!(item.standing, "next" | "not begun") && !is_skipped(item);
    let mut items = queue.items.iter().filter(|item| waits(item) && item.run_id.is_none());
    items.find(|item| item.id != step.as_str()).map(|item| item.id.clone())
}

fn show(run: &RunId, queue: &QueueView, out: &Output) {
    if out.json {
        let mut data = serde_json::to_value(queue).expect("a view is plain data");
        data["run_id"] = serde_json::json!(run);
        return out.json(&data);
    }
    out.row(format!("{run}   {}", words::workflow::counts(queue)));
    words::workflow::queue(queue).iter().skip(1).for_each(|line| out.row(line));
}
