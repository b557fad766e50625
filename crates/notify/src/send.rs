//! Sending a message to a channel.
//!
//! One file per kind. Each tries once, within a bounded time, and says what went wrong in words without a secret.
//! None decides anything.

mod chat;
mod desktop;
pub(crate) mod http;
mod log_file;
mod mail;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use piton_model::notify::{Channel, ChannelKind};
use piton_sys::redact::Redactor;

use crate::decide::Message;
use crate::given::{self, Vault};

pub use log_file::LOG_BYTES_MAX;
pub(crate) use log_file::add_line;

/// How long the other side has.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A message did not arrive. Holds no secret.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A value that is needed could not be found.
    #[error(transparent)]
    Given(#[from] given::Error),
    /// The other side could not be reached, or it said no.
    #[error(transparent)]
    Http(#[from] http::Error),
    /// The mail server could not be reached, or it said no.
    #[error("the mail server: {what}")]
    Mail { what: String },
    /// An address is none.
    #[error("`{address}` is not a mail address")]
    Address {
        /// As it was written.
        address: String,
    },
    /// A password would have crossed the network in the clear.
    #[error("a password is not sent to `{host}` without encryption")]
    InTheClear { host: String },
    /// Nobody sits before a desktop.
    #[error("this session has no desktop")]
    NoDesktop,
    /// The desktop was not told.
    #[error("the desktop: {what}")]
    Desktop { what: String },
    /// The file cannot be written.
    #[error("{what}")]
    File { what: String },
}

/// What sending needs.
#[derive(Clone)]
pub struct Means {
    /// The repository: paths of files count from there.
    pub root: PathBuf,
    /// Where secrets are found.
    pub vault: Arc<dyn Vault>,
    /// What else must not be said.
    pub redactor: Redactor,
    /// How long the other side has.
    pub patience: Duration,
    /// What tells the desktop, where it is not what the system has.
    pub desktop: Option<PathBuf>,
}

impl Means {
    /// The means of this machine, for the repository at `root`.
    pub fn of_this_machine(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            vault: Arc::new(given::Environment),
            redactor: Redactor::from_environment(),
            patience: PATIENCE,
            desktop: None,
        }
    }

    /// Sends `message` to `channel`.
    pub fn send(&self, channel: &Channel, message: &Message) -> Result<(), Error> {
        // A title of a task or a question of an agent may hold what nobody else should read.
        let message = &Message {
            title: self.redactor.redact(&message.title).into_owned(),
            text: self.redactor.redact(&message.text).into_owned(),
            ..message.clone()
        };
        match &channel.to {
            ChannelKind::Desktop {} => desktop::send(self, message),
            ChannelKind::Slack { url } => chat::slack(self, url, message),
            ChannelKind::Discord { url } => chat::discord(self, url, message),
            ChannelKind::Email(email) => mail::send(self, email, message),
            ChannelKind::Webhook { url, token } => http::send(self, url, token.as_ref(), message),
            ChannelKind::Logfile { path } => log_file::send(self, path, message),
        }
    }
}
