//! Mail, against a real server on loopback: `aiosmtpd`, which `scripts/test` installs. Where there is none, a
//! server of a few lines takes its place, and what needs passwords or TLS is not tried; the test says so.
#![expect(clippy::unwrap_used, reason = "what a test cannot have is a failed test")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Stdio};
use std::sync::mpsc::{self, Receiver};

use piton_model::notify::{ChannelKind, Email, Encryption, Given};
use piton_notify::send::Means;
use serde_json::{Value, json};
use support::{PATIENCE, certificate, channel, means, message, program};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/smtp_server.py");

/// A mail server, and the mails it took.
struct Server {
    port: u16,
    mails: Receiver<Value>,
    process: Option<Child>,
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

impl Server {
    /// The real one, if this machine has it.
    fn real(arguments: &[&str]) -> Option<Self> {
        let mut process = program(python()?)
            .arg(SERVER)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python starts");
        let mut lines = BufReader::new(process.stdout.take().expect("its output is a pipe")).lines();
        let port = lines.next().expect("it prints its port").unwrap().parse().expect("a port is a number");
        Some(Self { port, mails: mails(lines), process: Some(process) })
    }

    fn any() -> Self {
        Self::real(&[]).unwrap_or_else(Self::stand_in)
    }

    fn stand_in() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (took, mails) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Some(mail) = converse(stream) {
                    let _ = took.send(mail);
                }
            }
        });
        Self { port, mails, process: None }
    }

    fn mail(&self) -> Value {
        self.mails.recv_timeout(PATIENCE).expect("a mail comes")
    }
}

fn mails(lines: std::io::Lines<BufReader<ChildStdout>>) -> Receiver<Value> {
    let (took, mails) = mpsc::channel();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let _ = took.send(serde_json::from_str(&line).expect("a mail is JSON"));
        }
    });
    mails
}

/// The side of the server in RFC 5321, for one mail.
fn converse(mut stream: TcpStream) -> Option<Value> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let (mut from, mut to, mut content) = (String::new(), Vec::new(), String::new());
    let address = |line: &str| line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
    stream.write_all(b"220 ready\r\n").ok()?;
    while let Some(Ok(line)) = lines.next() {
        let answer = match line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase().as_str() {
            "MAIL" => {
                from = address(&line);
                "250 ok"
            }
            "RCPT" => {
                to.push(address(&line));
                "250 ok"
            }
            "DATA" => {
                stream.write_all(b"354 go on\r\n").ok()?;
                while let Some(Ok(line)) =
                    lines.next().filter(|line| !matches!(line, Ok(line) if line == "."))
                {
                    content.push_str(&line);
                    content.push_str("\r\n");
                }
                if content.contains("refuse-me") { "554 5.7.1 this looks like spam" } else { "250 taken" }
            }
            "QUIT" => {
                let _ = stream.write_all(b"221 bye\r\n");
                break;
            }
            _ => "250 ok",
        };
        stream.write_all(format!("{answer}\r\n").as_bytes()).ok()?;
    }
    (!content.is_empty())
        .then(|| json!({ "from": from, "to": to, "content": content, "tls": false, "login": false }))
}

/// A Python that knows `aiosmtpd`.
fn python() -> Option<PathBuf> {
    let named = std::env::var_os("PITON_TEST_PYTHON").map(PathBuf::from);
    let knows = |python: &PathBuf| {
        let asked = program(python).args(["-c", "import aiosmtpd"]).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    named.into_iter().chain(["/usr/bin/python3".into(), "python3".into()]).find(knows)
}

fn email(port: u16, encryption: Encryption) -> Email {
    Email {
        host: "localhost".to_owned(),
        port,
        encryption,
        from: "piton <piton@example.org>".to_owned(),
        to: vec!["a@example.org".to_owned(), "B <b@example.org>".to_owned()],
        username: None,
        password: None,
    }
}

fn send(means: &Means, email: Email) -> Result<(), String> {
    let sent = means.send(&channel(ChannelKind::Email(Box::new(email))), &message());
    sent.map_err(|error| error.to_string())
}

#[test]
fn a_mail_arrives_as_people_read_it() {
    let server = Server::any();
    let root = tempfile::tempdir().unwrap();
    let (means, _) = means(root.path());
    send(&means, email(server.port, Encryption::None)).unwrap();
    let mail = server.mail();
    assert_eq!(mail["from"], "piton@example.org");
    assert_eq!(mail["to"], json!(["a@example.org", "b@example.org"]));
    let content = mail["content"].as_str().unwrap().replace("\r\n", "\n");
    for line in [
        "Subject: piton 7f3a91c2: done",
        "Date: Sun, 15 Feb 2026 12:03:20 +0000",
        "Message-ID: <ralph-tidy-7f3a91c2.7@piton.invalid>",
        "Auto-Submitted: auto-generated",
        "Importance: high",
        "Content-Type: text/plain; charset=utf-8",
    ] {
        assert!(content.lines().any(|found| found == line), "{line} is not in\n{content}");
    }
    assert!(content.contains("gr=C3=BC=C3=9Fe"), "{content}");
}

#[test]
fn a_refusal_is_told() {
    let server = Server::any();
    let root = tempfile::tempdir().unwrap();
    let (means, _) = means(root.path());
    let mut message = message();
    message.text = "refuse-me".to_owned();
    let email = Box::new(email(server.port, Encryption::None));
    let refused = means.send(&channel(ChannelKind::Email(email)), &message).unwrap_err().to_string();
    assert!(refused.contains("554") && refused.contains("this looks like spam"), "{refused}");
}

#[test]
fn what_is_no_address_is_said_before_anybody_is_asked() {
    let root = tempfile::tempdir().unwrap();
    let (means, _) = means(root.path());
    let wrong = Email { to: vec!["nobody".to_owned()], ..email(1, Encryption::None) };
    assert_eq!(send(&means, wrong), Err("`nobody` is not a mail address".to_owned()));
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let root = tempfile::tempdir().unwrap();
    let (mut means, _) = means(root.path());
    means.patience = std::time::Duration::from_millis(300);
    let said = send(&means, email(silent.local_addr().unwrap().port(), Encryption::None)).unwrap_err();
    assert!(said.starts_with("the mail server: "), "{said}");
}

#[test]
fn a_password_opens_the_door_and_is_never_said() {
    let Some(server) = Server::real(&["--auth", "piton", "correct horse battery"]) else {
        eprintln!("not tried: no aiosmtpd here");
        return;
    };
    let root = tempfile::tempdir().unwrap();
    let (means, variables) = means(root.path());
    let with_password = || Email {
        username: Some("piton".to_owned()),
        password: Some(Given::Env("MAIL_PASSWORD".to_owned())),
        ..email(server.port, Encryption::None)
    };
    assert_eq!(send(&means, with_password()), Err("the variable `MAIL_PASSWORD` is not set".to_owned()));
    variables.set("MAIL_PASSWORD", "correct horse battery");
    send(&means, with_password()).unwrap();
    assert_eq!(server.mail()["login"], true);
    variables.set("MAIL_PASSWORD", "a-wrong-password");
    let refused = send(&means, with_password()).unwrap_err();
    assert!(refused.contains("535") && !refused.contains("a-wrong-password"), "{refused}");
}

#[test]
fn a_password_does_not_leave_the_machine_in_the_clear() {
    let root = tempfile::tempdir().unwrap();
    let (means, _) = means(root.path());
    let password = Some(Given::Plain("a-password".to_owned()));
    let email = Email { host: "192.0.2.1".to_owned(), password, ..email(25, Encryption::None) };
    assert_eq!(
        send(&means, email),
        Err("a password is not sent to `192.0.2.1` without encryption".to_owned())
    );
}

#[test]
fn a_server_without_encryption_is_not_told_anything_that_wants_it() {
    let server = Server::any();
    let root = tempfile::tempdir().unwrap();
    let (means, _) = means(root.path());
    let said = send(&means, email(server.port, Encryption::Starttls)).unwrap_err();
    assert!(said.starts_with("the mail server: "), "{said}");
    assert!(server.mails.try_recv().is_err());
}

#[test]
fn encrypted_mail_goes_to_those_whom_the_machine_trusts() {
    let directory = tempfile::tempdir().unwrap();
    let Some([authority, key, cert]) = certificate(directory.path()) else {
        eprintln!("not tried: no openssl here");
        return;
    };
    for how in ["starttls", "tls"] {
        let Some(server) = Server::real(&["--tls", &cert, &key, how]) else {
            eprintln!("not tried: no aiosmtpd here");
            return;
        };
        let run = |trusts: &str| {
            program(std::env::current_exe().unwrap())
                .args(["--exact", "send_one_encrypted", "--ignored", "--nocapture"])
                .env("SSL_CERT_FILE", trusts)
                .env("PITON_TEST_MAIL", format!("{how} {}", server.port))
                .output()
                .unwrap()
        };
        let stranger = directory.path().join("key.pem");
        let refused = String::from_utf8_lossy(&run(&stranger.display().to_string()).stdout).into_owned();
        assert!(refused.contains("MAIL NOT SENT"), "{how}: {refused}");
        let sent = String::from_utf8_lossy(&run(&authority).stdout).into_owned();
        assert!(sent.contains("MAIL SENT"), "{how}: {sent}");
        assert_eq!(server.mail()["tls"], true, "{how}");
    }
}

#[test]
#[ignore = "the other half of `encrypted_mail_goes_to_those_whom_the_machine_trusts`: a process with its own trust"]
fn send_one_encrypted() {
    let asked = std::env::var("PITON_TEST_MAIL").expect("the other half says where to");
    let (how, port) = asked.split_once(' ').unwrap();
    let encryption = if how == "tls" { Encryption::Tls } else { Encryption::Starttls };
    let root = tempfile::tempdir().unwrap();
    let (means, _) = means(root.path());
    match send(&means, email(port.parse().unwrap(), encryption)) {
        Ok(()) => println!("MAIL SENT"),
        Err(error) => println!("MAIL NOT SENT: {error}"),
    }
}
