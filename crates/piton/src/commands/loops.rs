//! `piton loop`: a loop is ordered, then watched.

use piton_view::{LimitWords, LoopOrder, Order, QueueOrder};

use super::{begun, task};
use crate::cli::{Global, LoopArguments};
use crate::failure::{Failure, Result};
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: LoopArguments, out: &Output) -> Result {
    let (detach, layout) = (arguments.detach, repository::layout(global)?);
    if arguments.here && global.repo.is_none() && global.store.is_none() {
        require_here(&layout)?;
    }
    let client = repository::open_or_create(&layout);
    if let Some(list) = arguments.each.clone() {
        let order = Order::Queue(Box::new(queue_of(list, arguments, global.trust)?));
        let started = client.start(order).await?;
        return begun(&*client, started, detach, None, out).await;
    }
    let started = client.start(Order::Loop(Box::new(order_of(arguments, global.trust)?))).await?;
    begun(&*client, started, detach, None, out).await
}

/// The work tree of a run belongs to the repository that the run is of: a loop from there works in that one, which is not what
/// whoever says `--here` there means.
fn require_here(layout: &repository::Layout) -> std::result::Result<(), Failure> {
    let here = std::env::current_dir().and_then(std::fs::canonicalize);
    let here = here.map_err(|error| Failure::environment(&error))?;
    if here.starts_with(layout.root()) {
        return Ok(());
    }
    let (here, root) = (here.display(), layout.root().display());
    Err(Failure::usage(format!("`{here}` is a work tree of `{root}`, where this loop would work"))
        .hint(format!("give --repo {root} to work there; `piton resume` and `piton fork` go on with a run in a tree of its own")))
}

/// A queue: the list, and how each item of it is run.
fn queue_of(list: String, arguments: LoopArguments, trust: bool) -> Result<QueueOrder> {
    let total = LimitWords {
        cost: arguments.total_cost.map(|cost| cost.to_string()),
        tokens: arguments.total_tokens.map(|count| count.to_string()),
        duration: arguments.total_duration.clone(),
        ..LimitWords::default()
    };
    let parallel = arguments.parallel;
    Ok(QueueOrder { list, parallel, total, each: order_of(arguments, trust)? })
}

/// What the words of the command line say.
pub(super) fn order_of(arguments: LoopArguments, trust: bool) -> Result<LoopOrder> {
    let said = task::said(arguments.task, arguments.prompt_file)?;
    Ok(LoopOrder {
        plain: false,
        task: said.text,
        prompt_file: said.file,
        agent: arguments.agent.into(),
        review: arguments.review,
        confine: arguments.confine,
        no_confine: arguments.no_confine,
        checks: arguments.check,
        until: arguments.until,
        limits: LimitWords {
            iterations: arguments.max_iterations.map(|count| count.to_string()),
            duration: arguments.max_duration,
            cost: arguments.max_cost.map(|cost| cost.to_string()),
            tokens: arguments.max_tokens.map(|count| count.to_string()),
            files: arguments.max_files.map(|count| count.to_string()),
            lines: arguments.max_lines.map(|count| count.to_string()),
            reboots: arguments.max_reboots.map(|count| count.to_string()),
        },
        deadline: arguments.deadline,
        attended: arguments.attended,
        id: arguments.id,
        worktree: arguments.worktree,
        here: arguments.here,
        force: arguments.force,
        on_done: arguments.on_done,
        trust,
    })
}
