use std::collections::HashMap;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Cache {
    ttl: Duration,
    limit: usize,
    entries: HashMap<String, (Instant, String)>,
}

impl Cache {
    pub fn new(ttl: Duration, limit: usize) -> Self {
        assert!(limit > 0, "limit must be positive");
        Cache {
            ttl,
            limit,
            entries: HashMap::new(),
        }
    }

    pub fn put(&mut self, now: Instant, key: &str, value: &str) -> bool {
        self.purge(now);
        if self.entries.len() >= self.limit && !self.entries.contains_key(key) {
            return false;
        }
        self.entries.insert(key.to_owned(), (now, value.to_owned()));
        true
    }

    pub fn get(&self, now: Instant, key: &str) -> Option<&str> {
        let (stored, value) = self.entries.get(key)?;
        (now.duration_since(*stored) < self.ttl).then_some(value.as_str())
    }

    pub fn purge(&mut self, now: Instant) -> usize {
        let before = self.entries.len();
        let ttl = self.ttl;
        self.entries
            .retain(|_, (stored, _)| now.duration_since(*stored) < ttl);
        before - self.entries.len()
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[expect(dead_code)]
fn scheme(url: &str) -> &str {
    url.split(':').next().unwrap_or("")
}

pub fn normalize(url: &str) -> String {
    url.trim_end_matches('/').to_lowercase()
}
