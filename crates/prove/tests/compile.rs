//! How many mutants are still programs, over the projects of the guard's corpus.
//!
//! The first test asks the grammar and runs always. The others ask compilers, take minutes, and are for whoever changes
//! an operator: `cargo test -p piton-prove --test compile -- --ignored --nocapture`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use piton_guard::Outline;
use piton_prove::mutate::{Mutant, mutants};

/// The projects of the corpus, or others that somebody names.
fn projects() -> PathBuf {
    let corpus = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../guard/corpus/projects");
    std::env::var_os("PROVE_PROJECTS").map_or_else(corpus, PathBuf::from)
}

/// The files of a directory, by their paths in it.
fn files(root: &Path) -> Vec<(String, String)> {
    let (mut found, mut directories) = (Vec::new(), vec![root.to_owned()]);
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory of the corpus").flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                let name = path.strip_prefix(root).expect("a file below its root");
                found.push((name.to_string_lossy().into_owned(), text));
            }
        }
    }
    found.sort();
    found
}

#[expect(clippy::print_stdout, reason = "figures are what this is run for")]
fn say(line: &str) {
    println!("{line}");
}

fn extension(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or_default()
}

/// Whole projects of a language, by the start of their names.
fn projects_of(start: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(projects()).expect("the corpus").flatten().map(|entry| entry.path());
    let is_wanted =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
    let mut found: Vec<_> = entries.filter(is_wanted).collect();
    found.sort();
    found
}

#[derive(Default)]
struct Share {
    all: usize,
    good: usize,
}

/// Shares by language and operator.
#[derive(Default)]
struct Shares(BTreeMap<String, Share>);

impl Shares {
    fn count(&mut self, language: &str, mutant: &Mutant, is_good: bool) {
        for key in [language.to_owned(), format!("{language} {:?}", mutant.operator)] {
            let share = self.0.entry(key).or_default();
            share.all += 1;
            share.good += usize::from(is_good);
        }
    }

    fn print(&self, what: &str) {
        for (name, share) in &self.0 {
            say(&format!("{name}: {}/{} {what}, {:.1} %", share.good, share.all, self.percent(name)));
        }
    }

    fn percent(&self, name: &str) -> f64 {
        self.0.get(name).map_or(0.0, |share| share.good as f64 * 100.0 / share.all as f64)
    }
}

#[test]
fn mutants_still_parse() {
    let mut shares = Shares::default();
    for (path, text) in files(&projects()) {
        if !Outline::of(&path, &text).is_some_and(|outline| outline.is_sound) {
            continue;
        }
        for mutant in mutants(&path, &text) {
            let after = mutant.apply(&text);
            let parses = Outline::of(&path, &after).is_some_and(|outline| outline.is_sound);
            if !parses {
                say(&format!("{path}:{}: {:?}", mutant.line, mutant.lines(&text)));
            }
            shares.count(extension(&path), &mutant, parses);
        }
    }
    shares.print("parse");
    for language in ["rs", "py", "js", "ts", "go"] {
        assert!(shares.0.get(language).is_some_and(|share| share.all > 200), "{language} has mutants");
        assert!(shares.percent(language) >= 98.0, "{language}: {:.1} % parse", shares.percent(language));
    }
}

/// Compiles every mutant of the projects of a language, each in a copy of its project.
fn compiled(start: &str, compile: impl Fn(&Path, &str) -> bool) -> Shares {
    let mut shares = Shares::default();
    for project in projects_of(start) {
        let files = files(&project);
        let scratch = std::env::temp_dir().join(format!("piton-prove-{start}-{}", std::process::id()));
        write_all(&scratch, &files);
        for (path, text) in &files {
            let found = mutants(path, text);
            if found.is_empty() {
                continue;
            }
            if !compile(&scratch, path) {
                say(&format!("{} {path}: does not compile as it is", project.display()));
                continue;
            }
            for mutant in found {
                write(&scratch.join(path), &mutant.apply(text));
                let is_good = compile(&scratch, path);
                if !is_good {
                    say(&format!(
                        "{} {path}:{} {:?} {:?}",
                        project.display(),
                        mutant.line,
                        mutant.operator,
                        mutant.lines(text)
                    ));
                }
                shares.count(extension(path), &mutant, is_good);
            }
            write(&scratch.join(path), text);
        }
        std::fs::remove_dir_all(&scratch).expect("the copy goes");
    }
    shares.print("compile");
    shares
}

fn write_all(root: &Path, files: &[(String, String)]) {
    for (path, text) in files {
        write(&root.join(path), text);
    }
}

#[expect(clippy::disallowed_methods, reason = "a copy for a compiler, which nobody reads after the test")]
fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("a scratch directory");
    std::fs::write(path, text).expect("a file of the copy");
}

#[expect(clippy::disallowed_methods, reason = "a compiler that ends by itself, started by a test")]
fn runs(directory: &Path, program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).current_dir(directory).output();
    let output = output.expect("the compiler is installed");
    if std::env::var_os("PROVE_VERBOSE").is_some() && !output.status.success() {
        say(&format!("{}", String::from_utf8_lossy(&output.stderr)));
    }
    output.status.success()
}

#[test]
#[ignore = "runs rustc once for each mutant"]
fn mutants_of_rust_compile() {
    let shares = compiled("rs-", |directory, _| {
        let root = directory.join("src/lib.rs");
        let root = if root.exists() { "src/lib.rs" } else { "src/main.rs" };
        let arguments =
            ["--crate-type", "lib", "--edition", "2021", "--emit", "metadata", "-o", "out.rmeta", root];
        runs(directory, "rustc", &arguments)
    });
    assert!(shares.percent("rs") >= 85.0);
}

#[test]
#[ignore = "runs go once for each mutant"]
fn mutants_of_go_compile() {
    let shares = compiled("go-", |directory, _| runs(directory, "go", &["vet", "./..."]));
    assert!(shares.percent("go") >= 85.0);
}

#[test]
#[ignore = "runs python3 once for each mutant"]
fn mutants_of_python_compile() {
    let check = "import ast,sys; compile(open(sys.argv[1]).read(), sys.argv[1], 'exec')";
    let shares = compiled("py-", |directory, path| runs(directory, "python3", &["-IS", "-c", check, path]));
    assert!(shares.percent("py") >= 99.0);
}

#[test]
#[ignore = "runs node once for each mutant"]
fn mutants_of_javascript_compile() {
    let shares = compiled("js-", |directory, path| {
        path.ends_with(".json") || !path.ends_with("js") || runs(directory, "node", &["--check", path])
    });
    assert!(shares.percent("js") >= 99.0);
}
