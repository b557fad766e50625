//! What people ask of a run: put on record, and acted on where nobody drives.

use piton_model::loop_machine::{Returned, State};
use piton_model::{Kind, Rejection, RunId, Seq, Status, cycle, workflow};
use piton_view::{Asked, Error, ErrorKind, Request};

use super::at_rest::Released;
use super::{ClientError, LocalClient};
use crate::driver_process;
use crate::launch::Secrets;
use crate::load::LoadError;
use crate::start;

impl LocalClient {
    /// Puts a request on record. Where nobody drives the run and it has nothing to do, it is applied at once.
    pub(crate) async fn record(&self, run: &RunId, request: Request) -> Result<(), ClientError> {
        self.recorded(run, request).await.map(drop)
    }

    /// The same: what came of it, and where it is on record.
    async fn recorded(&self, run: &RunId, request: Request) -> Result<(Released, Seq), ClientError> {
        let request = redacted(&Secrets::of(self.layout().root())?, request);
        let kind = self.kind(run).await?;
        let refused = |action| Rejection::NotForKind { run: run.clone(), kind, action };
        match kind {
            Kind::Loop => self.ask::<State>(run, request.into_event().map_err(refused)?).await,
            Kind::Workflow => {
                self.ask::<workflow::State>(run, request.into_workflow_event().map_err(refused)?).await
            }
            Kind::Cycle => self.ask::<cycle::State>(run, request.into_cycle_event().map_err(refused)?).await,
            Kind::Ledger => Err(no_ledger(run)),
        }
    }

    /// Puts a request on record, and starts a driver where it needs one.
    pub(super) async fn carry_out(&self, run: &RunId, request: Request) -> Result<Asked, Error> {
        let needs = Needs::of(&request);
        if matches!(needs, Needs::ToBeHeard | Needs::Decision { .. }) {
            driver_process::settled(self, run).await?;
        }
        if matches!(needs, Needs::Decision { .. }) && self.kind(run).await? == Kind::Workflow {
            start::require_kept(self, run).await?;
        }
        let rested = self.entry(run).await?;
        let (Released { work_follows, notes }, seq) = self.recorded(run, request).await?;
        let entry = self.entry(run).await?;
        let status = entry.status;
        let open = match needs {
            Needs::Nothing | Needs::Work => false,
            Needs::ToBeHeard => self.waits_for_its_mode(run, status).await?,
            Needs::Decision { question } => self.is_asked(run, question).await?,
        };
        let wanted = needs != Needs::Nothing && (open || work_follows || status.is_active());
        let driven = self.driver_of(run).await?.is_some();
        if wanted && !driven {
            match driver_process::start(self, run, false).await {
                // Somebody else was faster, and hears of it.
                Err(error) if error.kind == ErrorKind::Held => {}
                started => started?,
            }
        } else if !driven && rested.status != status && entry.is_at_rest() {
            // It rests in another way, and no driver was there to say so.
            self.tell_on_done(run).await?;
        }
        if let Needs::Decision { question } = needs
            && !self.was_asked(run, question, seq).await?
        {
            let what = format!("another answer to question {question} came first, and that one counts");
            return Err(Error::new(ErrorKind::Person, what).hint(format!("run `piton log {run}` to see it")));
        }
        Ok(Asked { status, driven: self.driver_of(run).await?.is_some(), open, notes })
    }

    /// Whether the question was still open when an answer to it went on record as `seq`.
    async fn was_asked(&self, run: &RunId, question: u32, seq: Seq) -> Result<bool, ClientError> {
        Ok(match self.kind(run).await? {
            Kind::Workflow => {
                let found = self.found_by::<workflow::State>(run, seq).await?;
                found.questions().iter().any(|(_, open)| open.number == question)
            }
            Kind::Loop | Kind::Cycle | Kind::Ledger => {
                let found = self.found_by::<State>(run, seq).await?;
                found.people.questions.iter().any(|open| open.number == question)
            }
        })
    }

    /// Whoever leaves a run alone that waits for them has answered: it goes on.
    async fn waits_for_its_mode(&self, run: &RunId, status: Status) -> Result<bool, ClientError> {
        Ok(status == Status::Waiting && self.load::<State>(run, None).await?.state.requests.mode.is_some())
    }

    /// Whether the question is still open; then an answer to it must have been taken.
    async fn is_asked(&self, run: &RunId, question: u32) -> Result<bool, Error> {
        let (open, has_answers) = match self.kind(run).await? {
            Kind::Workflow => {
                let state = self.load::<workflow::State>(run, None).await?.state;
                let open = state.questions().iter().any(|(_, open)| open.number == question);
                (open, !state.requests.answers.is_empty())
            }
            Kind::Loop | Kind::Cycle | Kind::Ledger => {
                let state = self.load::<State>(run, None).await?.state;
                let open = state.people.questions.iter().any(|open| open.number == question);
                (open, !state.requests.answers.is_empty())
            }
        };
        if open && !has_answers {
            let what = "the answer does not count: something else is asked now than you saw";
            return Err(
                Error::new(ErrorKind::Person, what).hint(format!("run `piton answer {run}` to see it"))
            );
        }
        Ok(open)
    }
}

/// What a request needs besides being on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    /// Whoever drives next hears of it.
    Nothing,
    /// Where work is open and nobody drives it, a driver: it finds the agent that may still live, and then does what
    /// was asked.
    Work,
    /// The same, and a run that waits goes on by it.
    ToBeHeard,
    /// The same for an answer, which must have been taken.
    Decision { question: u32 },
}

impl Needs {
    fn of(request: &Request) -> Self {
        match request {
            Request::Pause
            | Request::Stop { .. }
            | Request::Skip
            | Request::Queue(_)
            | Request::Return(_)
            | Request::Cycle(_) => Needs::Work,
            Request::Mode { .. } => Needs::ToBeHeard,
            Request::Answer { question, .. } => Needs::Decision { question: *question },
            Request::Reboot
            | Request::Resume(_)
            | Request::ResumeWorkflow(_)
            | Request::Tell(_)
            | Request::StartAt(_)
            | Request::Note { .. }
            | Request::Choose { .. }
            | Request::Mark { .. } => Needs::Nothing,
        }
    }
}

/// A ledger is read and changed by commands of its own.
fn no_ledger(run: &RunId) -> ClientError {
    LoadError::OtherKind { run: run.clone(), kind: Kind::Ledger, wanted: Kind::Loop }.into()
}

/// What people type is written down, so secrets in it are not.
fn redacted(secrets: &Secrets, request: Request) -> Request {
    let redactor = secrets.redactor();
    let clean = |text: String| redactor.redact(&text).into_owned();
    match request {
        Request::Tell(text) => Request::Tell(clean(text)),
        Request::Return(returned) => {
            Request::Return(Returned { text: clean(returned.text), ..returned }.bounded())
        }
        Request::Answer { question, answer, comment, seen, content } => {
            let content = redactor.redact_members(content);
            Request::Answer { question, answer, comment: comment.map(clean), seen, content }
        }
        Request::Note { text, set } => {
            let set = set.into_iter().map(|(key, value)| (clean(key), redactor.redact_json(value))).collect();
            Request::Note { text: clean(text), set }
        }
        Request::Choose { iteration, reason } => Request::Choose { iteration, reason: clean(reason) },
        Request::Cycle(request) => Request::Cycle(request.with_texts(&clean)),
        other @ (Request::Pause
        | Request::Stop { .. }
        | Request::Skip
        | Request::Reboot
        | Request::Mode { .. }
        | Request::Resume(_)
        | Request::ResumeWorkflow(_)
        | Request::StartAt(_)
        // The task of an item that is added was cleaned when it was made.
        | Request::Queue(_)
        | Request::Mark { .. }) => other,
    }
}
