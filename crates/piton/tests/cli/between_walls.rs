//! What docs/walls.md says place by place: its tables of what can be written and what is not seen, git, `/tmp`, and what is needed.

use std::path::Path;

use piton_sys::file;
use tempfile::TempDir;

use crate::common::World;
use crate::walls::without_bubblewrap;

const PAGE: &str = include_str!("../../../../docs/walls.md");

/// The rows of the tables below a title of the page.
fn rows(title: &str) -> Vec<&'static str> {
    let (_, rest) = PAGE.split_once(&format!("\n## {title}\n")).unwrap();
    let part = rest.split("\n## ").next().unwrap();
    part.lines().filter(|line| line.starts_with("| ")).collect()
}

/// What stands between backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// A home where walls do not take it for a place that is empty inside.
fn home() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Makes a file, with its directories.
fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    file::write_atomic(path, text.as_bytes(), file::Durability::Unsynced).unwrap();
}

/// Runs a loop whose agent is this line, and which is done once that has made `b.txt`.
fn loops(world: &World, id: &str, env: &[(&str, &str)], agent: &str, more: &[&str]) {
    let agent = format!("{agent}\ntouch b.txt");
    let words = ["loop", "x", "--id", id, "--exec", &agent, "--check", "test -f b.txt"];
    world.piton_with(env, &[&words[..], more].concat()).exits(0);
    std::fs::remove_file(world.path("b.txt")).unwrap_or_default();
}

/// Every place of the table, and every variable, as a file that holds a password.
#[test]
fn nothing_that_the_page_calls_hidden_is_seen() {
    let (world, home) = (World::new(), home());
    let rows = rows("What is not seen");
    let hidden: Vec<_> =
        rows.iter().filter(|row| !row.contains("other agents")).flat_map(|row| quoted(row)).collect();
    let places: Vec<_> = hidden.iter().filter_map(|word| word.strip_prefix("~/")).collect();
    let variables: Vec<_> = hidden.iter().filter(|word| !word.starts_with('~')).copied().collect();
    assert!(places.len() > 30 && variables.len() > 5, "{places:?} {variables:?}");
    for place in places.iter().chain(&variables) {
        put(&home.path().join(place), "password = key\n");
    }
    let named = variables.iter().map(|name| (*name, home.path().join(name).display().to_string()));
    let named: Vec<_> = named.chain([("HOME", home.path().display().to_string())]).collect();
    let env: Vec<_> = named.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let all = places.iter().chain(&variables).map(|place| format!("{place}\n")).collect::<String>();
    world.write("names", &all);
    let look =
        "while read -r name; do if test -s \"$HOME/$name\"; then echo \"$name\"; fi; done < names > said";
    loops(&world, "bare", &env, look, &[]);
    assert_eq!(world.read("said"), all, "without walls all of it is there");
    loops(&world, "walls", &env, look, &["--confine"]);
    assert_eq!(world.read("said"), "");
}

/// Each file of a list, and whatever a variable moves to another place.
#[test]
fn what_a_variable_lists_or_moves_is_not_seen() {
    let (world, home) = (World::new(), home());
    let at = |name: &str| home.path().join(name).display().to_string();
    let all = [
        "k/a",
        "k/b",
        "conf/gh/hosts.yml",
        "conf/git/credentials",
        "conf/gcloud/x",
        "conf/pip/pip.conf",
        "cargo/credentials.toml",
        "npm/rc",
        "claude/.credentials.json",
    ];
    all.iter().for_each(|name| put(&home.path().join(name), "password = key\n"));
    let (list, conf, cargo, npm, claude) =
        (format!("{}:{}", at("k/a"), at("k/b")), at("conf"), at("cargo"), at("npm/rc"), at("claude"));
    let env = [
        ("HOME", home.path().to_str().unwrap()),
        ("KUBECONFIG", &list),
        ("XDG_CONFIG_HOME", &conf),
        ("CARGO_HOME", &cargo),
        ("NPM_CONFIG_USERCONFIG", &npm),
        ("CLAUDE_CONFIG_DIR", &claude),
    ];
    world.write("names", &all.map(|name| format!("{name}\n")).concat());
    let look =
        "while read -r name; do if test -s \"$HOME/$name\"; then echo \"$name\"; fi; done < names > said";
    loops(&world, "bare", &env, look, &[]);
    assert_eq!(world.read("said"), world.read("names"), "without walls all of it is there");
    loops(&world, "walls", &env, look, &["--confine"]);
    assert_eq!(world.read("said"), "");
}

/// Values as people write them: from where they are, with a `~` that no shell opened, and variables of single tools.
#[test]
fn what_a_variable_moves_in_whatever_words_is_not_seen() {
    let (world, home) = (World::new(), home());
    let names = [
        "k/a",
        "d/config.json",
        "aws/cred",
        "xc/huggingface/token",
        "pg",
        "rc",
        "hf/token",
        "np/rc",
        "fly/config.yml",
        "logins",
        ".gitconfig",
    ];
    names.iter().for_each(|name| put(&home.path().join(name), "password = key\n"));
    put(
        &home.path().join(".gitconfig"),
        &format!(
            "[credential]\n\thelper = store --file {}\n[x]\n\tpassword = key\n",
            home.path().join("logins").display()
        ),
    );
    world.write("cargo/credentials.toml", "token = \"key\"\n");
    let at = |name: &str| home.path().join(name).display().to_string();
    let up = "../".repeat(world.path("").components().count() + 2);
    let relative = format!("{up}{}", at("k/a").trim_start_matches('/'));
    let moved = [at("xc"), at("pg"), at("rc"), at("hf"), at("np/rc"), at("fly")];
    let env = [
        ("HOME", home.path().to_str().unwrap()),
        ("KUBECONFIG", &relative),
        ("DOCKER_CONFIG", "~/d"),
        ("AWS_SHARED_CREDENTIALS_FILE", "~/aws/cred"),
        ("CARGO_HOME", "cargo"),
        ("XDG_CACHE_HOME", &moved[0]),
        ("PGPASSFILE", &moved[1]),
        ("RCLONE_CONFIG", &moved[2]),
        ("HF_HOME", &moved[3]),
        ("npm_config_globalconfig", &moved[4]),
        ("FLY_CONFIG_DIR", &moved[5]),
    ];
    let all = names.map(|name| format!("{}\n", at(name))).concat() + "cargo/credentials.toml\n";
    world.write("names", &all);
    let look = "while read -r name; do if test -s \"$name\"; then echo \"$name\"; fi; done < names > said";
    loops(&world, "bare", &env, look, &[]);
    assert_eq!(world.read("said"), all, "without walls all of it is there");
    loops(&world, "walls", &env, look, &["--confine"]);
    assert_eq!(world.read("said"), "");
    // Who somebody is, is no secret.
    put(&home.path().join(".gitconfig"), "[user]\n\tname = Ann\n[credential]\n\thelper = libsecret\n");
    loops(&world, "who", &env, "cat \"$HOME/.gitconfig\" > said", &["--confine"]);
    assert!(world.read("said").contains("Ann"));
}

#[test]
fn every_cache_that_the_page_names_can_be_written_where_it_exists() {
    let (world, home) = (World::new(), home());
    let rows = rows("What can be written");
    let row = rows.iter().find(|row| row.starts_with("| caches of builds")).unwrap();
    let caches: Vec<_> = quoted(row).filter_map(|word| word.strip_prefix("~/")).collect();
    assert!(caches.len() > 5, "{caches:?}");
    for cache in &caches {
        std::fs::create_dir_all(home.path().join(cache)).unwrap();
    }
    world.write("names", &caches.iter().map(|cache| format!("{cache}\n")).collect::<String>());
    let env = [("HOME", home.path().to_str().unwrap())];
    loops(
        &world,
        "r",
        &env,
        "while read -r name; do touch \"$HOME/$name/made\"; done < names",
        &["--confine"],
    );
    for cache in caches {
        assert!(home.path().join(cache).join("made").exists(), "{cache}");
    }
}

#[test]
fn git_answers_inside_and_changes_nothing_unless_its_directory_is_named() {
    let world = World::new();
    let tries = "for words in 'status --short' 'log --oneline' 'diff' 'add -A' 'commit --allow-empty -qm mine'\n\
                 do if git $words > /dev/null 2>&1; then echo $words; fi; done > said";
    loops(&world, "r", &[], tries, &["--confine"]);
    assert_eq!(world.read("said"), "status --short\nlog --oneline\ndiff\n");
    let git = world.path(".git").display().to_string();
    world.configure(&format!("[confine]\nenabled = true\nwrite = ['{git}']\n"));
    loops(&world, "s", &[], tries, &[]);
    assert!(
        world.read("said").ends_with("diff\nadd -A\ncommit --allow-empty -qm mine\n"),
        "{}",
        world.read("said")
    );
    assert!(world.git(&["log", "--oneline"]).contains("mine"));
}

#[test]
fn each_attempt_and_each_check_has_a_tmp_of_its_own() {
    let world = World::new();
    let name = format!("piton-left-{}", std::process::id());
    let agent = format!(
        "for d in /tmp /var/tmp; do echo x > $d/{name}; done; ls /tmp/{name} /var/tmp/{name} > made; touch b.txt"
    );
    let check = format!("test -f b.txt && ! test -e /tmp/{name} && ! test -e /var/tmp/{name}");
    world.loops("r", &agent, &["--confine", "--check", &check, "--max-iterations", "1"]).exits(0);
    assert_eq!(world.read("made").lines().count(), 2, "it could be written");
    assert!(!Path::new("/tmp").join(&name).exists() && !Path::new("/var/tmp").join(&name).exists());
}

/// Only what is there can be closed. In a loop the guard looks afterwards.
#[test]
fn what_is_protected_and_not_there_can_be_made_inside_and_is_taken_away_again() {
    for (file, text) in [("kept/x.txt", "[guard]\nprotect = ['kept/x.txt']\n"), ("piton.toml", "")] {
        let world = World::new();
        if !text.is_empty() {
            world.configure(text);
        }
        let agent = format!("mkdir -p kept; echo '[guard]' > {file} && echo made; touch b.txt");
        let more = ["--confine", "--check", "test -f b.txt", "--max-iterations", "1"];
        let ran = world.loops("r", &agent, &more).exits(3);
        assert_eq!(world.piton(&["output", "r"]).exits(0).out, "made\n");
        assert!(
            ran.out.contains(&format!("REFUSED `{file}` was added below a protected path")),
            "{}",
            ran.out
        );
        assert!(!world.path(file).exists());
    }
    // Nobody looks after a step.
    let world = World::configured("[guard]\nprotect = ['kept/x.txt']\n[confine]\nenabled = true\n");
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'mkdir kept; echo x > kept/x.txt'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r"]).exits(0);
    assert!(world.path("kept/x.txt").exists());
}

#[test]
fn a_file_that_nobody_trusted_can_put_walls_up() {
    let world = World::new();
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'touch inside; touch \"$BESIDE/outside\"'}]\n");
    world.write("piton.toml", "[confine]\nenabled = true\n");
    world.piton(&["run", "w.yaml", "--run-id", "r"]).exits(0);
    assert!(world.path("inside").exists() && !world.beside("outside").exists());
}

/// A loop has neither workflows nor cycles; what people will say there cannot be said beforehand.
#[test]
fn where_there_are_no_workflows_and_no_cycles_nobody_inside_begins_one() {
    let world = World::new();
    let tries = "for d in .agents/runs .workflow/.cycle; do if touch $d/x || mv ${d%/*} elsewhere; then echo $d; fi; done > said 2>/dev/null";
    loops(&world, "r", &[], tries, &["--confine"]);
    assert_eq!(world.read("said"), "");
    for directory in [".agents/runs", ".workflow/.cycle"] {
        assert_eq!(std::fs::read_dir(world.path(directory)).unwrap().count(), 0, "{directory}");
    }
}

#[test]
fn a_confined_step_writes_to_its_reports_and_artifacts_and_to_nothing_beside_them() {
    let world = World::configured("[confine]\nenabled = true\n");
    let tries = "for f in reports/x artifacts/x logs/x manual_inputs/x run_state.json x; do \
                 if echo x >> .agents/runs/r/$f; then echo $f; fi; done > said 2>/dev/null; true";
    world.write("w.yaml", &format!("name: w\nsteps: [{{id: a, run: '{tries}'}}]\n"));
    world.piton(&["run", "w.yaml", "--run-id", "r"]).exits(0);
    assert_eq!(world.read("said"), "reports/x\nartifacts/x\n");
}

#[test]
fn what_an_agent_has_to_write_is_made_and_its_settings_stay_closed() {
    let (world, home) = (World::new(), home());
    let agent = "cat > /dev/null; echo login > ~/.my-agent/login; echo x > \"$MY_AGENT_HOME/x\"; echo hit > ~/.my-agent/config.toml; touch b.txt";
    world.configure(&format!(
        "[agents.mine]\ncommand = ['sh', '-c', '''{agent}''']\nwrites = ['~/.my-agent', '$MY_AGENT_HOME']\nsettings = ['~/.my-agent/config.toml']\n"
    ));
    let other = home.path().join("other").display().to_string();
    let env = [("HOME", home.path().to_str().unwrap()), ("MY_AGENT_HOME", other.as_str())];
    let words = ["loop", "x", "--id", "r", "--agent", "mine", "--confine", "--check", "test -f b.txt"];
    world.piton_with(&env, &words).exits(0);
    let read = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap_or_default();
    assert_eq!((read(".my-agent/login").as_str(), read("other/x").as_str()), ("login\n", "x\n"));
    assert_eq!(read(".my-agent/config.toml"), "", "made with nothing in it");
    assert!(home.path().join(".my-agent/config.toml").exists());
}

#[test]
fn whoever_is_inside_can_tell() {
    let world = World::new();
    for (id, more, says) in [("bare", &[][..], "\n"), ("walls", &["--confine"][..], "1\n")] {
        loops(&world, id, &[], "echo \"$IS_SANDBOX\" > said", more);
        assert_eq!(world.read("said"), says, "{id}");
    }
}

/// A setup, a hook and what is called at the end are the user's, and stay inside all the same.
#[test]
fn what_people_let_a_run_call_writes_elsewhere_where_that_is_named() {
    for open in [false, true] {
        let world = World::new();
        let more = world.beside("more");
        std::fs::create_dir(&more).unwrap();
        let write = if open { format!("write = ['{}']\n", more.display()) } else { String::new() };
        world.configure(&format!(
            "[confine]\nenabled = true\n{write}[worktree]\nsetup = 'touch {0}/setup || true'\n[hooks.h]\npoints = ['loop_start']\ncommand = 'touch {0}/hook'\n",
            more.display()
        ));
        let told = format!("touch {}/done; touch \"$BESIDE/repo-r/told\"", more.display());
        let words = ["--worktree", "--check", "test -f b.txt", "--on-done", &told];
        world.loops("r", "touch b.txt", &words).exits(0);
        crate::common::eventually("it was called", || world.beside("repo-r/told").exists());
        for name in ["setup", "hook", "done"] {
            assert_eq!(more.join(name).exists(), open, "{name}");
        }
    }
}

#[test]
fn doctor_says_whether_there_can_be_walls() {
    let world = World::new();
    let line = |path: &str| {
        let said = world.piton_with(&[("PATH", path)], &["doctor"]).out;
        said.lines().find(|line| line.contains(" walls ")).unwrap_or_default().to_owned()
    };
    let well = line(&std::env::var("PATH").unwrap());
    assert!(well.starts_with("ok    walls "), "{well}");
    assert!(PAGE.lines().any(|line| line == well), "{well}");
    let without = line(&without_bubblewrap(&world));
    assert_eq!(
        without,
        "warn  walls          --confine is not available: bubblewrap (`bwrap`) is not installed"
    );
}

/// What is closed is made first where it is not there; a clone may hold a link in its place.
#[test]
fn nothing_is_made_through_a_link_to_close_it() {
    for link in [".agents", ".workflow"] {
        let world = World::new();
        world.shell(&format!("mkdir \"$BESIDE/outside\" && ln -s \"$BESIDE/outside\" {link}")).exits(0);
        world.loops("r", "echo x >> a.txt", &["--check", "true", "--confine", "--max-iterations", "1"]);
        let made = std::fs::read_dir(world.beside("outside")).unwrap().count();
        assert_eq!(made, 0, "something was made outside through {link}");
    }
}
