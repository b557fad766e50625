//! Mail by SMTP.
//!
//! The connection is encrypted before anything is said, unless the server is on this machine; a password never
//! crosses the network in the clear.

use std::time::{Duration, UNIX_EPOCH};

use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message as Mail};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{SmtpTransport, Transport};
use piton_model::notify::{Email, Encryption, Priority};

use super::http::is_this_machine;
use super::{Error, Means};
use crate::decide::Message;
use crate::given;

pub(super) fn send(means: &Means, email: &Email, message: &Message) -> Result<(), Error> {
    let password = email.password.as_ref().map(|given| given::find(given, &*means.vault)).transpose()?;
    let secrets: Vec<&str> = password.as_deref().into_iter().collect();
    let failed = |error: &dyn std::error::Error| {
        let mut what = error.to_string();
        if let Some(cause) = error.source().map(ToString::to_string).filter(|cause| !what.contains(cause)) {
            what = format!("{what}: {cause}");
        }
        let what = given::clean(&what, &means.redactor, &secrets);
        Error::Mail { what: what.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect() }
    };
    if password.is_some() && email.encryption == Encryption::None && !is_this_machine(&email.host) {
        return Err(Error::InTheClear { host: email.host.clone() });
    }
    let mail = compose(email, message)?;
    let tls = || TlsParameters::new(email.host.clone()).map_err(|error| failed(&error));
    let tls = match email.encryption {
        Encryption::Starttls => Tls::Required(tls()?),
        Encryption::Tls => Tls::Wrapper(tls()?),
        Encryption::None => Tls::None,
    };
    let mut transport = SmtpTransport::builder_dangerous(email.host.clone())
        .port(email.port)
        .tls(tls)
        .timeout(Some(means.patience));
    if let Some(password) = &password {
        let name = email.username.clone().unwrap_or_else(|| email.from.clone());
        transport = transport.credentials(Credentials::new(name, password.clone()));
    }
    transport.build().send(&mail).map(drop).map_err(|error| failed(&error))
}

fn compose(email: &Email, message: &Message) -> Result<Mail, Error> {
    let mailbox = |address: &str| {
        address.parse::<Mailbox>().map_err(|_| Error::Address { address: address.to_owned() })
    };
    let at = UNIX_EPOCH + Duration::from_millis(message.at.as_millis().unsigned_abs());
    let mut builder = Mail::builder()
        .from(mailbox(&email.from)?)
        .subject(format!("piton {}", message.title))
        .date(at)
        .message_id(Some(format!("<{}.{}@piton.invalid>", message.facts.run, message.number)));
    for to in &email.to {
        builder = builder.to(mailbox(to)?);
    }
    let mut mail = builder
        .header(ContentType::TEXT_PLAIN)
        .body(message.text.clone())
        .map_err(|_| Error::Address { address: email.to.join(", ") })?;
    let mut header = |name: &'static str, value: &str| {
        let value = HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned());
        mail.headers_mut().insert_raw(value);
    };
    // So that no holiday answers it.
    header("Auto-Submitted", "auto-generated");
    if message.priority >= Priority::High {
        header("Importance", "high");
    }
    Ok(mail)
}
