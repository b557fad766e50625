//! From the checkout to the work tree of a run: what names the one is made to name the other.
//!
//! Pure but for looking whether something is there. Used for what is copied into a work tree ([`crate::world`]) and for
//! the variables of what is started in it ([`crate::launch`]).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// From the checkout to the work tree.
pub(crate) struct Moved<'a> {
    pub(crate) root: &'a Path,
    pub(crate) tree: &'a Path,
    /// What is named where, and what is to be named instead: the checkout as it was given and without links, and what a link
    /// in it leads to.
    places: Vec<(PathBuf, PathBuf)>,
}

impl<'a> Moved<'a> {
    pub(crate) fn new(root: &'a Path, tree: &'a Path) -> Self {
        let mut spellings = vec![root.to_owned()];
        spellings.extend(std::fs::canonicalize(root).ok().filter(|path| path != root));
        let places = spellings.into_iter().map(|spelling| (spelling, tree.to_owned())).collect();
        Self { root, tree, places }
    }

    /// The same where the directory `from`, which a link of the checkout leads to, is copied to `to`.
    pub(crate) fn with_linked(&self, from: &Path, to: &Path) -> Self {
        let linked = [(from.to_owned(), to.to_owned())];
        Self {
            root: self.root,
            tree: self.tree,
            places: linked.into_iter().chain(self.places.clone()).collect(),
        }
    }

    /// What `path`, below the checkout, is in the work tree.
    pub(crate) fn counterpart(&self, path: &Path) -> Option<PathBuf> {
        let below =
            |(from, to): &'_ (PathBuf, PathBuf)| Some((path.strip_prefix(from).ok()?.to_owned(), to.clone()));
        let (below, to) = self.places.iter().find_map(below)?;
        Some(if below.as_os_str().is_empty() { to } else { to.join(below) })
    }

    /// Where a link at `at`, in the work tree, is to lead: never into the checkout.
    pub(crate) fn target_of(&self, at: &Path, target: PathBuf) -> PathBuf {
        let meant = normal(&at.parent().unwrap_or(at).join(&target));
        match self.counterpart(&meant) {
            Some(counterpart) if !meant.starts_with(self.tree) => counterpart,
            _ => target,
        }
    }

    /// A text that names the checkout, naming the work tree instead; `None` where it names nothing.
    pub(crate) fn renamed(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut found = None;
        for (from, to) in &self.places {
            let text = found.as_deref().unwrap_or(bytes);
            if let Some(new) = replaced(text, from.as_os_str().as_bytes(), to.as_os_str().as_bytes()) {
                found = Some(new);
            }
        }
        found
    }

    /// The value of a variable, a path or a list of them, with what the work tree has too named there instead of in the
    /// checkout; `None` where it names nothing of the kind.
    pub(crate) fn value(&self, value: &OsStr) -> Option<OsString> {
        let mut any = false;
        let parts = value.as_bytes().split(|&byte| byte == b':').map(|part| {
            let path = Path::new(OsStr::from_bytes(part));
            let there = self.counterpart(path).filter(|there| path.is_absolute() && there.exists());
            any |= there.is_some();
            there.map_or_else(|| part.to_vec(), |there| there.into_os_string().into_vec())
        });
        let parts: Vec<_> = parts.collect();
        any.then(|| OsString::from_vec(parts.join(&b':')))
    }
}

/// `text` with `old` replaced where it is a whole path or the beginning of one; `None` where it is nowhere, or where the
/// text is none.
fn replaced(text: &[u8], old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | 0x80..);
    let find = |text: &[u8]| {
        let windows = text.windows(old.len()).enumerate().filter(|(_, window)| *window == old);
        windows.map(|(at, _)| at).find(|at| !text.get(at + old.len()).is_some_and(goes_on))
    };
    let mut at = find(text)?;
    if text.contains(&0) {
        return None;
    }
    let mut made = Vec::with_capacity(text.len() + new.len());
    let mut rest = text;
    loop {
        made.extend_from_slice(&rest[..at]);
        made.extend_from_slice(new);
        rest = &rest[at + old.len()..];
        match find(rest) {
            Some(next) => at = next,
            None => break,
        }
    }
    made.extend_from_slice(rest);
    Some(made)
}

/// The path without `.` and `..`, by its words alone.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_of_the_checkout_are_replaced_and_only_in_texts() {
        let replaced =
            |text: &str| replaced(text.as_bytes(), b"/x/repo", b"/x/repo-w").map(String::from_utf8);
        for (text, expected) in [
            ("#!/x/repo/.venv/bin/python\n", "#!/x/repo-w/.venv/bin/python\n"),
            ("/x/repo", "/x/repo-w"),
            (
                "'/x/repo':/x/repo-w:/x/repository:/x/repo/a",
                "'/x/repo-w':/x/repo-w:/x/repository:/x/repo-w/a",
            ),
        ] {
            assert_eq!(replaced(text), Some(Ok(expected.to_owned())));
        }
        for text in ["/x/repo-w/a", "/x/repository", "x/repo", "/x/repo\0"] {
            assert_eq!(replaced(text), None, "{text}");
        }
    }

    #[test]
    fn a_variable_that_names_the_checkout_names_what_the_tree_has_too() {
        let directory = tempfile::tempdir().unwrap();
        let (root, tree) = (directory.path().join("repo"), directory.path().join("repo-w"));
        std::fs::create_dir_all(tree.join(".venv/bin")).unwrap();
        let (root, tree) = (root.as_path(), tree.as_path());
        let moved = Moved::new(root, tree);
        let value = |value: String| moved.value(value.as_ref()).map(|value| value.into_string().unwrap());
        let (root, tree) = (root.display(), tree.display());
        let list = format!("{root}/.venv/bin:/usr/bin:{root}/absent");
        assert_eq!(value(list), Some(format!("{tree}/.venv/bin:/usr/bin:{root}/absent")));
        assert_eq!(value(format!("{root}/.venv")), Some(format!("{tree}/.venv")));
        assert_eq!(value("/usr/bin".to_owned()), None);
        assert_eq!(value(format!("{tree}/.venv")), None);
    }
}
