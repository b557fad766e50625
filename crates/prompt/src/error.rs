//! What is wrong with a prompt, and where. In strict mode all of it is said at once.

use std::fmt;

/// Where something stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as it was asked for.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it stands.
    pub place: Place,
    /// The include tags that lead there, the outermost first.
    pub chain: Vec<Place>,
    pub what: What,
}

/// Everything that is wrong. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum What {
    /// A file is not there.
    #[error("the file `{}` is missing", short(path))]
    Missing { path: String },
    /// A file is outside of the tree.
    #[error("`{}` is outside of the tree; include what lies in it", short(path))]
    Outside { path: String },
    /// A file cannot be read.
    #[error("cannot read `{}`: {reason}", short(path))]
    Unreadable { path: String, reason: String },
    /// A file whose name does not end like text.
    #[error("`{}` cannot be included; only `.md` and `.txt` files can", short(path))]
    Extension { path: String },
    /// A file includes itself.
    #[error("`{}` includes itself", short(path))]
    Cycle { path: String },
    /// Files include files too deep.
    #[error("files include files more than {max} deep")]
    TooDeep {
        /// How deep they may.
        max: usize,
    },
    #[error("a prompt consists of at most {max} files")]
    TooManyFiles {
        /// How many there may be.
        max: usize,
    },
    /// Too many bytes.
    #[error("{subject} is larger than {max} bytes")]
    TooLarge {
        /// What is too large.
        subject: &'static str,
        /// How large it may be.
        max: usize,
    },
    #[error("this is not text: {why}; save the file as UTF-8")]
    NotText {
        /// How that shows.
        why: &'static str,
    },
    /// Nothing in it.
    #[error("the prompt is empty")]
    Empty,
    /// The frontmatter never ends.
    #[error("this `---` begins a frontmatter that never ends; it is taken as text")]
    HeaderUnclosed,
    /// Between the lines `---` stands something else.
    #[error("between the `---` lines are no keys with values; they are taken as text")]
    HeaderNotKeys,
    /// The frontmatter is not YAML.
    #[error("the frontmatter is not YAML: {message}")]
    HeaderSyntax {
        /// What the parser says.
        message: String,
    },
    /// A key that nobody knows.
    #[error("unknown key `{}`{}", short(key), meant(suggestion))]
    HeaderKey {
        key: String,
        /// The one that was probably meant.
        suggestion: Option<String>,
    },
    /// A value of the wrong kind.
    #[error("`{key}` must be {expected}")]
    HeaderValue {
        key: String,
        /// What it must be.
        expected: &'static str,
    },
    /// A required variable has no value.
    #[error("the required variable `{}` has no value", short(name))]
    RequiredMissing { name: String },
    /// A required variable does not appear.
    #[error("the required variable `{}` does not appear in the text", short(name))]
    RequiredUnused { name: String },
    /// A name that nobody knows.
    #[error("unknown variable `{}`{}", short(name), meant_or_escaped(suggestion))]
    UnknownVariable {
        name: String,
        /// The one that was probably meant.
        suggestion: Option<String>,
    },
    /// Braces that are no tag.
    #[error("this `{{{{` begins no tag; write `\\{{\\{{` where braces are meant")]
    Unclosed,
    /// A tag that means nothing.
    #[error("`{{{{{}}}}}` is no tag; write `\\{{\\{{` where braces are meant", short(tag))]
    UnknownTag {
        /// What stands between the braces.
        tag: String,
    },
    /// A block that never ends.
    #[error("`{{{{{}}}}}` is never closed in this file", short(tag))]
    UnclosedBlock { tag: String },
    /// The end, or the other half, of a block that was not begun.
    #[error("`{{{{{}}}}}` belongs to no block", short(tag))]
    Stray { tag: String },
    /// Blocks in blocks.
    #[error("blocks stand in blocks more than {max} deep")]
    BlocksTooDeep {
        /// How deep they may.
        max: usize,
    },
    /// A helper that cannot work with what it was given.
    #[error("`{helper}` needs {needs}")]
    Helper { helper: &'static str, needs: &'static str },
    /// A block over something that is no list.
    #[error("`#each` needs a list, and `{}` is none", short(name))]
    NoList { name: String },
    /// Loops in loops.
    #[error("the loops of this prompt never seem to end")]
    TooMuchWork,
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// It is not there.
    Missing,
    /// It is, or leads, outside of the tree.
    Outside,
    /// It is larger than [`crate::PROMPT_BYTES_MAX`].
    TooLarge,
    /// Anything else, in words.
    Other(String),
}

impl Problem {
    pub(crate) fn new(file: &str, line: usize, what: What) -> Self {
        Self { place: Place { file: file.to_owned(), line }, chain: Vec::new(), what }
    }
}

impl Problems {
    pub(crate) fn of(problems: Vec<Problem>) -> Self {
        debug_assert!(!problems.is_empty(), "problems are problems");
        Self(problems)
    }

    /// Each of them, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.0.iter()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", short(&self.file), self.line)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)?;
        for (index, place) in self.chain.iter().rev().enumerate() {
            write!(f, "{} {place}", if index == 0 { ", included from" } else { " from" })?;
        }
        Ok(())
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            let separator = if index > 0 { "\n" } else { "" };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Untrusted text for a message: short, and without anything a terminal would act on.
pub(crate) fn short(text: &str) -> String {
    const CHARS_MAX: usize = 60;
    let start: String = text.chars().take(CHARS_MAX).collect();
    let more = if start.len() < text.len() { "…" } else { "" };
    format!("{}{more}", start.escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'"))
}

fn meant(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// What to do about a name that nobody knows.
fn meant_or_escaped(suggestion: &Option<String>) -> String {
    match suggestion {
        Some(_) => meant(suggestion),
        None => "; write `\\{\\{` where braces are meant".to_owned(),
    }
}
