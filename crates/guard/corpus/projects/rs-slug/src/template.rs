use std::collections::HashMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateError {
    Unclosed(usize),
    Unknown(String),
}

/// Fills "{name}" from the values.
pub fn fill(template: &str, values: &HashMap<&str, &str>) -> Result<String, TemplateError> {
    let mut text = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        let Some(length) = rest[open..].find('}') else {
            return Err(TemplateError::Unclosed(template.len() - rest.len() + open));
        };
        let name = &rest[open + 1..open + length];
        match values.get(name) {
            Some(value) => text.push_str(value),
            None => return Err(TemplateError::Unknown(name.to_owned())),
        }
        rest = &rest[open + length + 1..];
    }
    text.push_str(rest);
    Ok(text)
}

#[expect(dead_code)]
fn braces(name: &str) -> String {
    format!("{{{name}}}")
}

pub fn truncate(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        text.to_owned()
    } else {
        let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
        short.push('…');
        short
    }
}
