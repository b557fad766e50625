//! What a keeper is asked to run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use piton_record::record;
use piton_sys::redact::Redactor;

/// One process to hold: an attempt of an agent, or a check.
#[record(Eq, written)]
pub struct Spec {
    /// The run it belongs to; for people who look into the directory.
    pub run: String,
    /// The name of its directory: `7`, or `check-3-test-1`.
    pub name: String,
    /// What all its processes carry in their environment; unique among all attempts of all runs.
    pub mark: String,
    /// The program and its arguments. No shell is involved.
    pub argv: Vec<String>,
    /// Where it starts.
    pub cwd: PathBuf,
    /// Variables added to the environment of the keeper.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Variables taken out of it; applied before `env`.
    #[serde(default)]
    pub env_remove: Vec<String>,
    /// What it reads.
    pub stdin: Stdin,
    /// Kept as `prompt.md` in the directory.
    #[serde(default)]
    pub prompt: Option<String>,
    /// Further files of the directory, by name.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Literals that are secret, besides what is known to be.
    #[serde(default)]
    pub redact: Vec<String>,
    /// The journal of its run. Its keeper holds it open, so that whoever is below can be told apart from people by the file itself,
    /// whatever name it is called by.
    #[serde(default)]
    pub journal: Option<PathBuf>,
    /// What it may take.
    pub limits: Limits,
}

/// What the process reads.
#[record(Copy, Eq)]
pub enum Stdin {
    /// Nothing.
    Null,
    Prompt,
}

/// What the process may take before the keeper ends it.
#[record(Copy, Eq, written)]
pub struct Limits {
    /// Time from its start.
    pub wall_ms: Option<u64>,
    /// Time without any output. Only for programs that stream.
    pub idle_ms: Option<u64>,
    /// What is kept of each of its outputs; the middle is cut out of more.
    pub output_bytes_max: u64,
    /// Time between the request to end and the kill.
    pub kill_grace_ms: u64,
}

/// Why a spec cannot be run as it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecProblem {
    /// The name is no safe directory name.
    #[error("`{name}` is not an attempt name: 1 to 64 letters, digits, `-` or `_`, a letter or digit first")]
    Name {
        /// The name given.
        name: String,
    },
    /// The mark is no safe mark.
    #[error("`{mark}` is not a mark: 1 to 128 letters, digits, `-` or `_`")]
    Mark {
        /// The mark given.
        mark: String,
    },
    /// There is nothing to run.
    #[error("there is no program to run")]
    NoProgram,
    /// A file would not be a plain one in the directory.
    #[error("`{name}` cannot name a file of the attempt")]
    File {
        /// The name given.
        name: String,
    },
    /// A text would end early at a NUL byte.
    #[error("an argument or a variable holds a NUL byte")]
    Nul,
}

impl Spec {
    /// Whether names, mark and arguments are what they must be.
    pub fn check(&self) -> Result<(), SpecProblem> {
        check_name(&self.name)?;
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if self.mark.is_empty() || self.mark.len() > 128 || !self.mark.bytes().all(fits) {
            return Err(SpecProblem::Mark { mark: self.mark.clone() });
        }
        if self.argv.first().is_none_or(String::is_empty) {
            return Err(SpecProblem::NoProgram);
        }
        if let Some(name) = self.files.keys().find(|name| !crate::directory::may_hold(name)) {
            return Err(SpecProblem::File { name: name.clone() });
        }
        let mut texts =
            self.argv.iter().chain(self.env.keys()).chain(self.env.values()).chain(&self.env_remove);
        if texts.any(|text| text.contains('\0')) {
            return Err(SpecProblem::Nul);
        }
        Ok(())
    }

    /// Knows the secrets of the environment the process gets, and those of the spec.
    pub(crate) fn redactor(&self) -> Redactor {
        let variables = self.env.iter().map(|(name, value)| (name.into(), value.into()));
        Redactor::from_environment()
            .with_variables(variables)
            .with_literals(self.redact.iter().map(String::as_str))
    }

    /// The spec as it is written down: without its secrets, and without the prompt, which has its own file.
    pub(crate) fn for_the_record(&self, redactor: &Redactor) -> Spec {
        let clean = |text: &String| redactor.redact(text).into_owned();
        Spec {
            argv: self.argv.iter().map(clean).collect(),
            env: self.env.iter().map(|(name, value)| (name.clone(), clean(value))).collect(),
            prompt: None,
            files: BTreeMap::new(),
            redact: Vec::new(),
            ..self.clone()
        }
    }
}

/// Names become directory names; nothing else may get in.
pub(crate) fn check_name(name: &str) -> Result<(), SpecProblem> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let starts_well = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if !starts_well || name.len() > 64 || !name.bytes().all(fits) {
        return Err(SpecProblem::Name { name: name.to_owned() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> Spec {
        Spec {
            run: String::from("r"),
            name: String::from("7"),
            mark: String::from("m-7"),
            argv: vec![String::from("agent")],
            cwd: PathBuf::from("."),
            env: BTreeMap::new(),
            env_remove: Vec::new(),
            stdin: Stdin::Null,
            prompt: Some(String::from("do it")),
            files: BTreeMap::new(),
            redact: vec![String::from("very-secret-literal")],
            journal: None,
            limits: Limits { wall_ms: None, idle_ms: None, output_bytes_max: 1, kill_grace_ms: 0 },
        }
    }

    #[test]
    fn names_that_could_leave_the_directory_are_refused() {
        for name in
            ["", ".", "..", "a/b", "../x", "/abs", "-rf", "_x", "a.b", "a\0b", "é", "a b", &"a".repeat(65)]
        {
            assert!(check_name(name).is_err(), "`{name}`");
        }
        for name in ["7", "check-3-test-1", "A_b", &"a".repeat(64)] {
            assert_eq!(check_name(name), Ok(()));
        }
    }

    #[test]
    fn a_spec_without_program_or_with_nul_is_refused() {
        assert_eq!(spec().check(), Ok(()));
        assert_eq!(Spec { argv: vec![], ..spec() }.check(), Err(SpecProblem::NoProgram));
        assert_eq!(Spec { argv: vec![String::new()], ..spec() }.check(), Err(SpecProblem::NoProgram));
        assert_eq!(Spec { argv: vec!["a".into(), "b\0c".into()], ..spec() }.check(), Err(SpecProblem::Nul));
        let mark = String::from("a/b");
        assert_eq!(Spec { mark: mark.clone(), ..spec() }.check(), Err(SpecProblem::Mark { mark }));
    }

    #[test]
    fn no_secret_is_written_down() {
        let mut given = spec();
        given.argv.push(String::from("--password=very-secret-literal"));
        given.env.insert(String::from("SOME_API_KEY"), String::from("value-of-the-key"));
        given.env.insert(String::from("GREETING"), String::from("hello there"));
        let text = serde_json::to_string(&given.for_the_record(&given.redactor())).unwrap();
        assert!(!text.contains("very-secret-literal") && !text.contains("value-of-the-key"), "{text}");
        assert!(text.contains("hello there") && text.contains("--password=[redacted]"), "{text}");
    }
}
