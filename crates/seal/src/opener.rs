//! What opens data keys: an age identity or a passphrase, from a file, a variable or a command.
//!
//! A text is an identity where a line of it is one (`AGE-SECRET-KEY-1…`, as `piton key new` and `age-keygen` write it). One line that is
//! nothing else is a passphrase. Whatever looks like a piece of a key, a file of another sort or the answer of a server is neither:
//! a public key that is taken for a passphrase opens everything for everybody who knows it.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use age::secrecy::ExposeSecret;
use age::x25519::{Identity, Recipient};
use piton_sys::file;
use piton_sys::process::{Program, RunLimits};
use zeroize::Zeroizing;

/// The most that a key file, a variable or the output of a command may hold.
const TEXT_BYTES_MAX: u64 = 64 << 10;

/// A passphrase that is shorter is guessed.
const PASSPHRASE_CHARS_MIN: usize = 12;

/// How long a command may take: somebody may have to touch a token.
const COMMAND_PATIENCE: Duration = Duration::from_secs(60);

/// What begins the line of an identity.
const IDENTITY: &str = "AGE-SECRET-KEY-1";

/// Where a secret comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file that nobody else can read.
    File(PathBuf),
    /// A variable of the environment.
    Variable(String),
    /// What a shell command prints, called in this directory.
    Command(String, PathBuf),
}

/// Who is to open data keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Openers {
    /// Where this machine's own secrets come from, in the order in which they are tried.
    pub sources: Vec<Source>,
    /// Others, by the public part of their identity: `age1…`.
    pub recipients: Vec<String>,
}

/// What opens a data key.
pub(crate) enum Secret {
    Identity(Box<Identity>),
    Passphrase(Zeroizing<String>),
}

impl Source {
    /// The secrets that it holds.
    pub(crate) fn secrets(&self) -> Result<Vec<Secret>, String> {
        let text = self.text()?;
        secrets_in(&text).map_err(|why| format!("{self} {why}"))
    }

    fn text(&self) -> Result<Zeroizing<String>, String> {
        let bytes = match self {
            Self::File(path) => read(path)?,
            Self::Variable(name) => match std::env::var(name) {
                Ok(text) if !text.is_empty() => return Ok(Zeroizing::new(text)),
                Ok(_) | Err(std::env::VarError::NotPresent) => return Err(format!("{self} is not set")),
                Err(std::env::VarError::NotUnicode(_)) => return Err(format!("{self} is not text")),
            },
            Self::Command(command, directory) => output_of(command, directory)?,
        };
        let text = std::str::from_utf8(&bytes).map_err(|_| format!("{self} holds no text"))?;
        Ok(Zeroizing::new(text.to_owned()))
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => write!(f, "the key file `{}`", path.display()),
            Self::Variable(name) => write!(f, "the variable `{name}`"),
            Self::Command(command, _) => write!(f, "the key command `{command}`"),
        }
    }
}

fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, String> {
    let shown = path.display();
    let bytes = file::read_regular(path, TEXT_BYTES_MAX).map_err(|error| chain(&error))?;
    let bytes = Zeroizing::new(bytes.ok_or_else(|| format!("there is no key file `{shown}`"))?);
    let mode = path.metadata().map(|found| found.permissions().mode()).unwrap_or_default();
    match mode & 0o077 {
        0 => Ok(bytes),
        _ => Err(format!("others can read the key file `{shown}`: `chmod 600` it")),
    }
}

fn output_of(command: &str, directory: &Path) -> Result<Zeroizing<Vec<u8>>, String> {
    let limits = RunLimits { deadline: COMMAND_PATIENCE, output_bytes_max: TEXT_BYTES_MAX as usize };
    let program = Program::new("/bin/sh").arg("-c").arg(OsStr::new(command)).current_dir(directory);
    let said = program.run(limits).map_err(|error| format!("the key command failed: {}", chain(&error)))?;
    match said.success() {
        true => Ok(Zeroizing::new(said.stdout)),
        // What it said may hold the secret; that it failed may not.
        false => Err(format!("the key command `{command}` failed: {:?}", said.status)),
    }
}

fn secrets_in(text: &str) -> Result<Vec<Secret>, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<&str> = lines.collect();
    let is_identity = |line: &&&str| line.to_ascii_uppercase().starts_with(IDENTITY);
    let identities: Vec<&str> = lines.iter().filter(is_identity).copied().collect();
    if identities.is_empty() {
        return Ok(vec![Secret::Passphrase(Zeroizing::new(passphrase_in(text, &lines)?.to_owned()))]);
    }
    let identity = |line: &&str| {
        let parsed = line.to_ascii_uppercase().parse::<Identity>();
        parsed
            .map(|identity| Secret::Identity(Box::new(identity)))
            .map_err(|_| "holds a damaged age identity".to_owned())
    };
    identities.iter().map(identity).collect()
}

/// The passphrase that a text is, or why it is none. `lines`: those of it that are neither empty nor a comment.
fn passphrase_in<'a>(text: &'a str, lines: &[&str]) -> Result<&'a str, String> {
    let passphrase = text.trim();
    let begins = |beginnings: &[&str]| {
        let begins = |beginning: &&str| {
            passphrase.get(..beginning.len()).is_some_and(|there| there.eq_ignore_ascii_case(beginning))
        };
        beginnings.iter().any(begins)
    };
    if lines.is_empty() && !passphrase.is_empty() {
        return Err("holds comments and no secret: the line that begins with `AGE-SECRET-KEY-1` is missing"
            .to_owned());
    }
    if begins(&["age1"]) || lines.iter().any(|line| recipient(line).is_ok()) {
        return Err("holds the public part of a key, which everybody may know, and no secret".to_owned());
    }
    if begins(&["age-", "-----BEGIN ", "ssh-"]) {
        return Err("holds a key, or a piece of one, that is no age identity".to_owned());
    }
    if begins(&["{", "[", "<"]) && passphrase.ends_with(['}', ']', '>']) {
        return Err("holds a document, as a server may answer, and no secret".to_owned());
    }
    if lines.len() > 1 {
        return Err("holds several lines and no age identity: a passphrase is one line".to_owned());
    }
    match passphrase.chars().count() {
        count if count >= PASSPHRASE_CHARS_MIN => Ok(passphrase),
        _ => Err(format!(
            "holds neither an age identity nor a passphrase of at least {PASSPHRASE_CHARS_MIN} characters"
        )),
    }
}

/// The recipient that a text names.
pub fn recipient(text: &str) -> Result<Recipient, String> {
    text.trim()
        .parse::<Recipient>()
        .map_err(|_| format!("`{text}` is no age recipient: those begin with `age1`"))
}

/// The text of a new key file, and its public part.
pub fn new_identity(made_at: &str) -> (Zeroizing<String>, String) {
    let identity = Identity::generate();
    let public = identity.to_public().to_string();
    let secret = identity.to_string();
    let text = format!("# created: {made_at}\n# public key: {public}\n{}\n", secret.expose_secret());
    (Zeroizing::new(text), public)
}

pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_is_read_as_it_is_made() {
        let (text, public) = new_identity("2026-11-18");
        assert!(recipient(&public).is_ok());
        let secrets = secrets_in(&text).unwrap();
        assert!(
            matches!(&secrets[..], [Secret::Identity(identity)] if identity.to_public().to_string() == public)
        );
    }

    #[test]
    fn a_text_is_a_passphrase_only_where_it_is_long_enough_and_no_broken_identity() {
        assert!(matches!(&secrets_in("correct horse battery\n").unwrap()[..], [Secret::Passphrase(_)]));
        let (text, public) = new_identity("now");
        let secret = text.lines().last().unwrap();
        let commented = format!("# created: now\n# public key: {public}\n");
        for text in [
            "",
            "short",
            "AGE-SECRET-KEY-1NOTONE",
            &public,
            &public.to_uppercase(),
            &public[..40],
            &commented,
            &secret[..10],
            &format!("{commented}{}", &secret[..secret.len() - 20]),
            "# a passphrase in a comment",
            "{\"error\": \"no such secret\"}",
            "<html><body>Forbidden</body></html>",
            "-----BEGIN OPENSSH PRIVATE KEY-----",
            "two lines that are\nno passphrase",
        ] {
            assert!(secrets_in(text).is_err(), "{text}");
        }
        for text in ["a [good] passphrase", "aged wine and cheese", "{braces} begin this one"] {
            assert!(matches!(&secrets_in(text).unwrap()[..], [Secret::Passphrase(_)]), "{text}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    fn a_key_file_that_others_can_read_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        std::fs::write(&path, &*new_identity("now").0).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(Source::File(path.clone()).secrets().err().unwrap().contains("others can read"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert!(Source::File(path).secrets().is_ok());
    }

    #[test]
    fn a_command_gives_what_it_prints_and_a_failing_one_is_an_error() {
        let here = PathBuf::from("/");
        let printed = Source::Command("echo a passphrase of words".to_owned(), here.clone());
        assert!(
            matches!(&printed.secrets().unwrap()[..], [Secret::Passphrase(text)] if **text == "a passphrase of words")
        );
        assert!(Source::Command("echo a passphrase of words; exit 1".to_owned(), here).secrets().is_err());
    }
}
