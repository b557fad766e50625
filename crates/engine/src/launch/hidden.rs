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
const SECRET: [&str; 57] = [
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
    "~/.docker/contexts",
    "~/.config/github-copilot",
    "~/.config/helm/registry",
    "~/.my.cnf",
    "~/.mylogin.cnf",
    "~/.kaggle",
    "$AWS_CONFIG_FILE",
];

/// What builds need, and what may hold a secret beside it: hidden where it does.
const MIXED: [&str; 16] = [
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
    "~/.wgetrc",
    "~/.cargo/config",
];

/// Whose name and mail is in commits, and what git does: hidden only where a login is written into it.
const OF_GIT: [&str; 2] = ["~/.gitconfig", "~/.config/git/config"];

/// Signs of a secret, in small letters.
const SIGNS: [&str; 8] =
    ["_auth", "authtoken", "password", "passphrase", "secret", "token=", "token =", "/t/"];

/// Places of agents that others use as well.
const SHARED: [&str; 3] = ["~/.cache", "~/.npm", "~/.local/state"];

/// Where programs look instead of the usual place, where a variable says so: a directory, or a file itself.
const MOVED: [(&str, &str); 35] = [
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
    ("~/.cache/", "$XDG_CACHE_HOME/"),
    ("~/.cache/huggingface/", "$HF_HOME/"),
    ("~/.cache/huggingface/token", "$HF_TOKEN_PATH"),
    ("~/.pgpass", "$PGPASSFILE"),
    ("~/.boto", "$BOTO_CONFIG"),
    ("~/.databrickscfg", "$DATABRICKS_CONFIG_FILE"),
    ("~/.config/rclone", "$RCLONE_CONFIG"),
    ("~/.config/sops", "$SOPS_AGE_KEY_FILE"),
    ("~/.config/containers/auth.json", "$REGISTRY_AUTH_FILE"),
    ("~/.oci", "$OCI_CLI_CONFIG_FILE"),
    ("~/.condarc", "$CONDARC"),
    ("~/.bundle/config", "$BUNDLE_USER_CONFIG"),
    ("~/.pulumi/", "$PULUMI_HOME/"),
    ("~/.fly/", "$FLY_CONFIG_DIR/"),
    ("~/.npmrc", "$NPM_CONFIG_GLOBALCONFIG"),
    ("~/.npmrc", "$npm_config_globalconfig"),
    ("~/.gitconfig", "$GIT_CONFIG_GLOBAL"),
];

/// Every place that a word means: the usual one, where a variable moves it to, and each that a variable lists. A value that is not
/// absolute counts from the tree, where everything is started, and from the home where it begins with `~/`.
fn meant(word: &str, tree: &Path) -> Vec<PathBuf> {
    let moved = MOVED.iter().flat_map(|(usual, variable)| {
        let rest = word.strip_prefix(usual).filter(|rest| rest.is_empty() || usual.ends_with('/'));
        rest.map(|rest| values(&format!("{variable}{rest}"), tree)).unwrap_or_default()
    });
    let usual = if word.starts_with('$') { values(word, tree) } else { place_of(word).into_iter().collect() };
    // A whole tree is no login.
    usual.into_iter().chain(moved).filter(|place| !tree.starts_with(place)).collect()
}

/// What `$NAME` and `$NAME/below` stand for.
fn values(word: &str, tree: &Path) -> Vec<PathBuf> {
    let name = word.trim_start_matches('$');
    let (name, below) = name.split_once('/').unwrap_or((name, ""));
    let Some(value) = std::env::var_os(name).filter(|value| !value.is_empty()) else { return Vec::new() };
    let whole = [PathBuf::from(&value)].into_iter();
    let each = whole.chain(std::env::split_paths(&value)).filter(|path| !path.as_os_str().is_empty());
    let places: BTreeSet<PathBuf> = each
        .filter_map(|path| match path.strip_prefix("~") {
            Ok(rest) => place_of("~/").map(|home| home.join(rest)),
            Err(_) => Some(tree.join(path)),
        })
        .collect();
    let below = |place: PathBuf| if below.is_empty() { place } else { place.join(below) };
    places.into_iter().map(below).collect()
}

/// What is hidden from an agent that keeps its own things in `own` and works in `tree`, or from nobody's work where the first is empty.
pub fn places(own: &[String], tree: &Path) -> BTreeSet<PathBuf> {
    let mixed = MIXED.iter().flat_map(|word| meant(word, tree)).filter(|place| holds_a_secret(place));
    let of_git: Vec<_> = OF_GIT.iter().flat_map(|word| meant(word, tree)).collect();
    let stores = of_git.iter().flat_map(|place| stores(place));
    let of_git =
        of_git.iter().filter(|place| text_of(place).is_some_and(|text| text.lines().any(is_login_of_git)));
    let logins = KNOWN_AGENTS.into_iter().filter_map(built_in).flat_map(|agent| agent.run.writes);
    let others = logins.filter(|login| !own.contains(login) && !SHARED.contains(&login.as_str()));
    let others: Vec<_> = others.flat_map(|login| meant(&login, tree)).collect();
    let all = SECRET.iter().flat_map(|word| meant(word, tree)).chain(mixed).chain(others);
    let all = all.chain(of_git.cloned()).chain(stores);
    // What opens the journal is for no agent.
    let all = all.chain(crate::keys::files());
    // Where it leads to counts: there it would be read.
    let all: BTreeSet<_> = all.filter_map(|place| place.canonicalize().ok()).collect();
    let own: Vec<_> = places_of(own).into_iter().filter_map(|place| place.canonicalize().ok()).collect();
    all.into_iter().filter(|place| !own.iter().any(|own| own.starts_with(place))).collect()
}

/// What a file of settings says; nothing where it is none.
fn text_of(place: &Path) -> Option<String> {
    const BYTES_MAX: u64 = 1 << 20;
    let mut text = Vec::new();
    let file = place.is_file().then(|| File::open(place).ok())??;
    file.take(BYTES_MAX).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Whether a line of git's settings holds a login itself; the name of a program that keeps one is none.
fn is_login_of_git(line: &str) -> bool {
    const NAMES: [&str; 6] = ["password", "pass", "smtppass", "token", "oauthtoken", "extraheader"];
    const TOKEN_CHARS_MIN: usize = 20;
    let name = line.split('=').next().unwrap_or_default().trim().to_lowercase();
    let is_named = line.contains('=') && NAMES.contains(&name.as_str());
    let has_token = line.split("://").skip(1).any(|address| {
        let user = address.split(['/', '"']).next().unwrap_or_default().split_once('@');
        user.is_some_and(|(user, _)| user.len() >= TOKEN_CHARS_MIN)
    });
    is_named || has_token || names_a_user(line)
}

/// Where git's settings have logins kept: `helper = store --file PATH`.
fn stores(settings: &Path) -> Vec<PathBuf> {
    let text = text_of(settings).unwrap_or_default();
    let file = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let helper = value.trim().trim_matches('"');
        let is_store = name.trim().eq_ignore_ascii_case("helper") && helper.starts_with("store");
        let (_, file) = helper.split_once("--file").filter(|_| is_store)?;
        let file = file.trim_start_matches(['=', ' ']).trim_matches(['"', '\'', '\\', ' ']);
        place_of(file).filter(|place| place.is_absolute())
    };
    text.lines().filter_map(file).collect()
}

fn holds_a_secret(place: &Path) -> bool {
    let Some(text) = text_of(place) else { return false };
    let text = text.to_lowercase();
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
        let hidden: BTreeSet<String> =
            SECRET.iter().chain(&MIXED).chain(&OF_GIT).map(|word| (*word).to_owned()).collect();
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

    #[test]
    fn settings_of_git_are_hidden_only_where_a_login_is_in_them() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("settings");
        for (line, expected) in [
            ("\tname = Ann", false),
            ("\thelper = /usr/lib/git-core/git-credential-libsecret", false),
            ("[url \"git@github.com:\"]", false),
            ("\tinsteadOf = https://github.com/", false),
            ("\tproxy = http://me:pass@proxy:3128", true),
            ("[url \"https://ghp_0123456789abcdefghijklmn@github.com/\"]", true),
            ("\textraheader = AUTHORIZATION: basic abc", true),
            ("\tsmtpPass = abc", true),
        ] {
            assert_eq!(is_login_of_git(line), expected, "{line}");
        }
        let text = "[credential]\n\thelper = store --file /srv/logins\n\thelper = cache\n";
        piton_sys::file::write_atomic(&place, text.as_bytes(), piton_sys::file::Durability::Unsynced)
            .unwrap();
        assert_eq!(stores(&place), [PathBuf::from("/srv/logins")]);
    }
}
