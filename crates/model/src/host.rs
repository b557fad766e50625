//! A host that may be reached: its name, those below it, and at which ports.

use std::str::FromStr;

/// What is reached where no port is named.
const WEB: [u16; 2] = [80, 443];

/// `api.example.org`, `*.example.org` (all below it), or either with a port, `localhost:5432`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    name: String,
    below: bool,
    port: Option<u16>,
}

/// It is no such thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("give a host such as `api.example.org`, `*.example.org` or `localhost:5432`")]
pub struct NoHost;

impl FromStr for Host {
    type Err = NoHost;

    fn from_str(word: &str) -> Result<Self, NoHost> {
        let (name, port) = split(word).ok_or(NoHost)?;
        let (name, below) = name.strip_prefix("*.").map_or((name, false), |name| (name, true));
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_part) {
            return Err(NoHost);
        }
        Ok(Self { name: plain(name), below, port })
    }
}

impl Host {
    /// Whether it allows for this.
    pub fn allows(&self, name: &str, port: u16) -> bool {
        let name = plain(name);
        let is_it = match self.below {
            true => name.strip_suffix(&self.name).is_some_and(|before| before.ends_with('.')),
            false => name == self.name,
        };
        is_it && self.port.map_or(WEB.contains(&port), |named| named == port)
    }

    /// The port of this very machine that it names.
    pub fn local_port(&self) -> Option<u16> {
        let is_local = ["localhost", "127.0.0.1", "::1"].contains(&self.name.as_str());
        self.port.filter(|_| is_local && !self.below)
    }
}

/// The name and the port of `name:port`, where the name may be an address in brackets.
pub fn split(word: &str) -> Option<(&str, Option<u16>)> {
    if let Some(rest) = word.strip_prefix('[') {
        let (name, rest) = rest.split_once(']')?;
        return match rest {
            "" => Some((name, None)),
            _ => Some((name, Some(rest.strip_prefix(':')?.parse().ok()?))),
        };
    }
    match word.split_once(':') {
        None => Some((word, None)),
        Some((name, port)) => Some((name, Some(port.parse().ok()?))),
    }
}

/// Names do not differ by case, and may end with a dot.
fn plain(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_allows_for_its_name_and_its_ports() {
        for (said, name, port, allowed) in [
            ("api.example.org", "api.example.org", 443, true),
            ("api.example.org", "API.example.org.", 80, true),
            ("api.example.org", "api.example.org", 22, false),
            ("api.example.org", "api.example.org.evil.net", 443, false),
            ("example.org", "api.example.org", 443, false),
            ("*.example.org", "api.example.org", 443, true),
            ("*.example.org", "a.b.example.org", 443, true),
            ("*.example.org", "example.org", 443, false),
            ("*.example.org", "badexample.org", 443, false),
            ("git.example.org:22", "git.example.org", 22, true),
            ("git.example.org:22", "git.example.org", 443, false),
            ("[::1]:5432", "::1", 5432, true),
        ] {
            let host: Host = said.parse().unwrap();
            assert_eq!(host.allows(name, port), allowed, "{said} {name} {port}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for word in
            ["", "*", "*.", "https://example.org", "example.org/path", "example.org:web", "a b", "a:70000"]
        {
            assert_eq!(word.parse::<Host>(), Err(NoHost), "{word}");
        }
    }

    #[test]
    fn only_a_named_port_of_this_machine_is_a_local_one() {
        for (said, port) in [
            ("localhost:5432", Some(5432)),
            ("localhost", None),
            ("127.0.0.1:80", Some(80)),
            ("db:5432", None),
        ] {
            assert_eq!(said.parse::<Host>().unwrap().local_port(), port, "{said}");
        }
    }
}
