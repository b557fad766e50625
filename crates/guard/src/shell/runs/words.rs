//! What the words of one command start: a program behind its wrappers, a script behind its interpreter.

use std::collections::BTreeMap;

use crate::vocabulary::SHELLS;

/// Programs that run what follows them, with the options that have a value of their own and how many words come before what they run.
const WRAPPERS: [(&str, &str, usize); 26] = [
    ("timeout", "ks", 1),
    ("gtimeout", "ks", 1),
    ("env", "uCS", 0),
    ("nice", "n", 0),
    ("ionice", "cnp", 0),
    ("chrt", "", 1),
    ("taskset", "", 1),
    ("command", "", 0),
    ("builtin", "", 0),
    ("exec", "a", 0),
    ("nohup", "", 0),
    ("setsid", "", 0),
    ("stdbuf", "ioe", 0),
    ("unbuffer", "", 0),
    ("time", "fo", 0),
    ("flock", "wE", 1),
    ("sudo", "ugCDhprRTU", 0),
    ("doas", "uC", 0),
    ("xargs", "adEILnPs", 0),
    ("xvfb-run", "nsefp", 0),
    ("faketime", "f", 1),
    ("chronic", "", 0),
    ("strace", "eopsEu", 0),
    ("busybox", "", 0),
    ("retry", "tdm", 0),
    ("watch", "nd", 0),
];

/// The same behind a word of their own: `uv run sh x`.
const RUNNERS: [&str; 7] = ["uv", "poetry", "pipenv", "pdm", "hatch", "rye", "bundle"];

/// Programs that run the script which follows, with the options that have a value of their own.
const INTERPRETERS: [(&str, &str); 12] = [
    ("python", "cmWXQ"),
    ("pypy", "cmWXQ"),
    ("node", "rep"),
    ("deno", ""),
    ("tsx", ""),
    ("ts-node", "rPO"),
    ("ruby", "rIe"),
    ("perl", "Ie"),
    ("php", "dcfr"),
    ("lua", "el"),
    ("Rscript", "e"),
    ("awk", "Fv"),
];

/// Long options with a value of their own, as far as one of these programs has them.
const WITH_VALUE: [&str; 13] = [
    "--command",
    "--signal",
    "--kill-after",
    "--unset",
    "--chdir",
    "--user",
    "--group",
    "--adjustment",
    "--rcfile",
    "--init-file",
    "--require",
    "--directory",
    "--prefix",
];

/// What a package manager does not run scripts by.
const NOT_SCRIPTS: [&str; 16] = [
    "install", "i", "ci", "add", "remove", "exec", "dlx", "x", "init", "publish", "pack", "config", "audit",
    "update", "upgrade", "create",
];

/// What a command starts.
pub(super) enum Started {
    Nothing,
    /// It goes on in another directory.
    Enters(String),
    /// A script in a word.
    Text(String),
    /// The same in another directory.
    Within {
        directory: String,
        words: Vec<String>,
    },
    /// Files, run by a shell or by something else.
    Files {
        names: Vec<String>,
        is_shell: bool,
    },
    /// A file whose text is taken as if it stood there.
    Sourced(String),
    /// A module of Python.
    Module(String),
    Make {
        directory: Vec<String>,
        files: Vec<String>,
        targets: Vec<String>,
    },
    PackageScript {
        directory: Vec<String>,
        name: String,
    },
}

/// The name of a program without its place and version.
pub(super) fn program(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.')
}

pub(super) fn is_python(word: &str) -> bool {
    matches!(program(word), "python" | "pypy" | "pytest" | "py.test" | "tox" | "nox")
}

pub(super) fn is_interpreter(word: &str) -> bool {
    is_shell(word) || INTERPRETERS.iter().any(|(interpreter, _)| *interpreter == program(word))
}

pub(super) fn is_shell(word: &str) -> bool {
    SHELLS.contains(&program(word))
}

/// The text with the variables that are known.
pub(super) fn expand(text: &str, variables: &BTreeMap<String, String>) -> String {
    let (mut rest, mut out) = (text, String::new());
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let braced = after.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let is_name = |character: char| character.is_alphanumeric() || character == '_';
        let end = after.find(|character| !is_name(character)).unwrap_or(after.len());
        let (name, left) = braced.unwrap_or((&after[..end], &after[end..]));
        match variables.get(name) {
            Some(value) => out.push_str(value),
            None => out.push_str(&rest[at..rest.len() - left.len()]),
        }
        rest = left;
    }
    out + rest
}

/// The programs that these words start: wrappers, and what they run.
pub(super) fn programs(words: &[String]) -> Vec<String> {
    let (mut words, mut found) = (words, Vec::new());
    while let Some((first, rest)) = words.split_first() {
        if is_assignment(first) {
            words = rest;
            continue;
        }
        found.push(first.clone());
        let wrapper = WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == program(first));
        let Some((_, valued, count)) = wrapper else { break };
        let rest = options(rest, valued).rest;
        words = &rest[(*count).min(rest.len())..];
    }
    found
}

/// What these words start.
pub(super) fn started(words: &[String]) -> Started {
    let mut words = words;
    // A wrapper takes words away each time.
    while let Some((first, rest)) = words.split_first() {
        let name = program(first);
        if is_assignment(first) {
            words = rest;
            continue;
        }
        if let Some((_, valued, count)) = WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == name) {
            let Options { values, rest } = options(rest, valued);
            if let Some(text) = values.iter().find(|(option, _)| name == "env" && option == "S") {
                let words =
                    text.1.split_whitespace().map(str::to_owned).chain(rest.iter().cloned()).collect();
                return Started::Within { directory: ".".to_owned(), words };
            }
            if let ("flock", [_, flag, text, ..]) = (name, rest)
                && flag == "-c"
            {
                return Started::Text(text.clone());
            }
            let rest = &rest[(*count).min(rest.len())..];
            let directory =
                values.iter().find(|(option, _)| matches!(option.as_str(), "C" | "D" | "--chdir"));
            if let Some((_, directory)) = directory.filter(|_| matches!(name, "env" | "sudo")) {
                return Started::Within { directory: directory.clone(), words: rest.to_vec() };
            }
            words = rest;
            continue;
        }
        if RUNNERS.contains(&name) && rest.first().is_some_and(|word| matches!(word.as_str(), "run" | "exec"))
        {
            words = options(&rest[1..], "p").rest;
            continue;
        }
        return of_program(first, name, rest);
    }
    Started::Nothing
}

fn of_program(first: &str, name: &str, rest: &[String]) -> Started {
    let sourced = |name: &String| Started::Sourced(name.clone());
    match name {
        "cd" | "pushd" => options(rest, "")
            .rest
            .first()
            .map_or(Started::Nothing, |directory| Started::Enters(directory.clone())),
        "" if first == "." => rest.first().map_or(Started::Nothing, sourced),
        "source" => rest.first().map_or(Started::Nothing, sourced),
        // It writes down what a command says.
        "script" => {
            let values = options(rest, "cEIOTBm").values;
            let text = values.into_iter().find(|(option, _)| option == "c" || option == "--command");
            text.map_or(Started::Nothing, |(_, text)| Started::Text(text))
        }
        "eval" => Started::Text(rest.join(" ")),
        "make" | "gmake" => make(rest),
        "npm" | "yarn" | "pnpm" | "bun" => package(name, rest),
        _ if is_shell(first) => shell(rest),
        _ => match INTERPRETERS.iter().find(|(interpreter, _)| *interpreter == name) {
            Some((interpreter, valued)) => interpreted(first, interpreter, valued, rest),
            None => Started::Files { names: vec![first.to_owned()], is_shell: false },
        },
    }
}

fn shell(rest: &[String]) -> Started {
    let after = options(rest, "oO").rest;
    let is_text = rest[..rest.len() - after.len()]
        .iter()
        .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('c'));
    match after.first() {
        Some(text) if is_text => Started::Text(text.clone()),
        Some(name) => Started::Files { names: vec![name.clone()], is_shell: true },
        None => Started::Nothing,
    }
}

fn interpreted(first: &str, interpreter: &str, valued: &str, rest: &[String]) -> Started {
    let rest = match rest.split_first() {
        Some((word, rest)) if interpreter == "deno" && word == "run" => rest,
        _ => rest,
    };
    let Options { values, rest: after } = options(rest, valued);
    let module = values.iter().find(|(option, _)| interpreter.starts_with("py") && option == "m");
    if let Some((_, name)) = module {
        return Started::Module(name.clone());
    }
    let is_given = |option: &str| matches!(option, "c" | "e" | "p");
    let required = values.iter().filter(|(option, _)| matches!(option.as_str(), "r" | "--require" | "f"));
    let mut names: Vec<String> = required.map(|(_, name)| name.clone()).collect();
    names.push(first.to_owned());
    if !values.iter().any(|(option, _)| is_given(option) && !(interpreter == "ruby" && option == "p")) {
        names.extend(after.first().cloned());
        // What the name may be short for.
        let endings: &[&str] = match interpreter {
            "node" | "tsx" | "ts-node" => &[".js", ".cjs", ".mjs", ".ts", "/index.js", "/package.json"],
            "python" | "pypy" => &["/__main__.py"],
            _ => &[],
        };
        let longer =
            after.first().into_iter().flat_map(|name| endings.iter().map(move |end| format!("{name}{end}")));
        names.extend(longer);
    }
    Started::Files { names, is_shell: false }
}

fn make(rest: &[String]) -> Started {
    let (mut directory, mut files, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let (option, attached) = match word.split_at_checked(2) {
            Some((option, attached)) if option.starts_with('-') && !word.starts_with("--") => {
                (option, attached)
            }
            _ => (word.split_once('=').map_or(word.as_str(), |(option, _)| option), ""),
        };
        let long = word.split_once('=').map(|(_, value)| value.to_owned());
        let mut value = || match attached.is_empty() {
            true => long.clone().or_else(|| words.next().cloned()),
            false => Some(attached.to_owned()),
        };
        match option {
            "-C" | "--directory" => directory.extend(value()),
            "-f" | "--file" | "--makefile" => files.extend(value()),
            "-I" | "-o" | "-W" => drop(value()),
            "-j" | "-l" if attached.is_empty() => {
                // Its number is one of the words that name no target.
            }
            _ if word.starts_with('-') || word.contains('=') => {}
            _ if word.chars().all(|character| character.is_ascii_digit()) => {}
            _ => targets.push(word.clone()),
        }
    }
    Started::Make { directory, files, targets }
}

fn package(name: &str, rest: &[String]) -> Started {
    let Options { values, rest } = options(rest, "CFw");
    let directories =
        values.into_iter().filter(|(option, _)| matches!(option.as_str(), "C" | "--prefix" | "--cwd"));
    let directory: Vec<_> = directories.map(|(_, directory)| directory).collect();
    let script = |name: &str| Started::PackageScript { directory: directory.clone(), name: name.to_owned() };
    match rest {
        [run, rest @ ..] if matches!(run.as_str(), "run" | "run-script" | "rum") => {
            match options(rest, "CFw").rest.first() {
                // `bun run FILE`.
                Some(name) if name.contains('/') || name.ends_with(".ts") || name.ends_with(".js") => {
                    Started::Files { names: vec![name.clone()], is_shell: false }
                }
                Some(name) => script(name),
                None => Started::Nothing,
            }
        }
        [word, ..] if matches!(word.as_str(), "t" | "tst") => script("test"),
        [word, ..] if NOT_SCRIPTS.contains(&word.as_str()) => Started::Nothing,
        [word, ..] if name != "npm" || matches!(word.as_str(), "test" | "start" | "stop" | "restart") => {
            script(word)
        }
        _ => Started::Nothing,
    }
}

struct Options<'a> {
    /// Options with what was given to them.
    values: Vec<(String, String)>,
    rest: &'a [String],
}

/// Passes by options; those of the letters `valued` have a value of their own.
fn options<'a>(words: &'a [String], valued: &str) -> Options<'a> {
    let (mut values, mut rest) = (Vec::new(), words);
    while let Some((word, after)) = rest.split_first() {
        let is_option = word.len() > 1 && word.starts_with(['-', '+']) && word != "--";
        if !is_option {
            rest = if word == "--" { after } else { rest };
            break;
        }
        rest = after;
        if word.starts_with("--") {
            match word.split_once('=') {
                Some((option, value)) => values.push((option.to_owned(), value.to_owned())),
                None if WITH_VALUE.contains(&word.as_str()) => {
                    values.extend(rest.first().map(|value| (word.clone(), value.clone())));
                    rest = rest.get(1..).unwrap_or_default();
                }
                None => {}
            }
            continue;
        }
        let letters = &word[1..];
        let Some((at, letter)) = letters.char_indices().find(|(_, letter)| valued.contains(*letter)) else {
            continue;
        };
        let attached = &letters[at + letter.len_utf8()..];
        match attached.is_empty() {
            true => {
                values.extend(rest.first().map(|value| (letter.to_string(), value.clone())));
                rest = rest.get(1..).unwrap_or_default();
                // `-m NAME` ends what is the interpreter's.
                if letter == 'm' {
                    break;
                }
            }
            false => values.push((letter.to_string(), attached.to_owned())),
        }
    }
    Options { values, rest }
}

pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|character| character.is_alphanumeric() || character == '_')
    })
}
