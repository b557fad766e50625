//! The class of a failure, from what providers answer with.

use piton_model::loop_machine::ErrorClass;

/// The class of an HTTP status.
pub(super) fn of_status(status: u64) -> Option<ErrorClass> {
    match status {
        401 | 403 => Some(ErrorClass::Auth),
        429 => Some(ErrorClass::RateLimit),
        413 => Some(ErrorClass::ContextFull),
        500 | 502 | 503 | 504 | 529 => Some(ErrorClass::Overloaded),
        _ => None,
    }
}

/// The class of an error message that a CLI made itself. Never for the words of a model or a tool.
pub(super) fn of_message(message: &str) -> Option<ErrorClass> {
    const SIGNS: [(&str, ErrorClass); 14] = [
        ("context_length_exceeded", ErrorClass::ContextFull),
        ("context window", ErrorClass::ContextFull),
        ("prompt is too long", ErrorClass::ContextFull),
        ("input token count", ErrorClass::ContextFull),
        ("usage limit", ErrorClass::RateLimit),
        ("too many requests", ErrorClass::RateLimit),
        ("resource_exhausted", ErrorClass::RateLimit),
        ("quota", ErrorClass::RateLimit),
        ("at capacity", ErrorClass::Overloaded),
        ("high demand", ErrorClass::Overloaded),
        ("overloaded", ErrorClass::Overloaded),
        ("api key", ErrorClass::Auth),
        ("unauthorized", ErrorClass::Auth),
        ("not logged in", ErrorClass::Auth),
    ];
    let lower = message.to_ascii_lowercase();
    let by_sign = SIGNS.iter().find(|(sign, _)| lower.contains(sign)).map(|(_, class)| *class);
    by_sign.or_else(|| status_in(&lower).and_then(of_status))
}

/// The number after the word "status".
fn status_in(lower: &str) -> Option<u64> {
    lower.split("status").skip(1).find_map(|after| {
        let digits = after.trim_start_matches([':', ' ', '=']);
        let number: String = digits.chars().take_while(char::is_ascii_digit).collect();
        (number.len() == 3).then(|| number.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_providers_have_a_class() {
        for (message, class) in [
            ("exceeded retry limit, last status: 429 Too Many Requests", Some(ErrorClass::RateLimit)),
            ("unexpected status 401 Unauthorized: Incorrect API key provided.", Some(ErrorClass::Auth)),
            ("unexpected status 503 Service Unavailable", Some(ErrorClass::Overloaded)),
            ("Selected model is at capacity. Please try a different model.", Some(ErrorClass::Overloaded)),
            ("Codex ran out of room in the model's context window.", Some(ErrorClass::ContextFull)),
            ("stream disconnected before completion", None),
            ("exit status 1", None),
            ("status", None),
            ("", None),
        ] {
            assert_eq!(of_message(message), class, "{message}");
        }
    }
}
