//! What comes in, line by line. One that is too long is replaced by a short one, to which the answer is an error; one that is no
//! JSON is answered here.
//!
//! The library of the protocol drops both and says nothing: whoever sent it would wait for ever. Nothing of a long line
//! is kept but its id, wherever in it that stands.

use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// As much as the library takes.
pub(crate) const LINE_BYTES_MAX: usize = 16 << 20;

/// What a line that was too long asks for instead.
pub(crate) const TOO_LONG: &str = "piton/too_long";

/// JSON that is no message: the library answers it with an error that names no id.
const NO_MESSAGE: &[u8] = b"0\n";

/// The longest member of a message that may be its id.
const MEMBER_BYTES_MAX: usize = 512;

/// What is answered to a line that is no JSON, or deeper than anybody reads.
const PARSE_ERROR: &[u8] =
    b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}\n";

/// Says whole lines, one after the other.
pub(crate) async fn answer(from: impl AsyncRead + Unpin, out: Arc<Mutex<impl AsyncWrite + Unpin>>) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).await.is_ok_and(|count| count > 0) {
        if say(&line, &out).await.is_err() {
            return;
        }
        line.clear();
    }
}

async fn say(line: &[u8], out: &Mutex<impl AsyncWrite + Unpin>) -> std::io::Result<()> {
    let mut out = out.lock().await;
    out.write_all(line).await?;
    out.flush().await
}

/// Whether somebody can read it; a line with nothing in it asks for nothing.
fn is_json(line: &[u8]) -> bool {
    line.trim_ascii().is_empty() || serde_json::from_slice::<serde_json::Value>(line).is_ok()
}

/// Passes on what comes in, until either side ends; what cannot be read is answered on `out`.
pub(crate) async fn pass_on(
    from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    out: Arc<Mutex<impl AsyncWrite + Unpin>>,
) {
    let mut from = BufReader::with_capacity(64 << 10, from);
    let mut line = Vec::new();
    let mut long: Option<Long> = None;
    loop {
        let Ok(bytes) = from.fill_buf().await else { return };
        let is_over = bytes.is_empty();
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let piece = &bytes[..end.map_or(bytes.len(), |end| end + 1)];
        if long.is_none() && line.len() + piece.len() > LINE_BYTES_MAX {
            long.insert(Long::default()).read(&std::mem::take(&mut line));
        }
        match &mut long {
            Some(long) => long.read(piece),
            None => line.extend_from_slice(piece),
        }
        let count = piece.len();
        from.consume(count);
        if end.is_some() || is_over {
            let whole = long.take().map_or_else(|| std::mem::take(&mut line), |long| long.instead());
            let passed = match is_json(&whole) {
                true => to.write_all(&whole).await,
                false => say(PARSE_ERROR, &out).await,
            };
            if passed.is_err() || is_over {
                return;
            }
        }
    }
}

/// A line that is too long, as far as it was read: only what may be its id is kept.
#[derive(Default)]
struct Long {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// The member of the message that is being read, without what is inside of its value.
    member: Vec<u8>,
    id: Option<serde_json::Value>,
}

impl Long {
    fn read(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let ends_text = self.in_text && !self.is_escaped && byte == b'"';
            let was_text = self.in_text;
            self.is_escaped = self.in_text && !self.is_escaped && byte == b'\\';
            self.in_text = !ends_text && (self.in_text || byte == b'"');
            match byte {
                b'{' | b'[' if !was_text => self.depth += 1,
                b'}' | b']' if !was_text => {
                    self.end_member();
                    self.depth = self.depth.saturating_sub(1);
                }
                b',' if !was_text => self.end_member(),
                _ if self.depth == 1 && self.member.len() < MEMBER_BYTES_MAX => self.member.push(byte),
                _ => {}
            }
        }
    }

    fn end_member(&mut self) {
        if self.depth == 1 {
            let member = [b"{", &std::mem::take(&mut self.member)[..], b"}"].concat();
            let member: Option<serde_json::Value> = serde_json::from_slice(&member).ok();
            let id = member.and_then(|mut member| Some(member.get_mut("id")?.take()));
            self.id = self.id.take().or(id.filter(|id| id.is_number() || id.is_string()));
        }
    }

    fn instead(self) -> Vec<u8> {
        let Some(id) = self.id else { return NO_MESSAGE.to_vec() };
        let request = serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": TOO_LONG });
        format!("{request}\n").into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instead(text: &str) -> String {
        let mut long = Long::default();
        // However it is cut.
        for byte in text.bytes() {
            long.read(&[byte]);
        }
        String::from_utf8(long.instead()).unwrap()
    }

    #[test]
    fn the_id_is_found_wherever_it_stands_and_nothing_else_is_taken_for_it() {
        let seven = "{\"id\":7,\"jsonrpc\":\"2.0\",\"method\":\"piton/too_long\"}\n";
        for text in [
            r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"id":1}}"#,
            r#"{"method":"x","params":{"id":1,"text":"\"id\":2, }"},  "id" : 7 }"#,
            r#"{"params":[{"id":1}],"a":"\\","id":7}"#,
        ] {
            assert_eq!(instead(text), seven, "{text}");
        }
        for text in [r#"{"params":{"id":1}}"#, r#"[{"id":7}]"#, r#"{"id":{"id":1}}"#, r#"{"id":null}"#, "xxx"]
        {
            assert_eq!(instead(text), "0\n", "{text}");
        }
    }
}
