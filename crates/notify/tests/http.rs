//! Webhooks and chats, against a real server on loopback.
#![expect(clippy::unwrap_used, reason = "what a test cannot have is a failed test")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::time::{Duration, Instant};

use piton_model::notify::{ChannelKind, Given};
use piton_notify::send::Means;
use serde_json::json;
use support::{Server, Variables, certificate, channel, means, message, program};

fn machine() -> (tempfile::TempDir, Means, Variables) {
    let root = tempfile::tempdir().unwrap();
    let (means, variables) = means(root.path());
    (root, means, variables)
}

fn webhook(url: &str) -> ChannelKind {
    ChannelKind::Webhook { url: Given::Plain(url.to_owned()), token: None }
}

/// What is said about sending to `kind`, which fails.
fn failure(means: &Means, kind: ChannelKind) -> String {
    means.send(&channel(kind), &message()).expect_err("it cannot work").to_string()
}

#[test]
fn a_webhook_gets_the_message_as_json() {
    let (_root, means, variables) = machine();
    variables.set("HOOK_TOKEN", "t0ken-of-the-hook");
    let server = Server::answering("200 OK", "");
    let kind = ChannelKind::Webhook {
        url: Given::Plain(server.url("/hooks/piton?x=1")),
        token: Some(Given::Env("HOOK_TOKEN".to_owned())),
    };
    means.send(&channel(kind), &message()).unwrap();
    let request = server.request();
    assert_eq!(request.line, "POST /hooks/piton?x=1 HTTP/1.1");
    assert_eq!(request.headers["content-type"], "application/json");
    assert_eq!(request.headers["authorization"], "Bearer t0ken-of-the-hook");
    assert!(request.headers["user-agent"].starts_with("piton/"));
    let body = request.json();
    assert_eq!(body["trigger"], "loop_completed");
    assert_eq!(body["priority"], "high");
    assert_eq!(body["title"], "7f3a91c2: done");
    assert_eq!(body["text"], "Tidy up — grüße\ncompleted (checks_pass)");
    assert_eq!(body["at"], "2026-02-15T12:03:20.000Z");
    assert_eq!((&body["number"], &body["held_back"]), (&json!(7), &json!(2)));
    assert_eq!(body["facts"]["run"], "ralph-tidy-7f3a91c2");
}

#[test]
fn chats_get_what_they_understand() {
    let (_root, means, variables) = machine();
    let server = Server::answering("200 OK", "ok");
    variables.set("CHAT", &server.url("/services/T0/B0/s3cret"));
    let url = Given::Env("CHAT".to_owned());
    means.send(&channel(ChannelKind::Slack { url: url.clone() }), &message()).unwrap();
    let slack = server.request();
    assert_eq!(slack.line, "POST /services/T0/B0/s3cret HTTP/1.1");
    assert_eq!(slack.json()["text"], "*7f3a91c2: done*\nTidy up — grüße\ncompleted (checks_pass)");
    means.send(&channel(ChannelKind::Discord { url }), &message()).unwrap();
    let discord = server.request().json();
    assert_eq!(discord["content"], "**7f3a91c2: done**\nTidy up — grüße\ncompleted (checks_pass)");
    assert_eq!(discord["allowed_mentions"], json!({ "parse": [] }));
}

#[test]
fn a_redirect_is_refused() {
    let (_root, means, _) = machine();
    let elsewhere = Server::answering("200 OK", "");
    for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
        let location = format!("{status}\r\nlocation: {}", elsewhere.url("/"));
        let server = Server::answering(&location, "");
        let said = failure(&means, webhook(&server.url("/")));
        assert!(said.ends_with("a redirect, which is not followed"), "{said}");
    }
    assert!(elsewhere.was_left_alone());
}

#[test]
fn a_refusal_is_told_without_the_secrets_of_the_request() {
    let (_root, means, variables) = machine();
    // A server that says back what it was told.
    let server = Server::talking(|stream| {
        let body = "no such hook: /services/T0/s3cretpath, token t0ken-of-the-hook\u{1b}[2J";
        let answer = format!("HTTP/1.1 404 Not Found\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let _ = stream.write_all(answer.as_bytes());
    });
    variables.set("HOOK_URL", &server.url("/services/T0/s3cretpath"));
    variables.set("HOOK_TOKEN", "t0ken-of-the-hook");
    let kind = ChannelKind::Webhook {
        url: Given::Env("HOOK_URL".to_owned()),
        token: Some(Given::Env("HOOK_TOKEN".to_owned())),
    };
    let said = failure(&means, kind);
    assert_eq!(said, format!("`{}` answered 404: no such hook: /…, token [redacted] [2J", server.address));
}

#[test]
fn nobody_is_waited_for_longer_than_allowed() {
    let (_root, mut means, _) = machine();
    means.patience = Duration::from_millis(300);
    // One that takes the connection and says nothing, one that says a little for ever.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let dripping = Server::talking(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        let started = Instant::now();
        while started.elapsed() < support::PATIENCE && stream.write_all(b"x-a: b\r\n").is_ok() {
            std::thread::yield_now();
        }
    });
    for url in [format!("http://{}/", silent.local_addr().unwrap()), dripping.url("/")] {
        let started = Instant::now();
        let said = failure(&means, webhook(&url));
        assert!(started.elapsed() < Duration::from_secs(20), "{said}");
    }
    let said = failure(&means, webhook(&format!("http://{}/", silent.local_addr().unwrap())));
    assert!(said.ends_with("did not answer within 0.3 s"), "{said}");
}

#[test]
fn an_answer_without_end_is_not_read_to_its_end() {
    let (_root, mut means, _) = machine();
    means.patience = Duration::from_secs(5);
    let server = Server::talking(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9999999999\r\n\r\n");
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    });
    let started = Instant::now();
    means.send(&channel(webhook(&server.url("/"))), &message()).unwrap();
    assert!(started.elapsed() < Duration::from_secs(5), "it was read for as long as there was time");
}

#[test]
fn what_cannot_be_reached_is_said() {
    let (_root, means, variables) = machine();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    variables.set("CHAT", &format!("http://127.0.0.1:{port}/services/s3cretpath"));
    let said = failure(&means, ChannelKind::Slack { url: Given::Env("CHAT".to_owned()) });
    assert!(said.starts_with(&format!("`127.0.0.1:{port}` cannot be reached: ")), "{said}");
    assert!(!said.contains("s3cret"), "{said}");
    let said = failure(&means, ChannelKind::Slack { url: Given::Env("NOT_THERE".to_owned()) });
    assert_eq!(said, "the variable `NOT_THERE` is not set");
    let said = failure(&means, webhook("ftp://127.0.0.1/"));
    assert_eq!(said, "the address is not one that begins with `http://` or `https://`");
}

#[test]
fn a_secret_does_not_leave_the_machine_in_the_clear() {
    let (_root, means, variables) = machine();
    // An address of the documentation range: nobody would answer.
    variables.set("CHAT", "http://192.0.2.1/services/s3cretpath");
    let said = failure(&means, ChannelKind::Slack { url: Given::Env("CHAT".to_owned()) });
    assert_eq!(said, "the address or its token is secret, so it must begin with `https://`");
}

#[test]
fn keys_in_a_message_stay_here() {
    let (_root, means, _) = machine();
    let server = Server::answering("200 OK", "");
    let key = format!("ghp_{}", "a1B2".repeat(9));
    let mut message = message();
    message.text = format!("the agent asks: shall I commit {key}?");
    message.facts.detail = Some(format!("with {key}"));
    means.send(&channel(webhook(&server.url("/"))), &message).unwrap();
    let request = server.request();
    assert!(!request.body.contains(&key), "{}", request.body);
    assert!(request.json()["text"].as_str().unwrap().contains("[redacted]"));
}

/// A web server with a certificate: prints its port and then each request line.
const TLS_SERVER: &str = "
import http.server, ssl, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers['content-length']))
        self.send_response(200); self.send_header('content-length', '0'); self.end_headers()
        print(self.requestline, flush=True)
    def log_message(self, *_): pass
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
";

#[test]
fn an_encrypted_request_goes_to_those_whom_the_machine_trusts() {
    let directory = tempfile::tempdir().unwrap();
    let Some([authority, key, certificate]) = certificate(directory.path()) else {
        eprintln!("not tried: no openssl here");
        return;
    };
    let mut server = program("python3")
        .args(["-c", TLS_SERVER, &certificate, &key])
        .stdout(Stdio::piped())
        .spawn()
        .expect("python starts");
    let mut lines = BufReader::new(server.stdout.take().expect("its output is a pipe")).lines();
    let port = lines.next().expect("it prints its port").unwrap();
    let run = |trusts: &str| {
        let done = program(std::env::current_exe().unwrap())
            .args(["--exact", "send_one_encrypted", "--ignored", "--nocapture"])
            .env("SSL_CERT_FILE", trusts)
            .env("PITON_TEST_PORT", &port)
            .output();
        String::from_utf8_lossy(&done.unwrap().stdout).into_owned()
    };
    let refused = run(&key);
    let sent = run(&authority);
    let got = lines.next();
    let _ = server.kill();
    let _ = server.wait();
    assert!(refused.contains("NOT SENT: `localhost:"), "{refused}");
    assert!(!sent.contains("NOT SENT"), "{sent}");
    assert_eq!(got.expect("one request came").unwrap(), "POST /hook HTTP/1.1");
}

#[test]
#[ignore = "the other half of `an_encrypted_request_goes_to_those_whom_the_machine_trusts`"]
fn send_one_encrypted() {
    let port = std::env::var("PITON_TEST_PORT").expect("the other half says where to");
    let (_root, means, _) = machine();
    let url = format!("https://localhost:{port}/hook");
    if let Err(error) = means.send(&channel(webhook(&url)), &message()) {
        println!("NOT SENT: {error}");
    }
}
