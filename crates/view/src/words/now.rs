//! What happens at this moment, on one line.

use piton_model::Timestamp;

use super::{ago, clean_line, columns, cut};
use crate::UnderWay;

/// What an agent does is worth no fewer columns than this.
const SAYS_MIN: usize = 16;
/// Between what happens and what can be done about it.
const GAP: usize = 3;

/// Who is at work, for how long, and what was last heard of it: `claude, 2m11s · → Edit src/a.rs`.
pub fn now(under_way: &UnderWay, now: Timestamp) -> String {
    let since = under_way.since.map(|since| format!(", {}", ago(now, since)));
    let says = under_way.says.as_deref().map(|says| format!(" · {}", clean_line(says)));
    format!("{}{}{}", under_way.what, since.unwrap_or_default(), says.unwrap_or_default())
}

/// The same as the last line of a viewer, in at most `width` columns. What an agent does is cut first, then `keys` go, then what
/// is known so far, from its end.
pub fn live(under_way: &UnderWay, keys: &str, now: Timestamp, width: usize) -> String {
    let at = if under_way.at.is_empty() { String::new() } else { format!("{}  ", under_way.at) };
    let since = under_way.since.map_or_else(String::new, |since| format!(" {}", ago(now, since)));
    let head = format!("{at}{}{since}", clean_line(&under_way.what));
    let says = under_way.says.as_deref().map(clean_line).filter(|says| !says.is_empty());
    let least = says.as_deref().map_or(0, |says| columns(says).min(SAYS_MIN) + 2);
    let mut facts: &[String] = &under_way.facts;
    let facts_are = |facts: &[String]| facts.iter().map(|fact| format!(" · {fact}")).collect::<String>();
    let fits = |facts: &[String], keys: &str| {
        let gap = if keys.is_empty() { 0 } else { GAP };
        columns(&head) + least + columns(&facts_are(facts)) + gap + columns(keys) <= width
    };
    let keys = if fits(facts, keys) { keys } else { "" };
    while !facts.is_empty() && !fits(facts, keys) {
        facts = &facts[..facts.len() - 1];
    }
    let facts = facts_are(facts);
    let keys = if keys.is_empty() { String::new() } else { format!("{}{keys}", " ".repeat(GAP)) };
    let room = width.saturating_sub(columns(&head) + columns(&facts) + columns(&keys) + 2);
    let says = says.filter(|_| room > 0).map(|says| format!("  {}", cut(&says, room)));
    let text = format!("{head}{}{facts}", says.unwrap_or_default());
    let text = cut(&text, width.saturating_sub(columns(&keys)));
    let pad = width.saturating_sub(columns(&text) + columns(&keys));
    match keys.is_empty() {
        true => text,
        false => format!("{text}{}{keys}", " ".repeat(pad)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &str = "d detach · p pause · t tell · ? help";

    fn shown(says: Option<&str>, width: usize) -> String {
        let under_way = UnderWay {
            at: "#4".to_owned(),
            what: "claude".to_owned(),
            since: Some(Timestamp::from_millis(0)),
            says: says.map(str::to_owned),
            facts: ["tests 417/419", "context 41 %", "$2.15 of $15.00"].map(str::to_owned).to_vec(),
        };
        live(&under_way, KEYS, Timestamp::from_millis(131_000), width)
    }

    #[test]
    fn the_last_line_fits_every_width() {
        let says = "→ Edit src/users/validate.ts, and then everything else that has to do with it";
        let lines = [60, 80, 120].map(|width| shown(Some(says), width));
        assert_eq!(
            lines,
            [
                "#4  claude 2m11s  → Edit src/users/validate… · tests 417/419",
                "#4  claude 2m11s  → Edit src/users/validate.ts,… · tests 417/419 · context 41 %",
                "#4  claude 2m11s  → Edit src/users/validate.ts, and then everything el… · tests 417/419 · context 41 % · $2.15 of $15.00",
            ]
        );
        for width in 20..160 {
            assert!(columns(&shown(Some(says), width)) <= width, "{width}");
            assert!(columns(&shown(None, width)) <= width, "{width}");
        }
    }

    #[test]
    fn who_works_and_for_how_long_comes_first() {
        assert_eq!(shown(None, 20), "#4  claude 2m11s");
        assert!(shown(None, 30).starts_with("#4  claude 2m11s"));
    }
}
