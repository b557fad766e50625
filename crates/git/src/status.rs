//! What differs between a private index and the disk: one call of git that looks at every file once.

use crate::call::not_understood;
use crate::shadow::Shadow;
use crate::{Error, RepoPath};

const COMMAND: &str = "status";

/// The files that are not as the private index has them.
#[derive(Debug, Default)]
pub(crate) struct Status {
    /// In the index, and different on disk.
    pub(crate) changed: Vec<RepoPath>,
    /// In the index, and not on disk.
    pub(crate) deleted: Vec<RepoPath>,
    /// On disk, neither in the index nor ignored.
    pub(crate) untracked: Vec<RepoPath>,
    /// Untracked repositories.
    pub(crate) nested: Vec<RepoPath>,
    /// Ignored files.
    pub(crate) ignored: Vec<RepoPath>,
    /// Directories that are ignored whole.
    pub(crate) ignored_directories: Vec<RepoPath>,
    /// Directories that this user may not look into.
    pub(crate) unreadable: Vec<RepoPath>,
}

pub(crate) fn read(shadow: &Shadow) -> Result<Status, Error> {
    let output = shadow
        .call(COMMAND)
        // The index is ours: git may note in it that a touched file has its old content.
        .env("GIT_OPTIONAL_LOCKS", "1")
        .args(["--porcelain=v2", "-z", "--untracked-files=all", "--ignored=matching"])
        .args(["--no-renames", "--ignore-submodules=all"])
        .output()?;
    let mut status = parse(&output.stdout)?;
    status.unreadable = unreadable(&output.stderr);
    Ok(status)
}

fn parse(answer: &[u8]) -> Result<Status, Error> {
    let mut status = Status::default();
    for line in answer.split(|&byte| byte == 0).filter(|line| !line.is_empty()) {
        let (kind, rest) = line.split_at(line.len().min(2));
        match kind {
            b"1 " => {
                // 1 XY sub mH mI mW hH hI path
                let mut fields = rest.splitn(8, |&byte| byte == b' ');
                let on_disk = fields.next().and_then(|states| states.get(1));
                let path = fields.last().ok_or_else(|| not_understood(COMMAND, line))?;
                match on_disk {
                    Some(b'.') => {}
                    Some(b'D') => status.deleted.push(RepoPath::from_bytes(path)),
                    _ => status.changed.push(RepoPath::from_bytes(path)),
                }
            }
            b"? " if rest.ends_with(b"/") => status.nested.push(RepoPath::from_bytes(rest)),
            b"? " => status.untracked.push(RepoPath::from_bytes(rest)),
            b"! " if rest.ends_with(b"/") => status.ignored_directories.push(RepoPath::from_bytes(rest)),
            b"! " => status.ignored.push(RepoPath::from_bytes(rest)),
            _ => return Err(not_understood(COMMAND, line)),
        }
    }
    Ok(status)
}

/// git only warns about a directory it cannot open, so the warning is all there is.
fn unreadable(warnings: &[u8]) -> Vec<RepoPath> {
    let path = |line: &[u8]| {
        let rest = line.strip_prefix(b"warning: could not open directory '")?;
        let end = rest.windows(3).rposition(|window| window == b"': ")?;
        Some(RepoPath::from_bytes(&rest[..end]))
    };
    warnings.split(|&byte| byte == b'\n').filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::from_bytes(text.as_bytes())
    }

    #[test]
    fn each_kind_of_line_goes_to_its_list() {
        let id = "0".repeat(40);
        let changed =
            |states: &str, name: &str| format!("1 {states} N... 100644 100644 100644 {id} {id} {name}\0");
        let answer = [
            changed("A.", "same"),
            changed(".M", "a b"),
            changed("AT", "type"),
            changed(".D", "gone"),
            "? new\0? inner/\0! x.log\0! target/\0".to_owned(),
        ]
        .concat();
        let status = parse(answer.as_bytes()).unwrap();
        assert_eq!(status.changed, [path("a b"), path("type")]);
        assert_eq!(status.deleted, [path("gone")]);
        assert_eq!(status.untracked, [path("new")]);
        assert_eq!(status.nested, [path("inner")]);
        assert_eq!(status.ignored, [path("x.log")]);
        assert_eq!(status.ignored_directories, [path("target")]);
    }

    #[test]
    fn an_unknown_line_is_an_error() {
        assert!(matches!(parse(b"9 what\0"), Err(Error::Answer { command: "status", .. })));
    }

    #[test]
    fn a_directory_that_cannot_be_opened_is_named() {
        let warnings = b"warning: could not open directory 'a/b/': Permission denied\n";
        assert_eq!(unreadable(warnings), [path("a/b")]);
    }
}
