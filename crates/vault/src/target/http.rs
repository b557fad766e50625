//! How an object store is asked: by the HTTP client that piton has already, on a thread beside the runtime.
//!
//! Requests and answers are small enough to lie in memory: the bucket asks for large objects in parts. Nothing here needs the
//! runtime to watch sockets, so a step of a run pays nothing for it. What is no answer, or one that no rule knows, becomes a
//! [`Refused`] or a [`Silence`], which [`failure`](super::failure) tells apart.

use std::future::Future;
use std::io::Read;
use std::pin::Pin;
use std::time::Duration;

use http_body_util::BodyExt;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use ureq::http::{Method, Response, StatusCode};
use ureq::tls::{RootCerts, TlsConfig};

use super::failure::{Refused, Silence, one_line};
use super::retry::Patience;

/// The most of an answer that is read: a part of an object, or a thousand names.
const ANSWER_BYTES_MAX: u64 = 64 << 20;

/// Of an answer that says no.
const REFUSAL_BYTES_MAX: u64 = 64 << 10;

/// Where machines in a cloud ask who they are. Nobody is there elsewhere.
const METADATA_HOSTS: [&str; 4] =
    ["169.254.169.254", "169.254.170.2", "[fd00:ec2::254]", "metadata.google.internal"];

/// Makes clients that wait as long as `patience` says.
#[derive(Debug)]
pub(super) struct Connector {
    pub(super) patience: Patience,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let value = |key| options.get_config_value(&key);
        let is_clear_allowed = value(ClientConfigKey::AllowHttp).is_some_and(|value| value == "true");
        Ok(HttpClient::new(Connection {
            store: agent(self.patience, is_clear_allowed, true),
            metadata: agent(Patience { connect: Duration::from_secs(1), ..Patience::short() }, true, false),
        }))
    }
}

fn agent(patience: Patience, is_clear_allowed: bool, by_proxy: bool) -> ureq::Agent {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let mut config = ureq::Agent::config_builder()
        .tls_config(tls)
        .https_only(!is_clear_allowed)
        .timeout_resolve(Some(patience.connect))
        .timeout_connect(Some(patience.connect))
        .timeout_per_read(Some(patience.stall))
        .timeout_per_write(Some(patience.stall))
        .timeout_global(Some(patience.request))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("piton/", env!("CARGO_PKG_VERSION")));
    if !by_proxy {
        config = config.proxy(None);
    }
    config.build().new_agent()
}

#[derive(Debug)]
struct Connection {
    store: ureq::Agent,
    metadata: ureq::Agent,
}

type Answered<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl HttpService for Connection {
    fn call<'life, 'answer>(&'life self, request: HttpRequest) -> Answered<'answer>
    where
        'life: 'answer,
        Self: 'answer,
    {
        let is_metadata = request.uri().host().is_some_and(|host| METADATA_HOSTS.contains(&host));
        let agent = if is_metadata { self.metadata.clone() } else { self.store.clone() };
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await?.to_bytes();
            let asked = tokio::task::spawn_blocking(move || {
                let who = who(&parts.uri);
                match call(&agent, ureq::http::Request::from_parts(parts, ()), &body) {
                    Ok(answer) => answer.map_err(|refused| HttpError::new(HttpErrorKind::Unknown, refused)),
                    Err(error) => {
                        Err(HttpError::new(HttpErrorKind::Unknown, silence(&who, is_metadata, error)))
                    }
                }
            });
            asked.await.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?
        })
    }
}

/// One request, and all of its answer.
fn call(
    agent: &ureq::Agent,
    request: ureq::http::Request<()>,
    body: &[u8],
) -> Result<Result<HttpResponse, Refused>, ureq::Error> {
    let has_body = [Method::PUT, Method::POST, Method::PATCH].contains(request.method());
    let answer = match has_body {
        true => agent.run(request.map(|()| body))?,
        false => agent.run(request)?,
    };
    let (parts, body) = answer.into_parts();
    let status = parts.status;
    let most = if status.is_success() { ANSWER_BYTES_MAX } else { REFUSAL_BYTES_MAX };
    let mut bytes = Vec::new();
    body.into_with_config().limit(most).reader().read_to_end(&mut bytes).map_err(ureq::Error::from)?;
    // What the rules know by its status alone is theirs to judge.
    let known = [
        StatusCode::NOT_MODIFIED,
        StatusCode::NOT_FOUND,
        StatusCode::CONFLICT,
        StatusCode::PRECONDITION_FAILED,
        StatusCode::RANGE_NOT_SATISFIABLE,
    ];
    let region = parts.headers.get("x-amz-bucket-region").and_then(|region| region.to_str().ok());
    let refused = (!status.is_success()).then(|| refusal(status, &bytes, region));
    match refused {
        Some(refused) if !known.contains(&status) || refused.code.contains("NoSuchBucket") => {
            Ok(Err(refused))
        }
        Some(refused) if refused.code.starts_with("Container") && status != StatusCode::CONFLICT => {
            Ok(Err(refused))
        }
        _ => Ok(Ok(Response::from_parts(parts, bytes.into()))),
    }
}

/// What an answer that says no says: XML of S3 and Azure, JSON of Google.
fn refusal(status: StatusCode, bytes: &[u8], region: Option<&str>) -> Refused {
    let text = String::from_utf8_lossy(bytes);
    let element = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        rest.split_once(&format!("</{name}>")).map(|(value, _)| one_line(value))
    };
    let json: Option<serde_json::Value> = serde_json::from_slice(bytes).ok();
    let said = |pointer: &str| Some(one_line(json.as_ref()?.pointer(pointer)?.as_str()?));
    let bucket_is_gone = text.contains("The specified bucket does not exist");
    let code = element("Code").or_else(|| said("/error/status")).unwrap_or_default();
    Refused {
        status: status.as_u16(),
        code: if bucket_is_gone { "NoSuchBucket".to_owned() } else { code },
        message: element("Message").or_else(|| said("/error/message")).unwrap_or_default(),
        region: element("Region").or_else(|| region.map(one_line)),
    }
}

fn who(uri: &ureq::http::Uri) -> String {
    let host = uri.host().unwrap_or_default();
    match uri.port_u16() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// What it means that there is no answer.
fn silence(who: &str, is_metadata: bool, error: ureq::Error) -> Silence {
    if is_metadata {
        return Silence::NoCredentials;
    }
    let no_connection =
        |what: &str| Silence::NoConnection { what: format!("`{who}` cannot be reached: {what}") };
    match error {
        ureq::Error::RequireHttpsOnly(_) => Silence::InTheClear { endpoint: format!("http://{who}") },
        ureq::Error::HostNotFound => no_connection("nobody knows that name"),
        ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
            no_connection("no answer in time")
        }
        ureq::Error::Timeout(_) => Silence::BrokeOff { what: format!("`{who}` did not answer in time") },
        ureq::Error::ConnectionFailed => no_connection("no connection"),
        ureq::Error::InvalidProxyUrl => no_connection("HTTPS_PROXY or HTTP_PROXY is no address"),
        error @ (ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::Pem(_)) => {
            no_connection(&one_line(&error.to_string()))
        }
        ureq::Error::Io(error) if is_no_connection(&error) => no_connection(&one_line(&error.to_string())),
        error => Silence::BrokeOff {
            what: format!("the connection to `{who}` broke off: {}", one_line(&error.to_string())),
        },
    }
}

fn is_no_connection(error: &std::io::Error) -> bool {
    use std::io::ErrorKind as K;
    // A certificate that is not accepted arrives as an error of reading.
    let is_tls = error.get_ref().is_some_and(|source| source.is::<rustls::Error>());
    // The standard library has no kind for a name that nobody knows.
    let is_unknown = error.to_string().contains("failed to lookup address");
    let is_refused = matches!(
        error.kind(),
        K::ConnectionRefused
            | K::HostUnreachable
            | K::NetworkUnreachable
            | K::NetworkDown
            | K::AddrNotAvailable
            | K::NotFound
    );
    is_tls || is_unknown || is_refused
}
