//! The only way out of a network of its own: a proxy for the hosts that a run may reach.
//!
//! It stands outside, around the walls, and serves the sockets that were opened inside. A program asks it for a host by name; a name
//! that is not listed is answered with 403 and one line on standard error. Ports of this machine that are named are passed on as they are.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use piton_model::{Host, split_host};
use piton_sys::process::{Ended, Inside, Passage};

/// The first argument of this program when it is to be the way out for what follows.
pub const PROXIED_COMMAND: &str = "__proxied";

const HEAD_BYTES_MAX: usize = 64 << 10;
/// Each takes two threads.
const CONNECTIONS_MAX: usize = 256;

/// What leads outside.
struct Way {
    hosts: Vec<Host>,
    /// Hosts that were asked for in vain, so that each is said once.
    refused: Mutex<BTreeSet<String>>,
    connections: AtomicUsize,
}

/// Runs the program in `line` between its walls, with the hosts named in its first word behind them. Returns its exit code.
pub fn run(mut line: Vec<OsString>) -> io::Result<i32> {
    let command = line.split_off(2.min(line.len()));
    let hosts = line.first().map(|hosts| hosts.to_string_lossy().into_owned()).unwrap_or_default();
    let hosts: Vec<Host> = hosts.split(',').filter_map(|host| host.parse().ok()).collect();
    let ports: Vec<u16> = hosts.iter().filter_map(Host::local_port).collect();
    let program = PathBuf::from(line.get(1).cloned().unwrap_or_default());
    let (mut child, passage) = Passage::start(&program, &command, &ports)?;
    let way = Arc::new(Way { hosts, refused: Mutex::default(), connections: AtomicUsize::new(0) });
    thread::spawn(move || {
        while let Ok(Some((port, listener))) = passage.next() {
            let way = Arc::clone(&way);
            thread::spawn(move || way.serve(port, &listener));
        }
    });
    Ok(match child.wait()?.into() {
        Ended::Code(code) => code,
        Ended::Signal(signal) => 128 + signal,
    })
}

/// Opens the sockets inside that lead out, where there is a way; the variables by which programs find it.
pub fn open_inside() -> Vec<(&'static str, String)> {
    let Some(inside) = Inside::take() else { return Vec::new() };
    for port in &inside.ports {
        if let Err(error) = inside.hand_over(*port) {
            say(&format!("port {port} cannot be reached from between the walls: {error}"));
        }
    }
    match inside.hand_over(0) {
        Ok(port) => {
            let proxy = format!("http://127.0.0.1:{port}");
            let names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
            let mut variables: Vec<_> = names.map(|name| (name, proxy.clone())).to_vec();
            variables
                .extend(["NO_PROXY", "no_proxy"].map(|name| (name, "localhost,127.0.0.1,::1".to_owned())));
            // Node looks at the others only where it is told to.
            variables.push(("NODE_USE_ENV_PROXY", "1".to_owned()));
            variables
        }
        Err(error) => {
            say(&format!("no host can be reached from between the walls: {error}"));
            Vec::new()
        }
    }
}

impl Way {
    /// Serves what connects: to `port` of this machine, or to the host it asks for where that is 0.
    fn serve(self: Arc<Self>, port: u16, listener: &TcpListener) {
        for client in listener.incoming().flatten() {
            let way = Arc::clone(&self);
            thread::spawn(move || {
                let is_free = way.connections.fetch_add(1, Ordering::Relaxed) < CONNECTIONS_MAX;
                // A connection that breaks concerns its two ends, and they see it.
                let _ = match (is_free, port) {
                    (false, _) => answer(&client, "503 Service Unavailable", "too many connections at once"),
                    (true, 0) => way.proxy(&client),
                    (true, port) => {
                        TcpStream::connect((Ipv4Addr::LOCALHOST, port)).and_then(|to| join(&client, &to))
                    }
                };
                way.connections.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }

    fn proxy(&self, client: &TcpStream) -> io::Result<()> {
        let Some(asked) = Asked::read(client)? else {
            return answer(client, "400 Bad Request", "this is a proxy for HTTP and CONNECT");
        };
        let Asked { host, port, .. } = &asked;
        if !self.hosts.iter().any(|allowed| allowed.allows(host, *port)) {
            if self.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(format!("{host}:{port}")) {
                say(&format!(
                    "{host}:{port} is not reached from between the walls: `[confine] network` does not name it"
                ));
            }
            return answer(
                client,
                "403 Forbidden",
                &format!("[confine] network does not name {host}:{port}"),
            );
        }
        let to = match connect(host, *port) {
            Ok(to) => to,
            Err(error) => return answer(client, "502 Bad Gateway", &format!("{host}:{port}: {error}")),
        };
        match &asked.forward {
            Some(head) => (&to).write_all(head)?,
            None => (&*client).write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?,
        }
        (&to).write_all(&asked.rest)?;
        join(client, &to)
    }
}

/// What a program asks a proxy for.
#[derive(Debug, PartialEq)]
struct Asked {
    host: String,
    port: u16,
    /// The head of the request as the host itself reads it; `None` for a connection that is merely passed on.
    forward: Option<Vec<u8>>,
    /// What came behind the head.
    rest: Vec<u8>,
}

impl Asked {
    fn read(mut client: impl Read) -> io::Result<Option<Self>> {
        let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
        loop {
            if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                let rest = bytes.split_off(end + 4);
                return Ok(Self::parse(&bytes[..end], rest));
            }
            let count = client.read(&mut chunk)?;
            if count == 0 || bytes.len() + count > HEAD_BYTES_MAX {
                return Ok(None);
            }
            bytes.extend_from_slice(&chunk[..count]);
        }
    }

    fn parse(head: &[u8], rest: Vec<u8>) -> Option<Self> {
        let head = std::str::from_utf8(head).ok()?;
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if method == "CONNECT" {
            let (host, port) = split_host(target)?;
            return Some(Self { host: host.to_owned(), port: port?, forward: None, rest });
        }
        let address = target.strip_prefix("http://")?;
        let end = address.find(['/', '?']).unwrap_or(address.len());
        let (authority, path) = address.split_at(end);
        let (host, port) = split_host(authority.rsplit('@').next()?)?;
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        // One request for each connection: another one may be for another host.
        let own = ["connection", "proxy-connection", "proxy-authorization", "keep-alive"];
        let is_own = |line: &&str| {
            let name = line.split(':').next().unwrap_or_default();
            own.contains(&name.to_ascii_lowercase().as_str())
        };
        let mut forward = format!("{method} {path} {version}\r\n");
        for line in lines.filter(|line| !is_own(line)) {
            forward.push_str(&format!("{line}\r\n"));
        }
        forward.push_str("Connection: close\r\n\r\n");
        Some(Self {
            host: host.to_owned(),
            port: port.unwrap_or(80),
            forward: Some(forward.into_bytes()),
            rest,
        })
    }
}

/// Connects to the first of its addresses that answers.
fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::other("it has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect(address) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Passes bytes on, both ways, until both have ended.
fn join(one: &TcpStream, other: &TcpStream) -> io::Result<()> {
    let (mut from, mut to) = (one.try_clone()?, other.try_clone()?);
    let there = thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
    let (mut from, mut to) = (other, one);
    let copied = io::copy(&mut from, &mut to);
    let _ = one.shutdown(Shutdown::Write);
    let _ = there.join();
    copied.map(|_| ())
}

fn answer(mut client: &TcpStream, status: &str, why: &str) -> io::Result<()> {
    let body = format!("piton: {why}\n");
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nConnection: close\r\n");
    write!(client, "{head}Content-Length: {}\r\n\r\n{body}", body.len())
}

/// To whoever reads what the program inside prints: it may be why that fails.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "piton: {line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Option<(String, u16, Option<String>, String)> {
        let asked = Asked::read(text.as_bytes()).unwrap()?;
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Some((asked.host, asked.port, asked.forward.map(text), text(asked.rest)))
    }

    #[test]
    fn a_connection_is_passed_on_as_it_is() {
        let read = asked("CONNECT a.example.org:443 HTTP/1.1\r\nHost: a.example.org:443\r\n\r\nhello");
        assert_eq!(read, Some(("a.example.org".to_owned(), 443, None, "hello".to_owned())));
    }

    #[test]
    fn a_request_is_made_as_its_host_reads_it() {
        let (host, port, forward, rest) = asked(
            "GET http://me@a.example.org:8080/x?y HTTP/1.1\r\nHost: a.example.org:8080\r\nProxy-Connection: keep-alive\r\n\r\n",
        )
        .unwrap();
        assert_eq!((host.as_str(), port, rest.as_str()), ("a.example.org", 8080, ""));
        assert_eq!(
            forward.unwrap(),
            "GET /x?y HTTP/1.1\r\nHost: a.example.org:8080\r\nConnection: close\r\n\r\n"
        );
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for text in [
            "",
            "GET / HTTP/1.1\r\n\r\n",
            "CONNECT a HTTP/1.1\r\n\r\n",
            "\u{0}\r\n\r\n",
            "GET http://a/ HTTP/1.1",
        ] {
            assert_eq!(asked(text), None, "{text:?}");
        }
        assert_eq!(asked(&"x".repeat(HEAD_BYTES_MAX + 1)), None);
    }
}
