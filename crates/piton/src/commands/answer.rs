//! `piton answer`: what a person says to a question; bare, what waits.

use std::io::{BufRead, IsTerminal, Write};

use piton_model::cycle::{BlockerStatus, DecisionStatus};
use piton_model::loop_machine::Answer;
use piton_model::workflow::ManualInput;
use piton_model::{ExitCode, Kind, Reason, RunId, Status};
use piton_view::{AskedView, Client, CycleRequest, CycleStatus, Request, StatusOf, StatusView};
use serde_json::{Map, Value};

use super::{of_every, said};
use crate::cli::{AnswerArguments, Global};
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean, clean_line};
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &AnswerArguments, out: &Output) -> Result {
    let input = arguments.input.as_deref().map(read_input).transpose()?;
    let given = match (arguments.approve, arguments.reject, arguments.abort) {
        (true, _, _) => Some(Answer::Approve),
        (_, true, _) => Some(Answer::Reject),
        (_, _, true) => Some(Answer::Abort),
        _ => input.as_ref().map(|input| if input.approved { Answer::Approve } else { Answer::Reject }),
    };
    if let (Some(question), Some(option)) = (&arguments.question, &arguments.option) {
        return settle(global, arguments, question, option, out).await;
    }
    let interactive = out.terminal && std::io::stdin().is_terminal() && !out.json;
    if given.is_none() && arguments.run.run.is_none() && interactive {
        return ask_about_each(global, out).await;
    }
    if given.is_none() && !interactive {
        return list(global, arguments.run.run.as_deref(), out).await;
    }
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let status = client.status(&run).await?;
    if let StatusOf::Cycle(_) = &status.of {
        return match given {
            None => list(global, Some(run.as_str()), out).await,
            Some(_) => Err(Failure::usage(format!("run `{run}` is a cycle, which takes no such answer"))
                .hint(format!("`piton answer {run}` lists what waits, each with the command for it"))),
        };
    }
    let number = arguments.question.as_deref().map(number_of).transpose()?;
    let question = pick(status, &run, number)?;
    let mut comment = arguments.comment.clone();
    let mut seen = arguments.seen.clone();
    let answer = match given {
        Some(answer) => answer,
        None => {
            // What was just shown on a terminal is what the answer is bound to.
            seen = Some(question.digest.clone());
            let (answer, words) = ask(&question, out)?;
            comment = comment.or(words);
            answer
        }
    };
    let (words, content) = input.map(|input| (input.comment, input.content)).unwrap_or_default();
    let comment = comment.or(words);
    pass_on(&*client, &run, question.question, Given { answer, comment, seen, content }, out).await
}

/// Asks a person about all that waits here, one after the other; what only a command settles is listed.
async fn ask_about_each(global: &Global, out: &Output) -> Result {
    let client = repository::open(&repository::layout(global)?)?;
    let look = async |run: &RunId| Ok((run.clone(), client.status(run).await?));
    let kinds = [Kind::Loop, Kind::Workflow, Kind::Cycle];
    let (mut waiting, mut code) = of_every(&*client, &kinds, look, out).await?;
    waiting.iter_mut().for_each(|(_, status)| status.questions.retain(|question| !question.answered));
    waiting.retain(|(_, status)| match &status.of {
        StatusOf::Cycle(cycle) => asks(cycle),
        _ => !status.questions.is_empty(),
    });
    if waiting.is_empty() && code == ExitCode::Done {
        out.note("nothing waits for an answer");
    }
    for (run, status) in waiting {
        if let StatusOf::Cycle(cycle) = &status.of {
            list_of_cycle(&run, cycle, out);
            continue;
        }
        for question in &status.questions {
            out.line(format!("{run}  question {}", question.question));
            let (answer, comment) = match ask(question, out) {
                Err(failure) if failure.kind == ErrorKind::Person => {
                    out.note(format!("left as it is: `piton answer {} {}`", run.short(), question.question));
                    code = ExitCode::Person;
                    continue;
                }
                asked => asked?,
            };
            let seen = Some(question.digest.clone());
            let given = Given { answer, comment, seen, content: Map::default() };
            pass_on(&*client, &run, question.question, given, out).await?;
        }
    }
    Ok(code)
}

/// What a person says to a question.
struct Given {
    answer: Answer,
    comment: Option<String>,
    /// The digest of what they saw.
    seen: Option<String>,
    content: Map<String, Value>,
}

/// Gives an answer to the run that asked.
async fn pass_on(client: &dyn Client, run: &RunId, question: u32, given: Given, out: &Output) -> Result {
    let Given { answer, comment, seen, content } = given;
    let request = Request::Answer { question, answer, comment, seen, content };
    let asked = match client.request(run, request).await {
        // It was asked a moment ago.
        Err(failure) if failure.kind == ErrorKind::Rejected => return Err(too_late(run, question)),
        asked => asked?,
    };
    said(&asked, out);
    out.note(match asked.open || asked.status.is_active() {
        true if answer == Answer::Abort => {
            format!("answered; {run} is being stopped: `piton wait {}`", run.short())
        }
        true => format!("answered; {run} goes on in the background: `piton attach {}`", run.short()),
        false => format!("answered; {run} is {}", piton_view::words::status_word(asked.status)),
    });
    Ok(ExitCode::Done)
}

/// What a person passes on to the steps that follow: an object in a file, which may be an answer by itself.
fn read_input(path: &std::path::Path) -> Result<ManualInput> {
    let failed = |what: String| Failure::usage(format!("`{}`: {what}", path.display()));
    let most = piton_model::workflow::limits::MANUAL_INPUT_BYTES_MAX as u64;
    let bytes = piton_sys::file::read_regular(path, most)?
        .ok_or_else(|| failed("there is no such file".to_owned()))?;
    piton_files::workflow::read_manual_input(&bytes).map_err(failed)
}

/// What waits for a person, in one run or in all.
async fn list(global: &Global, run: Option<&str>, out: &Output) -> Result {
    let client = repository::open(&repository::layout(global)?)?;
    let look = async |run: &RunId| Ok((run.clone(), client.status(run).await?));
    let (mut waiting, code) = match run {
        Some(run) => (vec![look(&client.resolve(Some(run)).await?).await?], ExitCode::Done),
        None => of_every(&*client, &[Kind::Loop, Kind::Workflow, Kind::Cycle], look, out).await?,
    };
    waiting.iter_mut().for_each(|(_, status)| status.questions.retain(|question| !question.answered));
    waiting.retain(|(_, status)| match &status.of {
        StatusOf::Cycle(cycle) => asks(cycle),
        _ => !status.questions.is_empty(),
    });
    if out.json {
        let views: Vec<_> = waiting.iter().map(|(_, status)| &status.of).collect();
        out.json(&views);
        return Ok(code);
    }
    if waiting.is_empty() && code == ExitCode::Done {
        out.note("nothing waits for an answer");
    }
    for (run, status) in &waiting {
        if let StatusOf::Cycle(cycle) = &status.of {
            list_of_cycle(run, cycle, out);
        }
        for question in &status.questions {
            out.line(format!("{run}  question {}  (digest {})", question.question, question.digest));
            out.row(format!("  {}", clean(&question.text).replace('\n', "\n  ")));
            out.line(format!(
                "  piton answer {} {} --approve|--reject|--abort [--comment TEXT] --seen {}",
                run.short(),
                question.question,
                question.digest
            ));
        }
    }
    Ok(code)
}

fn number_of(word: &str) -> Result<u32> {
    let bad = |_| {
        Failure::usage(format!("`{}` is no question", clean_line(word))).hint("`piton answer` lists them")
    };
    word.parse().map_err(bad)
}

/// Makes a decision of a cycle, or says how a blocker is resolved.
async fn settle(
    global: &Global,
    arguments: &AnswerArguments,
    id: &str,
    option: &str,
    out: &Output,
) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let StatusOf::Cycle(status) = client.status(&run).await?.of else {
        return Err(Failure::usage(format!("run `{run}` is no cycle: its questions take no option"))
            .hint(format!("`piton answer {run}` lists what it asks")));
    };
    let (id, option) = (id.to_ascii_uppercase(), option.to_owned());
    let request = match status.blockers.iter().any(|blocker| blocker.id == id) {
        true => CycleRequest::Unblock {
            id: id.clone(),
            status: BlockerStatus::Resolved,
            resolution: Some(option),
        },
        false => CycleRequest::Settle {
            id: id.clone(),
            status: DecisionStatus::Made,
            option: Some(option),
            by: "user".to_owned(),
        },
    };
    let asked = client.request(&run, Request::Cycle(request)).await?;
    said(&asked, out);
    out.note(match asked.status.is_active() {
        true => format!("answered {id}; {run} goes on in the background: `piton attach {}`", run.short()),
        false => format!("answered {id}; {run} is {}", piton_view::words::status_word(asked.status)),
    });
    Ok(ExitCode::Done)
}

/// What a cycle needs a person for: each with the command that settles it.
fn list_of_cycle(run: &RunId, status: &CycleStatus, out: &Output) {
    if is_to_be_confirmed(status) {
        out.line(clean_line(&format!(
            "{run}  {}",
            status.detail.as_deref().unwrap_or("it is to be confirmed")
        )));
        out.line(format!("  piton resume {}", run.short()));
    }
    for open in status.decisions.iter().filter(|open| open.status == DecisionStatus::Pending) {
        out.row(clean_line(&format!("{run}  {}  {}", open.id, open.description)));
        if !open.options.is_empty() {
            out.line(clean_line(&format!("  {}", open.options.join(" | "))));
        }
        out.line(format!("  piton answer {} {} OPTION", run.short(), open.id));
    }
    for open in status.blockers.iter().filter(|open| open.status == BlockerStatus::Open) {
        out.row(clean_line(&format!("{run}  {}  {} ({})", open.id, open.description, open.reported_by)));
        out.line(format!("  piton answer {} {} HOW-IT-IS-RESOLVED", run.short(), open.id));
    }
}

/// Whether a cycle has something for a person to settle.
fn asks(status: &CycleStatus) -> bool {
    is_to_be_confirmed(status)
        || status.decisions.iter().any(|open| open.status == DecisionStatus::Pending)
        || status.blockers.iter().any(|open| open.status == BlockerStatus::Open)
}

/// Whether a person is to say that the next iteration begins.
fn is_to_be_confirmed(status: &CycleStatus) -> bool {
    status.entry.status == Status::Paused && status.entry.reason == Some(Reason::Attended)
}

fn pick(status: StatusView, run: &RunId, number: Option<u32>) -> Result<AskedView> {
    let mut fitting = status
        .questions
        .into_iter()
        .filter(|question| number.is_none_or(|number| question.question == number));
    let asked = status.questions_asked;
    fitting.next().ok_or_else(|| match number.unwrap_or(asked) {
        closed if (1..=asked).contains(&closed) => too_late(run, closed),
        _ => Failure::usage(format!(
            "run `{run}` asks nothing{}",
            number.map_or_else(String::new, |n| format!(" with number {n}"))
        ))
        .hint(format!("run `piton status {run}`")),
    })
}

/// The question was asked, and is not any more: the first answer counts.
fn too_late(run: &RunId, question: u32) -> Failure {
    Failure::new(ErrorKind::Person, format!("run `{run}` does not ask question {question} any more"))
        .hint(format!("run `piton log {run}` to see what was answered"))
}

fn ask(question: &AskedView, out: &Output) -> Result<(Answer, Option<String>)> {
    out.line(clean(&question.text));
    let read = |prompt: &str| -> Result<String> {
        out.bytes(prompt.as_bytes());
        let _ = std::io::stdout().flush();
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map_err(|error| Failure::environment(&error))?;
        Ok(line.trim().to_owned())
    };
    let said = read("[y]es, [n]o, a[b]ort, anything else leaves it: ")?.to_lowercase();
    let answer = match said.as_str() {
        "y" | "yes" | "a" | "approve" => Answer::Approve,
        "n" | "no" | "r" | "reject" => Answer::Reject,
        "b" | "abort" => Answer::Abort,
        _ => return Err(Failure::new(ErrorKind::Person, "left as it is")),
    };
    let words = read("a comment for the agent (optional): ")?;
    Ok((answer, (!words.is_empty()).then_some(words)))
}
