//! Programs that a repository's own settings name, and how git is kept from running them.
//!
//! A filter runs whenever git reads or writes a file of the work tree. `.git/config` came with the repository, or was written by
//! whoever worked in it, so a filter that it names does not count; one that the user's own configuration names does. What `git lfs
//! install --local` writes is the one exception: it says no more than that LFS is used, and the program is found as it always is. A driver that
//! merges two versions of a file is such a program, too: in place of one that only the repository names, git merges as it does without.
//!
//! What a filter reads was written by an agent, and so are the settings that it finds in the tree (`.lfsconfig`): where a run has walls,
//! each runs between them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use crate::Error;
use crate::call::{Call, not_understood};

const COMMAND: &str = "config";
/// What is asked for: what may name a program, and how files are stored.
const ASKED: &str = r"^(filter\..*|merge\..*\.driver|core\.(filemode|autocrlf))$";

/// What merges a file where only the repository's own settings name a driver.
const PLAIN_MERGE: &[u8] = b"git merge-file --marker-size=%L %A %O %B";

/// What `git lfs install --local` writes, and where.
const LFS: [(&str, &str); 4] = [
    ("filter.lfs.clean", "git-lfs clean -- %f"),
    ("filter.lfs.smudge", "git-lfs smudge -- %f"),
    ("filter.lfs.process", "git-lfs filter-process"),
    ("filter.lfs.required", "true"),
];

/// What the configuration says about storing files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Storing {
    /// What has to be said instead of what the repository's own settings say.
    instead: Vec<(Vec<u8>, Vec<u8>)>,
    /// The commands of filters that run.
    commands: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The mode of a file means nothing here.
    pub(crate) ignores_modes: bool,
    /// Line ends are converted without an attribute that asks for it.
    pub(crate) converts_lines: bool,
}

impl Storing {
    /// As the repository at hand has it; `call` makes a call in it.
    pub(crate) fn read(call: impl Fn(&'static str) -> Call) -> Result<Self, Error> {
        let asked = with_system(call(COMMAND)).args(["--null", "--show-scope", "--includes"]);
        let output = asked.args(["--get-regexp", ASKED]).run()?;
        // Code 1 says that there is nothing of that sort.
        if !output.success() {
            return Ok(Self::default());
        }
        let fields: Vec<_> =
            output.stdout.strip_suffix(b"\0").unwrap_or_default().split(|&byte| byte == 0).collect();
        let mut found = Vec::new();
        for pair in fields.chunks(2) {
            let [scope, setting] = pair else { return Err(not_understood(COMMAND, &output.stdout)) };
            let at = setting.iter().position(|&byte| byte == b'\n');
            // A name alone says yes.
            let (name, value) =
                at.map_or((*setting, &b"true"[..]), |at| (&setting[..at], &setting[at + 1..]));
            found.push((matches!(*scope, b"local" | b"worktree"), name.to_vec(), value.to_vec()));
        }
        let last = |name: &str| {
            found.iter().rfind(|(_, found, _)| found == name.as_bytes()).map(|(_, _, value)| &value[..])
        };
        Ok(Self {
            ignores_modes: last("core.filemode") == Some(b"false"),
            converts_lines: last("core.autocrlf").is_some_and(|value| value != b"false"),
            commands: commands(&found, &instead(&found)),
            instead: instead(&found),
        })
    }

    /// The same, with each filter run by this command line.
    pub(crate) fn running_in(mut self, line: &[String]) -> Self {
        let commands = self.commands.iter().filter(|_| !line.is_empty());
        let around: Vec<_> =
            commands.map(|(name, command)| (name.clone(), enclosed(line, name, command))).collect();
        self.instead.retain(|(name, _)| !around.iter().any(|(other, _)| other == name));
        self.instead.extend(around);
        self
    }

    /// The names of the filters that run.
    pub(crate) fn run(&self) -> BTreeSet<&[u8]> {
        let name = |setting: &'_ Vec<u8>| {
            Some(setting.len() - COMMANDS.iter().find(|end| setting.ends_with(end))?.len())
        };
        self.commands.keys().filter_map(|setting| setting.get(b"filter.".len()..name(setting)?)).collect()
    }

    /// The filters that would say what is stored, and do not run: the repository's own settings name them, and the user's do not.
    pub(crate) fn held(&self) -> BTreeSet<&[u8]> {
        let nothing =
            self.instead.iter().filter(|(_, value)| value.is_empty()).map(|(setting, _)| &setting[..]);
        let name = |setting: &'_ [u8]| {
            let inner = setting.strip_prefix(b"filter.").expect("only settings of filters are held");
            Some(
                inner.len()
                    - [".clean", ".process"].iter().find(|end| inner.ends_with(end.as_bytes()))?.len(),
            )
        };
        nothing
            .filter_map(|setting| setting.get(b"filter.".len()..b"filter.".len() + name(setting)?))
            .collect()
    }

    /// The same call, with the user's programs and without those of the repository.
    pub(crate) fn harden(&self, call: Call) -> Call {
        let mut call = with_system(call).env("GIT_CONFIG_COUNT", self.instead.len().to_string());
        // Not by `-c`, which takes a name with `=` in it for another one.
        for (number, (name, value)) in self.instead.iter().enumerate() {
            call = call
                .env(format!("GIT_CONFIG_KEY_{number}"), OsString::from_vec(name.clone()))
                .env(format!("GIT_CONFIG_VALUE_{number}"), OsString::from_vec(value.clone()));
        }
        call
    }
}

/// What of the settings of a filter is a command.
const COMMANDS: [&[u8]; 3] = [b".clean", b".smudge", b".process"];

/// The commands that filters have in the end.
fn commands(
    found: &[(bool, Vec<u8>, Vec<u8>)],
    instead: &[(Vec<u8>, Vec<u8>)],
) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let is_command =
        |name: &[u8]| name.starts_with(b"filter.") && COMMANDS.iter().any(|end| name.ends_with(end));
    let said = found.iter().map(|(_, name, value)| (name.clone(), value.clone()));
    let mut commands: BTreeMap<_, _> = said.chain(instead.iter().cloned()).collect();
    commands.retain(|name, value| is_command(name) && !value.is_empty());
    commands
}

/// The command of a filter, run by this line. git puts a path where a command says `%f`, unless it is that of a process.
fn enclosed(line: &[String], name: &[u8], command: &[u8]) -> Vec<u8> {
    let quoted = |text: &[u8]| {
        let inner: Vec<_> = text.split(|&byte| byte == b'\'').collect();
        [b"'", &inner.join(&b"'\\''"[..])[..], b"'"].concat()
    };
    let words: Vec<_> = line.iter().map(|word| quoted(word.as_bytes())).collect();
    let line = [&words.join(&b' ')[..], b" /bin/sh -c "].concat();
    if name.ends_with(b".process") {
        return [line, quoted(command)].concat();
    }
    let line = line.split(|&byte| byte == b'%').collect::<Vec<_>>().join(&b"%%"[..]);
    let mut script = Vec::new();
    let mut rest = command;
    while let Some((&byte, after)) = rest.split_first() {
        let taken = match (byte, after.first()) {
            (b'%', Some(b'f')) => (&b"\"$1\""[..], 2),
            (b'%', Some(b'%')) => (&b"%%"[..], 2),
            _ => (&rest[..1], 1),
        };
        script.extend_from_slice(taken.0);
        rest = &rest[taken.1..];
    }
    [line, quoted(&script), b" sh %f".to_vec()].concat()
}

/// What holds instead of what the repository's own settings say of filters and drivers: what the user says, else nothing.
fn instead(found: &[(bool, Vec<u8>, Vec<u8>)]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let is_lfs =
        |name: &[u8], value: &[u8]| LFS.iter().any(|(n, v)| n.as_bytes() == name && v.as_bytes() == value);
    let local = found.iter().filter(|(is_local, name, value)| *is_local && !is_lfs(name, value));
    let programs = local
        .map(|(_, name, _)| name)
        .filter(|name| name.starts_with(b"filter.") || name.starts_with(b"merge."));
    let held = |name: &Vec<u8>| {
        let users = found.iter().rfind(|(is_local, found, _)| !is_local && found == name);
        let nothing: &[u8] = match &name[..] {
            name if name.starts_with(b"merge.") => PLAIN_MERGE,
            name if name.ends_with(b".required") => b"false",
            _ => b"",
        };
        (name.clone(), users.map_or(nothing, |(_, _, value)| value).to_vec())
    };
    programs.map(held).collect::<BTreeMap<_, _>>().into_iter().collect()
}

/// What is set for the whole machine names no program of the repository's: mostly it is where LFS is installed.
fn with_system(call: Call) -> Call {
    call.env("GIT_CONFIG_NOSYSTEM", "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(settings: &[(bool, &str, &str)]) -> Vec<String> {
        let found: Vec<_> = settings
            .iter()
            .map(|(local, name, value)| (*local, name.as_bytes().to_vec(), value.as_bytes().to_vec()))
            .collect();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        instead(&found).iter().map(|(name, value)| format!("{}={}", text(name), text(value))).collect()
    }

    #[test]
    fn a_filter_of_the_repository_is_replaced_by_that_of_the_user_or_by_none() {
        assert_eq!(held(&[(false, "filter.lfs.clean", "git-lfs clean -- %f")]), Vec::<String>::new());
        let evil = [
            (true, "filter.a=b.clean", "evil"),
            (true, "filter.a=b.required", "true"),
            (true, "core.autocrlf", "true"),
        ];
        assert_eq!(held(&evil), ["filter.a=b.clean=", "filter.a=b.required=false"]);
        let both = [
            (false, "filter.x.clean", "good"),
            (true, "filter.x.clean", "evil"),
            (true, "filter.x.smudge", "evil"),
        ];
        assert_eq!(held(&both), ["filter.x.clean=good", "filter.x.smudge="]);
    }

    #[test]
    fn a_filter_that_the_user_names_too_is_not_held() {
        let held = |settings: &[(bool, &str, &str)]| {
            let bytes = |text: &str| text.as_bytes().to_vec();
            let found: Vec<_> =
                settings.iter().map(|(local, name, value)| (*local, bytes(name), bytes(value))).collect();
            let storing = Storing { instead: instead(&found), ..Storing::default() };
            storing
                .held()
                .into_iter()
                .map(|name| String::from_utf8_lossy(name).into_owned())
                .collect::<Vec<_>>()
        };
        let local = (true, "filter.lfs.clean", "git-lfs clean --skip");
        assert_eq!(held(&[local, (true, "filter.a.b.process", "evil")]), ["a.b", "lfs"]);
        assert_eq!(held(&[(false, "filter.lfs.clean", "git-lfs clean -- %f"), local]), Vec::<String>::new());
        assert_eq!(held(&[(true, "filter.x.smudge", "evil")]), Vec::<String>::new(), "it stores nothing");
    }

    #[test]
    fn a_filter_between_walls_is_still_told_its_file() {
        let line = ["walls".to_owned(), "50%".to_owned()];
        let said = |name: &str, command: &str| {
            String::from_utf8(enclosed(&line, name.as_bytes(), command.as_bytes())).unwrap()
        };
        assert_eq!(
            said("filter.x.clean", "it's -- %f 5%% %d"),
            r#"'walls' '50%%' /bin/sh -c 'it'\''s -- "$1" 5%% %d' sh %f"#
        );
        assert_eq!(said("filter.x.process", "a %f"), r"'walls' '50%' /bin/sh -c 'a %f'");
        let bytes = |text: &str| text.as_bytes().to_vec();
        let found = [
            (false, bytes("filter.x.clean"), bytes("good")),
            (true, bytes("filter.y.clean"), bytes("evil")),
            (false, bytes("filter.x.required"), bytes("true")),
        ];
        let (commands, instead) = (commands(&found, &instead(&found)), instead(&found));
        let storing = Storing { commands, instead, ..Storing::default() }.running_in(&line);
        assert_eq!(storing.run(), BTreeSet::from([&b"x"[..]]));
        assert_eq!(storing.held(), BTreeSet::from([&b"y"[..]]));
        assert_eq!(storing.instead.len(), 2);
    }

    #[test]
    fn lfs_that_is_installed_for_one_repository_counts_as_long_as_it_is_lfs() {
        let lfs = LFS.map(|(name, value)| (true, name, value));
        assert_eq!(held(&lfs), Vec::<String>::new());
        assert!(!held(&[lfs[0], (true, "filter.lfs.process", "./git-lfs filter-process")]).is_empty());
    }
}
