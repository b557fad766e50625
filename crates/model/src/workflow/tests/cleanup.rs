//! Which run directories may go.

use crate::workflow::cleanup::{KEPT_MAX, Standing, to_archive};
use crate::{Status, Timestamp};

const HOUR_MS: i64 = 3_600_000;

/// A run that has been where it is for so many hours.
fn run(name: &str, status: Status, hours: i64) -> Standing {
    let since = Timestamp::from_millis(1_000 * HOUR_MS - hours * HOUR_MS);
    Standing { run: name.parse().unwrap(), status, since, parent: None, forked_from: None }
}

fn gone(runs: &[Standing]) -> Vec<String> {
    let now = Timestamp::from_millis(1_000 * HOUR_MS);
    to_archive(runs, now).iter().map(ToString::to_string).collect()
}

#[test]
fn only_completed_runs_go_with_age() {
    use Status::*;
    let all = [Created, Running, Rebooting, Waiting, Paused, Stopped, Failed, Completed];
    for status in all {
        let went = !gone(&[run("old", status, 49)]).is_empty();
        assert_eq!(went, status == Completed, "{status:?}");
        assert!(gone(&[run("young", status, 47)]).is_empty(), "{status:?}");
    }
}

#[test]
fn the_ten_newest_stay_and_what_is_unfinished_or_failed_lately() {
    let mut runs: Vec<Standing> =
        (0..KEPT_MAX as i64).map(|hours| run(&format!("n{hours}"), Status::Completed, hours)).collect();
    runs.push(run("paused", Status::Paused, 900));
    runs.push(run("failed-lately", Status::Failed, 47));
    runs.push(run("failed-long-ago", Status::Failed, 49));
    runs.push(run("completed", Status::Completed, 30));
    assert_eq!(gone(&runs), ["completed", "failed-long-ago"]);
    assert!(gone(&runs[..KEPT_MAX]).is_empty());
}

#[test]
fn a_step_of_an_unfinished_run_stays_with_it() {
    let child = Standing { parent: Some("parent".parse().unwrap()), ..run("child", Status::Completed, 60) };
    let with = |status| gone(&[child.clone(), run("parent", status, 1)]);
    assert!(with(Status::Running).is_empty());
    assert!(with(Status::Paused).is_empty());
    assert!(with(Status::Failed).is_empty(), "it can be resumed");
    assert_eq!(with(Status::Completed), ["child"]);
    let grandchild =
        Standing { parent: Some("child".parse().unwrap()), ..run("grandchild", Status::Completed, 60) };
    assert!(gone(&[child.clone(), grandchild, run("parent", Status::Running, 1)]).is_empty());
    assert_eq!(gone(&[child]), ["child"], "the parent is forgotten");
}

#[test]
fn what_an_unfinished_fork_came_from_stays() {
    let fork = |status| Standing { forked_from: Some("origin".parse().unwrap()), ..run("fork", status, 1) };
    let with = |status| gone(&[run("origin", Status::Completed, 60), fork(status)]);
    assert!(with(Status::Paused).is_empty() && with(Status::Failed).is_empty());
    assert_eq!(with(Status::Completed), ["origin"]);
}
