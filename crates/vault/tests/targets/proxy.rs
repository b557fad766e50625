//! Stands between a client and a server of HTTP on loopback, and lets requests go wrong on the way.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::faulty::Fault;

/// What goes wrong between the two; besides, lists are sometimes those of a moment ago.
const POSSIBLE: [Fault; 10] = [
    Fault::Conflict409,
    Fault::Exists412,
    Fault::Conflict409,
    Fault::Exists412,
    Fault::Error500,
    Fault::Busy503,
    Fault::Timeout,
    Fault::Truncated,
    Fault::LostReply,
    Fault::Slow,
];

/// Longer than a client here waits without a byte.
const SILENCE: Duration = Duration::from_millis(900);

pub(crate) struct Proxy {
    /// Where it listens.
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
}

struct State {
    upstream: String,
    random: u64,
    per_mille: u64,
    asked: u64,
    late_lists: u64,
    happened: BTreeMap<Fault, u64>,
    /// The last answer to each list.
    lists: BTreeMap<String, Vec<u8>>,
}

struct Request {
    line: String,
    head: Vec<u8>,
    body: Vec<u8>,
}

impl Proxy {
    pub(crate) fn new(upstream: &str, seed: u64, per_mille: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let upstream = upstream.trim_start_matches("http://");
        let (upstream, path) = upstream.split_at(upstream.find('/').unwrap_or(upstream.len()));
        let url = format!("http://{}{path}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State {
            upstream: upstream.to_owned(),
            random: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            per_mille,
            asked: 0,
            late_lists: 0,
            happened: BTreeMap::new(),
            lists: BTreeMap::new(),
        }));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || serve(&stream, &state));
            }
        });
        Self { url, state }
    }

    /// How often it was asked, what happened how often, and how many lists were late.
    pub(crate) fn happened(&self) -> (u64, BTreeMap<Fault, u64>, u64) {
        let state = self.state.lock().unwrap();
        (state.asked, state.happened.clone(), state.late_lists)
    }
}

/// One connection; it ends with the first thing that goes wrong.
fn serve(mut stream: &TcpStream, state: &Mutex<State>) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let request = read(&mut reader)?;
        let (fault, upstream) = next(state, &request);
        let answer = || forward(&upstream, &request);
        let status = |status: &str, code: &str| {
            let body = format!("<Error><Code>{code}</Code><Message>on the way</Message></Error>");
            format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
        };
        match fault {
            Some(Fault::Error500) => stream.write_all(&status("500 Oh", "InternalError")).ok()?,
            Some(Fault::Busy503) => stream.write_all(&status("503 Busy", "SlowDown")).ok()?,
            Some(Fault::Conflict409) => {
                stream.write_all(&status("409 No", "ConditionalRequestConflict")).ok()?
            }
            Some(Fault::Exists412) => stream.write_all(&status("412 No", "PreconditionFailed")).ok()?,
            Some(Fault::Timeout) => {
                std::thread::park_timeout(SILENCE);
                return None;
            }
            Some(Fault::LostReply) => {
                answer()?;
                return None;
            }
            Some(Fault::Truncated) => {
                let answer = answer()?;
                let body = answer.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
                // An answer without a body is cut within its head.
                let cut = if body == answer.len() { body / 2 } else { body + (answer.len() - body) / 2 };
                stream.write_all(&answer[..cut]).ok()?;
                return None;
            }
            Some(Fault::Slow) => {
                std::thread::park_timeout(Duration::from_millis(60));
                stream.write_all(&answer()?).ok()?;
            }
            None => {
                let answer = answer()?;
                stream.write_all(&late(state, &request, answer)).ok()?;
            }
        }
    }
}

fn next(state: &Mutex<State>, request: &Request) -> (Option<Fault>, String) {
    let mut state = state.lock().unwrap();
    state.asked += 1;
    let (number, upstream) = (draw(&mut state.random), state.upstream.clone());
    let is_create = String::from_utf8_lossy(&request.head).to_ascii_lowercase().contains("\nif-none-match:");
    // Only whoever creates something is told that it is there.
    let possible = if is_create { &POSSIBLE[..] } else { &POSSIBLE[4..] };
    let fault = possible[(number / 1000) as usize % possible.len()];
    if number % 1000 >= state.per_mille {
        return (None, upstream);
    }
    *state.happened.entry(fault).or_default() += 1;
    (Some(fault), upstream)
}

/// Of every third list the answer of last time.
fn late(state: &Mutex<State>, request: &Request, answer: Vec<u8>) -> Vec<u8> {
    if !request.line.contains("list-type=2") && !request.line.contains("comp=list") {
        return answer;
    }
    let mut state = state.lock().unwrap();
    let before = state.lists.insert(request.line.clone(), answer.clone());
    match before.filter(|_| state.per_mille > 0 && draw(&mut state.random).is_multiple_of(3)) {
        Some(before) => {
            state.late_lists += 1;
            before
        }
        None => answer,
    }
}

fn draw(random: &mut u64) -> u64 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random >> 11
}

/// A request with a length, as the client sends them.
fn read(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let (mut line, mut head, mut length) = (String::new(), Vec::new(), 0);
    loop {
        let mut text = String::new();
        reader.read_line(&mut text).ok().filter(|count| *count > 0)?;
        let lower = text.trim_end().to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.is_empty() {
            line.clone_from(&text);
        }
        if lower.is_empty() {
            break;
        }
        if !lower.starts_with("connection:") {
            head.extend_from_slice(text.as_bytes());
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { line, head, body })
}

/// The answer as a whole, made fit for a connection that goes on.
fn forward(upstream: &str, request: &Request) -> Option<Vec<u8>> {
    let mut stream = TcpStream::connect(upstream).ok()?;
    stream.write_all(&[&request.head[..], b"connection: close\r\n\r\n", &request.body].concat()).ok()?;
    let mut answer = Vec::new();
    // A server that is done may say so by a reset.
    let _ = stream.read_to_end(&mut answer);
    let end = answer.windows(4).position(|end| end == b"\r\n\r\n")?;
    let (head, body) = answer.split_at(end + 4);
    let head = String::from_utf8_lossy(head);
    let kept = head.lines().filter(|line| {
        let lower = line.to_ascii_lowercase();
        !lower.starts_with("connection:") && !lower.is_empty()
    });
    let mut head: Vec<&str> = kept.collect();
    let length = format!("content-length: {}", body.len());
    let says_where_it_ends = ["content-length:", "transfer-encoding:"];
    let is_such =
        |line: &&str| says_where_it_ends.iter().any(|name| line.to_ascii_lowercase().starts_with(name));
    let has_length = head.iter().any(is_such);
    if !has_length {
        head.push(&length);
    }
    Some([head.join("\r\n").as_bytes(), b"\r\n\r\n", body].concat())
}
