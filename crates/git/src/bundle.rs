//! What git keeps of the snapshots of a run, as a file that another repository takes in.
//!
//! A bundle holds what leads to the run's last snapshot and to none of those that the other side has. Taking one in adds
//! objects, and sets a ref only where there is none.

use std::path::Path;

use crate::call::{Call, failed, not_understood};
use crate::record::ref_of;
use crate::repository::Repository;
use crate::workspace::check_run;
use crate::{Error, SnapshotId, Workspace};

/// Packs are synced as loose objects are.
const SYNCED: &str = "core.fsync=loose-object,pack,pack-metadata,reference";

impl Workspace {
    /// A repository of its own in the directory `at`, which knows nothing yet. `format`: `sha1` or `sha256`.
    pub fn scratch(at: &Path, format: &str) -> Result<Self, Error> {
        piton_sys::file::create_private_dir(at)?;
        let format_flag = format!("--object-format={format}");
        Call::new("init", at).args(["--quiet", "--template=", &format_flag]).arg(at).bytes()?;
        let repository =
            Repository { format: format.to_owned(), ..Repository::private(at, &at.join(".git")) };
        Ok(Self::over(repository, at))
    }

    /// `sha1` or `sha256`.
    pub fn object_format(&self) -> &str {
        &self.repository.format
    }

    /// The last snapshot of a run, if it has one.
    pub fn tip(&self, run: &str) -> Result<Option<SnapshotId>, Error> {
        check_run(run)?;
        const COMMAND: &str = "rev-parse";
        let output = self.repository.call(COMMAND).args(["--quiet", "--verify", &ref_of(run)]).run()?;
        let id = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        let parsed = || SnapshotId::try_from(id).map_err(|_| not_understood(COMMAND, &output.stdout));
        output.success().then(parsed).transpose()
    }

    /// Whether git has this commit.
    pub fn has(&self, commit: &SnapshotId) -> bool {
        let call = self.repository.call("cat-file").args(["-e", &format!("{commit}^{{commit}}")]);
        call.run().is_ok_and(|output| output.success())
    }

    /// Writes to the new file `to` what leads to `tip`, the last snapshot of `run`, and to none of `held`. `false` where that is
    /// nothing.
    pub fn bundle(&self, run: &str, tip: &SnapshotId, held: &[SnapshotId], to: &Path) -> Result<bool, Error> {
        check_run(run)?;
        const COMMAND: &str = "bundle";
        let without = held.iter().map(|commit| format!("^{commit}\n")).collect::<String>();
        let count = self
            .repository
            .call("rev-list")
            .args(["--count", "--stdin"])
            .stdin(format!("{tip}\n{without}").into_bytes())
            .bytes()?;
        if count.trim_ascii() == b"0" {
            return Ok(false);
        }
        // A bundle names refs: the run's own may have moved on since, which is no harm. Whether it moved elsewhere says
        // [`Self::leads_to`].
        let stdin = format!("{}\n{without}", ref_of(run)).into_bytes();
        let call = self.repository.call(COMMAND).arg("create").arg("--quiet").arg(to).arg("--stdin");
        let output = call.stdin(stdin).run()?;
        if output.success() { Ok(true) } else { Err(failed(COMMAND, &output)) }
    }

    /// Whether the last snapshot of `run` is `commit` still, or one that came after it.
    pub fn leads_to(&self, run: &str, commit: &SnapshotId) -> Result<bool, Error> {
        check_run(run)?;
        let call = self.repository.call("merge-base");
        Ok(call.args(["--is-ancestor", commit.as_str(), &ref_of(run)]).run()?.success())
    }

    /// Adds the objects of a bundle. What it stands on must be there.
    pub fn unbundle(&self, from: &Path) -> Result<(), Error> {
        self.repository.call("bundle").setting(SYNCED).arg("unbundle").arg(from).bytes().map(drop)
    }

    /// Says that `tip` is the last snapshot of `run`, unless it has one. `false` where it does.
    pub fn set_tip(&self, run: &str, tip: &SnapshotId) -> Result<bool, Error> {
        if self.tip(run)?.is_some() {
            return Ok(false);
        }
        let nothing = "0".repeat(tip.as_str().len());
        let call = self.repository.call("update-ref").setting(SYNCED).setting("core.logAllRefUpdates=false");
        match call.args(["--no-deref", &ref_of(run), tip.as_str(), &nothing]).bytes() {
            Ok(_) => Ok(true),
            // Somebody was faster.
            Err(_) if self.tip(run)?.is_some() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Sees to it that the last snapshot of `run` leads to `tip`, which is there: where it has another, the next one stands on both and
    /// has the files of that other. `false` where nothing had to be done.
    pub fn join_tip(&self, run: &str, tip: &SnapshotId) -> Result<bool, Error> {
        if self.set_tip(run, tip)? {
            return Ok(true);
        }
        let Some(there) = self.tip(run)?.filter(|there| there != tip) else { return Ok(false) };
        if self.leads_to(run, tip)? {
            return Ok(false);
        }
        let id = match self.has(&there) && !self.is_behind(&there, tip)? {
            true => self.joined(&there, tip)?,
            // Its last one is gone, or led to by this one.
            false => tip.clone(),
        };
        let call = self.repository.call("update-ref").setting(SYNCED).setting("core.logAllRefUpdates=false");
        call.args(["--no-deref", &ref_of(run), id.as_str(), there.as_str()]).bytes()?;
        Ok(true)
    }

    fn is_behind(&self, older: &SnapshotId, newer: &SnapshotId) -> Result<bool, Error> {
        let call = self.repository.call("merge-base");
        Ok(call.args(["--is-ancestor", older.as_str(), newer.as_str()]).run()?.success())
    }

    /// `last` again, standing on `other` as well.
    fn joined(&self, last: &SnapshotId, other: &SnapshotId) -> Result<SnapshotId, Error> {
        let message = self.repository.call("log").args(["-1", "--format=%B", last.as_str()]).bytes()?;
        let call = self.repository.call("commit-tree").args(["--no-gpg-sign", "-p", last.as_str()]);
        call.args(["-p", other.as_str(), "-F", "-", &format!("{last}^{{tree}}")])
            .env("GIT_AUTHOR_NAME", "piton")
            .env("GIT_AUTHOR_EMAIL", "piton@localhost")
            .env("GIT_COMMITTER_NAME", "piton")
            .env("GIT_COMMITTER_EMAIL", "piton@localhost")
            .stdin(message)
            .id()
    }

    /// Those of these snapshots that git does not have.
    pub fn missing(&self, snapshots: &[SnapshotId]) -> Result<Vec<SnapshotId>, Error> {
        let names: String = snapshots.iter().map(|id| format!("{id}\n")).collect();
        let call = self.repository.call("cat-file").arg("--batch-check=%(objecttype)");
        let said = call.stdin(names.into_bytes()).bytes()?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let is_there = said.lines().map(|line| line == "commit");
        let missing = snapshots.iter().zip(is_there).filter(|(_, is_there)| !is_there);
        Ok(missing.map(|(id, _)| id.clone()).collect())
    }

    /// Makes sure that everything which `commit` names is there.
    pub fn check_complete(&self, commit: &SnapshotId) -> Result<(), Error> {
        self.check_all_complete(std::slice::from_ref(commit))
    }

    /// The same of several, which are walked together: most of what they name is the same.
    pub fn check_all_complete(&self, commits: &[SnapshotId]) -> Result<(), Error> {
        const COMMAND: &str = "rev-list";
        let names: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
        let call = self.repository.call(COMMAND).args(["--objects", "--quiet", "--stdin"]);
        let output = call.stdin(names.into_bytes()).run()?;
        match output.success() {
            true if output.stdout.is_empty() => Ok(()),
            true => Err(not_understood(COMMAND, &output.stdout)),
            false => Err(failed(COMMAND, &output)),
        }
    }
}
