//! What never reaches a disk: values of secret-looking variables, known formats of keys, and `[redact] patterns`.
//!
//! The patterns are secrets themselves, so no journal and no attempt holds them. They are read from the configuration
//! when a driver, a command or a researcher begins, and so a resumed run has them as well as a new one; a driver takes those besides
//! that the project's file had when its run began, from the first snapshot. Patterns only
//! take away, so a project's file counts whether it is trusted or not. A file that cannot be read is an error: without
//! it nobody knows what to leave out.

use std::path::Path;

use piton_config::{Overrides, config_dir, files, resolve};
use piton_sys::redact::Redactor;

use crate::configuration::variable;

/// What must not be written down.
#[derive(Clone)]
pub struct Secrets {
    patterns: Vec<String>,
    redactor: Redactor,
}

/// Why it is not known what must not be written down.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// The files cannot be read.
    #[error("failed to read `[redact] patterns`")]
    File(#[from] piton_sys::file::Error),
    /// They say something that cannot be.
    #[error("`[redact] patterns` cannot be read: {problems}")]
    Configuration {
        /// All that is wrong.
        problems: piton_config::Problems,
    },
}

impl Secrets {
    /// What the configuration of the repository at `root`, the user's own and the environment call secret.
    pub fn of(root: &Path) -> Result<Self, SecretsError> {
        let wrong = |problems| SecretsError::Configuration { problems };
        let files = files::read(&config_dir(&variable).map_err(wrong)?, root)?;
        let settings = resolve(&files, &variable, &Overrides::default()).map_err(wrong)?.settings;
        Ok(Self::with_patterns(settings.redact.into_iter().map(|pattern| pattern.value).collect()))
    }

    /// The same for what is only shown. Who looks at a run can do so whatever became of its configuration: without it,
    /// what looks like a secret is left out.
    pub(crate) fn for_a_screen(root: &Path) -> Self {
        Self::of(root).unwrap_or_else(|_| Self::with_patterns(Vec::new()))
    }

    /// The same, with what this project file calls secret besides: a run keeps the patterns that it began with, whatever somebody made of
    /// the file since. One that says something that cannot be adds nothing.
    pub(crate) fn and_of(self, content: Vec<u8>) -> Self {
        let project = files::Document { name: files::PROJECT_FILE.to_owned(), content };
        let files = files::Files { user: None, project: Some(project) };
        let Ok(resolved) = resolve(&files, &|_| None, &Overrides::default()) else { return self };
        let mut patterns = self.patterns;
        for pattern in resolved.settings.redact {
            if !patterns.contains(&pattern.value) {
                patterns.push(pattern.value);
            }
        }
        Self::with_patterns(patterns)
    }

    fn with_patterns(patterns: Vec<String>) -> Self {
        let redactor = Redactor::from_environment().with_literals(patterns.iter().map(String::as_str));
        Self { patterns, redactor }
    }

    pub(crate) fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Takes them out of a text.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }
}
