//! `piton fork`: a run of its own that goes on from an earlier point of another.

use piton_view::{ForkOrder, Order};

use super::begun;
use crate::cli::{ForkArguments, Global};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: ForkArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, Some(&arguments.run)).await?;
    let order = ForkOrder {
        run,
        iteration: arguments.iteration,
        step: arguments.step,
        at: arguments.at,
        id: arguments.id,
        max_iterations: arguments.max_iterations,
    };
    let started = client.start(Order::Fork(Box::new(order))).await?;
    begun(&*client, started, arguments.detach, None, out).await
}
