//! Slack and Discord: webhooks that take text.

use piton_model::hook::Method;
use piton_model::limits::clip;
use piton_model::notify::Given;
use serde_json::{Value, json};

use super::http::{self, Request};
use super::{Error, Means};
use crate::decide::Message;

/// What Discord takes, in characters. Bytes are at least as many.
const DISCORD_BYTES_MAX: usize = 2_000;
/// What Slack shows without cutting it.
const SLACK_BYTES_MAX: usize = 4_000;

pub(super) fn slack(means: &Means, url: &Given, message: &Message) -> Result<(), Error> {
    post(means, url, slack_body(message))
}

pub(super) fn discord(means: &Means, url: &Given, message: &Message) -> Result<(), Error> {
    post(means, url, discord_body(message))
}

fn post(means: &Means, url: &Given, body: Value) -> Result<(), Error> {
    http::call(means, Request { method: Method::Post, url, token: None, body }, means.patience).map(drop)
}

fn slack_body(message: &Message) -> Value {
    // The three characters that begin a link, a mention or an entity there.
    let plain = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let text = format!("*{}*\n{}", plain(&message.title).replace('*', "∗"), plain(&message.text));
    json!({ "text": clip(&text, SLACK_BYTES_MAX), "unfurl_links": false })
}

fn discord_body(message: &Message) -> Value {
    let text = format!("**{}**\n{}", message.title.replace('*', "∗"), message.text);
    // Whoever is named in the text of a task is not called for that.
    json!({
        "username": "piton",
        "content": clip(&text, DISCORD_BYTES_MAX),
        "allowed_mentions": { "parse": [] },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::tests::message;

    #[test]
    fn a_task_cannot_call_people_in_a_chat() {
        let message = message("<!channel> a*b", "see <https://evil.example|here> & @everyone");
        let slack = slack_body(&message);
        assert_eq!(
            slack["text"],
            "*&lt;!channel&gt; a∗b*\nsee &lt;https://evil.example|here&gt; &amp; @everyone"
        );
        let discord = discord_body(&message);
        assert_eq!(discord["allowed_mentions"], json!({ "parse": [] }));
    }

    #[test]
    fn a_long_message_is_cut_to_what_is_taken() {
        let message = message("t", &"é".repeat(3_000));
        let content = discord_body(&message)["content"].as_str().unwrap().to_owned();
        assert!(content.chars().count() <= 2_000 && content.ends_with('é'));
    }
}
