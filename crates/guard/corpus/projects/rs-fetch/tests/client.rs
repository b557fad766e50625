use std::cell::Cell;
use std::time::Duration;

use fetch::backoff::Backoff;
use fetch::cache::Cache;
use fetch::client::{Client, FetchError};

fn client() -> Client {
    Client {
        cache: Cache::new(Duration::from_secs(60), 10),
        backoff: Backoff::new(Duration::from_millis(10), Duration::from_secs(1)).unwrap(),
    }
}

#[tokio::test]
async fn fetches_once() {
    let mut client = client();
    let calls = Cell::new(0);
    for _ in 0..3 {
        let body = client
            .fetch("http://example.org/", |_| {
                calls.set(calls.get() + 1);
                async { Ok("page".to_owned()) }
            })
            .await;
        assert_eq!(body, Ok("page".to_owned()));
    }
    assert_eq!(calls.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn tries_again() {
    let calls = Cell::new(0);
    let body = client()
        .fetch("http://example.org", |_| {
            calls.set(calls.get() + 1);
            let attempt = calls.get();
            async move {
                if attempt < 3 {
                    Err("busy".to_owned())
                } else {
                    Ok("page".to_owned())
                }
            }
        })
        .await;
    assert_eq!(body, Ok("page".to_owned()));
    assert_eq!(calls.get(), 3);
}

#[tokio::test(start_paused = true)]
async fn gives_up() {
    let error = client()
        .fetch("http://example.org", |_| async { Err("down".to_owned()) })
        .await
        .unwrap_err();
    assert_eq!(
        error,
        FetchError::GaveUp {
            attempts: 5,
            last: "down".to_owned()
        }
    );
}

#[tokio::test]
async fn rejects_other_schemes() {
    let result = client()
        .fetch("ftp://example.org", |_| async { Ok(String::new()) })
        .await;
    assert_eq!(
        result,
        Err(FetchError::BadUrl("ftp://example.org".to_owned()))
    );
}

#[tokio::test]
async fn ends_in_time() {
    let mut client = client();
    let fetch = client.fetch("http://example.org", |_| async { Ok("page".to_owned()) });
    let body = tokio::time::timeout(Duration::from_secs(1), fetch)
        .await
        .unwrap();
    assert!(body.is_ok());
}
