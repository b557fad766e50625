//! Names that this format wants and a run does not have: derived from the run, so they are the same every time.

use piton_model::{RunId, slug};

/// Longest slug in an id of this format.
const SLUG_CHARS_MAX: usize = 30;

/// The id of a run in this format, `ralph-<slug>-<8 hex>`: its own where that fits, else one derived from it.
///
/// Runs whose ids differ only in case are one run and have one id here.
pub fn loop_id(run: &RunId) -> String {
    if fits(run.as_str()) {
        return run.as_str().to_owned();
    }
    let digest = blake3::derive_key("piton loop id v1", run.key().as_bytes());
    let slug: String = slug(run.as_str()).chars().take(SLUG_CHARS_MAX).collect();
    format!("ralph-{}-{}", slug.trim_end_matches('-'), hex(&digest[..4]))
}

/// Whether an id is one of this format.
pub(super) fn fits(id: &str) -> bool {
    let Some((slug, tail)) = id.strip_prefix("ralph-").and_then(|rest| rest.rsplit_once('-')) else {
        return false;
    };
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_slug = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase() || byte == b'-';
    !slug.is_empty() && slug.bytes().all(is_slug) && tail.len() == 8 && tail.bytes().all(is_hex)
}

/// A UUID for the `number`th thing of this kind in a run; of version 8, which says that it was made up by a rule.
pub(super) fn uuid(run: &RunId, kind: &str, number: u32) -> String {
    let material = format!("{}\0{kind}\0{number}", run.key());
    let mut bytes: [u8; 32] = blake3::derive_key("piton derived uuid v1", material.as_bytes());
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let part = |range: std::ops::Range<usize>| hex(&bytes[range]);
    format!("{}-{}-{}-{}-{}", part(0..4), part(4..6), part(6..8), part(8..10), part(10..16))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: &str) -> RunId {
        id.parse().unwrap()
    }

    #[test]
    fn an_id_of_the_format_is_kept_and_any_other_becomes_one() {
        assert_eq!(loop_id(&run("ralph-fix-tests-a1b2c3d4")), "ralph-fix-tests-a1b2c3d4");
        let given = [
            "7f3a91c2",
            "Fix_Tests",
            "ralph-x",
            "ralph-Fix-a1b2c3d4",
            "ralph-fix-a1b2c3dg",
            &"a-".repeat(30),
        ];
        let mut seen = std::collections::BTreeSet::new();
        for id in given {
            let derived = loop_id(&run(id));
            assert!(fits(&derived), "{id} became {derived}");
            assert!(seen.insert(derived), "{id}");
        }
        assert_eq!(loop_id(&run("RUN-1")), loop_id(&run("run-1")));
    }

    #[test]
    fn a_derived_uuid_is_always_the_same_and_never_anothers() {
        let first = uuid(&run("r"), "regression", 7);
        assert_eq!(first, uuid(&run("R"), "regression", 7));
        for other in [
            uuid(&run("r"), "regression", 8),
            uuid(&run("r"), "recovery", 7),
            uuid(&run("s"), "regression", 7),
        ] {
            assert_ne!(first, other);
        }
        assert_eq!((first.len(), &first[14..15]), (36, "8"));
    }
}
