//! Where a piece belongs: what it is sealed for, and opens nowhere else.

/// Where a piece belongs. Names of runs count as [`piton_model::RunId::key`] has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// The payloads of an append: whose run, and the number of its first event.
    Events {
        /// Whose.
        run: &'a str,
        /// Its first event.
        seq: u64,
    },
    /// A state that is kept beside the events.
    Checkpoint {
        /// Whose.
        run: &'a str,
        /// The last event of which it is the fold.
        seq: u64,
    },
    /// The title of a run in a list.
    Title {
        /// Whose.
        run: &'a str,
    },
    /// What a run in a list waits for.
    Waiting {
        /// Whose.
        run: &'a str,
    },
    /// A payload with a file of its own.
    Blob {
        /// The digest of what it holds, which is its name.
        digest: &'a [u8; 32],
    },
    /// An object of a backup.
    Object {
        /// Of which journal.
        journal: &'a str,
        /// What sort of object.
        kind: &'a str,
        /// The header in front of it.
        header: &'a [u8],
    },
    /// What a backup says of itself.
    Manifest {
        /// Of which journal.
        journal: &'a str,
        /// What the backup is called.
        name: &'a str,
    },
    /// A file that this user's piton keeps for itself, by its name from the state directory on.
    File {
        /// Its name.
        name: &'a str,
    },
}

impl Place<'_> {
    /// As it is bound to a piece: no two places have the same bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let (kind, parts, number): (u8, [&[u8]; 3], u64) = match self {
            Self::Events { run, seq } => (1, [run.as_bytes(), b"", b""], *seq),
            Self::Checkpoint { run, seq } => (2, [run.as_bytes(), b"", b""], *seq),
            Self::Title { run } => (3, [run.as_bytes(), b"", b""], 0),
            Self::Blob { digest } => (4, [&digest[..], b"", b""], 0),
            Self::Object { journal, kind, header } => (5, [journal.as_bytes(), kind.as_bytes(), header], 0),
            Self::Manifest { journal, name } => (6, [journal.as_bytes(), name.as_bytes(), b""], 0),
            Self::File { name } => (7, [name.as_bytes(), b"", b""], 0),
            Self::Waiting { run } => (8, [run.as_bytes(), b"", b""], 0),
        };
        let mut bytes = vec![kind];
        bytes.extend_from_slice(&number.to_le_bytes());
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part);
        }
        bytes
    }
}
