use std::future::Future;
use std::time::Instant;

use crate::backoff::{Backoff, MAX_ATTEMPTS};
use crate::cache::{normalize, Cache};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchError {
    BadUrl(String),
    GaveUp { attempts: u32, last: String },
}

pub struct Client {
    pub cache: Cache,
    pub backoff: Backoff,
}

impl Client {
    pub async fn fetch<F, R>(&mut self, url: &str, mut get: F) -> Result<String, FetchError>
    where
        F: FnMut(String) -> R,
        R: Future<Output = Result<String, String>>,
    {
        if !url.starts_with("http") {
            return Err(FetchError::BadUrl(url.to_owned()));
        }
        let key = normalize(url);
        if let Some(body) = self.cache.get(Instant::now(), &key) {
            return Ok(body.to_owned());
        }
        let mut attempts = 0;
        loop {
            attempts += 1;
            match get(key.clone()).await {
                Ok(body) => {
                    self.cache.put(Instant::now(), &key, &body);
                    return Ok(body);
                }
                Err(last) if attempts >= MAX_ATTEMPTS => {
                    return Err(FetchError::GaveUp { attempts, last });
                }
                Err(_) => tokio::time::sleep(self.backoff.delay(attempts)).await,
            }
        }
    }
}
