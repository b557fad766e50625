//! What is known of work that was landed: for each run the commit that its branch ended with then, and the one that it became.
//!
//! Whether that is still so, git says: a branch that was taken back has it no more.

use crate::workspace::check_run;
use crate::{Error, SnapshotId, Workspace};

const PLACE: &str = "refs/piton/landed";

/// A landing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landing {
    /// Where the branch of the run ended.
    pub from: SnapshotId,
    /// What it became.
    pub became: SnapshotId,
}

impl Workspace {
    /// Keeps in mind that the work of `run` was landed.
    pub fn remember_landing(&self, run: &str, landing: &Landing) -> Result<(), Error> {
        check_run(run)?;
        for (name, commit) in [("from", &landing.from), ("became", &landing.became)] {
            let full = format!("{PLACE}/{run}/{name}");
            self.git("update-ref").args([full.as_str(), commit.as_str()]).output()?;
        }
        Ok(())
    }

    /// The last landing of `run`.
    pub fn landing(&self, run: &str) -> Result<Option<Landing>, Error> {
        check_run(run)?;
        let commit = |name: &str| {
            let full = format!("{PLACE}/{run}/{name}");
            let known = self.answer(self.git("rev-parse").args(["--quiet", "--verify"]).arg(full))?;
            Ok::<_, Error>(known.and_then(|id| SnapshotId::try_from(id).ok()))
        };
        let Some(from) = commit("from")? else { return Ok(None) };
        Ok(commit("became")?.map(|became| Landing { from, became }))
    }

    /// The runs whose work was landed, and where it is still.
    pub fn landed_runs(&self) -> Result<Vec<String>, Error> {
        if self.is_private {
            return Ok(Vec::new());
        }
        let listed = self.git("for-each-ref").args(["--format=%(refname)", PLACE]).bytes()?;
        let text = String::from_utf8_lossy(&listed).into_owned();
        let run = |name: &str| {
            Some(name.strip_prefix(PLACE)?.strip_prefix('/')?.strip_suffix("/became")?.to_owned())
        };
        Ok(text.lines().filter_map(run).collect())
    }

    /// The branches whose names begin with `prefix/`, by what follows that.
    pub fn branches_below(&self, prefix: &str) -> Result<Vec<String>, Error> {
        let place = format!("refs/heads/{prefix}/");
        let listed = self.git("for-each-ref").args(["--format=%(refname)", place.as_str()]).bytes()?;
        let text = String::from_utf8_lossy(&listed).into_owned();
        Ok(text.lines().filter_map(|name| Some(name.strip_prefix(&place)?.to_owned())).collect())
    }

    /// Forgets that `run` was landed.
    pub(crate) fn forget_landing(&self, run: &str) -> Result<(), Error> {
        for name in ["from", "became"] {
            let full = format!("{PLACE}/{run}/{name}");
            let known = self.git("rev-parse").args(["--quiet", "--verify"]).arg(&full).run()?;
            if known.success() {
                self.git("update-ref").args(["-d", full.as_str()]).output()?;
            }
        }
        Ok(())
    }

    /// The branches that stand on `commit`.
    pub fn branches_with(&self, commit: &SnapshotId) -> Result<Vec<String>, Error> {
        let contains = format!("--contains={commit}");
        let call =
            self.git("for-each-ref").args(["--format=%(refname:short)", contains.as_str(), "refs/heads"]);
        let output = call.run()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text.lines().filter(|_| output.success()).map(str::to_owned).collect())
    }

    /// The first line of the message of a commit.
    pub fn subject(&self, commit: &SnapshotId) -> Result<Option<String>, Error> {
        self.answer(self.git("log").args(["-1", "--no-show-signature", "--format=%s", commit.as_str(), "--"]))
    }

    /// How many commits `tip` stands on that none of the others does.
    pub fn count_commits(&self, tip: &SnapshotId, without: &[&SnapshotId]) -> Result<u32, Error> {
        let without = without.iter().map(|other| format!("^{other}"));
        let call = self.git("rev-list").args(["--count", tip.as_str()]).args(without);
        Ok(self.answer(call)?.and_then(|count| count.parse().ok()).unwrap_or(0))
    }
}
