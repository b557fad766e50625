//! What is seen and reached from between walls, in every kind of run.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use piton_model::Kind;
use tempfile::TempDir;

use crate::common::World;
use crate::gaps::ledger;

const AGENT: &str = "cat > /dev/null; sh do.sh; echo '{\"outcome\": \"no_new_findings\"}'";

/// Runs `script` between walls with these settings, as the agent of a run of this kind.
fn inside(kind: Kind, home: &Path, settings: &str, script: &str) -> World {
    inside_with(&[], kind, home, settings, script)
}

/// The same with variables set.
fn inside_with(env: &[(&str, &str)], kind: Kind, home: &Path, settings: &str, script: &str) -> World {
    let world = if kind == Kind::Ledger { ledger() } else { World::new() };
    world.write("do.sh", script);
    let command = format!("[agents.mine]\nprompt = 'stdin'\ncommand = ['sh', '-c', '''{AGENT}''']\n");
    world.configure(&format!("[agent]\nuse = 'mine'\n{command}[confine]\nenabled = true\n{settings}\n"));
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'sh do.sh', max_attempts: 1}]\n");
    let words: &[&str] = match kind {
        Kind::Loop => &["loop", "x", "--id", "r", "--check", "test -f said"],
        Kind::Workflow => &["run", "w.yaml", "--run-id", "r"],
        Kind::Cycle => &["cycle", "start", "x", "--id", "r", "--check", "test -f said"],
        Kind::Ledger => &["gaps", "research", "teams"],
    };
    let ran = world.piton_with(&[&[("HOME", home.to_str().unwrap())], env].concat(), words);
    assert!(world.path("said").exists(), "{ran:?}");
    world
}

/// A home with keys and logins in it; outside of what is empty inside.
fn home() -> TempDir {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let at = home.path().display();
    let made = World::new().shell(&format!(
        "cd {at} && mkdir -p .ssh .aws .codex .config/gh real && echo key > .ssh/id && echo key > .aws/credentials && \
         echo key > .codex/auth.json && echo key > .config/gh/hosts.yml && echo key > real/netrc && ln -s real/netrc .netrc && \
         echo '//r/:_authToken=key' > .npmrc && echo 'index-url = https://pypi.example.org/simple' > plain && \
         mkdir -p .config/pip && cp plain .config/pip/pip.conf"
    ));
    made.exits(0);
    home
}

const LOOK: &str = "for f in .ssh/id .aws/credentials .codex/auth.json .config/gh/hosts.yml .netrc real/netrc .npmrc .config/pip/pip.conf
do if test -s $HOME/$f; then echo $f; fi; done > said";

/// Keys and logins are not there, unless they are named.
fn reads(kind: Kind) {
    let home = home();
    let world = inside(kind, home.path(), "", LOOK);
    assert_eq!(world.read("said"), ".config/pip/pip.conf\n");
    let named = "read = ['~/.aws', '~/.npmrc', '~/.ssh/id']";
    let world = inside(kind, home.path(), named, LOOK);
    assert_eq!(world.read("said"), ".ssh/id\n.aws/credentials\n.npmrc\n.config/pip/pip.conf\n");
}

#[test]
fn confine_read_acts_in_a_loop() {
    reads(Kind::Loop);
}

#[test]
fn confine_read_acts_in_a_workflow() {
    reads(Kind::Workflow);
}

#[test]
fn confine_read_acts_in_a_cycle() {
    reads(Kind::Cycle);
}

#[test]
fn confine_read_acts_in_a_ledger() {
    reads(Kind::Ledger);
}

/// Programs make a directory of their own in the home. It is gone at the end, and what is there stays as it is.
#[test]
fn new_things_can_be_made_in_the_home_and_are_gone_at_the_end() {
    let home = home();
    let script = "mkdir $HOME/.new && echo x > $HOME/.new/x && test -f $HOME/plain && echo made > said
        echo x >> $HOME/plain || echo closed >> said; touch $HOME/.config/x || echo closed >> said";
    let world = inside(Kind::Loop, home.path(), "", script);
    assert_eq!(world.read("said"), "made\nclosed\nclosed\n");
    assert!(!home.path().join(".new").exists() && !home.path().join(".config/x").exists());
}

/// A web server that says where it is.
fn server(address: &str) -> u16 {
    let listener = TcpListener::bind((address, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let body = format!("this is {address}");
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            serve(client, &body);
        }
    });
    port
}

fn serve(mut client: TcpStream, body: &str) {
    let mut lines = BufReader::new(client.try_clone().unwrap()).lines();
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let _ = write!(
        client,
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
}

/// What is listed is reached, by name or as a port of this machine; nothing else is, whichever way it is tried.
fn reaches(kind: Kind) {
    let (named, unnamed, local) = (server("127.0.0.2"), server("127.0.0.3"), server("127.0.0.1"));
    let script = format!(
        r#"cat > get.py <<'END'
import socket, sys, urllib.request
def tell(name, get):
    try: print(name + ":", get())
    except Exception as e: print(name + ":", "no")
def get(url, **how): return urllib.request.urlopen(url, timeout=10, **how).read().decode()
def direct(port):
    socket.create_connection(("127.0.0.2", port), timeout=10); return "connected"
def tunnel(host, port):
    at = urllib.request.getproxies()["http"].removeprefix("http://").split(":")
    s = socket.create_connection((at[0], int(at[1]))); s.sendall(f"CONNECT {{host}}:{{port}} HTTP/1.1\r\n\r\n".encode())
    said = s.makefile("rb"); line = said.readline().decode().strip(); said.readline()
    if " 200 " in line:
        s.sendall(b"GET / HTTP/1.0\r\n\r\n"); line += " " + said.read().decode().split("\r\n\r\n")[1]
    return line
tell("named", lambda: get("http://127.0.0.2:{named}/"))
tell("unnamed", lambda: get("http://127.0.0.3:{unnamed}/"))
tell("another port", lambda: get("http://127.0.0.2:{unnamed}/"))
tell("around the proxy", lambda: direct({named}))
tell("a port of this machine", lambda: get("http://127.0.0.1:{local}/"))
tell("through a tunnel", lambda: tunnel("127.0.0.2", {named}))
tell("through a tunnel to another", lambda: tunnel("127.0.0.3", {unnamed}))
END
python3 get.py > said 2>&1"#
    );
    let home = home();
    let listed = format!("network = ['127.0.0.2:{named}', 'localhost:{local}']");
    let world = inside(kind, home.path(), &listed, &script);
    insta::allow_duplicates! {
        insta::assert_snapshot!(world.read("said"), @"
        named: this is 127.0.0.2
        unnamed: no
        another port: no
        around the proxy: no
        a port of this machine: this is 127.0.0.1
        through a tunnel: HTTP/1.1 200 Connection established this is 127.0.0.2
        through a tunnel to another: HTTP/1.1 403 Forbidden
        ");
    }
    // Without a list everything is reached.
    let world = inside(kind, home.path(), "", &script);
    assert!(world.read("said").contains("unnamed: this is 127.0.0.3"), "{}", world.read("said"));
    let world = inside(kind, home.path(), "network = []", &script);
    assert!(!world.read("said").contains("this is"), "{}", world.read("said"));
}

#[test]
fn confine_network_acts_in_a_loop() {
    reaches(Kind::Loop);
}

#[test]
fn confine_network_acts_in_a_workflow() {
    reaches(Kind::Workflow);
}

#[test]
fn confine_network_acts_in_a_cycle() {
    reaches(Kind::Cycle);
}

#[test]
fn confine_network_acts_in_a_ledger() {
    reaches(Kind::Ledger);
}

#[test]
fn what_is_no_host_is_a_problem_of_the_settings() {
    let world = World::new();
    world.write("piton.toml", "[confine]\nenabled = true\nnetwork = ['https://example.org/x']\n");
    let ran = world.piton(&["trust"]).exits(2);
    insta::assert_snapshot!(ran.err, @"error: piton.toml:3:11: `https://example.org/x` is no host: give a host such as `api.example.org`, `*.example.org` or `localhost:5432`");
}

#[test]
fn whoever_is_refused_a_host_can_read_why() {
    let home = home();
    let asks = "python3 -c 'import urllib.request as u; u.urlopen(\"http://example.org/\")' > said 2>&1";
    let script = format!("{asks}; {asks}; true");
    let world = inside(Kind::Loop, home.path(), "network = ['api.example.org']", &script);
    assert!(world.read("said").contains("403"), "{}", world.read("said"));
    let said = world.piton(&["output", "r"]).exits(0).out;
    let words = "example.org:80 is not reached from between the walls: `[confine] network` does not name it";
    assert_eq!(said.matches(words).count(), 1, "it is said once: {said}");
}

/// It would lead to hosts that nobody named, and past the list.
#[test]
fn a_proxy_of_ones_own_is_not_used() {
    let (home, port) = (home(), server("127.0.0.2"));
    let script = format!(
        "python3 -c 'import urllib.request as u; print(u.urlopen(\"http://127.0.0.2:{port}/\").read())' > said 2>&1"
    );
    let own: Vec<_> = ["HTTP_PROXY", "http_proxy"].map(|name| (name, "http://127.0.0.1:9")).to_vec();
    let listed = format!("network = ['127.0.0.2:{port}']");
    let world = inside_with(&own, Kind::Loop, home.path(), &listed, &script);
    assert!(world.read("said").contains("this is 127.0.0.2"), "{}", world.read("said"));
    // Without a list there is no proxy of piton's, and the variables say what they said.
    let world = inside_with(&own, Kind::Loop, home.path(), "", &script);
    assert!(!world.read("said").contains("this is"), "{}", world.read("said"));
}

#[test]
fn a_port_below_1024_is_not_passed_on_and_that_is_said() {
    let home = home();
    let script =
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 80), 5)' > said 2>&1; true";
    let world = inside(Kind::Loop, home.path(), "network = ['localhost:80']", script);
    assert!(world.read("said").contains("refused"), "{}", world.read("said"));
    let said = world.piton(&["output", "r"]).exits(0).out;
    assert!(said.contains("port 80 cannot be reached from between the walls"), "{said}");
}

/// Walls that the configuration asks for are left out for once, and that is said.
#[test]
fn no_confine_leaves_the_walls_out_in_a_loop_a_workflow_and_a_cycle() {
    let home = home();
    let look = "if test -s $HOME/.ssh/id; then echo seen; else echo hidden; fi >> said";
    let env = [("HOME", home.path().to_str().unwrap())];
    let flag = "--no-confine";
    for kind in [Kind::Loop, Kind::Workflow, Kind::Cycle] {
        let world = inside(kind, home.path(), "", look);
        let words: &[&str] = match kind {
            Kind::Loop => &["loop", "x", "--id", "q", "--check", "test -f said", flag],
            Kind::Workflow => &["run", "w.yaml", "--run-id", "q", flag],
            _ => &["cycle", "start", "x", "--id", "q", "--check", "test -f said", flag],
        };
        let ran = world.piton_with(&env, words);
        assert!((ran.out.clone() + &ran.err).contains("no walls, by --no-confine"), "{ran:?}");
        let said = world.read("said");
        assert!(said.starts_with("hidden\n") && said.ends_with("seen\n"), "{said}: {ran:?}");
    }
}

#[test]
fn no_confine_takes_down_the_walls_of_a_run_that_goes_on() {
    let home = home();
    let look = "if test -s $HOME/.ssh/id; then echo seen; else echo hidden; fi >> said";
    let env = [("HOME", home.path().to_str().unwrap())];
    let world = World::new();
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'sh do.sh; grep seen said', max_attempts: 1}]\n");
    world.write("do.sh", look);
    world.configure("[confine]\nenabled = true\n");
    let agent = "sh do.sh";
    let check = "grep seen said";
    let limited = ["--exec", agent, "--check", check, "--max-iterations", "1"];
    world.piton_with(&env, &[&["loop", "x", "--id", "l"][..], &limited].concat());
    world.piton_with(&env, &["resume", "l", "--max-iterations", "+1"]);
    assert_eq!(world.read("said"), "hidden\nhidden\n");
    let ran = world.piton_with(&env, &["resume", "l", "--max-iterations", "+1", "--no-confine"]).exits(0);
    assert!((ran.out.clone() + &ran.err).contains("no walls, by --no-confine"), "{ran:?}");
    world.shell("rm said").exits(0);
    world.piton_with(&env, &["run", "w.yaml", "--run-id", "w"]);
    assert_eq!(world.read("said"), "hidden\n");
    let ran = world.piton_with(&env, &["resume", "w", "--no-confine"]).exits(0);
    assert!((ran.out.clone() + &ran.err).contains("no walls, by --no-confine"), "{ran:?}");
}
