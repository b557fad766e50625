//! Golden files of events: what one piton wrote, every later one must read.
//!
//! `<type>.v<version>.json` holds the stored bytes of an example. A changed shape needs a new version and a new file beside the
//! old one, never a new content of the old one. To write the file of a new event, run the tests with `PITON_WRITE_GOLDEN=1`;
//! files that are there are never written over.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use piton_model::RunEvent;

/// The golden files of one kind of run.
pub(crate) struct Golden {
    directory: PathBuf,
}

impl Golden {
    /// Those in this directory of the crate.
    pub(crate) fn in_directory(name: &str) -> Self {
        Self { directory: Path::new(env!("CARGO_MANIFEST_DIR")).join(name) }
    }

    /// Each example is stored as its file says, and read from it; and every type has one.
    pub(crate) fn compare<E: RunEvent>(&self, examples: &[E]) {
        let mut kinds = Vec::new();
        for example in examples {
            let encoded = example.encode();
            let path = self.directory.join(format!("{}.v{}.json", encoded.kind, encoded.version));
            if std::env::var_os("PITON_WRITE_GOLDEN").is_some() {
                write_new(&path, &encoded.data);
            }
            let golden = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let (golden, found) = (golden.trim_ascii_end(), encoded.data.as_slice());
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert_eq!(text(golden), text(found), "{}", path.display());
            let read = E::decode(&encoded.kind, encoded.version, golden).expect("it reads what it wrote");
            assert_eq!(read, *example, "{}", path.display());
            kinds.push(encoded.kind);
        }
        kinds.sort();
        let mut known: Vec<_> = E::types().to_vec();
        known.sort_unstable();
        assert_eq!(kinds, known, "every type has an example");
    }

    /// Each file that is there is read, whatever its version; the newest is written back to the byte, and none is read that has a
    /// field which nobody knows.
    pub(crate) fn read_all<E: RunEvent>(&self) {
        for (kind, version, bytes) in self.files() {
            let event =
                E::decode(&kind, version, &bytes).unwrap_or_else(|error| panic!("{kind} {version}: {error}"));
            let encoded = event.encode();
            assert_eq!(encoded.kind, kind);
            if encoded.version == version {
                assert_eq!(encoded.data, bytes, "{kind} {version}");
            }
            let text = String::from_utf8(bytes).expect("JSON is text");
            let extended = text.replacen('{', if text == "{}" { "{\"x\":1" } else { "{\"x\":1," }, 1);
            let read = E::decode(&kind, version, extended.as_bytes());
            assert!(read.is_err(), "{kind}: an unknown field was taken");
        }
    }

    /// Type, version and stored bytes of each file.
    fn files(&self) -> Vec<(String, u16, Vec<u8>)> {
        let listing = std::fs::read_dir(&self.directory).expect("the golden files are there");
        let mut files: Vec<_> = listing
            .map(|entry| {
                let path = entry.expect("an entry").path();
                let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
                let (kind, version) =
                    name.strip_suffix(".json").and_then(|stem| stem.split_once(".v")).expect(name);
                let bytes = std::fs::read(&path).expect("a file");
                (kind.to_owned(), version.parse().expect(name), bytes.trim_ascii_end().to_vec())
            })
            .collect();
        files.sort();
        files
    }
}

fn write_new(path: &Path, data: &[u8]) {
    match File::create_new(path) {
        Ok(mut file) => file.write_all(&[data, b"\n"].concat()).expect("room"),
        Err(error) => assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{}", path.display()),
    }
}
