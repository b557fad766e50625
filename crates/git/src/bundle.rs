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
        call.args(["--no-deref", &ref_of(run), tip.as_str(), &nothing]).bytes()?;
        Ok(true)
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
