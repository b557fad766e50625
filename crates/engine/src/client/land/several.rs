//! Several runs that are to land one after the other.
//!
//! Each is brought where it belongs as one alone would be: on what is there by then, and judged on it. So all that several need besides
//! is that nothing of them moves where one of them could not land anyway.

use std::collections::BTreeSet;

use piton_model::RunId;
use piton_view::{Error, ErrorKind, LandOrder, LandShape};

use super::{Work, in_place, require_done};
use crate::client::LocalClient;

/// Refuses runs of which one cannot land, whatever the others do. What only shows on the result, such as a conflict, shows later.
pub(in crate::client) async fn landable(
    client: &LocalClient,
    runs: &[RunId],
    order: &LandOrder,
) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    if let Some(twice) = runs.iter().find(|run| !seen.insert(*run)) {
        return Err(Error::usage(format!("`{twice}` is named twice")).hint("name each run once"));
    }
    if order.shape == LandShape::PullRequest && runs.len() > 1 {
        return Err(Error::usage(
            "a pull request is for one run: on the branch, none is there for the next one",
        )
        .hint("give `piton land RUN --pr` for each of them"));
    }
    let mut refused = Vec::new();
    for run in runs {
        let work = Work::of(client, run).await;
        let found = work.and_then(|work| match &work.worktree {
            Some(_) => require_done(&work, order),
            None => Err(in_place(&work)),
        });
        refused.extend(found.err());
    }
    let Some(first) = refused.first() else { return Ok(()) };
    if runs.len() == 1 {
        return Err(refused.remove(0));
    }
    let kind = match refused.iter().any(|error| error.kind == ErrorKind::Usage) {
        true => ErrorKind::Usage,
        false => first.kind,
    };
    let details = refused.iter().map(|error| error.message.clone()).collect();
    Err(Error::new(kind, "not all of them can land; nothing was moved")
        .details(details)
        .hint("leave those out, or see to them first: `piton status RUN` says what helps"))
}
