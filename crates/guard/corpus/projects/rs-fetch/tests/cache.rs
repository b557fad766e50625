use std::time::{Duration, Instant};

use fetch::backoff::describe;
use fetch::cache::{normalize, Cache};

fn cache() -> Cache {
    Cache::new(Duration::from_secs(10), 2)
}

#[test]
fn finds_what_was_stored() {
    let now = Instant::now();
    let mut cache = cache();
    assert!(cache.put(now, "a", "1"));
    assert_eq!(cache.get(now, "a"), Some("1"));
    assert_eq!(cache.get(now, "b"), None);
}

#[test]
fn entries_expire() {
    let now = Instant::now();
    let mut cache = cache();
    cache.put(now, "a", "1");
    assert_eq!(cache.get(now + Duration::from_secs(10), "a"), None);
}

#[test]
fn is_limited() {
    let now = Instant::now();
    let mut cache = cache();
    cache.put(now, "a", "1");
    cache.put(now, "b", "2");
    assert!(!cache.put(now, "c", "3"));
    assert_eq!(cache.len(), 2);
}

#[test]
fn purge_counts() {
    let now = Instant::now();
    let mut cache = cache();
    cache.put(now, "a", "1");
    assert_eq!(cache.purge(now + Duration::from_secs(11)), 1);
    assert!(cache.is_empty());
}

#[test]
#[should_panic(expected = "limit must be positive")]
fn limit_is_positive() {
    Cache::new(Duration::from_secs(1), 0);
}

#[test]
fn url_in_lower_case() {
    assert_eq!(normalize("HTTP://Example.org"), "http://example.org");
}

#[test]
fn url_without_slash() {
    assert_eq!(normalize("http://example.org/"), "http://example.org");
}

#[test]
fn delays_are_described() {
    assert_eq!(describe(Duration::from_secs(3)), "3s");
}
