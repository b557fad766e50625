//! Servers on loopback that keep what they were sent: one speaks HTTP, one takes mail.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(30);

/// Answers every request with the same body.
pub(crate) struct Web {
    pub(crate) url: String,
    bodies: Receiver<String>,
    is_mute: Arc<AtomicBool>,
    unanswered: Arc<Mutex<Vec<TcpStream>>>,
}

impl Web {
    pub(crate) fn answering(body: &str) -> Self {
        let (is_mute, unanswered) = <(Arc<AtomicBool>, Arc<Mutex<Vec<TcpStream>>>)>::default();
        let (mute, kept) = (Arc::clone(&is_mute), Arc::clone(&unanswered));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/here", listener.local_addr().unwrap());
        let (got, bodies) = mpsc::channel();
        let answer =
            format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                if mute.load(Ordering::SeqCst) {
                    kept.lock().unwrap().push(stream);
                } else if let Some(body) = body_of(&stream) {
                    let _ = stream.write_all(answer.as_bytes());
                    let _ = got.send(body);
                }
            }
        });
        Self { url, bodies, is_mute, unanswered }
    }

    /// From now on it takes requests and answers none of them, or answers the next ones again.
    pub(crate) fn mute(&self, is_mute: bool) {
        self.is_mute.store(is_mute, Ordering::SeqCst);
    }

    /// How many requests never had an answer.
    pub(crate) fn unanswered(&self) -> usize {
        self.unanswered.lock().unwrap().len()
    }

    /// The next body.
    pub(crate) fn body(&self) -> Value {
        serde_json::from_str(&self.bodies.recv_timeout(PATIENCE).expect("a request comes")).unwrap()
    }

    /// What came and nobody looked at.
    pub(crate) fn rest(&self) -> Vec<Value> {
        self.bodies.try_iter().map(|body| serde_json::from_str(&body).unwrap()).collect()
    }
}

fn body_of(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    String::from_utf8(body).ok()
}

/// Takes mail.
pub(crate) struct Mail {
    pub(crate) port: u16,
    mails: Receiver<String>,
}

impl Mail {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (got, mails) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Some(mail) = take(&stream) {
                    let _ = got.send(mail);
                }
            }
        });
        Self { port, mails }
    }

    /// The next mail, as it was sent.
    pub(crate) fn mail(&self) -> String {
        self.mails.recv_timeout(PATIENCE).expect("a mail comes")
    }
}

/// One conversation of RFC 5321, without extensions.
fn take(stream: &TcpStream) -> Option<String> {
    let mut write = stream.try_clone().ok()?;
    let mut say = move |line: &str| write.write_all(format!("{line}\r\n").as_bytes()).ok();
    let (mut mail, mut in_data) = (String::new(), false);
    say("220 test")?;
    for line in BufReader::new(stream).lines() {
        let line = line.ok()?;
        if in_data {
            if line == "." {
                in_data = false;
                say("250 taken")?;
            } else {
                mail.push_str(&line);
                mail.push('\n');
            }
            continue;
        }
        match line.split(' ').next().unwrap_or_default().to_ascii_uppercase().as_str() {
            "DATA" => {
                in_data = true;
                say("354 go on")?;
            }
            "QUIT" => {
                say("221 bye")?;
                break;
            }
            word => {
                if word == "MAIL" || word == "RCPT" {
                    mail.push_str(&line);
                    mail.push('\n');
                }
                say("250 fine")?;
            }
        }
    }
    Some(mail)
}
