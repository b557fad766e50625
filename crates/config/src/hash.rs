//! One text for one configuration, to see that it changed.

use std::collections::BTreeMap;

use piton_model::loop_machine::LoopConfig;
use serde_json::Value;

/// BLAKE3 over the canonical JSON of `config`, in hexadecimal: names sorted, no white space.
pub fn config_hash(config: &LoopConfig) -> String {
    let value = serde_json::to_value(config).expect("a configuration is plain data");
    let mut text = String::new();
    write(&value, &mut text);
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Sorted here and not by the JSON library, whose order of names depends on how it was built.
fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let sorted: BTreeMap<_, _> = members.iter().collect();
            text.push('{');
            for (index, (name, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(member, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            text.push_str(&value.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use piton_model::loop_machine::stop::{Done, until};
    use piton_model::loop_machine::{AgentConfig, Check};

    use super::*;

    fn config() -> LoopConfig {
        let checks = vec![Check::new("test", "cargo test")];
        let config = LoopConfig::new("say \"hi\"", AgentConfig::new("exec", &["sh"]), checks);
        LoopConfig { until: vec![until(Done {})], ..config }
    }

    #[test]
    fn equal_configurations_have_equal_hashes_and_others_do_not() {
        let hash = config_hash(&config());
        assert_eq!(hash.len(), 64);
        assert_eq!(config_hash(&config()), hash);
        let mut other = config();
        other.limits.iterations += 1;
        assert_ne!(config_hash(&other), hash);
    }

    #[test]
    fn the_hash_is_over_sorted_names_without_white_space() {
        let value = serde_json::json!({ "b": [1, { "z": null, "a": "é\n" }], "a": true });
        let mut text = String::new();
        write(&value, &mut text);
        assert_eq!(text, r#"{"a":true,"b":[1,{"a":"é\n","z":null}]}"#);
    }
}
