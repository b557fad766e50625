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

    /// Where a link at `at`, in the work tree, is to lead: never into the checkout, also not by way of another link.
    pub(crate) fn target_of(&self, at: &Path, target: PathBuf) -> PathBuf {
        let meant = normal(&at.parent().unwrap_or(at).join(&target));
        if meant.starts_with(self.tree) {
            return target;
        }
        let led = || std::fs::canonicalize(&meant).ok().filter(|led| !led.starts_with(self.tree));
        self.counterpart(&meant).or_else(|| self.counterpart(&led()?)).unwrap_or(target)
    }

    /// A text that names the checkout, naming the work tree instead; `None` where it names nothing.
    pub(crate) fn renamed(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut found = None;
        for (from, to) in &self.places {
            let text = found.as_deref().unwrap_or(bytes);
            if let Some(new) =
                replaced(text, from.as_os_str().as_bytes(), to.as_os_str().as_bytes(), |_, _| true)
            {
                found = Some(new);
            }
        }
        found
    }

    /// The value of a variable with what the work tree has too named there instead of in the checkout: a path, a list of
    /// them, a URL, a flag. Not a byte besides changes. `None` where it names nothing of the kind.
    pub(crate) fn value(&self, value: &OsStr) -> Option<OsString> {
        let mut found = None;
        for (from, to) in &self.places {
            let is_meant =
                |before: &[u8], after: &[u8]| begins_a_path(before) && is_in_the_tree(from, to, after);
            let text = found.as_deref().unwrap_or(value.as_bytes());
            if let Some(new) =
                replaced(text, from.as_os_str().as_bytes(), to.as_os_str().as_bytes(), is_meant)
            {
                found = Some(new);
            }
        }
        found.map(OsString::from_vec)
    }
}

/// Whether a name of a file may hold this byte, which no list, URL or sentence puts between two of them.
fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | 0x80..)
}

/// Whether what follows `before` is a path from its beginning: alone, in a list, after the scheme of a URL, or after a
/// compiler's flag of one letter. Not the end of a longer one, as in `/mnt/home/me/project`.
fn begins_a_path(before: &[u8]) -> bool {
    let slashes = before.iter().rev().take_while(|byte| **byte == b'/').count();
    match &before[..before.len() - slashes] {
        [b'-', letter] if slashes == 0 => letter.is_ascii_alphabetic(),
        [.., earlier, b'-', letter] if slashes == 0 && letter.is_ascii_alphabetic() => {
            !is_of_a_name(*earlier) && *earlier != b'/'
        }
        [.., last] => !is_of_a_name(*last),
        [] => true,
    }
}

/// Whether the path that goes on with `after` below `from` is below `to`, too. How far it goes nobody says: of its readings
/// the longest one that is there, in the checkout or in the tree, is meant.
fn is_in_the_tree(from: &Path, to: &Path, after: &[u8]) -> bool {
    let longest = after.iter().position(|byte| *byte == b':').unwrap_or(after.len());
    let ends = |at: &usize| after.get(*at).is_none_or(|byte| !is_of_a_name(*byte) && *byte != b'/');
    let below = |place: &Path, end: usize| {
        let path = [place.as_os_str().as_bytes(), &after[..end]].concat();
        Path::new(OsStr::from_bytes(&path)).exists()
    };
    let readings = (0..=longest).rev().filter(|at| *at == longest || ends(at));
    let mut found = readings.map(|end| (below(to, end), below(from, end)));
    found.find(|(there, here)| *there || *here).is_some_and(|(there, _)| there)
}

/// `text` with `old` replaced where it is a whole path or the beginning of one, and meant by what stands before and after
/// it; `None` where it is nowhere, or where the text is none.
fn replaced(text: &[u8], old: &[u8], new: &[u8], is_meant: impl Fn(&[u8], &[u8]) -> bool) -> Option<Vec<u8>> {
    let mut made = Vec::new();
    let mut done = 0;
    for at in (0..text.len()).filter(|at| text[*at..].starts_with(old)) {
        let (before, after) = (&text[..at], &text[at + old.len()..]);
        if at < done || after.first().is_some_and(|byte| is_of_a_name(*byte)) || !is_meant(before, after) {
            continue;
        }
        made.extend_from_slice(&text[done..at]);
        made.extend_from_slice(new);
        done = at + old.len();
    }
    if done == 0 || text.contains(&0) {
        return None;
    }
    made.extend_from_slice(&text[done..]);
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
        let replaced = |text: &str| {
            replaced(text.as_bytes(), b"/x/repo", b"/x/repo-w", |_, _| true).map(String::from_utf8)
        };
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
        // Whatever stands around the name of the checkout stays as it is.
        for around in [
            "CHECKOUT/",
            "duckdb:///CHECKOUT/.venv",
            "file://CHECKOUT/.venv/bin/?mode=ro#//x",
            "-LCHECKOUT/.venv -ICHECKOUT",
            "a=CHECKOUT//.venv, b='CHECKOUT/.venv/'",
        ] {
            let expected = around.replace("CHECKOUT", &tree.to_string());
            assert_eq!(value(around.replace("CHECKOUT", &root.to_string())), Some(expected));
        }
        for other in ["/mntCHECKOUT/.venv", "/mnt//CHECKOUT", "http://hostCHECKOUT/.venv", "CHECKOUTs/.venv"]
        {
            assert_eq!(value(other.replace("CHECKOUT", &root.to_string())), None, "{other}");
        }
    }
}
