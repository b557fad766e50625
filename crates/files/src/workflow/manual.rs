//! Manual inputs: what a person wrote into `manual_inputs/<run>__<step>.json`.

use piton_model::workflow::ManualInput;
use piton_model::workflow::limits::MANUAL_INPUT_BYTES_MAX;
use serde_json::Value;

use crate::plain::without_mark;

/// What these bytes say, or why they say nothing. Without `approved` a person who wrote the file agrees.
pub fn read_manual_input(bytes: &[u8]) -> Result<ManualInput, String> {
    if bytes.len() > MANUAL_INPUT_BYTES_MAX {
        return Err(format!("larger than {MANUAL_INPUT_BYTES_MAX} bytes"));
    }
    let bytes = without_mark(bytes);
    let value: Value = serde_json::from_slice(bytes).map_err(|error| format!("not JSON: {error}"))?;
    let Value::Object(content) = value else {
        return Err("not an object: write `{\"approved\": true}`".to_owned());
    };
    let approved = match content.get("approved") {
        None => true,
        Some(Value::Bool(approved)) => *approved,
        Some(_) => return Err("`approved` is neither `true` nor `false`".to_owned()),
    };
    let comment = ["comments", "comment"].iter().find_map(|key| content.get(*key).and_then(Value::as_str));
    Ok(ManualInput { approved, comment: comment.map(str::to_owned), content })
}

/// The name of these bytes, so that what cannot be read is reported once.
pub fn input_digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_owned()
}
