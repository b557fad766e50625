//! The conversations of an agent: which one the next attempt has.

use super::config::{NamedBy, SessionPolicy, Sessions};
use super::facts::IntendedSession;
use super::state::State;

/// The conversation of the next attempt.
pub(super) fn next(state: &State, attempt: u32) -> Option<IntendedSession> {
    let goes_on = match state.config.session {
        SessionPolicy::Continue => true,
        SessionPolicy::Fresh => retries_a_refusal(state),
        SessionPolicy::Fork => false,
    };
    let current = state.session.current.as_ref().filter(|_| !state.session.spent);
    let place = state.driver.as_ref().map_or("", |driver| driver.host.as_str());
    let name = || name(&format!("{place} {} {} {attempt}", state.run, state.created_at));
    let forks = state.config.session == SessionPolicy::Fork;
    intended(&state.agent().sessions, current, goes_on, forks, name)
}

/// The conversation of an attempt that goes on with `current`, or forks it, where the agent can. A name of ours is made
/// from what is on record, so that it is known before anything runs, and is another one for every attempt of every run.
pub(crate) fn intended(
    sessions: &Sessions,
    current: Option<&String>,
    goes_on: bool,
    forks: bool,
    name: impl FnOnce() -> String,
) -> Option<IntendedSession> {
    if let Some(current) = current.filter(|_| goes_on && !sessions.resume.is_empty()) {
        return Some(IntendedSession { id: current.clone(), resumed: true, from: None });
    }
    let named = (sessions.named_by == NamedBy::Us).then(name);
    let from = current.filter(|_| forks && !sessions.fork.is_empty()).cloned();
    let id = named.or_else(|| from.clone())?;
    Some(IntendedSession { id, resumed: false, from })
}

/// The iteration is tried again only because its provider refused to go on: the work so far is in its session.
fn retries_a_refusal(state: &State) -> bool {
    state.work.iteration > state.counters.iterations && state.counters.refusals_in_a_row > 0
}

/// A random-looking UUID (version 8: of our own making).
pub(crate) fn name(text: &str) -> String {
    let [mut high, mut low] = [0xcbf2_9ce4_8422_2325_u64, 0x9e37_79b9_7f4a_7c15];
    for byte in text.bytes() {
        // FNV-1a in one half, and its sum mixed into the other.
        high = (high ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        low = (low ^ high).rotate_left(27).wrapping_mul(0x94d0_49bb_1331_11eb);
    }
    let high = high & !0xf000 | 0x8000;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    let (a, b, c) = (high >> 32, high >> 16 & 0xffff, high & 0xffff);
    format!("{a:08x}-{b:04x}-{c:04x}-{:04x}-{:012x}", low >> 48, low & 0xffff_ffff_ffff)
}
