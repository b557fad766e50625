//! The flip: each new or changed test on the old code. One that fails there shows what the change is for; one that passes has
//! to notice a break of the new code instead, which [`super::lost_kills`] looks at.

use crate::account::Probe;
use crate::session::Session;
use crate::trial::{Runner, Verdict};

pub(crate) fn probe<R: Runner>(session: &mut Session<'_, R>) -> Result<(), R::Error> {
    if !session.change.touches_product() || session.around.changed_tests.is_empty() {
        return Ok(());
    }
    let old = session.change.old_product();
    let Some(outcome) = session.run(&old)? else { return Ok(()) };
    if outcome.verdict != Verdict::Red || !session.is_its_doing(&outcome)? {
        return Ok(());
    }
    session.account.did(Probe::Flip);
    session.proved(&outcome);
    Ok(())
}
