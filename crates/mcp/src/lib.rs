//! The tools by which an agent talks back to its run, over the Model Context Protocol.
//!
//! Owns what the tools are called, what they take and what they answer. Never opens the journal and never
//! decides: an agent reads its [`Brief`] and adds to its report, both through a [`Desk`], and whatever it says is
//! only a request to verify. Nothing here can approve, trust, raise a limit or steer.

mod lines;
mod tools;

use std::sync::Arc;

use piton_view::Brief;
use rmcp::ServiceExt;
use tokio::io::DuplexStream;
use tokio::sync::Mutex;

use tools::Server;
pub use tools::{NoteKind, Progress};

/// Where an agent finds what its run is about, and leaves what it has to say.
pub trait Desk: Send + Sync {
    /// What the run is about, as of now.
    fn brief(&self) -> Result<Brief, String>;

    /// Adds to the report of the attempt under way.
    fn say(&self, said: Said) -> Result<(), String>;
}

/// Something an agent says about its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// How far it is.
    Report {
        /// Whether it goes on, is done, or cannot go on.
        progress: Progress,
        /// What it did, or what it needs.
        summary: String,
        /// Parts that are done.
        completed: Vec<String>,
        /// Parts that are left.
        pending: Vec<String>,
    },
    /// A value to keep with the run.
    Value {
        /// Its name.
        key: String,
        /// It; `null` forgets one.
        value: serde_json::Value,
    },
    /// Something to remember.
    Note {
        /// What it is.
        kind: NoteKind,
        /// In words.
        text: String,
    },
}

/// Why the tools are not served any more.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The other side did not begin as the protocol wants.
    #[error("the client did not begin as the protocol wants")]
    Begin(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The server was ended from within.
    #[error("the server ended")]
    End(#[source] tokio::task::JoinError),
}

/// Serves the tools on standard input and output until the other side closes them.
pub async fn serve(desk: Arc<dyn Desk>) -> Result<(), Error> {
    let (lines, bounded) = tokio::io::duplex(64 << 10);
    let (answers, answered) = tokio::io::duplex(64 << 10);
    let out = Arc::new(Mutex::new(tokio::io::stdout()));
    let reading = tokio::spawn(lines::pass_on(tokio::io::stdin(), lines, Arc::clone(&out)));
    let writing = tokio::spawn(lines::answer(answered, out));
    let served = serve_on(desk, bounded, answers).await;
    reading.abort();
    // What was answered is said before this ends.
    let _ = writing.await;
    served
}

async fn serve_on(desk: Arc<dyn Desk>, input: DuplexStream, output: DuplexStream) -> Result<(), Error> {
    let service = Server::new(desk).serve((input, output)).await;
    let service = match service {
        Ok(service) => service,
        // Nobody spoke at all: that is an end like any other.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Error::Begin(Box::new(error))),
    };
    service.waiting().await.map_err(Error::End)?;
    Ok(())
}
