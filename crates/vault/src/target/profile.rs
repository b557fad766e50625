//! What the files of AWS's own tools say: keys, region and address of a profile.
//!
//! Only what stands in the files is taken. Nothing is run (`credential_process`), and nobody is asked to log in (`sso_session`).

use std::collections::BTreeMap;
use std::path::PathBuf;

use piton_sys::file;

use super::cloud::Environment;
use super::failure::Reason;

/// More than such a file ever holds.
const BYTES_MAX: u64 = 1 << 20;

/// What is said of a profile.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
    said: BTreeMap<String, String>,
}

impl Profile {
    /// The profile that the environment names, else the one that needs no name.
    pub(super) fn of(environment: &Environment) -> Result<Self, Reason> {
        let named = environment.get("AWS_PROFILE").or_else(|| environment.get("AWS_DEFAULT_PROFILE"));
        let name = named.unwrap_or("default");
        let path = |variable: &str, file: &str| {
            let given = environment.get(variable).map(PathBuf::from);
            given.or_else(|| Some(PathBuf::from(environment.get("HOME")?).join(".aws").join(file)))
        };
        let config = section(read(path("AWS_CONFIG_FILE", "config"))?, &[&format!("profile {name}"), name]);
        let keys = section(read(path("AWS_SHARED_CREDENTIALS_FILE", "credentials"))?, &[name]);
        let is_there = config.is_some() || keys.is_some();
        let mut said = config.unwrap_or_default();
        said.extend(keys.unwrap_or_default());
        let without = |what: &str| Reason::Profile { name: name.to_owned(), what: what.to_owned() };
        if named.is_some() && !is_there {
            return Err(without("is in no file of AWS"));
        }
        let other = ["sso_session", "sso_start_url", "credential_process", "role_arn", "login_session"];
        let other = other.into_iter().find(|key| said.contains_key(*key));
        match other.filter(|_| !said.contains_key("aws_access_key_id")) {
            Some(key) => Err(without(&format!("gets its credentials by `{key}`, which piton does not do"))),
            None => Ok(Self { said }),
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.said.get(key).map(String::as_str)
    }
}

fn read(path: Option<PathBuf>) -> Result<String, Reason> {
    let Some(path) = path else { return Ok(String::new()) };
    // Often a link to where such files are kept.
    let path = std::fs::canonicalize(&path).unwrap_or(path);
    let name = path.display().to_string();
    let bytes = file::read_regular(&path, BYTES_MAX);
    let bytes = bytes.map_err(|error| Reason::Profile { name, what: format!("cannot be read: {error}") })?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default())
}

/// What stands below the first of these headings that is there.
fn section(text: String, headings: &[&str]) -> Option<BTreeMap<String, String>> {
    headings.iter().find_map(|heading| {
        let mut found = None;
        let mut is_inside = false;
        for line in text.lines() {
            // What is indented belongs to the setting above it.
            let is_nested = line.starts_with([' ', '\t']);
            let line = line.trim();
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                is_inside = name.0.split_whitespace().eq(heading.split_whitespace());
                if is_inside {
                    found.get_or_insert_with(BTreeMap::new);
                }
            } else if let Some((key, value)) = line.split_once('=')
                && is_inside
                && !is_nested
                && !line.starts_with(['#', ';'])
                && let Some(found) = &mut found
            {
                found.insert(key.trim().to_ascii_lowercase(), value.trim().to_owned());
            }
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(dir: &std::path::Path, variables: &[(&str, &str)]) -> Environment {
        let home = dir.display().to_string();
        let pairs = [("HOME", home.as_str())].into_iter().chain(variables.iter().copied());
        Environment::of(pairs)
    }

    fn put(path: PathBuf, text: &str) {
        file::create_new(&path, text.as_bytes(), file::Durability::Unsynced).unwrap();
    }

    #[test]
    fn a_profile_is_read_from_both_files() {
        let dir = tempfile::tempdir().unwrap();
        file::create_private_dir(&dir.path().join(".aws")).unwrap();
        put(
            dir.path().join(".aws/credentials"),
            "[default]\naws_access_key_id = A\naws_secret_access_key=B=\n# no\n[work]\naws_access_key_id=C\n",
        );
        put(
            dir.path().join(".aws/config"),
            "[default]\nregion = eu-west-1\ns3 =\n  region = nested\n[profile work]\nregion=us-west-2\n[profile sso]\nsso_session=x\n",
        );
        let default = Profile::of(&environment(dir.path(), &[])).unwrap();
        assert_eq!(
            [default.get("aws_access_key_id"), default.get("aws_secret_access_key"), default.get("region")],
            [Some("A"), Some("B="), Some("eu-west-1")]
        );
        let work = Profile::of(&environment(dir.path(), &[("AWS_PROFILE", "work")])).unwrap();
        assert_eq!([work.get("aws_access_key_id"), work.get("region")], [Some("C"), Some("us-west-2")]);
        for (name, what) in
            [("sso", "gets its credentials by `sso_session`"), ("gone", "is in no file of AWS")]
        {
            let refused = Profile::of(&environment(dir.path(), &[("AWS_PROFILE", name)])).unwrap_err();
            assert!(
                matches!(&refused, Reason::Profile { what: said, .. } if said.contains(what)),
                "{refused:?}"
            );
        }
    }

    #[test]
    fn where_there_is_no_file_nothing_is_said() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Profile::of(&environment(dir.path(), &[])).unwrap(), Profile::default());
    }
}
