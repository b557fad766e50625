//! Removing in two steps, where lists may be late.
//!
//! One late list may not show the backup that needs an object. So an object that nobody seems to need is only written down at first.
//! It goes with a later prune: once it was written down for as long as new objects are spared, and is still needed by nobody. By
//! then every backup that was hidden when it was written down is in the lists, and whoever was making one has ended.
//!
//! What turns out to be needed after all takes the whole page with it: the others on it are written down anew, and wait again.

use std::collections::BTreeSet;

use piton_model::Timestamp;
use piton_store::JournalId;
use piton_sys::{Ids, SystemIds};

use crate::spool::object_name;
use crate::target::Object;
use crate::{Error, Target};

/// Where such pages lie.
const CONDEMNED: &str = "condemned";

/// More than the page of a hundred thousand objects.
const PAGE_BYTES_MAX: u64 = 16 << 20;

/// Of the objects that nobody seems to need now, those that nobody needed on a page from before `since` either.
pub(crate) async fn ripe(
    target: &dyn Target,
    journal: JournalId,
    unneeded: Vec<Object>,
    since: Timestamp,
) -> Result<Vec<Object>, Error> {
    let names: BTreeSet<&str> = unneeded.iter().map(|object| object.name.as_str()).collect();
    let (mut ripe, mut waiting) = (BTreeSet::new(), BTreeSet::new());
    for page in target.list(&format!("{journal}/{CONDEMNED}/")).await? {
        let Some(bytes) = target.get(&page.name, PAGE_BYTES_MAX).await? else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let on_page: BTreeSet<String> = text.lines().map(str::to_owned).collect();
        let still: BTreeSet<String> =
            on_page.iter().filter(|name| names.contains(name.as_str())).cloned().collect();
        // What is on it and not among them is gone, or needed after all. Either way it has had its day.
        if still.len() < on_page.len() || still.is_empty() {
            target.remove(&page.name).await?;
            continue;
        }
        match page.at < since {
            true => ripe.extend(still),
            false => waiting.extend(still),
        }
    }
    let anew: Vec<&str> =
        names.into_iter().filter(|name| !ripe.contains(*name) && !waiting.contains(*name)).collect();
    if !anew.is_empty() {
        let page = object_name(&journal.to_string(), CONDEMNED, &SystemIds.hex(16));
        target.put(&page, anew.join("\n").as_bytes()).await?;
    }
    Ok(unneeded.into_iter().filter(|object| ripe.contains(&object.name)).collect())
}
