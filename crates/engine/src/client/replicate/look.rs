//! What is known of the replica, compared with the journal as it is: never from whether somebody is at work on it.

use piton_store::Wanted;
use piton_vault::Target as _;
use piton_vault::replica;
use piton_vault::replica::kept::{Place, Shipped, Target};
use piton_view::{Error, ReplicaView, Trouble};

use crate::client::vault::journal_of;
use crate::client::{ClientError, LocalClient};
use crate::configuration;

/// The replica that the configuration asks for, or else the one that was written last; nothing where there is neither.
pub(in crate::client) async fn look(client: &LocalClient) -> Result<Option<ReplicaView>, Error> {
    let place = Place::below(&client.layout().state());
    let asked = configuration::replicate(client.layout()).ok().flatten();
    let asked = asked.map(|to| {
        let named = super::work::parse(client.layout(), &to).map_or(to, |target| target.place());
        (place.target(&named), named)
    });
    match (asked, place.latest()) {
        (Some((target, named)), _) => {
            let shipped = target.shipped().unwrap_or_else(|| Shipped::nothing(&named));
            Ok(Some(view(client, &target, shipped).await?))
        }
        (None, Some(target)) => match target.shipped() {
            Some(shipped) => Ok(Some(view(client, &target, shipped).await?)),
            None => Ok(None),
        },
        (None, None) => Ok(None),
    }
}

/// The same for who looks often: nothing is looked up where nothing was ever replicated. That it cannot be looked at is said where
/// somebody asks for it.
pub(in crate::client) async fn look_where_there(client: &LocalClient) -> Option<ReplicaView> {
    match Place::below(&client.layout().state()).is_there() {
        true => look(client).await.ok().flatten(),
        false => None,
    }
}

/// What is known of the replica at this target.
pub(super) async fn view(
    client: &LocalClient,
    target: &Target,
    shipped: Shipped,
) -> Result<ReplicaView, Error> {
    if is_gone(client, &shipped).await {
        return Ok(gone(shipped));
    }
    let proven = target.proven().filter(|proven| proven.name == shipped.name).map(|proven| proven.proven);
    Ok(ReplicaView {
        behind_ms: behind(client, &shipped).await?,
        at: shipped.to,
        name: shipped.name,
        shipped_at: shipped.at,
        shipped_to: shipped.newest,
        restorable_to: proven.as_ref().and_then(|proven| proven.to),
        proven_at: proven.map(|proven| proven.at),
        trouble: shipped.trouble.map(|what| Trouble {
            what,
            since: shipped.trouble_since.or(shipped.at).unwrap_or(piton_model::Timestamp::from_millis(0)),
        }),
        beside: shipped.beside,
        damaged: shipped.damaged,
    })
}

/// Whether what was shipped to a directory does not lie there any more. A bucket would have to be asked, each time; and a place that
/// does not answer is in trouble, not empty.
async fn is_gone(client: &LocalClient, shipped: &Shipped) -> bool {
    let Ok(target) = super::work::parse(client.layout(), &shipped.to) else { return false };
    if target.directory().is_none() || shipped.at.is_none() {
        return false;
    }
    let Ok(journal) = journal_of(client) else { return false };
    replica::is_there(&*target, journal, &shipped.name).await.is_ok_and(|there| !there)
}

fn gone(shipped: Shipped) -> ReplicaView {
    let since = shipped.at.unwrap_or(piton_model::Timestamp::from_millis(0));
    ReplicaView {
        at: shipped.to,
        name: shipped.name,
        shipped_at: None,
        shipped_to: None,
        behind_ms: Some(0),
        restorable_to: None,
        proven_at: None,
        trouble: Some(Trouble { what: "what was shipped is not there any more".to_owned(), since }),
        beside: shipped.beside,
        damaged: shipped.damaged,
    }
}

/// How much newer the newest event here is than the newest there; nothing where all of them are there.
async fn behind(client: &LocalClient, shipped: &Shipped) -> Result<Option<u64>, Error> {
    let Some(store) = client.existing_store()? else { return Ok(None) };
    let rows = store.rows(Wanted::ALL_THERE).await.map_err(ClientError::from)?.rows;
    let events: u64 = rows.iter().map(|row| row.head.seq).sum();
    if events == shipped.events && rows.len() == shipped.runs {
        return Ok(None);
    }
    let newest = rows.iter().map(|row| row.entry.updated_at).max();
    let behind = match (newest, shipped.newest) {
        (Some(here), Some(there)) => here.millis_since(there),
        _ => 0,
    };
    Ok(Some(behind))
}
