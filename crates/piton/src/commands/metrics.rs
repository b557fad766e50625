//! `piton metrics`: numbers of runs for a monitoring system.

use piton_model::{ExitCode, Kind};
use piton_view::words::metrics;

use super::of_every;
use crate::cli::{Global, MetricsArguments, MetricsFormat};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &MetricsArguments, out: &Output) -> Result {
    let client = repository::open(&repository::layout(global)?)?;
    let (all, code) = match &arguments.run {
        Some(run) => (vec![client.metrics(&client.resolve(Some(run)).await?).await?], ExitCode::Done),
        None => of_every(&*client, &[Kind::Loop], async |run| client.metrics(run).await, out).await?,
    };
    let format = if out.json { MetricsFormat::Json } else { arguments.format };
    match format {
        MetricsFormat::Prometheus => out.bytes(metrics::prometheus(&all).as_bytes()),
        MetricsFormat::Json => out.json(&metrics::json(&all)),
        MetricsFormat::Statsd => out.bytes(metrics::statsd(&all).as_bytes()),
    }
    Ok(code)
}
