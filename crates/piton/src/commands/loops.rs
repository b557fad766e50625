//! `piton loop`: a loop is ordered, then watched.

use piton_view::{LimitWords, LoopOrder, Order};

use super::begun;
use crate::cli::{Global, LoopArguments};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: LoopArguments, out: &Output) -> Result {
    let detach = arguments.detach;
    let client = repository::open_or_create(&repository::layout(global)?);
    let started = client.start(Order::Loop(Box::new(order_of(arguments, global.trust)))).await?;
    begun(&*client, started, detach, None, out).await
}

/// What the words of the command line say.
pub(super) fn order_of(arguments: LoopArguments, trust: bool) -> LoopOrder {
    LoopOrder {
        plain: false,
        task: arguments.task,
        prompt_file: arguments.prompt_file,
        agent: arguments.agent.into(),
        confine: arguments.confine,
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
    }
}
