//! What is not seen between walls although it can be read outside: keys, tokens, and the logins of other agents.
//!
//! Reading and a network together mean that it can leave. `[confine] read` names what has to be seen all the same.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use piton_config::{KNOWN_AGENTS, built_in};

use super::walls::{place_of, places_of};

/// What holds nothing else.
const SECRET: [&str; 51] = [
    "~/.ssh",
    "~/.gnupg",
    "$GNUPGHOME",
    "~/.password-store",
    "~/.local/share/keyrings",
    "~/.netrc",
    "~/.authinfo",
    "~/.git-credentials",
    "~/.config/git/credentials",
    "~/.config/gh",
    "~/.config/hub",
    "~/.config/glab-cli",
    "~/.aws",
    "$AWS_SHARED_CREDENTIALS_FILE",
    "~/.azure",
    "~/.config/gcloud",
    "$CLOUDSDK_CONFIG",
    "$GOOGLE_APPLICATION_CREDENTIALS",
    "~/.kube",
    "$KUBECONFIG",
    "~/.docker/config.json",
    "$DOCKER_CONFIG",
    "~/.terraform.d/credentials.tfrc.json",
    "~/.vault-token",
    "~/.config/op",
    "~/.cargo/credentials.toml",
    "~/.cargo/credentials",
    "~/.pypirc",
    "~/.gem/credentials",
    "~/.composer/auth.json",
    "~/.config/composer/auth.json",
    "~/.m2/settings-security.xml",
    "~/.config/containers/auth.json",
    "~/.config/pypoetry/auth.toml",
    "~/.hex/hex.config",
    "~/.ivy2/.credentials",
    "~/.sbt/.credentials",
    "~/.sbt/1.0/credentials.sbt",
    "~/.oci",
    "~/.config/doctl",
    "~/.config/hcloud",
    "~/.config/rclone",
    "~/.pulumi/credentials.json",
    "~/.fly/config.yml",
    "~/.boto",
    "~/.s3cfg",
    "~/.databrickscfg",
    "~/.config/sops",
    "~/.cache/huggingface/token",
    "~/.pgpass",
    "$AWS_CONFIG_FILE",
];

/// What builds need, and what may hold a secret beside it: hidden where it does.
const MIXED: [&str; 14] = [
    "~/.npmrc",
    "~/.yarnrc",
    "~/.yarnrc.yml",
    "~/.bunfig.toml",
    "~/.m2/settings.xml",
    "~/.gradle/gradle.properties",
    "~/.config/pip/pip.conf",
    "~/.pip/pip.conf",
    "~/.config/uv/uv.toml",
    "~/.nuget/NuGet/NuGet.Config",
    "~/.cargo/config.toml",
    "~/.condarc",
    "~/.bundle/config",
    "~/.terraformrc",
];

/// Signs of a secret, in small letters.
const SIGNS: [&str; 8] =
    ["_auth", "authtoken", "password", "passphrase", "secret", "token=", "token =", "/t/"];

/// Places of agents that others use as well.
const SHARED: [&str; 3] = ["~/.cache", "~/.npm", "~/.local/state"];

/// Where programs look instead of the usual place, where a variable says so: a directory, or a file itself.
const MOVED: [(&str, &str); 18] = [
    ("~/.config/", "$XDG_CONFIG_HOME/"),
    ("~/.local/share/", "$XDG_DATA_HOME/"),
    ("~/.local/state/", "$XDG_STATE_HOME/"),
    ("~/.cargo/", "$CARGO_HOME/"),
    ("~/.npmrc", "$NPM_CONFIG_USERCONFIG"),
    ("~/.npmrc", "$npm_config_userconfig"),
    ("~/.claude", "$CLAUDE_CONFIG_DIR"),
    ("~/.azure", "$AZURE_CONFIG_DIR"),
    ("~/.config/gh", "$GH_CONFIG_DIR"),
    ("~/.config/glab-cli", "$GLAB_CONFIG_DIR"),
    ("~/.gradle/", "$GRADLE_USER_HOME/"),
    ("~/.password-store", "$PASSWORD_STORE_DIR"),
    ("~/.composer/", "$COMPOSER_HOME/"),
    ("~/.config/composer/", "$COMPOSER_HOME/"),
    ("~/.config/pip/pip.conf", "$PIP_CONFIG_FILE"),
    ("~/.terraformrc", "$TF_CLI_CONFIG_FILE"),
    ("~/.netrc", "$NETRC"),
    ("~/.config/uv/uv.toml", "$UV_CONFIG_FILE"),
];

/// Every place that a word means: the usual one, where a variable moves it to, and each that a variable lists.
fn meant(word: &str) -> Vec<PathBuf> {
    let moved = MOVED.iter().filter_map(|(usual, variable)| {
        let rest = word.strip_prefix(usual)?;
        (rest.is_empty() || usual.ends_with('/')).then(|| place_of(&format!("{variable}{rest}")))?
    });
    let listed = word.strip_prefix('$').and_then(std::env::var_os);
    let listed: Vec<_> =
        listed.iter().flat_map(std::env::split_paths).filter(|path| path.is_absolute()).collect();
    place_of(word).into_iter().chain(moved).chain(listed).collect()
}

/// What is hidden from an agent that keeps its own things in `own`, or from nobody's work where that is empty.
pub fn places(own: &[String]) -> BTreeSet<PathBuf> {
    let mixed = MIXED.iter().flat_map(|word| meant(word)).filter(|place| holds_a_secret(place));
    let logins = KNOWN_AGENTS.into_iter().filter_map(built_in).flat_map(|agent| agent.run.writes);
    let others = logins.filter(|login| !own.contains(login) && !SHARED.contains(&login.as_str()));
    let others: Vec<_> = others.flat_map(|login| meant(&login)).collect();
    let all = SECRET.iter().flat_map(|word| meant(word)).chain(mixed).chain(others);
    // What opens the journal is for no agent.
    let all = all.chain(crate::keys::files());
    // Where it leads to counts: there it would be read.
    let all: BTreeSet<_> = all.filter_map(|place| place.canonicalize().ok()).collect();
    let own: Vec<_> = places_of(own).into_iter().filter_map(|place| place.canonicalize().ok()).collect();
    all.into_iter().filter(|place| !own.iter().any(|own| own.starts_with(place))).collect()
}

fn holds_a_secret(place: &Path) -> bool {
    const BYTES_MAX: u64 = 1 << 20;
    let mut text = Vec::new();
    let is_file = place.is_file();
    if !is_file || File::open(place).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut text)).is_err() {
        return false;
    }
    let text = String::from_utf8_lossy(&text).to_lowercase();
    SIGNS.iter().any(|sign| text.contains(sign))
        || text.lines().any(names_a_user)
        || text.lines().any(is_of_bundler)
}

/// Whether it is what bundler keeps for a host: a user and a password. The name of the host is in that of the setting.
fn is_of_bundler(line: &str) -> bool {
    let setting =
        line.split_once(": ").filter(|(name, _)| name.starts_with("bundle_") && name.contains("__"));
    setting.is_some_and(|(_, value)| value.contains(':') && !value.contains("://"))
}

/// Whether there is an address with a user and a password in it.
fn names_a_user(line: &str) -> bool {
    line.split("://").skip(1).any(|address| {
        let host = address.split(['/', ' ', '"', '\'']).next().unwrap_or_default();
        host.split_once('@').is_some_and(|(user, _)| user.contains(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who reads docs/walls.md knows every place: none is hidden that it does not name, and none is named that is seen.
    #[test]
    fn the_page_about_walls_names_every_place_that_is_hidden() {
        let page = include_str!("../../../../docs/walls.md");
        let (_, rest) = page.split_once("\n## What is not seen\n").unwrap();
        let rows = rest.split("\n## ").next().unwrap().lines().filter(|line| line.starts_with("| "));
        let words = rows
            .filter(|row| !row.contains("other agents"))
            .flat_map(|row| row.split('`').skip(1).step_by(2));
        let word_of = |word: &str| if word.starts_with('~') { word.to_owned() } else { format!("${word}") };
        let said: BTreeSet<String> = words.map(word_of).collect();
        let hidden: BTreeSet<String> = SECRET.iter().chain(&MIXED).map(|word| (*word).to_owned()).collect();
        assert_eq!(said, hidden);
    }

    #[test]
    fn a_file_of_settings_is_hidden_where_it_holds_a_secret() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("settings");
        for (text, secret) in [
            ("registry=https://registry.example.org/\n", false),
            ("//registry.example.org/:_authToken=abc\n", true),
            ("index-url = https://me:pass@pypi.example.org/simple\n", true),
            ("index-url = https://pypi.example.org/simple@1:2\n", false),
            ("<server><password>x</password></server>\n", true),
            ("org.gradle.jvmargs=-Xmx2g\n", false),
            ("BUNDLE_GEMS__EXAMPLE__ORG: \"me:pass\"\n", true),
            ("BUNDLE_PATH: \"vendor/bundle\"\n", false),
            ("token = \"abc\"\n", true),
        ] {
            piton_sys::file::write_atomic(&place, text.as_bytes(), piton_sys::file::Durability::Unsynced)
                .unwrap();
            assert_eq!(holds_a_secret(&place), secret, "{text}");
        }
        assert!(!holds_a_secret(&directory.path().join("none")));
    }
}
