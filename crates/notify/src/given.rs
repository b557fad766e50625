//! Secrets: found when they are needed, never stored, never said.
//!
//! Owns how a [`Given`] becomes a value, and how a message about a failure loses what nobody may read.

use std::path::PathBuf;

use piton_model::notify::Given;
use piton_sys::file;
use piton_sys::redact::Redactor;

/// The largest file with a secret in it.
const BYTES_MAX: u64 = 64 << 10;

/// A value could not be found.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The variable is not there.
    #[error("the variable `{name}` is not set")]
    NoVariable { name: String },
    /// The file is not there.
    #[error("there is no file `{path}`")]
    NoFile {
        /// As it was written.
        path: String,
    },
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] file::Error),
    /// It is not text, or it is empty.
    #[error("{what} holds no text")]
    NoText {
        /// The variable or the file.
        what: String,
    },
}

/// Where values are found.
pub trait Vault: Send + Sync {
    /// A variable of the environment.
    fn variable(&self, name: &str) -> Option<String>;
}

/// The environment of this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Environment;

impl Vault for Environment {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

/// What was given, looked up where the settings say it is.
pub fn find(given: &Given, vault: &dyn Vault) -> Result<String, Error> {
    let (found, what) = match given {
        Given::Plain(text) => return Ok(text.clone()),
        Given::Env(name) => {
            let value = vault.variable(name).ok_or_else(|| Error::NoVariable { name: name.clone() })?;
            (value, format!("the variable `{name}`"))
        }
        Given::File(path) => {
            let bytes = file::read_regular(&place(path, vault), BYTES_MAX)?
                .ok_or_else(|| Error::NoFile { path: path.clone() })?;
            (String::from_utf8(bytes).unwrap_or_default(), format!("the file `{path}`"))
        }
    };
    let value = found.trim_end_matches(['\r', '\n']);
    if value.is_empty() { Err(Error::NoText { what }) } else { Ok(value.to_owned()) }
}

/// A path with `~/` as the user's home.
pub(crate) fn place(path: &str, vault: &dyn Vault) -> PathBuf {
    match (path.strip_prefix("~/"), vault.variable("HOME")) {
        (Some(below), Some(home)) => PathBuf::from(home).join(below),
        _ => PathBuf::from(path),
    }
}

/// `text` without `secrets` and without what looks like a key. Of a secret that is an address the host stays.
pub(crate) fn clean(text: &str, redactor: &Redactor, secrets: &[&str]) -> String {
    let mut text = text.to_owned();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        // The address itself is often the secret; its beginning tells whom it is about.
        text = text.replace(secret, &shown(secret));
        if let Some((_, path)) = split_url(secret).filter(|(_, path)| path.len() > 1) {
            text = text.replace(path, "/…");
        }
    }
    redactor.redact(&text).into_owned()
}

/// What may be said of a secret: of an address its scheme and host, of anything else nothing.
fn shown(secret: &str) -> String {
    match split_url(secret) {
        Some((origin, "" | "/")) => origin.to_owned(),
        Some((origin, _)) => format!("{origin}/…"),
        None => piton_sys::redact::REDACTED.to_owned(),
    }
}

/// Scheme and host of an address, and what follows.
fn split_url(url: &str) -> Option<(&str, &str)> {
    let after = url.find("://")? + 3;
    let end = url[after..].find(['/', '?', '#']).map_or(url.len(), |at| after + at);
    // A name and password before the host are a secret as well.
    (!url[after..end].contains('@')).then(|| url.split_at(end))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    struct Held(BTreeMap<&'static str, String>);

    impl Vault for Held {
        fn variable(&self, name: &str) -> Option<String> {
            self.0.get(name).cloned()
        }
    }

    #[test]
    fn a_secret_is_found_where_it_is_said_to_be() {
        let home = tempfile::tempdir().unwrap();
        file::create_new(&home.path().join("token"), b"abc\r\n", file::Durability::Unsynced).unwrap();
        file::create_new(&home.path().join("empty"), b"\n", file::Durability::Unsynced).unwrap();
        let vault = Held(BTreeMap::from([
            ("HOME", home.path().display().to_string()),
            ("TOKEN", "t0ken".to_owned()),
            ("NOTHING", String::new()),
        ]));
        let found = |given: Given| find(&given, &vault).map_err(|error| error.to_string());
        assert_eq!(found(Given::Plain("x".to_owned())).as_deref(), Ok("x"));
        assert_eq!(found(Given::Env("TOKEN".to_owned())).as_deref(), Ok("t0ken"));
        assert_eq!(found(Given::File("~/token".to_owned())).as_deref(), Ok("abc"));
        let missing = found(Given::Env("OTHER".to_owned())).unwrap_err();
        assert_eq!(missing, "the variable `OTHER` is not set");
        assert_eq!(
            found(Given::Env("NOTHING".to_owned())).unwrap_err(),
            "the variable `NOTHING` holds no text"
        );
        assert_eq!(found(Given::File("~/empty".to_owned())).unwrap_err(), "the file `~/empty` holds no text");
        assert_eq!(found(Given::File("~/none".to_owned())).unwrap_err(), "there is no file `~/none`");
    }

    #[test]
    fn of_an_address_only_the_host_is_said() {
        let redactor = Redactor::new();
        let url = "https://hooks.example/services/T0/B0/verysecret?x=1";
        for text in [format!("{url}: refused"), "GET /services/T0/B0/verysecret?x=1 failed".to_owned()] {
            let said = clean(&text, &redactor, &[url]);
            assert!(!said.contains("verysecret") && !said.contains("services"), "{said}");
        }
        assert_eq!(clean(url, &redactor, &[url]), "https://hooks.example/…");
        let with_password = "https://me:pass@host/";
        assert_eq!(clean(with_password, &redactor, &[with_password]), "[redacted]");
        assert_eq!(clean("no s3cret here", &redactor, &["s3cret"]), "no [redacted] here");
    }
}
