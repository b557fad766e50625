//! Commits of what was judged: the index becomes what `git add --all` would have made of the files of a snapshot.
//!
//! `git add` itself would read the disk, where something else may lie by now, and would ask a repository inside the work tree about
//! its state, which runs what that repository's settings name. Here content comes from the snapshot and from nowhere else, so what was too
//! large to be judged is in no commit. What git
//! converts on the way in (line ends, `$Id$`, encodings, filters such as LFS) git converts, file by file; whose filters count is for
//! [`crate::programs`] to say.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::call::{Call, not_understood};
use crate::capture::{Leave, is_within_any};
use crate::combine::Entry;
use crate::diff::{RawChange, raw_changes};
use crate::programs::Storing;
use crate::tree::blobs;
use crate::{Error, Nested, RepoPath, Snapshot, SnapshotId, Workspace, index};

const ATTRIBUTES: &str = "check-attr";
/// Attributes that change what is stored. The first three are about line ends.
const CONVERTING: [&str; 6] = ["text", "crlf", "eol", "ident", "filter", "working-tree-encoding"];
const LINE_ENDS: usize = 3;
const FILTER: usize = 4;
const GITLINK: &str = "160000";

/// Who makes a commit, each as `name <mail>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub author: String,
    pub committer: String,
}

/// A file that belongs to whoever made it, and is in no commit unless it is tracked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// A directory stands for everything below.
    pub path: RepoPath,
    /// What names its content; with another one it is somebody else's. Nothing where that does not matter.
    pub id: Option<String>,
}

/// What came of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The commit; none where the files are committed already.
    pub commit: Option<String>,
    /// What was left out of it, as it was named.
    pub left: Vec<RepoPath>,
}

impl Workspace {
    /// As whom git would commit here: what is configured, else piton.
    pub fn identity(&self) -> Result<Identity, Error> {
        let configured = |variable: &str| -> Result<String, Error> {
            let call = self.git("var").setting("user.useConfigOnly=true").arg(variable);
            let answer = self.answer(call)?;
            // What follows the mail is the time.
            let person = answer.and_then(|answer| Some(answer[..=answer.rfind('>')?].to_owned()));
            Ok(person.unwrap_or_else(|| "piton <piton@localhost>".to_owned()))
        };
        Ok(Identity {
            author: configured("GIT_AUTHOR_IDENT")?,
            committer: configured("GIT_COMMITTER_IDENT")?,
        })
    }

    /// Commits the files of a snapshot, as this person, without what is somebody's `own`.
    ///
    /// No hook and no signature: both may wait for a person who sleeps.
    pub fn commit(
        &self,
        judged: &SnapshotId,
        message: &str,
        identity: &Identity,
        own: &[Own],
    ) -> Result<Committed, Error> {
        let storing = self.storing()?;
        let left = self.stage_as(judged, &storing, own)?;
        let git = |command| storing.harden(self.git(command));
        if git("diff-index").args(["--cached", "--quiet", "HEAD", "--"]).run()?.success() {
            return Ok(Committed { commit: None, left });
        }
        let mut commit = git("commit");
        for (who, person) in [("AUTHOR", &identity.author), ("COMMITTER", &identity.committer)] {
            let (name, mail) = person.split_once('<').unwrap_or((person, ""));
            commit = commit
                .env(format!("GIT_{who}_NAME"), name.trim_end())
                .env(format!("GIT_{who}_EMAIL"), mail.trim_end_matches('>'));
        }
        commit
            .args(["--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=whitespace", "--file=-"])
            .stdin(message.as_bytes().to_vec())
            .output()?;
        let head = self.git("rev-parse").arg("HEAD").bytes()?;
        Ok(Committed { commit: Some(String::from_utf8_lossy(&head).trim_end().to_owned()), left })
    }

    /// The submodules that hold other files than their commit has, and than they held when `start` was taken: a commit here
    /// names their commit and nothing else of them.
    pub fn uncommitted_submodules(
        &self,
        start: &SnapshotId,
        judged: &SnapshotId,
    ) -> Result<Vec<RepoPath>, Error> {
        let judged = self.read(judged)?;
        let inner = self.submodules(&judged)?;
        if inner.is_empty() {
            return Ok(Vec::new());
        }
        let start = self.read(start)?;
        let mut found = Vec::new();
        for nested in inner {
            let is_as_it_was =
                start.nested.iter().any(|then| then.path == nested.path && then.tree == nested.tree);
            let place = self.root().join(nested.path.as_path());
            let committed = Call::new("rev-parse", &place).args(["--quiet", "--verify", "HEAD^{tree}"]);
            if !is_as_it_was && self.answer(committed)?.as_deref() != Some(nested.tree.as_str()) {
                found.push(nested.path.clone());
            }
        }
        Ok(found)
    }

    /// The filters that only the repository names, which therefore do not run; files under them are not staged.
    pub fn held_filters(&self) -> Result<Vec<String>, Error> {
        let storing = self.storing()?;
        Ok(storing.held().into_iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// The filters that the user's configuration names: these run.
    pub fn filters(&self) -> Result<BTreeSet<String>, Error> {
        Ok(self.storing()?.run().into_iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// Puts the files of a snapshot into the index of the work tree, and nothing else.
    pub fn stage(&self, judged: &SnapshotId) -> Result<(), Error> {
        self.stage_as(judged, &self.storing()?, &[]).map(drop)
    }

    /// What was left out comes back, as it was named.
    fn stage_as(
        &self,
        judged: &SnapshotId,
        storing: &Storing,
        owned: &[Own],
    ) -> Result<Vec<RepoPath>, Error> {
        let snapshot = self.read(judged)?;
        let inner = self.submodules(&snapshot)?;
        let staging = Staging {
            workspace: self,
            storing,
            own: self.leave(),
            owned: owned.iter().map(|own| (&own.path, own.id.as_deref())).collect(),
            left: RefCell::default(),
            inside: inner.iter().map(|nested| nested.path.clone()).collect(),
            left_out: snapshot.left_out.iter().map(|left_out| &left_out.path).collect(),
            inner,
            snapshot: &snapshot,
        };
        staging.forget_conflicts()?;
        let mut lines = Vec::new();
        for entry in staging.entries()? {
            lines.extend_from_slice(format!("{} {}\t", entry.mode, entry.id).as_bytes());
            lines.extend_from_slice(entry.path.as_bytes());
            lines.push(0);
        }
        if !lines.is_empty() {
            staging.git("update-index").args(["-z", "--index-info"]).stdin(lines).bytes()?;
        }
        Ok(staging.left.into_inner().into_iter().collect())
    }

    /// The repositories of a snapshot that are submodules of this one. Any other repository inside is a directory with files: a commit
    /// that only it has would be lost with the work tree.
    fn submodules<'a>(&self, snapshot: &'a Snapshot) -> Result<Vec<&'a Nested>, Error> {
        if snapshot.nested.is_empty() {
            return Ok(Vec::new());
        }
        let paths = snapshot.nested.iter().map(|nested| nested.path.as_path().as_os_str().to_owned());
        let call = self.git("ls-files").args(["--stage", "-z", "--"]).env("GIT_LITERAL_PATHSPECS", "1");
        let listing = call.args(paths).bytes()?;
        let lines = listing.split(|&byte| byte == 0).filter(|line| line.starts_with(GITLINK.as_bytes()));
        let known: BTreeSet<_> =
            lines.filter_map(|line| line.splitn(2, |&byte| byte == b'\t').nth(1)).collect();
        let is_known = |nested: &&Nested| known.contains(nested.path.as_bytes());
        let is_there = |nested: &&Nested| self.root().join(nested.path.as_path()).join(".git").exists();
        Ok(snapshot.nested.iter().filter(is_known).filter(is_there).collect())
    }
}

/// A snapshot on its way into the index.
struct Staging<'a> {
    workspace: &'a Workspace,
    storing: &'a Storing,
    snapshot: &'a Snapshot,
    /// What is piton's own.
    own: Leave,
    /// What is somebody else's, and what names its content.
    owned: BTreeMap<&'a RepoPath, Option<&'a str>>,
    /// Of that, what was met.
    left: RefCell<BTreeSet<RepoPath>>,
    inner: Vec<&'a Nested>,
    /// Where those are.
    inside: BTreeSet<RepoPath>,
    left_out: BTreeSet<&'a RepoPath>,
}

impl Staging<'_> {
    fn git(&self, command: &'static str) -> Call {
        self.storing.harden(self.workspace.git(command))
    }

    /// Takes out what a merge left undecided: the files say what was decided.
    fn forget_conflicts(&self) -> Result<(), Error> {
        let listing = self.git("ls-files").args(["--unmerged", "-z"]).bytes()?;
        let lines = listing.split(|&byte| byte == 0).filter(|line| !line.is_empty());
        let path = |line: &[u8]| line.splitn(2, |&byte| byte == b'\t').nth(1).map(<[u8]>::to_vec);
        let mut paths: Vec<_> = lines.filter_map(path).collect();
        paths.dedup();
        if paths.is_empty() {
            return Ok(());
        }
        let call = self.git("update-index").args(["--force-remove", "-z", "--stdin"]);
        call.stdin(paths.join(&0)).bytes().map(drop)
    }

    /// What has to be told to the index.
    fn entries(&self) -> Result<Vec<Entry>, Error> {
        let call = self.git("diff-index").args(["--cached", "-z", "--raw", "--full-index", "--no-renames"]);
        let mut changes = raw_changes(&call.args([self.snapshot.tree.as_str(), "--"]).bytes()?)?;
        changes.retain(|change| self.is_ours_to_tell(change));
        let unseen = self.kept_off_the_disk()?;
        changes.retain(|change| !(is_nothing(&change.old_mode) && unseen.contains(&change.path)));
        let mut entries = self.gitlinks();
        let (gone, kept): (Vec<_>, Vec<_>) =
            changes.into_iter().partition(|change| is_nothing(&change.old_mode));
        entries.extend(gone.into_iter().map(removed));
        let kept = self.stored(kept)?;
        entries.extend(
            kept.into_iter().filter(|(change, entry)| !is_there(change, entry)).map(|(_, entry)| entry),
        );
        Ok(entries)
    }

    /// What a sparse checkout keeps off the disk, and is staged as it is committed: that it is not there takes it out of no commit.
    fn kept_off_the_disk(&self) -> Result<BTreeSet<RepoPath>, Error> {
        let mut hidden = index::kept_off_the_disk(self.workspace)?;
        if !hidden.is_empty() {
            let call =
                self.git("diff-index").args(["--cached", "-z", "--raw", "--full-index", "--no-renames"]);
            for change in raw_changes(&call.args(["HEAD", "--"]).bytes()?)? {
                hidden.remove(&change.path);
            }
        }
        Ok(hidden)
    }

    /// Whether the snapshot says something about this path: not of piton's own files, nor of what it had to leave out, nor of
    /// what belongs to a repository inside.
    fn is_ours_to_tell(&self, change: &RawChange) -> bool {
        let path = &change.path;
        // A submodule that is not checked out is an empty directory.
        let is_waiting = || change.new_mode == GITLINK && self.workspace.root().join(path.as_path()).is_dir();
        let is_somebody_elses =
            self.own.covers(path) || is_within_any(path, &self.inside) || self.left_out.contains(path);
        let stays = is_nothing(&change.old_mode) && is_waiting();
        !is_somebody_elses && !stays && !self.is_left(change)
    }

    /// Whether a new file is what somebody made for themselves.
    fn is_left(&self, change: &RawChange) -> bool {
        if self.owned.is_empty() || !is_nothing(&change.new_mode) {
            return false;
        }
        let is_as_made = |id: &Option<&str>| id.is_none_or(|id| id == change.old_id);
        let mut places = std::iter::successors(Some(change.path.clone()), RepoPath::parent);
        let made = places.find(|place| self.owned.get(place).is_some_and(is_as_made));
        let is_made = made.is_some();
        self.left.borrow_mut().extend(made);
        is_made
    }

    /// The commits that repositories inside stand on.
    fn gitlinks(&self) -> Vec<Entry> {
        let outermost = |nested: &&&Nested| {
            let others = self.inner.iter().filter(|other| other.path != nested.path);
            !others.into_iter().any(|other| nested.path.is_within(&other.path))
        };
        let entry = |nested: &&Nested| {
            let id = nested.head.clone()?;
            Some(Entry { mode: GITLINK.to_owned(), id, path: nested.path.clone() })
        };
        self.inner.iter().filter(outermost).filter_map(entry).collect()
    }

    /// Each change with the entry that git would store for it.
    fn stored(&self, changes: Vec<RawChange>) -> Result<Vec<(RawChange, Entry)>, Error> {
        let conversions = self.conversions(&changes)?;
        let each = || changes.iter().zip(&conversions);
        let wanted: BTreeSet<_> = each().flat_map(|(change, conversion)| conversion.reads(change)).collect();
        let wanted: Vec<_> = wanted.into_iter().collect();
        let contents = blobs(&self.workspace.repository, &wanted)?;
        let contents: BTreeMap<_, _> = wanted.into_iter().zip(contents).collect();
        let mut ids = Vec::with_capacity(changes.len());
        for (change, conversion) in each() {
            ids.push(match conversion.is_needed(change, &contents) {
                _ if matches!(conversion, Conversion::Held) => None,
                true => Some(self.converted(change, contents[change.old_id.as_str()].clone())?),
                false => Some(change.old_id.clone()),
            });
        }
        let entry = |(change, id): (RawChange, Option<String>)| {
            let entry = Entry { mode: self.mode(&change), id: id?, path: change.path.clone() };
            Some((change, entry))
        };
        Ok(changes.into_iter().zip(ids).filter_map(entry).collect())
    }

    /// What git converts of each of these files.
    fn conversions(&self, changes: &[RawChange]) -> Result<Vec<Conversion>, Error> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let paths: Vec<_> = changes.iter().map(|change| change.path.as_bytes()).collect();
        let call = self.git(ATTRIBUTES).args(["--stdin", "-z"]).args(CONVERTING).stdin(paths.join(&0));
        let answer = call.bytes()?;
        let values: Vec<_> = answer.split(|&byte| byte == 0).skip(2).step_by(3).collect();
        if values.len() != changes.len() * CONVERTING.len() {
            return Err(not_understood(ATTRIBUTES, &answer));
        }
        let each = values.chunks(CONVERTING.len()).zip(changes);
        let held = self.storing.held();
        Ok(each.map(|(values, change)| self.conversion(change, values, &held)).collect())
    }

    fn conversion(&self, change: &RawChange, attributes: &[&[u8]], held: &BTreeSet<&[u8]>) -> Conversion {
        let is_set = |value: &&[u8]| !matches!(*value, b"unspecified" | b"unset");
        let [text, crlf, ..] = attributes else { return Conversion::Any };
        let is_binary = *text == b"unset" || (*text == b"unspecified" && *crlf == b"unset");
        match () {
            () if !is_file(&change.old_mode) => Conversion::None,
            () if held.contains(attributes[FILTER]) => Conversion::Held,
            () if attributes[LINE_ENDS..].iter().any(is_set) => Conversion::Any,
            () if is_binary => Conversion::None,
            () if attributes[..LINE_ENDS].iter().any(is_set) => {
                Conversion::LineEnds { only_new: *text == b"auto" }
            }
            () if self.storing.converts_lines => Conversion::LineEnds { only_new: true },
            () => Conversion::None,
        }
    }

    /// The name of what git stores for this content at this place.
    fn converted(&self, change: &RawChange, content: Vec<u8>) -> Result<String, Error> {
        let call = self.git("hash-object").args(["-w", "--stdin", "--path"]).arg(change.path.as_path());
        let id: crate::BlobId = call.stdin(content).id()?;
        Ok(id.to_string())
    }

    fn mode(&self, change: &RawChange) -> String {
        match self.storing.ignores_modes && is_file(&change.old_mode) {
            true if is_file(&change.new_mode) => change.new_mode.clone(),
            true => "100644".to_owned(),
            false => change.old_mode.clone(),
        }
    }
}

/// What git does to a file on the way in.
enum Conversion {
    None,
    /// Carriage returns go; where `only_new`, not from a file that was committed with them.
    LineEnds {
        only_new: bool,
    },
    Any,
    /// A filter that does not run here says what is stored: what the index has stays, for the file itself may be its secret.
    Held,
}

impl Conversion {
    /// What has to be read before it is known.
    fn reads<'a>(&self, change: &'a RawChange) -> Vec<&'a str> {
        match self {
            Conversion::None | Conversion::Held => Vec::new(),
            Conversion::LineEnds { only_new: true } if is_file(&change.new_mode) => {
                vec![&change.old_id, &change.new_id]
            }
            Conversion::LineEnds { .. } | Conversion::Any => vec![&change.old_id],
        }
    }

    /// Whether git would store something else than the file. What has no carriage return is stored as it is; where git decides by
    /// itself what is text, a file that was committed with them keeps them.
    fn is_needed(&self, change: &RawChange, contents: &BTreeMap<&str, Vec<u8>>) -> bool {
        let has_returns = |id: &str| contents.get(id).is_some_and(|content| content.contains(&b'\r'));
        match self {
            Conversion::None | Conversion::Held => false,
            Conversion::LineEnds { only_new } => {
                has_returns(&change.old_id) && !(*only_new && has_returns(&change.new_id))
            }
            Conversion::Any => true,
        }
    }
}

fn is_file(mode: &str) -> bool {
    mode.starts_with("100")
}

/// The mode of what is not there.
fn is_nothing(mode: &str) -> bool {
    mode == "000000"
}

/// The line that takes a file out of the index.
fn removed(change: RawChange) -> Entry {
    Entry { mode: "0".to_owned(), id: "0".repeat(change.new_id.len()), path: change.path }
}

/// Whether the index has it already.
fn is_there(change: &RawChange, entry: &Entry) -> bool {
    change.new_mode == entry.mode && change.new_id == entry.id
}
