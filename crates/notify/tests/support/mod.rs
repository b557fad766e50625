//! What the tests of this crate share: a server that speaks HTTP on loopback, and what sending needs.
#![expect(dead_code, reason = "each test program uses a part of it")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use piton_model::Timestamp;
use piton_model::notify::{Channel, ChannelKind, Priority, Trigger};
use piton_notify::given::Vault;
use piton_notify::send::Means;
use piton_notify::{Facts, Message};
use piton_sys::redact::Redactor;
use serde_json::Value;

/// How long a test waits for something that must come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// What a server got.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("the body is JSON")
    }
}

/// A server that answers every request with the same bytes, and keeps what it got.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Receiver<Request>,
}

impl Server {
    /// Answers with `status` and `body`.
    pub(crate) fn answering(status: &str, body: &str) -> Self {
        let answer =
            format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
        Self::talking(move |stream| drop(stream.write_all(answer.as_bytes())))
    }

    /// Answers each request by `talk`.
    pub(crate) fn talking(talk: impl Fn(&mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let (got, requests) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut stream = stream;
                if let Some(request) = read(&stream) {
                    let _ = got.send(request);
                    talk(&mut stream);
                }
            }
        });
        Self { address, requests }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The next request.
    pub(crate) fn request(&self) -> Request {
        self.requests.recv_timeout(PATIENCE).expect("a request comes")
    }

    /// Whether nobody asked so far.
    pub(crate) fn was_left_alone(&self) -> bool {
        self.requests.try_recv().is_err()
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut headers = BTreeMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length: usize = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { line: line.trim_end().to_owned(), headers, body: String::from_utf8(body).ok()? })
}

/// Variables as data.
#[derive(Clone, Default)]
pub(crate) struct Variables(Arc<Mutex<BTreeMap<String, String>>>);

impl Variables {
    pub(crate) fn set(&self, name: &str, value: &str) {
        self.0.lock().unwrap().insert(name.to_owned(), value.to_owned());
    }
}

impl Vault for Variables {
    fn variable(&self, name: &str) -> Option<String> {
        self.0.lock().unwrap().get(name).cloned()
    }
}

/// Means to send with, and the variables they look up.
pub(crate) fn means(root: &Path) -> (Means, Variables) {
    let variables = Variables::default();
    let means = Means {
        root: root.to_owned(),
        vault: Arc::new(variables.clone()),
        redactor: Redactor::new(),
        patience: Duration::from_secs(10),
        desktop: None,
    };
    (means, variables)
}

pub(crate) fn channel(to: ChannelKind) -> Channel {
    Channel::new("it", to)
}

pub(crate) fn message() -> Message {
    Message {
        number: 7,
        trigger: Trigger::LoopCompleted,
        priority: Priority::High,
        title: "7f3a91c2: done".to_owned(),
        text: "Tidy up — grüße\ncompleted (checks_pass)".to_owned(),
        at: Timestamp::from_millis(1_771_157_000_000),
        held_back: 2,
        facts: Facts {
            run: "ralph-tidy-7f3a91c2".to_owned(),
            short: "7f3a91c2".to_owned(),
            title: "Tidy up".to_owned(),
            status: piton_model::Status::Completed,
            iteration: 3,
            ..Facts::default()
        },
    }
}

/// Looks until it is true; fails after a while.
pub(crate) fn eventually(what: &str, mut is_true: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_true() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        std::thread::yield_now();
    }
}

/// A program that is not ours.
pub(crate) fn program(program: impl AsRef<std::ffi::OsStr>) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a server to talk to, not something of ours")]
    Command::new(program)
}

/// An authority of its own, and a certificate for `localhost` by it.
pub(crate) fn certificate(directory: &Path) -> Option<[String; 3]> {
    let path = |name: &str| directory.join(name).display().to_string();
    let [authority, key, certificate] = ["ca.pem", "key.pem", "cert.pem"].map(path);
    let (ca_key, request) = (path("ca.key"), path("request.pem"));
    let name = "subjectAltName=DNS:localhost,IP:127.0.0.1";
    let run = |arguments: &str| {
        let done = program("openssl").args(arguments.split(' ')).stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success())
    };
    let made = run(&format!(
        "req -x509 -newkey rsa:2048 -nodes -keyout {ca_key} -out {authority} -days 1 -subj /CN=test"
    )) && run(&format!(
        "req -newkey rsa:2048 -nodes -keyout {key} -out {request} -subj /CN=localhost -addext {name}"
    )) && run(&format!(
        "x509 -req -in {request} -CA {authority} -CAkey {ca_key} -CAcreateserial -out {certificate} -days 1 -copy_extensions copyall"
    ));
    made.then_some([authority, key, certificate])
}
