//! A prompt file with everything it includes, taken apart.

use std::collections::BTreeMap;

use crate::blocks::{self, Node, NodeKind};
use crate::error::{Place, Problem, Problems, ReadError, What};
use crate::header::{self, Header};
use crate::scan::scan;
use crate::tag::{Argument, Expression};
use crate::{FILES_MAX, INCLUDE_DEPTH_MAX, PROMPT_BYTES_MAX};

/// How files are read: by a path that is relative to where the prompt file's own path is relative to.
pub type Read<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, ReadError>;

/// A prompt file that was taken apart.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub(crate) header: Header,
    pub(crate) files: Vec<File>,
    pub(crate) digest: String,
    pub(crate) warnings: Vec<Problem>,
}

/// One file of a prompt.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) body: String,
    pub(crate) nodes: Vec<Node>,
    /// The files it includes, by their paths as they are written: places in [`Loaded::files`].
    pub(crate) includes: BTreeMap<String, usize>,
    /// How deep files include files below it.
    height: usize,
}

/// Reads the prompt file at `path` and everything it includes, taken or not: a prompt must not fail at its thirtieth
/// iteration because of a file that was missing from the start.
pub fn load(path: &str, read: Read<'_>) -> Result<Loaded, Problems> {
    let mut loader = Loader {
        read,
        files: Vec::new(),
        known: BTreeMap::new(),
        chain: Vec::new(),
        bytes: 0,
        hasher: blake3::Hasher::new(),
        header: Header::default(),
        warnings: Vec::new(),
    };
    loader.load(path).map_err(|mut problem| {
        // The tag that failed names itself; before it stand those that led to its file.
        let own = loader.chain.last() == Some(&problem.place);
        problem.chain = loader.chain[..loader.chain.len() - usize::from(own)].to_vec();
        problem
    })?;
    Ok(Loaded {
        header: loader.header,
        files: loader.files,
        digest: loader.hasher.finalize().to_hex().to_string(),
        warnings: loader.warnings,
    })
}

impl Loaded {
    /// What the prompt file says about itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The BLAKE3 of the paths and contents of all files: another one means that somebody edited the prompt.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The paths of all files, the prompt file first.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.path.as_str())
    }

    /// Whether a variable of this name appears anywhere.
    pub fn mentions(&self, name: &str) -> bool {
        self.files.iter().any(|file| file.nodes.iter().any(|node| mentions(node, name)))
    }
}

struct Loader<'a> {
    read: Read<'a>,
    /// Filled from the outside in: a file has its place before those it includes.
    files: Vec<File>,
    known: BTreeMap<String, usize>,
    /// The include tags that lead to the file that is being read.
    chain: Vec<Place>,
    bytes: usize,
    hasher: blake3::Hasher,
    header: Header,
    warnings: Vec<Problem>,
}

impl Loader<'_> {
    /// Where in `files` the file at `path` is now.
    fn load(&mut self, path: &str) -> Result<usize, Problem> {
        let text = self.text(path)?;
        let split = header::split(path, &text, &mut self.warnings)?;
        self.take_header(split.header);
        let pieces = scan(path, split.body, split.line, &mut self.warnings);
        let nodes = blocks::build(path, split.body, pieces, &mut self.warnings)?;
        let mut wanted = Vec::new();
        includes(&nodes, &mut wanted);
        let own = self.files.len();
        self.known.insert(path.to_owned(), own);
        self.files.push(File {
            path: path.to_owned(),
            body: split.body.to_owned(),
            nodes,
            includes: BTreeMap::new(),
            height: 0,
        });
        for (written, line) in wanted {
            self.include(own, &written, line)?;
        }
        Ok(own)
    }

    fn include(&mut self, own: usize, written: &str, line: usize) -> Result<(), Problem> {
        if self.files[own].includes.contains_key(written) {
            return Ok(());
        }
        let from = self.files[own].path.clone();
        let here = Place { file: from.clone(), line };
        let fail = |what| Problem::new(&from, line, what);
        let path = resolve(&from, written).map_err(fail)?;
        let is_open = self.chain.iter().any(|place| place.file == path) || from == path;
        self.chain.push(here);
        if is_open {
            return Err(fail(What::Cycle { path }));
        }
        let place = match self.known.get(&path) {
            Some(place) => *place,
            None if self.files.len() == FILES_MAX => return Err(fail(What::TooManyFiles { max: FILES_MAX })),
            None if self.chain.len() > INCLUDE_DEPTH_MAX => {
                return Err(fail(What::TooDeep { max: INCLUDE_DEPTH_MAX }));
            }
            None => self.load(&path)?,
        };
        let height = self.files[place].height + 1;
        if self.chain.len() - 1 + height > INCLUDE_DEPTH_MAX {
            return Err(fail(What::TooDeep { max: INCLUDE_DEPTH_MAX }));
        }
        self.chain.pop();
        let file = &mut self.files[own];
        file.height = file.height.max(height);
        file.includes.insert(written.to_owned(), place);
        Ok(())
    }

    fn text(&mut self, path: &str) -> Result<String, Problem> {
        let (file, line) = match self.chain.last() {
            Some(place) => (place.file.clone(), place.line),
            None => (path.to_owned(), 1),
        };
        let too_large = || What::TooLarge { subject: "the prompt with its files", max: PROMPT_BYTES_MAX };
        let bytes = (self.read)(path).map_err(|error| {
            let path = path.to_owned();
            let what = match error {
                ReadError::Missing => What::Missing { path },
                ReadError::Outside => What::Outside { path },
                ReadError::TooLarge => too_large(),
                ReadError::Other(reason) => What::Unreadable { path, reason },
            };
            Problem::new(&file, line, what)
        })?;
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > PROMPT_BYTES_MAX {
            return Err(Problem::new(&file, line, too_large()));
        }
        // With their lengths, so that no two prompts are the same bytes in a row.
        for part in [path.as_bytes(), &bytes] {
            self.hasher.update(&(part.len() as u64).to_le_bytes());
            self.hasher.update(part);
        }
        decode(path, bytes)
    }

    /// The header of the prompt file counts. Of an included file its defaults do, where there are none yet.
    fn take_header(&mut self, header: Option<Header>) {
        let Some(header) = header else { return };
        if self.chain.is_empty() {
            self.header = header;
            return;
        }
        for (name, value) in header.defaults {
            self.header.defaults.entry(name).or_insert(value);
        }
    }
}

/// The text of a file, without the mark that some editors put at its beginning.
fn decode(path: &str, bytes: Vec<u8>) -> Result<String, Problem> {
    let line_of = |bytes: &[u8], at: usize| 1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count();
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Problem::new(path, 1, What::NotText { why: "it looks like UTF-16" }));
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(Problem::new(path, line_of(&bytes, at), What::NotText { why: "it holds a zero byte" }));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Problem::new(path, line_of(error.as_bytes(), at), What::NotText { why: "it is not UTF-8" })
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The path of what the file `from` calls `written`.
fn resolve(from: &str, written: &str) -> Result<String, What> {
    let extension = written.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    if !matches!(extension.as_deref(), Some("md" | "txt")) {
        return Err(What::Extension { path: written.to_owned() });
    }
    let outside = || What::Outside { path: written.to_owned() };
    if written.starts_with('/') {
        return Err(outside());
    }
    let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
    let root = if from.starts_with('/') { "/" } else { "" };
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none_or(|last| last == "..") => return Err(outside()),
            ".." => {}
            part => parts.push(part),
        }
    }
    Ok(format!("{root}{}", parts.join("/")))
}

/// What `nodes` include, with its line.
fn includes(nodes: &[Node], wanted: &mut Vec<(String, usize)>) {
    for node in nodes {
        match &node.kind {
            NodeKind::Include(path) => wanted.push((path.clone(), node.line)),
            NodeKind::If { then, otherwise, .. } => {
                includes(then, wanted);
                includes(otherwise, wanted);
            }
            NodeKind::Each { body, .. } => includes(body, wanted),
            NodeKind::Text | NodeKind::Escape(_) | NodeKind::Value(_) => {}
        }
    }
}

fn mentions(node: &Node, name: &str) -> bool {
    let is = |path: &crate::tag::Path| path.0[0] == name || path.name() == name;
    match &node.kind {
        NodeKind::Value(Expression::Path(path)) => is(path),
        NodeKind::Value(Expression::Call(_, arguments)) => arguments.iter().any(|argument| match argument {
            Argument::Path(path) => is(path),
            Argument::Literal(_) => false,
        }),
        NodeKind::If { subject, then, otherwise } => {
            is(subject) || then.iter().chain(otherwise).any(|node| mentions(node, name))
        }
        NodeKind::Each { list, body, .. } => is(list) || body.iter().any(|node| mentions(node, name)),
        NodeKind::Text | NodeKind::Escape(_) | NodeKind::Include(_) => false,
    }
}
