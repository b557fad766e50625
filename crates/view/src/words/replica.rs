//! A replica in words: what was proven, and how far behind it is.

use piton_model::Timestamp;

use super::{clock, duration};
use crate::ReplicaView;

/// A day.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What is known of a replica, on one line.
pub fn replica(view: &ReplicaView, now: Timestamp) -> String {
    let time = |at: Timestamp| match now.as_millis().saturating_sub(at.as_millis()) {
        0..DAY_MS => clock(at),
        _ => at.to_string(),
    };
    let proven = match (view.restorable_to, view.proven_at) {
        (Some(to), Some(at)) => format!("restorable to {}, proven {}", time(to), time(at)),
        (None, Some(at)) => format!("holds no event, proven {}", time(at)),
        (_, None) => "not proven yet".to_owned(),
    };
    let behind = view.behind_ms.map(|behind| match view.shipped_to {
        Some(to) => format!("last shipped {}, {} behind", time(to), duration(behind)),
        None => "nothing is shipped yet".to_owned(),
    });
    let state = match (behind, &view.trouble) {
        (Some(behind), Some(trouble)) => Some(format!("{behind}: {}", trouble.what)),
        (None, Some(trouble)) => Some(format!("since {}: {}", time(trouble.since), trouble.what)),
        (behind, None) => behind,
    };
    let damaged = (!view.damaged.is_empty())
        .then(|| format!("damaged here, and not shipped: {}", view.damaged.join("; ")));
    let beside = view.beside.as_ref().map(|why| format!("begun anew: {why}"));
    let parts = [Some(proven), state, damaged, beside];
    let said: Vec<String> = parts.into_iter().flatten().collect();
    format!("{} · {}", said.join(" · "), view.at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trouble;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(1_771_157_000_000 + minutes * 60_000)
    }

    #[test]
    fn what_was_proven_comes_first_and_running_is_never_said() {
        let view = ReplicaView {
            at: "/kept".to_owned(),
            name: "n".to_owned(),
            shipped_at: Some(at(10)),
            shipped_to: Some(at(10)),
            behind_ms: None,
            restorable_to: Some(at(0)),
            proven_at: Some(at(5)),
            trouble: None,
            beside: None,
            damaged: Vec::new(),
        };
        let (to, proven, shipped) = (clock(at(0)), clock(at(5)), clock(at(10)));
        assert_eq!(replica(&view, at(20)), format!("restorable to {to}, proven {proven} · /kept"));
        let trouble = Some(Trouble { what: "503".to_owned(), since: at(11) });
        let late = ReplicaView { behind_ms: Some(240_000), trouble, ..view.clone() };
        let said = replica(&late, at(20));
        assert!(said.contains(&format!("last shipped {shipped}, 4m00s behind: 503")), "{said}");
        let never = ReplicaView { restorable_to: None, proven_at: None, ..view };
        assert!(replica(&never, at(20)).starts_with("not proven yet"));
    }
}
