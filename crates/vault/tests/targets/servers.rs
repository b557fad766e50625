//! The same against a real server on loopback that speaks S3.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use piton_vault::target::failure::{Act, Reason};
use piton_vault::target::{Bucket, Environment, Patience, open};
use piton_vault::{Error, Target};

use crate::proxy::Proxy;
use crate::rules::run;
use crate::storm::{Journal, pruned};

/// A server, gone when it is dropped.
struct Server {
    url: String,
    child: Child,
}

impl Server {
    #[expect(clippy::disallowed_methods, reason = "a test starts its server as a shell does")]
    fn start(script: &str, buckets: &[&str]) -> Self {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scripts").join(script);
        let mut command = std::process::Command::new(script);
        command.args(buckets).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        assert!(url.starts_with("http://"), "no server: {url}");
        Self { url: url.trim().to_owned(), child }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The key that every Azurite has, by its documentation.
const AZURITE_KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// A bucket for somebody who waits less than a second.
fn bucket(endpoint: &str, place: &str) -> Bucket {
    let patience = Patience {
        tries: 14,
        calls: 3,
        first: Duration::from_millis(5),
        longest: Duration::from_millis(50),
        stall: Duration::from_millis(600),
        ..Patience::default()
    };
    let keys = [
        ("AWS_ENDPOINT_URL", endpoint),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AZURE_STORAGE_ENDPOINT", endpoint),
        ("AZURE_STORAGE_ACCOUNT_NAME", "devstoreaccount1"),
        ("AZURE_STORAGE_ACCOUNT_KEY", AZURITE_KEY),
    ];
    open(place, &Environment::of(keys.into_iter()), patience).unwrap().unwrap()
}

/// At length with PITON_TARGET_OPERATIONS.
fn operations() -> u64 {
    std::env::var("PITON_TARGET_OPERATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

#[test]
fn never_is_a_backup_listed_at_a_server_that_does_not_restore() {
    println!("{}", storm("s3-server", "s3://bucket/a/prefix"));
}

/// Says what happened.
fn storm(script: &str, place: &str) -> String {
    let server = Server::start(script, &["bucket"]);
    let proxy = Proxy::new(&server.url, 5, 160);
    let (target, sound) = (bucket(&proxy.url, place), bucket(&server.url, place));
    run(async {
        let mut journal = Journal::new();
        let (mut number, mut made, mut failed, mut last) = (0, 0, 0, String::new());
        while proxy.happened().0 < operations() {
            for _ in 0..3 {
                journal.go_on(number).await;
                number += 1;
            }
            match journal.back_up(&target).await {
                Ok(_) => made += 1,
                Err(Error::Target(failure)) => {
                    failed += 1;
                    last = failure.to_string();
                }
                Err(error) => panic!("backup {made}: {error}"),
            }
            let _ = pruned(&journal, &target, 2).await;
            let bad = journal.all_restore(&sound, &mut Vec::new()).await;
            assert!(bad.is_empty(), "after {made} backups: {bad:?}");
        }
        let (asked, happened, late) = proxy.happened();
        assert!(made > 3 && made > failed, "{made} made, {failed} failed: {last}");
        assert!(late > 0 && happened.len() >= 7, "{happened:?}");
        format!("{asked} operations, {made} backups, {failed} failed, {late} late lists, {happened:?}")
    })
}

#[test]
fn a_large_object_goes_in_parts_and_comes_back() {
    in_parts("s3-server", "s3://bucket");
}

fn in_parts(script: &str, place: &str) {
    let server = Server::start(script, &["bucket"]);
    let target = bucket(&server.url, place).in_parts(6 << 20, 5 << 20);
    let bytes: Vec<u8> = (0..4u32 << 20).flat_map(|number| number.to_le_bytes()).collect();
    let name = format!("a/{}", piton_store::chain::hex(&piton_store::chain::digest(&bytes)));
    run(async {
        target.put(&name, &bytes).await.unwrap();
        target.put(&name, &bytes).await.unwrap();
        assert!(target.get(&name, 1 << 30).await.unwrap().unwrap() == bytes);
        target.put("a/empty", b"").await.unwrap();
        assert_eq!(target.get("a/empty", 9).await.unwrap().unwrap(), b"");
        assert_eq!(target.list("a/").await.unwrap().len(), 2);
    });
}

#[test]
fn what_a_server_says_no_to_is_named() {
    let server = Server::start("s3-server", &[]);
    let failure = |error: Error| match error {
        Error::Target(failure) => (failure.act, failure.reason.clone()),
        error => panic!("{error}"),
    };
    run(async {
        let nowhere = bucket(&server.url, "s3://nowhere/a");
        assert_eq!(failure(nowhere.list("a/").await.unwrap_err()), (Act::List, Reason::NoBucket));
        assert_eq!(failure(nowhere.get("a/b", 9).await.unwrap_err()), (Act::Read, Reason::NoBucket));
        assert_eq!(failure(nowhere.put("a/b", b"").await.unwrap_err()), (Act::Write, Reason::NoBucket));
        let closed = bucket("http://127.0.0.1:1", "s3://bucket");
        let (act, reason) = failure(closed.list("a/").await.unwrap_err());
        assert_eq!(act, Act::List);
        assert!(
            matches!(&reason, Reason::Unreachable { what } if what.contains("127.0.0.1:1")),
            "{reason:?}"
        );
    });
}

#[cfg(feature = "az")]
mod azure {
    use super::*;

    #[test]
    fn never_is_a_backup_listed_at_azure_that_does_not_restore() {
        println!("{}", storm("azure-server", "az://bucket/a/prefix"));
    }

    #[test]
    fn a_large_object_goes_in_parts_to_azure_and_comes_back() {
        in_parts("azure-server", "az://bucket");
    }

    #[test]
    fn a_container_that_is_not_there_is_named() {
        let server = Server::start("azure-server", &[]);
        run(async {
            let refused = bucket(&server.url, "az://nowhere/a").list("a/").await.unwrap_err();
            assert!(
                matches!(&refused, Error::Target(failure) if failure.reason == Reason::NoBucket),
                "{refused}"
            );
        });
    }
}
