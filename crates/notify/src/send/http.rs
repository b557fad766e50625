//! HTTP: one request, no redirects, a deadline, and an answer of bounded size.
//!
//! Certificates are checked against the store of the machine. An address that is secret, or that gets a token, is
//! only called without encryption on this machine itself.

use std::time::Duration;

use piton_model::hook::Method;
use piton_model::limits::{TAIL_BYTES_MAX, clip};
use piton_model::notify::Given;
use piton_sys::redact::Redactor;
use serde_json::Value;
use ureq::http::Uri;
use ureq::tls::{RootCerts, TlsConfig};

use super::Means;
use crate::decide::Message;
use crate::given;

/// The largest answer that is read.
const ANSWER_BYTES_MAX: u64 = 64 << 10;

/// A request that brought nothing. Holds no secret.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is no address.
    #[error("the address is not one that begins with `http://` or `https://`")]
    Address,
    /// It would have been readable on the way.
    #[error("the address or its token is secret, so it must begin with `https://`")]
    InTheClear,
    /// The other side wants us to go elsewhere.
    #[error("`{host}` answered {status}, a redirect, which is not followed")]
    Redirect {
        /// Whom was asked.
        host: String,
        status: u16,
    },
    /// The other side said no.
    #[error("`{host}` answered {status}{said}")]
    Refused {
        /// Whom was asked.
        host: String,
        status: u16,
        /// What it said, after a colon.
        said: String,
    },
    /// There was no answer in time.
    #[error("`{host}` did not answer within {} s", patience.as_secs_f32())]
    Timeout {
        /// Whom was asked.
        host: String,
        /// How long that was.
        patience: Duration,
    },
    /// There was no answer.
    #[error("`{host}` cannot be reached: {what}")]
    Unreachable {
        /// Whom was asked.
        host: String,
        what: String,
    },
}

/// One request.
pub(crate) struct Request<'a> {
    pub(crate) method: Method,
    pub(crate) url: &'a Given,
    pub(crate) token: Option<&'a Given>,
    pub(crate) body: Value,
}

/// Sends `message` as a JSON object.
pub(super) fn send(
    means: &Means,
    url: &Given,
    token: Option<&Given>,
    message: &Message,
) -> Result<(), super::Error> {
    let body = serde_json::to_value(message).expect("a message is plain data");
    call(means, Request { method: Method::Post, url, token, body }, means.patience).map(drop)
}

/// The answer to `request`, if it is one of success.
pub(crate) fn call(means: &Means, request: Request<'_>, patience: Duration) -> Result<String, super::Error> {
    let url = given::find(request.url, &*means.vault)?;
    let token = request.token.map(|token| given::find(token, &*means.vault)).transpose()?;
    let uri = address(&url).ok_or(Error::Address)?;
    let host = host(&uri);
    let is_secret = token.is_some() || !matches!(request.url, Given::Plain(_));
    if is_secret && uri.scheme_str() == Some("http") && !is_this_machine(&host) {
        return Err(Error::InTheClear.into());
    }
    let secrets: Vec<&str> = [Some(url.as_str()), token.as_deref()].into_iter().flatten().collect();
    let said = |text: &str| clean(text, &means.redactor, &secrets);
    let body = means.redactor.redact_json(request.body).to_string();
    let answer = ask(request.method, uri, token.as_deref(), body, patience);
    let (status, answer) = answer.map_err(|error| match error {
        ureq::Error::Timeout(_) => Error::Timeout { host: host.clone(), patience },
        error => Error::Unreachable { host: host.clone(), what: said(&error.to_string()) },
    })?;
    match status {
        200..=299 => Ok(answer),
        300..=399 => Err(Error::Redirect { host, status }.into()),
        _ => {
            let line = said(answer.lines().next().unwrap_or_default());
            let said = if line.is_empty() { line } else { format!(": {line}") };
            Err(Error::Refused { host, status, said }.into())
        }
    }
}

fn ask(
    method: Method,
    uri: Uri,
    token: Option<&str>,
    body: String,
    patience: Duration,
) -> Result<(u16, String), ureq::Error> {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let agent = ureq::Agent::config_builder()
        .tls_config(tls)
        .timeout_global(Some(patience))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("piton/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent();
    let mut sending = match method {
        Method::Post => agent.post(uri),
        Method::Put => agent.put(uri),
        Method::Patch => agent.patch(uri),
    }
    .header("content-type", "application/json");
    if let Some(token) = token {
        sending = sending.header("authorization", format!("Bearer {token}"));
    }
    let mut answer = sending.send(body)?;
    let status = answer.status().as_u16();
    // An answer that is too long or breaks off is an answer all the same.
    let mut text = Vec::new();
    let mut body = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).reader();
    let _ = std::io::Read::read_to_end(&mut body, &mut text);
    Ok((status, String::from_utf8_lossy(&text).into_owned()))
}

fn address(url: &str) -> Option<Uri> {
    let uri: Uri = url.parse().ok()?;
    let scheme = uri.scheme_str().filter(|scheme| ["http", "https"].contains(scheme));
    scheme.and(uri.host()).filter(|host| !host.is_empty())?;
    Some(uri)
}

fn host(uri: &Uri) -> String {
    match (uri.host(), uri.port_u16()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (host, _) => host.unwrap_or_default().to_owned(),
    }
}

/// Whether a host with or without a port is this machine.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || name.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// One short line without secrets and without anything a terminal would act on.
fn clean(text: &str, redactor: &Redactor, secrets: &[&str]) -> String {
    let text = given::clean(text, redactor, secrets);
    let text = clip(&text, TAIL_BYTES_MAX);
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_all_its_names() {
        for host in ["localhost", "localhost:80", "127.0.0.1", "127.1.2.3:8080", "[::1]:9", "[::1]", "::1"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in ["example.com", "localhost.example", "10.0.0.1", "[2001:db8::1]:80", "127.0.0.1.example"]
        {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn only_addresses_of_the_web_are_called() {
        for url in ["", "example.com", "ftp://example.com/", "file:///etc/passwd", "http://", "https:///x"] {
            assert!(address(url).is_none(), "{url}");
        }
        assert!(address("https://example.com/a?b").is_some());
    }
}
