//! What an object store said no to, why, and what helps.
//!
//! Answers are told apart by status and by the code that the store gives, never by the words of a library.

use std::error::Error as StdError;
use std::fmt;

/// What was asked of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// To keep an object.
    Write,
    /// To say what an object holds.
    Read,
    /// To name the objects.
    List,
    /// To forget an object.
    Delete,
}

impl Act {
    fn word(self) -> &'static str {
        match self {
            Act::Write => "write to",
            Act::Read => "read from",
            Act::List => "list",
            Act::Delete => "delete from",
        }
    }

    /// The right that it needs, by its name at each kind of store.
    fn rights(self) -> &'static str {
        match self {
            Act::Write => "s3:PutObject (storage.objects.create, Storage Blob Data Contributor)",
            Act::Read => "s3:GetObject (storage.objects.get, Storage Blob Data Reader)",
            Act::List => "s3:ListBucket (storage.objects.list, Storage Blob Data Reader)",
            Act::Delete => "s3:DeleteObject (storage.objects.delete, Storage Blob Data Contributor)",
        }
    }
}

/// Why a store did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nobody said who asks.
    NoCredentials,
    /// A file of AWS names a profile that has no keys that piton can use.
    Profile {
        /// Which.
        name: String,
        /// What is there instead.
        what: String,
    },
    /// It does not know who asks.
    Rejected,
    /// They were good once.
    Expired,
    /// Its clock and ours are too far apart.
    Clock,
    /// Whoever asks may not.
    Denied,
    /// The bucket lies elsewhere.
    Region {
        /// Where it was looked for.
        asked: String,
        /// Where it is, if the store says so.
        is: Option<String>,
    },
    /// There is no such bucket.
    NoBucket,
    /// Nobody answers there.
    Unreachable {
        /// Who was asked, and what became of it.
        what: String,
    },
    /// It answers, and does not do it.
    Unavailable,
    /// Asked to keep what is there, it replaced it.
    Unsafe,
    /// It would be readable on the way.
    InTheClear {
        /// The address.
        endpoint: String,
    },
    /// The address names nothing.
    Address {
        /// What is wrong with it.
        what: String,
    },
    /// This piton was built without it.
    NotBuilt {
        /// The feature of the build.
        feature: &'static str,
    },
    /// Anything else.
    Other,
}

/// An object store did not do what it was asked.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Where.
    pub place: String,
    /// What was asked.
    pub act: Act,
    /// Why it was not done.
    pub reason: Reason,
    /// What the store said, on one line.
    pub said: Option<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, act, reason, said } = self;
        write!(f, "cannot {} `{place}`: ", act.word())?;
        match reason {
            Reason::NoCredentials => write!(f, "there are no credentials for it")?,
            Reason::Profile { name, what } => write!(f, "the profile `{name}` {what}")?,
            Reason::Rejected => write!(f, "the credentials are not accepted")?,
            Reason::Expired => write!(f, "the credentials have expired")?,
            Reason::Clock => write!(f, "the clock of this machine is wrong")?,
            Reason::Denied => write!(f, "permission denied")?,
            Reason::Region { asked, is: Some(is) } => {
                write!(f, "the bucket lies in region `{is}`, and was asked for in `{asked}`")?;
            }
            Reason::Region { asked, is: None } => write!(f, "the bucket does not lie in region `{asked}`")?,
            Reason::NoBucket => write!(f, "there is no such bucket")?,
            Reason::Unreachable { what } => write!(f, "{what}")?,
            Reason::Unavailable => write!(f, "the store is not available now")?,
            Reason::Unsafe => write!(
                f,
                "the store replaces what is there although it is asked not to (it ignores If-None-Match), so a backup there is not safe"
            )?,
            Reason::InTheClear { endpoint } => {
                write!(f, "`{endpoint}` is not encrypted, and not on this machine")?;
            }
            Reason::Address { what } => write!(f, "{what}")?,
            Reason::NotBuilt { feature } => {
                write!(f, "this piton was built without the feature `{feature}`")?
            }
            Reason::Other => write!(f, "the store did not do it")?,
        }
        match said {
            Some(said) => write!(f, " ({said})"),
            None => Ok(()),
        }
    }
}

impl StdError for Failure {}

impl Failure {
    /// What to do next.
    pub fn remedy(&self) -> String {
        let Self { place, act, reason, .. } = self;
        let look = format!("`piton backup list --to {place}`");
        match reason {
            Reason::NoCredentials if place.starts_with("gs://") => {
                format!("set GOOGLE_SERVICE_ACCOUNT to a key file, or run `gcloud auth application-default login`; then run {look}")
            }
            Reason::NoCredentials if place.starts_with("az://") => {
                format!("set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY; then run {look}")
            }
            Reason::NoCredentials => format!(
                "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run `aws configure`; then run {look}"
            ),
            Reason::Profile { name, .. } => format!(
                "run `eval \"$(aws configure export-credentials --profile {name} --format env)\"`, then {look}"
            ),
            Reason::Rejected | Reason::Expired => {
                format!("renew them (`aws sts get-caller-identity` tries them), then run {look}")
            }
            Reason::Clock => format!("set the clock (`timedatectl` shows it), then run {look}"),
            Reason::Denied => format!("it needs {}; grant that, then run {look}", act.rights()),
            Reason::Region { is: Some(is), .. } => format!("run `AWS_REGION={is} piton backup list --to {place}`"),
            Reason::Region { is: None, .. } => format!("set AWS_REGION to where the bucket lies, then run {look}"),
            Reason::NoBucket => {
                let bucket = place.split('/').take(3).collect::<Vec<_>>().join("/");
                match place.starts_with("s3://") {
                    true => format!("correct the name, or make it (`aws s3 mb {bucket}`); then run {look}"),
                    false => format!("correct the name, or make `{bucket}`; then run {look}"),
                }
            }
            Reason::Unreachable { .. } => {
                format!("look at the network, at AWS_ENDPOINT_URL and HTTPS_PROXY; then run {look}")
            }
            Reason::Unavailable | Reason::Other => format!("run it again later; {look} shows whether it answers"),
            Reason::Unsafe => {
                "take a store that keeps what is there (AWS S3, MinIO, R2 and Ceph do), or a directory: `piton backup create --to DIRECTORY`".to_owned()
            }
            Reason::InTheClear { .. } => {
                format!("use an address with https://, or allow it with AWS_ALLOW_HTTP=true; then run {look}")
            }
            Reason::Address { .. } => "write it as s3://BUCKET/PREFIX; `piton backup list --to URL` tries it".to_owned(),
            Reason::NotBuilt { feature } => {
                format!("build it with `cargo build --release --features {feature}`, then run {look}")
            }
        }
    }
}

/// An answer that is neither success nor one of those that the rules know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The status of HTTP.
    pub status: u16,
    /// The code that the store gives, `NoSuchBucket` for one.
    pub code: String,
    /// What it says, on one line.
    pub message: String,
    /// Where the bucket is, if it says so.
    pub region: Option<String>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        for part in [&self.code, &self.message].into_iter().filter(|part| !part.is_empty()) {
            write!(f, " {part}")?;
        }
        Ok(())
    }
}

impl StdError for Refused {}

/// There was no answer, or only the beginning of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Silence {
    /// Nobody took the call.
    NoConnection {
        /// Who was called, and what became of it.
        what: String,
    },
    /// It broke off, or took too long.
    BrokeOff {
        /// Who was called, and what became of it.
        what: String,
    },
    /// Whoever gives credentials to programs of this machine is not there.
    NoCredentials,
    /// The address is not encrypted.
    InTheClear {
        /// Which.
        endpoint: String,
    },
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Silence::NoConnection { what } | Silence::BrokeOff { what } => f.write_str(what),
            Silence::NoCredentials => f.write_str("no credentials"),
            Silence::InTheClear { endpoint } => write!(f, "`{endpoint}` is not encrypted"),
        }
    }
}

impl StdError for Silence {}

/// What an error of a store comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// There is no such object.
    Missing,
    /// Something is there under that name, or is being put there.
    Exists,
    /// Nobody was reached: worth another try or two.
    Deaf(Reason),
    /// Worth another try.
    Passing(Reason),
    /// No use in asking again.
    Final(Reason),
}

/// What `error` comes to, where `region` was asked.
pub(super) fn judge(error: &object_store::Error, region: &str) -> (Verdict, Option<String>) {
    if let Some(refused) = find::<Refused>(error) {
        return (judge_status(refused, region), Some(refused.to_string()));
    }
    let verdict = match find::<Silence>(error) {
        Some(Silence::NoConnection { what }) => Verdict::Deaf(Reason::Unreachable { what: what.clone() }),
        Some(Silence::BrokeOff { what }) => Verdict::Passing(Reason::Unreachable { what: what.clone() }),
        Some(Silence::NoCredentials) => Verdict::Final(Reason::NoCredentials),
        Some(Silence::InTheClear { endpoint }) => {
            Verdict::Final(Reason::InTheClear { endpoint: endpoint.clone() })
        }
        None => return judge_kind(error),
    };
    (verdict, None)
}

fn judge_kind(error: &object_store::Error) -> (Verdict, Option<String>) {
    use object_store::Error as E;
    let verdict = match error {
        E::NotFound { .. } => Verdict::Missing,
        E::AlreadyExists { .. } | E::Precondition { .. } => Verdict::Exists,
        E::PermissionDenied { .. } => Verdict::Final(Reason::Denied),
        E::Unauthenticated { .. } => Verdict::Final(Reason::Rejected),
        E::NotSupported { .. } | E::NotImplemented { .. } | E::UnknownConfigurationKey { .. } => {
            Verdict::Final(Reason::Other)
        }
        // An answer that could not be read: everything that is asked here may be asked again.
        _ => Verdict::Passing(Reason::Other),
    };
    (verdict, Some(one_line(&error.to_string())))
}

fn judge_status(refused: &Refused, region: &str) -> Verdict {
    let Refused { status, code, region: is, .. } = refused;
    let elsewhere = || Reason::Region { asked: region.to_owned(), is: is.clone() };
    match (code.as_str(), *status) {
        ("NoSuchBucket" | "ContainerNotFound" | "ContainerBeingDeleted", _) => {
            Verdict::Final(Reason::NoBucket)
        }
        ("RequestTimeTooSkewed", _) => Verdict::Final(Reason::Clock),
        ("ExpiredToken" | "TokenRefreshRequired", _) => Verdict::Final(Reason::Expired),
        (
            "InvalidAccessKeyId"
            | "SignatureDoesNotMatch"
            | "InvalidToken"
            | "AuthenticationFailed"
            | "InvalidAuthenticationInfo",
            _,
        )
        | (_, 401) => Verdict::Final(Reason::Rejected),
        ("AuthorizationHeaderMalformed" | "PermanentRedirect" | "TemporaryRedirect", _)
        | (_, 301 | 307 | 308) => Verdict::Final(elsewhere()),
        (_, 403) => Verdict::Final(Reason::Denied),
        // A clone that is behind itself says one of these for a while.
        ("SlowDown" | "RequestTimeout" | "InternalError" | "ServiceUnavailable", _)
        | (_, 408 | 425 | 429 | 500..=599) => Verdict::Passing(Reason::Unavailable),
        // A HEAD has no body, and an error without one may be anything.
        (_, 400) if is.as_deref().is_some_and(|is| is != region) => Verdict::Final(elsewhere()),
        _ => Verdict::Final(Reason::Other),
    }
}

/// The cause of this sort, if there is one: libraries wrap what our own connection said.
fn find<'a, T: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a T> {
    let mut at = Some(error);
    while let Some(error) = at {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found);
        }
        at = error.source();
    }
    None
}

/// What somebody else said, fit for one line of a terminal.
pub(super) fn one_line(text: &str) -> String {
    let clean: String = text
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .take(300)
        .collect();
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, code: &str) -> object_store::Error {
        let refused = Refused { status, code: code.to_owned(), message: String::new(), region: None };
        object_store::Error::Generic { store: "test", source: Box::new(refused) }
    }

    #[test]
    fn an_answer_is_told_apart_by_its_code_then_by_its_status() {
        let verdict = |status, code| judge(&refused(status, code), "here").0;
        assert_eq!(verdict(404, "NoSuchBucket"), Verdict::Final(Reason::NoBucket));
        assert_eq!(verdict(403, "InvalidAccessKeyId"), Verdict::Final(Reason::Rejected));
        assert_eq!(verdict(403, "RequestTimeTooSkewed"), Verdict::Final(Reason::Clock));
        assert_eq!(verdict(400, "ExpiredToken"), Verdict::Final(Reason::Expired));
        assert_eq!(verdict(403, "AccessDenied"), Verdict::Final(Reason::Denied));
        assert_eq!(verdict(403, ""), Verdict::Final(Reason::Denied));
        let elsewhere = Reason::Region { asked: "here".to_owned(), is: None };
        assert_eq!(verdict(301, "PermanentRedirect"), Verdict::Final(elsewhere));
        for status in [408, 429, 500, 502, 503, 504] {
            assert_eq!(verdict(status, ""), Verdict::Passing(Reason::Unavailable), "{status}");
        }
        assert_eq!(verdict(503, "SlowDown"), Verdict::Passing(Reason::Unavailable));
        assert_eq!(verdict(400, "EntityTooLarge"), Verdict::Final(Reason::Other));
    }

    #[test]
    fn every_failure_names_a_next_command() {
        let reasons = [
            Reason::NoCredentials,
            Reason::Profile { name: "p".to_owned(), what: "has no keys".to_owned() },
            Reason::Rejected,
            Reason::Expired,
            Reason::Clock,
            Reason::Denied,
            Reason::Region { asked: "a".to_owned(), is: Some("b".to_owned()) },
            Reason::Region { asked: "a".to_owned(), is: None },
            Reason::NoBucket,
            Reason::Unreachable { what: "w".to_owned() },
            Reason::Unavailable,
            Reason::Unsafe,
            Reason::InTheClear { endpoint: "e".to_owned() },
            Reason::Address { what: "w".to_owned() },
            Reason::NotBuilt { feature: "gs" },
            Reason::Other,
        ];
        for reason in reasons {
            for act in [Act::Write, Act::Read, Act::List, Act::Delete] {
                let place = "s3://bucket/a/b".to_owned();
                let failure = Failure { place, act, reason: reason.clone(), said: None };
                let (words, remedy) = (failure.to_string(), failure.remedy());
                assert!(words.contains("s3://bucket/a/b") && !words.ends_with('.'), "{words}");
                assert!(remedy.contains('`'), "{remedy}");
            }
        }
    }
}
