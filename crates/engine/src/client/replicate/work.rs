//! The process that ships what is new, for as long as it is wanted.
//!
//! It looks at the journal's revision, which costs next to nothing, and asks the target only where something is to be shipped,
//! made tidy or proven. Failure of the target is tried again, ever more seldom up to [`RETRY_MAX`]; it never stops a run.

use std::sync::atomic::Ordering;
use std::time::Duration;

use piton_git::Workspace;
use piton_model::Kind;

use piton_sys::lock::FileLock;
use piton_sys::{Clock, SystemClock};
use piton_vault::create::{SEGMENT_BYTES, Source};
use piton_vault::replica::kept::{Holder, LastProven, Place, Shipped, Target};
use piton_vault::replica::{Begun, Replicator, Writer};
use piton_vault::target;
use piton_vault::{Covered, Target as _};
use piton_view::{Error, ErrorKind, ReplicaMoment, ReplicaUpdate, ReplicaView, ReplicateOrder};

use super::job::{Done, Failed, Job, Subject, Task, run};
use super::look::view;
use crate::client::vault::{Scratch, failed, journal_of, workspace};
use crate::client::{ClientError, LocalClient};
use crate::configuration;
use crate::layout::Layout;
use crate::ledger::research::is_researched;

/// Between two looks at the journal: while it is written to, and otherwise.
const LOOK_SOON: Duration = Duration::from_millis(100);
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// After so long nothing is called writing any more.
const WRITING: Duration = Duration::from_secs(5);

/// What is written in so short a time is shipped together.
const PACE: Duration = Duration::from_millis(300);

/// Between two tries where the target fails: at first, and at most.
const RETRY_MIN: Duration = Duration::from_secs(1);
const RETRY_MAX: Duration = Duration::from_secs(60);

/// Between two proofs; more where one takes long.
const PROVE_EVERY: Duration = Duration::from_secs(60 * 60);

/// Of the time, no more than one part in so many goes into proofs.
const PROOF_SHARE: u32 = 20;

/// Objects of the log after which they are made few, and bytes.
const TIDY_OBJECTS: u64 = 32;
const TIDY_BYTES: u64 = SEGMENT_BYTES as u64;

/// Before a proof, fewer are enough: it reads all of them.
const TIDY_OBJECTS_TO_PROVE: u64 = 8;

/// Tasks that may fail before whoever ships once gives up.
const FAILURES_MAX: u32 = 3;

/// How long a replicator of drivers stays after nothing is driven any more.
const LINGER: Duration = Duration::from_secs(20);

/// And where what is there cannot be proven.
const STAY_MAX: Duration = Duration::from_secs(10 * 60);

/// Between two looks whether something is driven, and what the configuration says.
const ATTEND_EVERY: Duration = Duration::from_secs(2);

type Tell<'a> = &'a mut (dyn FnMut(&ReplicaUpdate) + Send);

/// The target that a person or the configuration names.
pub(super) fn parse(layout: &Layout, text: &str) -> Result<Box<Covered>, Error> {
    crate::client::vault::parse(layout, text)
}

/// Replicates as ordered.
pub(in crate::client) async fn replicate(
    client: &LocalClient,
    order: ReplicateOrder,
    tell: Tell<'_>,
) -> Result<ReplicaView, Error> {
    let layout = client.layout();
    if !layout.is_taken() {
        configuration::require_trust(layout, &configuration::read(layout)?)?;
    }
    let to = match &order.to {
        Some(to) => to.clone(),
        None => configuration::replicate(layout)?.ok_or_else(|| {
            Error::usage("nobody says where to replicate to").hint(format!(
                "name a place, as in `piton replicate ../kept`, or set `[vault] replicate`: {}",
                target::TARGET_SHAPE
            ))
        })?,
    };
    let target = parse(layout, &to)?;
    let journal = journal_of(client)?;
    let place = Place::below(&layout.state());
    place.make()?;
    let kept = place.target(&target.place());
    kept.make()?;
    let lock = if order.prove { None } else { place.take()? };
    if lock.is_none() && !order.prove {
        if order.while_driven {
            return view(client, &kept, kept.shipped().unwrap_or_else(|| Shipped::nothing(&to))).await;
        }
        return Err(held(&place));
    }
    let workspace = workspace(layout)?;
    let subject = Subject {
        layout: layout.clone(),
        to: to.clone(),
        journal,
        generation: String::new(),
        compress: configuration::backups(layout)?.compress,
        format: workspace.as_ref().map_or("sha1", Workspace::object_format).to_owned(),
    };
    if order.prove {
        return prove_now(client, &*target, &kept, subject, tell).await;
    }
    target.put_keys(&journal.to_string()).await.map_err(failed)?;
    // A replica that is to be encrypted stands on nothing that lies there open.
    let target = Box::new(target.strict());
    place.hold(&Holder { pid: std::process::id(), to: target.place(), since: SystemClock.now() })?;
    let scratch = Scratch::new(layout)?;
    let source = Source {
        store: &**client.store()?,
        journal,
        workspace: workspace.as_ref(),
        scratch: scratch.path(),
        clock: &SystemClock,
        compress: subject.compress,
        segment_bytes: SEGMENT_BYTES,
        version: env!("CARGO_PKG_VERSION"),
    };
    let shipped = kept.shipped().unwrap_or_else(|| Shipped::nothing(&target.place()));
    let work = Work {
        client,
        order,
        kept,
        shipped,
        subject,
        job: None,
        proven_number: None,
        next_proof: Duration::ZERO,
        not_before: Duration::ZERO,
        next_tidy: Duration::ZERO,
        is_in_doubt: false,
        lacks_keys: false,
        failures: 0,
        _lock: lock,
    };
    work.run(source, &target, tell).await
}

/// "Somebody else does."
fn held(place: &Place) -> Error {
    let who = place.holder().map_or_else(
        || "another process replicates this journal".to_owned(),
        |holder| {
            format!(
                "process {} replicates this journal to `{}` since {}",
                holder.pid, holder.to, holder.since
            )
        },
    );
    Error::new(ErrorKind::Held, who)
        .hint("`piton doctor` says how far it is; `piton replicate URL --prove` proves what is there")
}

/// Proves what is there, whoever writes it.
async fn prove_now(
    client: &LocalClient,
    target: &dyn piton_vault::Target,
    kept: &Target,
    subject: Subject,
    tell: Tell<'_>,
) -> Result<ReplicaView, Error> {
    let generation = match kept.writer() {
        Some(writer) => Some(writer.generation),
        None => {
            let listed = piton_vault::replica::list(target, Some(subject.journal)).await.map_err(failed)?;
            listed.into_iter().next_back().map(|listed| listed.generation)
        }
    };
    let Some(generation) = generation else {
        return Err(Error::usage(format!("there is no replica of this journal in `{}`", target.place()))
            .hint("`piton replicate URL` makes one"));
    };
    let subject = Subject { generation: generation.clone(), ..subject };
    let done = std::thread::spawn(move || run(Task::Prove, &subject)).join();
    let proven = match done {
        Ok(Ok(Done::Proven(proven))) => proven,
        Ok(Err(Failed::Vault(error))) => return Err(failed(error)),
        Ok(Err(Failed::Machine(error))) => return Err(error),
        Ok(Ok(Done::Tidied(_))) | Err(_) => {
            return Err(Error::new(ErrorKind::Environment, "the proof ended without a word"));
        }
    };
    kept.keep_proven(&LastProven { name: generation.clone(), proven })?;
    let shipped = kept.shipped().filter(|shipped| shipped.name == generation);
    let shipped =
        shipped.unwrap_or_else(|| Shipped { name: generation, ..Shipped::nothing(&target.place()) });
    let replica = view(client, kept, shipped).await?;
    tell(&update(ReplicaMoment::Proven, replica.clone()));
    Ok(replica)
}

fn update(what: ReplicaMoment, replica: ReplicaView) -> ReplicaUpdate {
    let at = SystemClock.now();
    ReplicaUpdate { at, what, objects: None, bytes: None, events: None, words: None, replica }
}

/// What one replicating process has in hand.
struct Work<'a> {
    client: &'a LocalClient,
    order: ReplicateOrder,
    kept: Target,
    shipped: Shipped,
    subject: Subject,
    job: Option<Job>,
    /// Up to which object the replica was proven by this process.
    proven_number: Option<u64>,
    next_proof: Duration,
    /// After a proof that failed, none is tried before.
    not_before: Duration,
    next_tidy: Duration,
    /// What lay there was no good when it was shipped to, or read to be proven, last.
    is_in_doubt: bool,
    /// Whether the keys may not lie at the target any more.
    lacks_keys: bool,
    /// Tasks that failed.
    failures: u32,
    _lock: Option<FileLock>,
}

/// Tries that failed, one after the other.
#[derive(Default)]
struct Tries {
    count: u32,
    next: Duration,
}

impl Tries {
    fn failed(&mut self) {
        let wait = RETRY_MIN.saturating_mul(1 << self.count.min(6)).min(RETRY_MAX);
        (self.count, self.next) = (self.count + 1, SystemClock.monotonic() + wait);
    }
}

impl Work<'_> {
    async fn run(
        mut self,
        source: Source<'_>,
        target: &Covered,
        tell: Tell<'_>,
    ) -> Result<ReplicaView, Error> {
        let (mut replicator, mut is_beside) = (None, false);
        let (mut seen, mut tries, mut paced) = (None, Tries::default(), Duration::ZERO);
        let (mut idle_since, mut attended) = (SystemClock.monotonic(), SystemClock.monotonic());
        loop {
            let now = SystemClock.monotonic();
            let revision = source.store.revision().await.map_err(ClientError::from)?;
            let is_new = seen != Some(revision);
            if is_new && now >= tries.next && now >= paced {
                match self.ship(&source, target, &mut replicator, tell).await {
                    Ok(beside) => {
                        is_beside |= beside;
                        (seen, tries) = (Some(revision), Tries::default());
                        (paced, idle_since) = (SystemClock.monotonic() + PACE, SystemClock.monotonic());
                    }
                    Err(error) => {
                        tries.failed();
                        self.trouble(&error, tell).await?;
                        if self.order.once && !is_passing(&error, tries.count) {
                            return Err(error);
                        }
                    }
                }
            }
            if let Some(replicator) = &mut replicator {
                let anew = self.look_after(replicator, tell).await?;
                if self.lacks_keys && now >= tries.next && self.bring_keys(target).await.is_err() {
                    tries.failed();
                }
                if let Some(why) = anew {
                    self.begin_beside(replicator, &why, tell).await?;
                    (seen, is_beside) = (None, true);
                    tries.failed();
                }
            }
            let is_shipped =
                seen.is_some() && seen == Some(source.store.revision().await.map_err(ClientError::from)?);
            let number = replicator.as_ref().map(|replicator: &Replicator<'_>| replicator.mark().number);
            let is_proven = self.job.is_none() && number.is_some() && self.proven_number == number;
            if self.order.stop.load(Ordering::SeqCst) || self.order.once && is_shipped && is_proven {
                break;
            }
            if self.order.once && is_shipped {
                // Nothing else is waited for.
                self.next_proof = if is_proven { self.next_proof } else { self.not_before };
            }
            if self.order.while_driven && now >= attended + ATTEND_EVERY {
                attended = now;
                if !self.is_wanted() {
                    break;
                }
                if self.is_driven().await? {
                    idle_since = now;
                } else if is_shipped && is_proven {
                    if now >= idle_since + LINGER {
                        break;
                    }
                } else if is_shipped {
                    // What a run came to is proven as soon as it rests.
                    self.next_proof = self.next_proof.min(now.max(self.not_before));
                    // What cannot be proven is no reason to stay for ever.
                    if now >= idle_since + STAY_MAX {
                        break;
                    }
                }
            }
            let is_writing = SystemClock.monotonic() < paced + WRITING;
            tokio::time::sleep(if is_writing { LOOK_SOON } else { LOOK_EVERY }).await;
        }
        if let Some(job) = self.job.take() {
            self.ended(job, tell).await?;
        }
        let replica = view(self.client, &self.kept, self.shipped.clone()).await?;
        match self.order.once {
            true if is_beside => Err(beside_error(&replica)),
            true if !replica.damaged.is_empty() => Err(damaged_error(&replica)),
            _ => Ok(replica),
        }
    }

    /// Ships what is new. Whether another replica was begun for it.
    async fn ship<'a>(
        &mut self,
        source: &Source<'a>,
        target: &'a Covered,
        replicator: &mut Option<Replicator<'a>>,
        tell: Tell<'_>,
    ) -> Result<bool, Error> {
        let mut is_beside = false;
        self.bring_keys(target).await?;
        if replicator.is_none() {
            let known = self.kept.writer();
            let kept = &self.kept;
            let remember = |writer: &Writer| Ok(kept.keep_writer(writer)?);
            let (opened, begun) =
                Replicator::open(copy_of(source), target, known, &remember).await.map_err(failed)?;
            let name = opened.generation().to_owned();
            if self.shipped.name != name {
                self.shipped = Shipped { name, ..Shipped::nothing(&target.place()) };
            }
            if let Begun::Beside(why) = begun {
                self.shipped.beside = Some(why.to_string());
                self.tell_beside(&why.to_string(), tell).await?;
                is_beside = true;
            }
            self.subject.generation = opened.generation().to_owned();
            *replicator = Some(opened);
        }
        let writing = replicator.as_mut().expect("it was opened above");
        let shipped = match writing.ship().await {
            Ok(shipped) => shipped,
            // A network may cut an answer short: it counts as damage where it is so again.
            Err(error) if error.is_damage() && !std::mem::replace(&mut self.is_in_doubt, true) => {
                return Err(failed(error));
            }
            Err(error) if needs_another(&error) => {
                self.begin_beside(writing, &error.to_string(), tell).await?;
                is_beside = true;
                self.bring_keys(target).await?;
                writing.ship().await.map_err(failed)?
            }
            Err(error) => return Err(failed(error)),
        };
        self.is_in_doubt = false;
        let recovered = self.shipped.trouble.take();
        self.shipped.trouble_since = None;
        let mark = writing.mark();
        (self.shipped.newest, self.shipped.events) = (mark.newest(), mark.events());
        self.shipped.runs = mark.runs.len();
        let damaged = shipped.damaged.clone();
        if damaged != self.shipped.damaged && !damaged.is_empty() {
            let words = Some(damaged.join("; "));
            tell(&ReplicaUpdate { words, ..update(ReplicaMoment::Damaged, self.view().await?) });
        }
        self.shipped.damaged = damaged;
        if shipped.objects > 0 {
            self.shipped.at = Some(SystemClock.now());
        }
        self.kept.keep_shipped(&self.shipped)?;
        if recovered.is_some() {
            tell(&update(ReplicaMoment::Recovered, self.view().await?));
        }
        if shipped.objects > 0 {
            let (objects, bytes) = (Some(shipped.objects), Some(shipped.bytes));
            let events = Some(shipped.events);
            tell(&ReplicaUpdate {
                objects,
                bytes,
                events,
                ..update(ReplicaMoment::Shipped, self.view().await?)
            });
        }
        Ok(is_beside)
    }

    /// Puts the keys at the target again, where they may not lie there any more.
    async fn bring_keys(&mut self, target: &Covered) -> Result<(), Error> {
        if self.lacks_keys {
            target.put_keys(&self.subject.journal.to_string()).await.map_err(failed)?;
            self.lacks_keys = false;
        }
        Ok(())
    }

    async fn view(&self) -> Result<ReplicaView, Error> {
        view(self.client, &self.kept, self.shipped.clone()).await
    }

    /// Another replica beside the one that is there: its history is another one, or it is damaged.
    async fn begin_beside<'a>(
        &mut self,
        replicator: &mut Replicator<'a>,
        why: &str,
        tell: Tell<'_>,
    ) -> Result<(), Error> {
        // Whatever is wrong with what lies there may be wrong with the keys as well.
        self.lacks_keys = true;
        let kept = &self.kept;
        let remember = |writer: &Writer| Ok(kept.keep_writer(writer)?);
        replicator.begin_anew(&remember).map_err(failed)?;
        self.shipped = Shipped {
            name: replicator.generation().to_owned(),
            beside: Some(why.to_owned()),
            ..Shipped::nothing(&self.shipped.to)
        };
        self.kept.keep_shipped(&self.shipped)?;
        (self.proven_number, self.next_proof) = (None, Duration::ZERO);
        self.subject.generation = replicator.generation().to_owned();
        self.tell_beside(why, tell).await
    }

    async fn tell_beside(&self, why: &str, tell: Tell<'_>) -> Result<(), Error> {
        let words = Some(why.to_owned());
        tell(&ReplicaUpdate { words, ..update(ReplicaMoment::Beside, self.view().await?) });
        Ok(())
    }

    async fn trouble(&mut self, error: &Error, tell: Tell<'_>) -> Result<(), Error> {
        let words = [vec![error.message.clone()], error.causes.clone()].concat().join(": ");
        let is_new = self.shipped.trouble.as_ref() != Some(&words);
        self.shipped.trouble_since = self.shipped.trouble_since.or(Some(SystemClock.now()));
        self.shipped.trouble = Some(words.clone());
        // The disk may be full here as well.
        let _ = self.kept.keep_shipped(&self.shipped);
        if is_new {
            let words = Some(words);
            tell(&ReplicaUpdate { words, ..update(ReplicaMoment::Trouble, self.view().await?) });
        }
        Ok(())
    }

    /// Starts what is due beside shipping, and takes in what came of it: why another replica is to be begun, if so.
    async fn look_after(
        &mut self,
        replicator: &mut Replicator<'_>,
        tell: Tell<'_>,
    ) -> Result<Option<String>, Error> {
        if let Some(job) = self.job.take_if(|job| job.is_over()) {
            let generation = job.generation.clone();
            let came = self.ended(job, tell).await?;
            if generation == replicator.generation() {
                match came {
                    Came::Tidied(objects, bytes) => replicator.tidied(objects, bytes),
                    Came::Damage(why) => return Ok(Some(why)),
                    Came::Proven | Came::Nothing => {}
                }
            }
        }
        let (number, (objects, bytes)) = (replicator.mark().number, replicator.loose());
        let now = SystemClock.monotonic();
        if self.job.is_some() || number == 0 {
            return Ok(None);
        }
        let proves = now >= self.next_proof;
        let is_crowded = objects >= TIDY_OBJECTS || bytes >= TIDY_BYTES;
        let task = match () {
            () if now >= self.next_tidy && (is_crowded || proves && objects >= TIDY_OBJECTS_TO_PROVE) => {
                Task::Tidy
            }
            () if proves => Task::Prove,
            () => return Ok(None),
        };
        self.job = Some(Job::start(task, self.subject.clone()));
        Ok(None)
    }

    /// Takes in what came of a task.
    async fn ended(&mut self, job: Job, tell: Tell<'_>) -> Result<Came, Error> {
        let (task, name, took) =
            (job.task, job.generation.clone(), SystemClock.now().millis_since(job.begun_at));
        let now = SystemClock.monotonic();
        match job.end() {
            Ok(Done::Tidied(tidied)) => {
                let objects = Some(tidied.objects as u64);
                tell(&ReplicaUpdate { objects, ..update(ReplicaMoment::Tidied, self.view().await?) });
                Ok(Came::Tidied(tidied.log.0, tidied.log.1))
            }
            Ok(Done::Proven(proven)) => {
                (self.proven_number, self.is_in_doubt) = (Some(proven.number), false);
                self.next_proof = now + PROVE_EVERY.max(Duration::from_millis(took) * PROOF_SHARE);
                self.kept.keep_proven(&LastProven { name, proven })?;
                tell(&update(ReplicaMoment::Proven, self.view().await?));
                Ok(Came::Proven)
            }
            Err(Failed::Vault(error))
                if error.is_damage() && !std::mem::replace(&mut self.is_in_doubt, true) =>
            {
                (self.next_proof, self.not_before) = (now + RETRY_MIN, now + RETRY_MIN);
                self.next_tidy = now + RETRY_MIN;
                Ok(Came::Nothing)
            }
            Err(Failed::Vault(error)) if needs_another(&error) => Ok(Came::Damage(error.to_string())),
            Err(why) => {
                // What cannot be opened from what lies there is not restorable, whatever was proven before.
                if matches!(&why, Failed::Vault(error) if task == Task::Prove && error.is_locked()) {
                    self.kept.forget_proven()?;
                    (self.proven_number, self.lacks_keys) = (None, true);
                }
                let error = match why {
                    Failed::Vault(error) => failed(error),
                    Failed::Machine(error) => error,
                };
                let wait = if self.order.once { RETRY_MIN } else { RETRY_MAX };
                match task {
                    Task::Tidy => self.next_tidy = now + wait,
                    Task::Prove => (self.next_proof, self.not_before) = (now + wait, now + wait),
                }
                self.trouble(&error, tell).await?;
                self.failures += 1;
                match self.order.once && self.failures >= FAILURES_MAX {
                    true => Err(error),
                    false => Ok(Came::Nothing),
                }
            }
        }
    }

    /// Whether the configuration still asks for this replica. One that changed and that nobody has looked at since does not end it:
    /// an agent may have written it.
    fn is_wanted(&self) -> bool {
        let layout = self.client.layout();
        let is_believed =
            |files| layout.is_taken() || configuration::is_trusted(layout, &files).unwrap_or(false);
        if !configuration::read(layout).is_ok_and(is_believed) {
            return true;
        }
        configuration::replicate(layout).map_or(true, |to| to.as_ref() == Some(&self.subject.to))
    }

    /// Whether anybody drives a run of this journal, or looks into the gaps of a ledger.
    async fn is_driven(&self) -> Result<bool, Error> {
        for run in self.client.entries().await? {
            let is_driven = match run.kind {
                Kind::Ledger => {
                    is_researched(self.client.layout(), &run.run_id).map_err(ClientError::from)?
                }
                Kind::Loop | Kind::Workflow | Kind::Cycle => {
                    self.client.driver_of(&run.run_id).await?.is_some()
                }
            };
            if is_driven {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// What came of a task, as far as it matters to what is shipped next.
enum Came {
    Nothing,
    Tidied(u64, u64),
    Proven,
    Damage(String),
}

/// Whether nothing can be added to what lies there.
fn needs_another(error: &piton_vault::Error) -> bool {
    use piton_vault::Error as E;
    matches!(error, E::Diverged { .. } | E::Damaged { .. } | E::NotRestorable { .. })
}

/// Whether it may be over in a moment.
fn is_passing(error: &Error, tries: u32) -> bool {
    matches!(error.kind, ErrorKind::Environment | ErrorKind::Corrupt) && tries < 4
}

fn beside_error(replica: &ReplicaView) -> Error {
    let why = replica.beside.clone().unwrap_or_else(|| "what lies there is another history".to_owned());
    Error::new(ErrorKind::Corrupt, format!("{why}; replica {} was begun beside it, and proven", replica.name))
        .hint("`piton backup list --to URL` shows both; nothing was merged, and the next `--once` goes on with the new one")
}

fn damaged_error(replica: &ReplicaView) -> Error {
    let what = "something of the journal here is damaged and could not be shipped; everything else was, and is proven";
    Error::new(ErrorKind::Corrupt, what)
        .details(replica.damaged.clone())
        .hint("run `piton verify` to see all of it, `piton repair` to keep what is good")
}

fn copy_of<'a>(source: &Source<'a>) -> Source<'a> {
    Source { ..*source }
}
