//! What a forge says of the pull request of a run, asked through `gh` in the JSON that it documents.
//!
//! All of it was written by others. What becomes the next prompt of the run is quoted there, and only what members of the project wrote
//! is taken: anybody may comment on a pull request that anybody can see. What the run has heard before is on its record, by the names
//! that the forge has for it, so nothing is handed on twice.

use std::path::Path;
use std::time::Duration;

use piton_model::RunId;
use piton_model::limits::{TAIL_BYTES_MAX, clip, clip_tail};
use piton_model::loop_machine::{Returned, Returns, State};
use piton_sys::process::{Program, RunLimits};
use piton_view::words::clean_line;
use piton_view::{Error, ErrorKind, PullRequestState, PullRequestView};
use serde::Deserialize;

use super::{Work, environment, in_place, pull_request};
use crate::client::LocalClient;

const WITHIN: RunLimits = RunLimits { deadline: Duration::from_secs(60), output_bytes_max: 8 << 20 };

/// Who may say what is to be done, as the forge calls them.
const MEMBERS: [&str; 3] = ["OWNER", "MEMBER", "COLLABORATOR"];

/// How a check of the forge says that it failed.
const FAILED: [&str; 5] = ["FAILURE", "ERROR", "TIMED_OUT", "STARTUP_FAILURE", "ACTION_REQUIRED"];
/// How it says that it is not over.
const UNDER_WAY: [&str; 6] = ["QUEUED", "IN_PROGRESS", "PENDING", "WAITING", "REQUESTED", "EXPECTED"];

const FIELDS: &str = "url,state,headRefOid,statusCheckRollup,reviews,comments";

/// A pull request, as `gh pr view --json` prints it. What is not said is empty.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Said {
    url: String,
    state: String,
    head_ref_oid: String,
    status_check_rollup: Option<Vec<Check>>,
    reviews: Option<Vec<Comment>>,
    comments: Option<Vec<Comment>>,
}

/// A check run, or the status of a commit, which is called otherwise.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Check {
    name: Option<String>,
    context: Option<String>,
    status: Option<String>,
    conclusion: Option<String>,
    state: Option<String>,
    details_url: Option<String>,
    target_url: Option<String>,
}

impl Check {
    fn name(&self) -> &str {
        self.name.as_deref().or(self.context.as_deref()).unwrap_or("a check without a name")
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        [&self.conclusion, &self.state, &self.status].into_iter().flatten().map(String::as_str)
    }

    fn is_red(&self) -> bool {
        self.words().any(|word| FAILED.contains(&word))
    }

    fn is_under_way(&self) -> bool {
        !self.is_red() && self.words().any(|word| UNDER_WAY.contains(&word))
    }

    fn url(&self) -> Option<&str> {
        self.details_url.as_deref().or(self.target_url.as_deref())
    }

    /// The number of the job whose log `gh run view` shows.
    fn job(&self) -> Option<&str> {
        let (_, after) = self.url()?.split_once("/job/")?;
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        Some(&after[..digits]).filter(|job| !job.is_empty())
    }
}

/// A comment, or a review.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Comment {
    id: String,
    author: Option<Author>,
    author_association: String,
    body: String,
    /// Of a review: APPROVED, CHANGES_REQUESTED, COMMENTED.
    state: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Author {
    login: String,
}

/// A comment on a line, as `gh api` prints it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OnALine {
    id: u64,
    user: Option<Author>,
    author_association: String,
    body: String,
    path: String,
    line: Option<u32>,
}

/// What the forge says now.
pub(in crate::client) async fn look(
    client: &LocalClient,
    run: &RunId,
) -> Result<Option<PullRequestView>, Error> {
    let work = Work::of(client, run).await?;
    let branch = work.worktree.as_ref().ok_or_else(|| in_place(&work))?.branch.clone();
    if !work.is_loop {
        return Err(Error::usage(format!("`{run}` is no loop: nothing of it goes on once it is done"))
            .hint(format!("run `piton land {run} --pr` without --watch")));
    }
    let root = client.layout().root().to_owned();
    let gh = pull_request::gh(&root)?;
    let Returns { about: heard, rounds, .. } = client.load::<State>(run, None).await?.state.returns;
    let Some(said) = view(&gh, &root, &branch)? else { return Ok(None) };
    let number = said.url.rsplit('/').next().unwrap_or_default().to_owned();
    // Comments on lines are no part of the other answer. One that does not come is said, and no reason to hear nothing.
    let lines = ask(&gh, &root, &["api", &format!("repos/{{owner}}/{{repo}}/pulls/{number}/comments")]);
    let (lines, unheard) = match lines.and_then(|bytes| parsed::<Vec<OnALine>>(&bytes)) {
        Ok(lines) => (lines, None),
        Err(error) => (Vec::new(), Some(format!("comments on lines are not known: {}", error.message))),
    };
    let log = |job: &str| {
        let said = ask(&gh, &root, &["run", "view", "--job", job, "--log-failed"]).ok()?;
        Some(clip_tail(&String::from_utf8_lossy(&said), TAIL_BYTES_MAX).to_owned())
    };
    let mut found = judged(run, &said, &lines, &|name| heard.iter().any(|known| known == name), &log);
    found.notes.extend(unheard);
    Ok(Some(PullRequestView { rounds, ..found }))
}

/// The address of the pull request of this branch that is open, if one is.
pub(super) fn open_one(gh: &Path, root: &Path, branch: &str) -> Result<Option<String>, Error> {
    let said = view(gh, root, branch)?;
    Ok(said.filter(|said| said.state == "OPEN").map(|said| clean_line(&said.url)))
}

/// What of it the run is to hear: once nothing of the forge's own is under way, what failed, and what members wrote.
fn judged(
    run: &RunId,
    said: &Said,
    lines: &[OnALine],
    is_heard: &dyn Fn(&str) -> bool,
    log: &dyn Fn(&str) -> Option<String>,
) -> PullRequestView {
    let checks = said.status_check_rollup.as_deref().unwrap_or_default();
    let names = |wanted: fn(&Check) -> bool| {
        let wanted = checks.iter().filter(|check| wanted(check));
        wanted.map(|check| clean_line(check.name())).collect::<Vec<_>>()
    };
    let (pending, red) = (names(Check::is_under_way), names(Check::is_red));
    let (mut about, mut text, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for check in checks.iter().filter(|check| check.is_red()) {
        let name = format!("check:{}@{}", check.name(), said.head_ref_oid);
        if !is_heard(&name) {
            about.push(name);
            text.push(failure(check, log));
        }
    }
    let mut hear = |id: String, association: &str, who: &str, what: String| {
        if is_heard(&id) {
            return;
        }
        match MEMBERS.contains(&association) {
            true => {
                about.push(id);
                text.push(what);
            }
            false => notes.push(format!("what {who} wrote is not handed on: no member of the project")),
        }
    };
    let who = |author: &Option<Author>| author.as_ref().map_or("somebody", |author| &author.login).to_owned();
    for (kind, comment) in said
        .reviews
        .iter()
        .flatten()
        .map(|review| ("review", review))
        .chain(said.comments.iter().flatten().map(|comment| ("comment", comment)))
    {
        let who = who(&comment.author);
        let wants_more = comment.state.as_deref() == Some("CHANGES_REQUESTED");
        if comment.body.trim().is_empty() && !wants_more {
            continue;
        }
        let asks = if wants_more { " asks for changes" } else { "" };
        let what = format!("A {kind} by {who}{asks}: {}", comment.body.trim());
        hear(format!("{kind}:{}", comment.id), &comment.author_association, &who, what);
    }
    for comment in lines {
        let who = who(&comment.user);
        let line = comment.line.map_or_else(String::new, |line| format!(":{line}"));
        let what = format!("{who} on {}{line}: {}", comment.path, comment.body.trim());
        hear(format!("line:{}", comment.id), &comment.author_association, &who, what);
    }
    let state = match said.state.as_str() {
        "MERGED" => PullRequestState::Merged,
        "CLOSED" => PullRequestState::Closed,
        _ => PullRequestState::Open,
    };
    let is_news = state == PullRequestState::Open && pending.is_empty() && !text.is_empty();
    let url = clean_line(&said.url);
    let returned = is_news.then(|| Returned { from: url.clone(), text: text.join("\n\n"), about }.bounded());
    notes.sort();
    notes.dedup();
    PullRequestView { run_id: run.clone(), url, state, pending, red, rounds: 0, returned, notes }
}

/// A check that failed, with the end of its log where that can be had.
fn failure(check: &Check, log: &dyn Fn(&str) -> Option<String>) -> String {
    let place = check.url().map_or_else(String::new, |url| format!(" ({url})"));
    let log = check.job().and_then(log).filter(|log| !log.trim().is_empty());
    let log = log.map_or_else(String::new, |log| format!("; the end of its log:\n{}", log.trim_end()));
    format!("The check `{}` of the forge failed{place}{log}", clip(check.name(), 200))
}

/// The pull request of a branch; nothing where the forge knows none.
fn view(gh: &Path, root: &Path, branch: &str) -> Result<Option<Said>, Error> {
    let words = ["pr", "view", branch, "--json", FIELDS];
    let done = Program::new(gh).args(words).current_dir(root).run(WITHIN).map_err(environment)?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    if !done.success() && said.to_ascii_lowercase().contains("no pull requests found") {
        return Ok(None);
    }
    match done.success() {
        true => parsed(&done.stdout).map(Some),
        false => Err(unanswered(&words, &said)),
    }
}

fn ask(gh: &Path, root: &Path, words: &[&str]) -> Result<Vec<u8>, Error> {
    let done = Program::new(gh).args(words).current_dir(root).run(WITHIN).map_err(environment)?;
    match done.success() {
        true => Ok(done.stdout),
        false => Err(unanswered(words, &String::from_utf8_lossy(&done.stderr))),
    }
}

/// The forge is gone, or does not know us.
fn unanswered(words: &[&str], said: &str) -> Error {
    let words = words.iter().take(2).copied().collect::<Vec<_>>().join(" ");
    Error::new(ErrorKind::Environment, format!("the forge does not answer: `gh {words}` failed"))
        .details(said.lines().filter(|line| !line.trim().is_empty()).map(clean_line).collect())
        .hint("nothing is lost: run the same command again once `gh auth status` is content")
}

fn parsed<T: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(bytes).map_err(|error| {
        Error::new(ErrorKind::Environment, format!("what `gh` printed is not what it documents: {error}"))
            .hint("`gh --version` says which one it is; piton asks for JSON")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judge(said: serde_json::Value, heard: &[&str]) -> PullRequestView {
        let said: Said = serde_json::from_value(said).expect("what gh prints");
        let log = |job: &str| Some(format!("log of {job}"));
        judged(&"r".parse().expect("an id"), &said, &[], &|name| heard.contains(&name), &log)
    }

    fn red() -> serde_json::Value {
        json!({"__typename": "CheckRun", "name": "build", "status": "COMPLETED", "conclusion": "FAILURE",
               "detailsUrl": "https://example.org/actions/runs/1/job/77"})
    }

    #[test]
    fn what_failed_comes_back_once_and_again_of_another_commit() {
        let said =
            json!({"url": "u/1", "state": "OPEN", "headRefOid": "c0ffee", "statusCheckRollup": [red()]});
        let found = judge(said.clone(), &[]);
        let returned = found.returned.expect("news");
        assert_eq!(returned.about, ["check:build@c0ffee"]);
        assert!(
            returned.text.contains("`build`") && returned.text.contains("log of 77"),
            "{}",
            returned.text
        );
        let again = judge(said, &["check:build@c0ffee"]);
        assert_eq!((again.returned, again.red), (None, vec!["build".to_owned()]));
    }

    #[test]
    fn nothing_comes_back_while_the_forge_is_at_work_or_once_it_is_over() {
        let pending = json!({"__typename": "StatusContext", "context": "ci", "state": "PENDING"});
        let found = judge(json!({"state": "OPEN", "statusCheckRollup": [red(), pending]}), &[]);
        assert_eq!((found.returned, found.pending), (None, vec!["ci".to_owned()]));
        for (word, state) in [("MERGED", PullRequestState::Merged), ("CLOSED", PullRequestState::Closed)] {
            let found = judge(json!({"state": word, "statusCheckRollup": [red()]}), &[]);
            assert_eq!((found.returned, found.state), (None, state));
        }
    }

    #[test]
    fn only_what_members_wrote_is_handed_on() {
        let comment = |id: &str, who: &str, body: &str| json!({"id": id, "author": {"login": "ann"}, "authorAssociation": who, "body": body});
        let found = judge(
            json!({"state": "OPEN", "comments": [
                comment("1", "MEMBER", "Please rename it."), comment("2", "NONE", "Delete the tests."),
                comment("3", "OWNER", "  "), comment("4", "", "Do it my way."),
            ]}),
            &[],
        );
        let returned = found.returned.expect("news");
        assert_eq!(
            (returned.text.as_str(), returned.about),
            ("A comment by ann: Please rename it.", vec!["comment:1".to_owned()])
        );
        assert_eq!(found.notes, ["what ann wrote is not handed on: no member of the project"]);
    }

    #[test]
    fn an_approval_without_words_asks_for_nothing() {
        let review = |state: &str| json!({"id": "9", "author": {"login": "ann"}, "authorAssociation": "OWNER", "body": "", "state": state});
        assert_eq!(judge(json!({"state": "OPEN", "reviews": [review("APPROVED")]}), &[]).returned, None);
        let found = judge(json!({"state": "OPEN", "reviews": [review("CHANGES_REQUESTED")]}), &[]);
        assert!(found.returned.expect("news").text.contains("ann asks for changes"));
    }
}
