//! Templates: `{fact}` stands for a fact, `{{` and `}}` for a brace.
//!
//! What a fact says is never read as a template again. A name that is not known stays as it was written: the
//! configuration refuses it, so it can only come from a newer one.

/// The text with its facts filled in.
pub(crate) fn fill(template: &str, fact: impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        if from.starts_with("{{") || from.starts_with("}}") {
            text.push_str(&from[..1]);
            rest = &from[2..];
            continue;
        }
        let name = from[1..].split_once('}').filter(|_| from.starts_with('{'));
        match name.and_then(|(name, after)| Some((fact(name)?, after))) {
            Some((value, after)) => {
                text.push_str(&value);
                rest = after;
            }
            None => {
                text.push_str(&from[..1]);
                rest = &from[1..];
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(template: &str) -> String {
        fill(template, |name| match name {
            "run" => Some("r1".to_owned()),
            "title" => Some("a {run} b".to_owned()),
            _ => None,
        })
    }

    #[test]
    fn facts_are_filled_in_once() {
        for (template, text) in [
            ("", ""),
            ("no facts", "no facts"),
            ("{run}: {title}", "r1: a {run} b"),
            ("{{run}} {{{run}}}", "{run} {r1}"),
            ("{unknown} {run", "{unknown} {run"),
            ("} { {run}", "} { r1"),
            ("é{run}é", "ér1é"),
        ] {
            assert_eq!(filled(template), text, "{template}");
        }
    }

    proptest! {
        #[test]
        fn no_template_is_a_panic(template in "[{}a-zé ]{0,30}") {
            let _ = filled(&template);
        }
    }
}
