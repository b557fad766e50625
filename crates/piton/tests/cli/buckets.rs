//! Backups in a bucket, through the binary: a lost machine comes back, and what a store says no to is named with what helps.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use crate::common::{Ran, World};

const RED: &str = "test=test -f b.txt";

/// A server on loopback that speaks S3, with a bucket called `bucket`; gone when it is dropped.
struct Server {
    url: String,
    child: Child,
}

impl Server {
    #[expect(clippy::disallowed_methods, reason = "a test starts its server as a shell does")]
    fn start() -> Self {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scripts/s3-server");
        let mut command = std::process::Command::new(script);
        let mut child = command.arg("bucket").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        assert!(url.starts_with("http://"), "no server: {url}");
        Self { url: url.trim().to_owned(), child }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

const KEYS: [(&str, &str); 3] =
    [("AWS_ACCESS_KEY_ID", "key"), ("AWS_SECRET_ACCESS_KEY", "hush-hush"), ("AWS_REGION", "us-east-1")];

/// Runs piton as somebody with keys for the store at `endpoint`.
fn ask(world: &World, endpoint: &str, arguments: &[&str]) -> Ran {
    world.piton_with(&[&KEYS[..], &[("AWS_ENDPOINT_URL", endpoint)]].concat(), arguments)
}

#[test]
fn a_lost_machine_comes_back_from_a_bucket_with_two_commands() {
    let (server, world) = (Server::start(), World::new());
    let agent = "if [ $PITON_ITERATION = 2 ]; then echo b > b.txt; else echo x >> a.txt; fi";
    world.loops("r", agent, &["--check", RED]).exits(0);
    world.configure("[vault.backups]\nto = 's3://bucket/of/mine'\n");
    let before = world.piton(&["log", "r", "--json"]).exits(0).out;
    let created = ask(&world, &server.url, &["backup", "create"]).exits(0).out;
    assert!(
        created.contains("restored and verified") && created.contains("s3://bucket/of/mine"),
        "{created}"
    );
    assert!(ask(&world, &server.url, &["doctor"]).out.contains("s3://bucket/of/mine"));
    // The second holds only what is new.
    world.piton(&["note", "r", "later"]).exits(0);
    let later = world.piton(&["log", "r", "--json"]).exits(0).out;
    ask(&world, &server.url, &["backup", "create"]).exits(0);
    let listed = ask(&world, &server.url, &["backup", "list"]).exits(0).out;
    assert_eq!(listed.matches("proven ").count(), 2, "{listed}");
    ask(&world, &server.url, &["backup", "verify"]).exits(0);
    // The machine is lost: no work tree, no git, no journal.
    world.shell("rm -rf .git .piton .ralph piton.toml a.txt b.txt && ! ls -A | grep .").exits(0);
    let ran = ask(&world, &server.url, &["backup", "restore", "s3://bucket/of/mine"]).exits(0);
    assert!(ran.out.contains("r  ") && ran.out.contains("with its snapshots"), "{}", ran.out);
    world.piton(&["restore", "r"]).exits(0);
    assert_eq!((world.read("a.txt"), world.read("b.txt")), ("a\nx\n".to_owned(), "b\n".to_owned()));
    let after = world.piton(&["log", "r", "--json"]).exits(0).out;
    assert!(after == later && after.starts_with(&before), "event by event, hash by hash");
    world.piton(&["verify"]).exits(0);
    // Prune goes by what is listed there.
    world.configure("[vault.backups]\nto = 's3://bucket/of/mine'\nmax = 1\n");
    ask(&world, &server.url, &["backup", "create"]).exits(0);
    let names = ask(&world, &server.url, &["backup", "verify"]).exits(0).out;
    assert_eq!(names.lines().count(), 3, "one of the new journal beside two of the lost one: {names}");
}

#[test]
fn keys_of_a_profile_serve_as_well() {
    let (server, world) = (Server::start(), World::new());
    world.loops("r", "echo b > b.txt", &["--check", RED]).exits(0);
    world
        .shell(&format!(
            "mkdir -p ~/.aws && printf '[work]\\naws_access_key_id=k\\naws_secret_access_key=s\\n' > ~/.aws/credentials \
             && printf '[profile work]\\nregion=us-east-1\\nendpoint_url={}\\n' > ~/.aws/config",
            server.url
        ))
        .exits(0);
    let create = ["backup", "create", "--to", "s3://bucket"];
    world.piton_with(&[("AWS_PROFILE", "work")], &create).exits(0);
    let without = world.piton_with(&[("AWS_PROFILE", "play")], &create).exits(7);
    assert!(without.err.contains("the profile `play` is in no file of AWS"), "{}", without.err);
}

/// A store that says the same to everybody.
fn store_that_says(status: &str, head: &str, body: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = format!(
        "HTTP/1.1 {status}\r\n{head}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut line = String::new();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            while reader.read_line(&mut line).is_ok_and(|count| count > 2) {
                line.clear();
            }
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    url
}

fn refusal(code: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>It \u{1b}[31msays so</Message></Error>"
    )
}

#[test]
fn what_a_store_says_no_to_is_named_with_what_helps() {
    let world = World::new();
    world.loops("r", "echo b > b.txt", &["--check", RED]).exits(0);
    let list: &[&str] = &["backup", "list", "--to", "s3://bucket/a"];
    let create: &[&str] = &["backup", "create", "--to", "s3://bucket/a"];
    let region = "x-amz-bucket-region: eu-west-1\r\n";
    for (status, head, code, arguments, what, hint) in [
        (
            "403 No",
            "",
            "AccessDenied",
            list,
            "cannot list `s3://bucket/a`: permission denied",
            "s3:ListBucket",
        ),
        (
            "403 No",
            "",
            "AccessDenied",
            create,
            "cannot write to `s3://bucket/a`: permission denied",
            "s3:PutObject",
        ),
        (
            "403 No",
            "",
            "InvalidAccessKeyId",
            list,
            "the credentials are not accepted",
            "aws sts get-caller-identity",
        ),
        ("403 No", "", "SignatureDoesNotMatch", list, "the credentials are not accepted", "renew them"),
        ("400 No", "", "ExpiredToken", list, "the credentials have expired", "renew them"),
        ("403 No", "", "RequestTimeTooSkewed", list, "the clock of this machine is wrong", "set the clock"),
        ("404 No", "", "NoSuchBucket", list, "there is no such bucket", "aws s3 mb s3://bucket"),
        (
            "301 No",
            region,
            "PermanentRedirect",
            list,
            "the bucket lies in region `eu-west-1`, and was asked for in `us-east-1`",
            "run `AWS_REGION=eu-west-1 piton backup list --to s3://bucket/a`",
        ),
        (
            "400 No",
            "",
            "AuthorizationHeaderMalformed",
            list,
            "does not lie in region `us-east-1`",
            "set AWS_REGION",
        ),
    ] {
        let url = store_that_says(status, head, &refusal(code));
        let ran = ask(&world, &url, arguments).exits(7);
        assert!(
            ran.err.contains(what) && ran.err.contains("hint: ") && ran.err.contains(hint),
            "{code}: {}",
            ran.err
        );
        assert!(!ran.err.contains("hush-hush") && !ran.err.contains('\u{1b}'), "{code}: {}", ran.err);
    }
}

#[test]
fn where_nobody_can_be_asked_it_is_said_at_once() {
    let world = World::new();
    world.loops("r", "echo b > b.txt", &["--check", RED]).exits(0);
    let list = ["backup", "list", "--to", "s3://bucket/a"];
    // Nobody listens there.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ran = ask(&world, &format!("http://{closed}"), &list).exits(7);
    assert!(
        ran.err.contains(&format!("`{closed}` cannot be reached")) && ran.err.contains("network"),
        "{}",
        ran.err
    );
    let ran = ask(&world, "http://store.invalid:9000", &list).exits(7);
    assert!(ran.err.contains("`http://store.invalid:9000` is not encrypted"), "{}", ran.err);
    let ran = ask(&world, "https://store.invalid", &list).exits(7);
    assert!(ran.err.contains("`store.invalid` cannot be reached"), "{}", ran.err);
    let ran = world.piton_with(&[("AWS_EC2_METADATA_DISABLED", "true")], &list).exits(7);
    assert!(
        ran.err.contains("there are no credentials") && ran.err.contains("AWS_ACCESS_KEY_ID"),
        "{}",
        ran.err
    );
    let ran = world.piton(&["backup", "list", "--to", "gs://bucket"]);
    if cfg!(not(feature = "gs")) {
        assert!(ran.exits(7).err.contains("--features gs"));
    }
    for (url, what) in [
        ("s3://", "it names no bucket"),
        ("s3://b/../c", "plain names"),
        ("s3://key:hush-hush@bucket", "credentials do not belong into an address"),
        ("ftp://bucket/a", "names no place for backups"),
    ] {
        let ran = ask(&world, "http://127.0.0.1:1", &["backup", "list", "--to", url]).exits(2);
        assert!(
            ran.err.contains(what) && ran.err.contains("hint: ") && !ran.err.contains("hush"),
            "{}",
            ran.err
        );
    }
    world.configure("[vault.backups]\nto = 's3://bucket'\n");
    let doctor = ask(&world, &format!("http://{closed}"), &["doctor"]).exits(7);
    assert!(
        doctor.out.contains("bad   backups") && doctor.out.contains("cannot be reached"),
        "{}",
        doctor.out
    );
}
