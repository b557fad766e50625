//! Which object store an address and the environment name.
//!
//! Credentials and endpoints come from where every tool of that cloud finds them: the environment, AWS's own files, the metadata of
//! a machine in a cloud. Nothing of that is ever in `piton.toml`, so a repository cannot send backups to an endpoint of its own.

use std::collections::BTreeMap;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::{ClientOptions, RetryConfig};

use super::bucket::Bucket;
use super::failure::{Act, Failure, Reason, one_line};
use super::http::Connector;
use super::profile::Profile;
use super::retry::Patience;
use crate::Error;

/// The region that is asked where nobody says.
const REGION: &str = "us-east-1";

/// Variables of the environment.
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Those of this process.
    pub fn of_process() -> Self {
        let pairs = std::env::vars_os();
        Self(
            pairs
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .collect(),
        )
    }

    /// These, and no others.
    pub fn of<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        Self(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    /// A variable that says something.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Those that begin with `prefix`, as object stores name them.
    fn beginning(&self, prefix: &'static str) -> impl Iterator<Item = (String, &String)> {
        let said = self.0.iter().filter(move |(name, value)| name.starts_with(prefix) && !value.is_empty());
        said.map(|(name, value)| (name.to_ascii_lowercase(), value))
    }

    fn is(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|value| ["1", "true", "yes"].contains(&value.to_ascii_lowercase().as_str()))
    }
}

/// A bucket and what is below it.
struct Address<'a> {
    place: String,
    bucket: &'a str,
    prefix: &'a str,
}

impl<'a> Address<'a> {
    fn parse(scheme: &str, rest: &'a str) -> Result<Self, Failure> {
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = prefix.trim_matches('/');
        let place = match prefix {
            "" => format!("{scheme}://{bucket}"),
            prefix => format!("{scheme}://{bucket}/{prefix}"),
        };
        let wrong = |place: String, what: &str| {
            let reason = Reason::Address { what: what.to_owned() };
            Err(Failure { place, act: Act::List, reason, said: None })
        };
        if bucket.contains('@') {
            // What stands before it may be a secret.
            return wrong(format!("{scheme}://"), "credentials do not belong into an address");
        }
        let is_known = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
        if bucket.is_empty() {
            return wrong(place, "it names no bucket");
        }
        if !bucket.chars().all(is_known) || bucket.len() > 255 {
            return wrong(place, "that is no name of a bucket");
        }
        let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
        if !prefix.is_empty() && !prefix.split('/').all(is_plain) || prefix.contains(['?', '#', '\\', '%']) {
            return wrong(place, "what follows the bucket must be plain names with `/` between them");
        }
        Ok(Self { place, bucket, prefix })
    }

    fn failure(&self, reason: Reason) -> Error {
        Failure { place: self.place.clone(), act: Act::List, reason, said: None }.into()
    }

    fn unbuildable(&self, error: &object_store::Error) -> Error {
        self.failure(Reason::Address { what: one_line(&error.to_string()) })
    }
}

/// The bucket that `text` names, for somebody with this environment; `None` where no store is called so. Nobody is asked yet.
pub fn open(text: &str, environment: &Environment, patience: Patience) -> Result<Option<Bucket>, Error> {
    let made = match text.split_once("://") {
        Some(("s3" | "s3a", rest)) => s3(&Address::parse("s3", rest)?, environment, patience)?,
        Some(("gs", rest)) => gs(&Address::parse("gs", rest)?, environment, patience)?,
        Some(("az", rest)) => az(&Address::parse("az", rest)?, environment, patience)?,
        _ => return Ok(None),
    };
    Ok(Some(made))
}

/// Asked again by our own rules, and by no others.
fn never_again() -> RetryConfig {
    RetryConfig { max_retries: 0, ..RetryConfig::default() }
}

/// In the clear only on this machine, or where somebody says so.
fn options(endpoint: Option<&str>, is_clear_allowed: bool) -> ClientOptions {
    let host = endpoint.and_then(|endpoint| endpoint.strip_prefix("http://")).map(|rest| {
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        authority.rsplit_once(':').map_or(authority, |(host, _)| host).trim_matches(['[', ']'])
    });
    let is_here = host.is_some_and(|host| {
        host == "localhost" || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
    });
    ClientOptions::new().with_allow_http(is_here || is_clear_allowed)
}

fn s3(address: &Address<'_>, environment: &Environment, patience: Patience) -> Result<Bucket, Error> {
    let mut builder = AmazonS3Builder::new();
    for (name, value) in environment.beginning("AWS_") {
        if let Ok(key) = name.parse::<AmazonS3ConfigKey>() {
            builder = builder.with_config(key, value);
        }
    }
    let has_keys = environment.get("AWS_ACCESS_KEY_ID").is_some();
    let other = [
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ];
    let asks_elsewhere = other.iter().any(|name| environment.get(name).is_some());
    let profile = match Profile::of(environment) {
        Ok(profile) => profile,
        // Whoever gives keys needs no profile.
        Err(_) if has_keys || asks_elsewhere => Profile::default(),
        Err(reason) => return Err(address.failure(reason)),
    };
    let region = environment.get("AWS_REGION").or_else(|| environment.get("AWS_DEFAULT_REGION"));
    let region = region.or_else(|| profile.get("region")).unwrap_or(REGION);
    let endpoint = environment.get("AWS_ENDPOINT_URL_S3").or_else(|| environment.get("AWS_ENDPOINT_URL"));
    let endpoint =
        endpoint.or_else(|| environment.get("AWS_ENDPOINT")).or_else(|| profile.get("endpoint_url"));
    if let Some(endpoint) = endpoint {
        builder = builder.with_endpoint(endpoint.trim_end_matches('/'));
    }
    if !has_keys && !asks_elsewhere {
        match (profile.get("aws_access_key_id"), profile.get("aws_secret_access_key")) {
            (Some(id), Some(secret)) => {
                builder = builder.with_access_key_id(id).with_secret_access_key(secret);
                if let Some(token) = profile.get("aws_session_token") {
                    builder = builder.with_token(token);
                }
            }
            _ if environment.is("AWS_EC2_METADATA_DISABLED") && !environment.is("AWS_SKIP_SIGNATURE") => {
                return Err(address.failure(Reason::NoCredentials));
            }
            _ => {}
        }
    }
    let store = builder
        .with_bucket_name(address.bucket)
        .with_region(region)
        .with_client_options(options(endpoint, environment.is("AWS_ALLOW_HTTP")))
        .with_http_connector(Connector { patience })
        .with_retry(never_again())
        .with_disable_bulk_delete(true)
        .build()
        .map_err(|error| match error.to_string() {
            text if text.contains("Missing AccessKeyId") || text.contains("Missing SecretAccessKey") => {
                address.failure(Reason::NoCredentials)
            }
            _ => address.unbuildable(&error),
        })?;
    Ok(Bucket::new(store, address.prefix, &address.place, region, patience))
}

#[cfg(feature = "gs")]
fn gs(address: &Address<'_>, environment: &Environment, patience: Patience) -> Result<Bucket, Error> {
    use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
    let mut builder = GoogleCloudStorageBuilder::new();
    for (name, value) in environment.beginning("GOOGLE_") {
        if let Ok(key) = name.parse::<GoogleConfigKey>() {
            builder = builder.with_config(key, value);
        }
    }
    let endpoint = environment.get("STORAGE_EMULATOR_HOST");
    if let Some(endpoint) = endpoint {
        builder = builder.with_base_url(endpoint).with_skip_signature(true);
    }
    let store = builder
        .with_bucket_name(address.bucket)
        .with_client_options(options(endpoint, false))
        .with_http_connector(Connector { patience })
        .with_retry(never_again())
        .build()
        .map_err(|error| address.unbuildable(&error))?;
    Ok(Bucket::new(store, address.prefix, &address.place, "", patience))
}

#[cfg(not(feature = "gs"))]
fn gs(address: &Address<'_>, _: &Environment, _: Patience) -> Result<Bucket, Error> {
    Err(address.failure(Reason::NotBuilt { feature: "gs" }))
}

#[cfg(feature = "az")]
fn az(address: &Address<'_>, environment: &Environment, patience: Patience) -> Result<Bucket, Error> {
    use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
    let mut builder = MicrosoftAzureBuilder::new();
    for (name, value) in environment.beginning("AZURE_") {
        if let Ok(key) = name.parse::<AzureConfigKey>() {
            builder = builder.with_config(key, value);
        }
    }
    let endpoint = environment.get("AZURE_STORAGE_ENDPOINT").or_else(|| environment.get("AZURE_ENDPOINT"));
    // The emulator of Azure is on this machine.
    let is_emulator = environment.is("AZURE_STORAGE_USE_EMULATOR");
    let store = builder
        .with_container_name(address.bucket)
        .with_client_options(options(endpoint, is_emulator))
        .with_http_connector(Connector { patience })
        .with_retry(never_again())
        .build()
        .map_err(|error| match environment.get("AZURE_STORAGE_ACCOUNT_NAME") {
            None => address.failure(Reason::NoCredentials),
            Some(_) => address.unbuildable(&error),
        })?;
    Ok(Bucket::new(store, address.prefix, &address.place, "", patience))
}

#[cfg(not(feature = "az"))]
fn az(address: &Address<'_>, _: &Environment, _: Patience) -> Result<Bucket, Error> {
    Err(address.failure(Reason::NotBuilt { feature: "az" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    fn opened(url: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let environment = Environment::of(variables.iter().copied());
        match open(url, &environment, Patience::default()) {
            Ok(bucket) => Ok(bucket.expect("a store").place()),
            Err(error) => Err(error.to_string()),
        }
    }

    const KEYS: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "s")];

    #[test]
    fn a_bucket_is_named_by_its_address() {
        assert_eq!(opened("s3://bucket", &KEYS).unwrap(), "s3://bucket");
        assert_eq!(opened("s3://bucket/", &KEYS).unwrap(), "s3://bucket");
        assert_eq!(opened("s3://b.u-c_k/a/b/", &KEYS).unwrap(), "s3://b.u-c_k/a/b");
    }

    #[test]
    fn an_address_that_names_nothing_says_what_is_wrong_with_it_and_no_secret() {
        for (url, what) in [
            ("s3://", "it names no bucket"),
            ("s3:///a", "it names no bucket"),
            ("s3://bu cket/a", "no name of a bucket"),
            ("s3://bucket/../a", "plain names"),
            ("s3://bucket/a//b", "plain names"),
            ("s3://bucket/a?versions", "plain names"),
            ("s3://KEY:hush@bucket/a", "credentials do not belong into an address"),
        ] {
            let refused = opened(url, &KEYS).unwrap_err();
            assert!(refused.contains(what) && !refused.contains("hush"), "{url}: {refused}");
        }
    }

    #[test]
    fn without_credentials_nobody_is_asked_where_nobody_can_be() {
        let refused = opened("s3://bucket", &[("AWS_EC2_METADATA_DISABLED", "true")]).unwrap_err();
        assert_eq!(refused, "cannot list `s3://bucket`: there are no credentials for it");
        let refused = opened("s3://bucket", &KEYS[..1]).unwrap_err();
        assert_eq!(refused, "cannot list `s3://bucket`: there are no credentials for it");
    }

    #[cfg(not(feature = "gs"))]
    #[test]
    fn a_store_that_was_not_built_in_is_named() {
        assert!(opened("gs://bucket", &[]).unwrap_err().contains("without the feature `gs`"));
    }

    #[test]
    fn only_this_machine_is_asked_in_the_clear() {
        let clear = |endpoint| {
            let value =
                options(Some(endpoint), false).get_config_value(&object_store::ClientConfigKey::AllowHttp);
            value.unwrap() == "true"
        };
        for endpoint in
            ["http://localhost:9000", "http://127.0.0.1:80/x", "http://[::1]:9000", "http://127.1.2.3"]
        {
            assert!(clear(endpoint), "{endpoint}");
        }
        for endpoint in
            ["http://minio:9000", "http://10.0.0.1", "https://localhost", "http://localhost.example"]
        {
            assert!(!clear(endpoint), "{endpoint}");
        }
    }
}
