//! Conditions: `when:` and `until_condition:`.
//!
//! A small language over what is known of steps, closed on purpose: it has no loops, no functions and no variables, so
//! that it always ends and always means the same.
//!
//! ```text
//! review.status == COMPLETED            plan.artifacts contains "tasks.yaml"
//! tests.metrics.coverage >= 80          review.gate == failed
//! gates.security and not (lint.status == SKIPPED or metrics.left == 0)
//! ```
//!
//! Without a step's name the step itself is meant. A bare metric holds when it is there and not `false`, `0` or empty.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::definition::{Gate, StepId};
use super::limits::{CONDITION_BYTES_MAX, CONDITION_DEPTH_MAX, CONDITION_PARTS_MAX};

/// A condition that was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Condition {
    text: String,
    tree: Tree,
}

/// The text is no condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at character {at}")]
pub struct BadCondition {
    /// What is wrong.
    pub what: String,
    /// Where, counted from 1.
    pub at: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Not(Box<Tree>),
    All(Vec<Tree>),
    Any(Vec<Tree>),
    Part(Part),
}

/// What is compared, how, and with what.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What is looked at.
    pub subject: Subject,
    /// How it is compared, and with what; bare where it only has to hold.
    pub comparison: Option<(Operator, String)>,
}

/// What a comparison looks at. `None` as the step means the step whose condition it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Where a step is.
    Status(Option<StepId>),
    /// A number or word that a step reported.
    Metric(Option<StepId>, String),
    /// What a step produced.
    Artifacts(Option<StepId>),
    /// Whether a step's own gate `passed` or `failed`.
    Gate(Option<StepId>),
    /// A gate that somebody looks at.
    Open(Gate),
}

impl Subject {
    /// The step it names.
    pub fn step(&self) -> Option<&StepId> {
        match self {
            Subject::Status(step)
            | Subject::Artifacts(step)
            | Subject::Gate(step)
            | Subject::Metric(step, _) => step.as_ref(),
            Subject::Open(_) => None,
        }
    }
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `contains`
    Contains,
}

/// What a condition can ask about.
pub trait Facts {
    /// The word for where a step is.
    fn status(&self, step: Option<&StepId>) -> Option<&'static str>;
    /// A metric that a step reported.
    fn metric(&self, step: Option<&StepId>, name: &str) -> Option<&Value>;
    /// What a step produced.
    fn artifacts(&self, step: Option<&StepId>) -> &[String];
    /// Whether a step reported a gate failure.
    fn gate_failed(&self, step: Option<&StepId>) -> bool;
    /// Whether a gate is open. What nobody looked at is closed.
    fn is_open(&self, gate: &Gate) -> bool;
}

impl Condition {
    /// Reads a condition.
    pub fn parse(text: &str) -> Result<Self, BadCondition> {
        if text.len() > CONDITION_BYTES_MAX {
            return Err(BadCondition { what: format!("longer than {CONDITION_BYTES_MAX} bytes"), at: 1 });
        }
        let tokens = scan(text)?;
        let mut reader = Reader { tokens: &tokens, next: 0, parts: 0, end: text.chars().count() + 1 };
        let tree = reader.any(0)?;
        match reader.peek() {
            None => Ok(Self { text: text.to_owned(), tree }),
            Some(_) => Err(reader.wrong("expected `and`, `or` or the end")),
        }
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Every comparison in it.
    pub fn parts(&self) -> Vec<&Part> {
        let mut found = Vec::new();
        let mut open = vec![&self.tree];
        while let Some(tree) = open.pop() {
            match tree {
                Tree::Not(inner) => open.push(inner),
                Tree::All(all) | Tree::Any(all) => open.extend(all),
                Tree::Part(part) => found.push(part),
            }
        }
        found
    }

    /// The gates that somebody has to look at first.
    pub fn gates(&self) -> Vec<Gate> {
        let open = self.parts().into_iter().filter_map(|part| match &part.subject {
            Subject::Open(gate) => Some(gate.clone()),
            _ => None,
        });
        let mut gates: Vec<_> = open.collect();
        gates.sort();
        gates.dedup();
        gates
    }

    /// Whether it holds.
    pub fn holds(&self, facts: &dyn Facts) -> bool {
        holds(&self.tree, facts)
    }
}

impl TryFrom<String> for Condition {
    type Error = BadCondition;

    fn try_from(text: String) -> Result<Self, BadCondition> {
        Self::parse(&text)
    }
}

impl From<Condition> for String {
    fn from(condition: Condition) -> String {
        condition.text
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The depth is bounded by the reader, so this cannot run away.
fn holds(tree: &Tree, facts: &dyn Facts) -> bool {
    match tree {
        Tree::Not(inner) => !holds(inner, facts),
        Tree::All(all) => all.iter().all(|one| holds(one, facts)),
        Tree::Any(any) => any.iter().any(|one| holds(one, facts)),
        Tree::Part(part) => part_holds(part, facts),
    }
}

fn part_holds(part: &Part, facts: &dyn Facts) -> bool {
    let compared = |found: &Value| match &part.comparison {
        None => is_truthy(found),
        Some((operator, wanted)) => compare(found, *operator, wanted),
    };
    let unequal = matches!(part.comparison, Some((Operator::Unequal, _)));
    match &part.subject {
        Subject::Status(step) => {
            facts.status(step.as_ref()).map_or(unequal, |word| compared(&Value::from(word)))
        }
        // What was not reported equals nothing.
        Subject::Metric(step, name) => facts.metric(step.as_ref(), name).map_or(unequal, compared),
        Subject::Artifacts(step) => {
            let artifacts = facts.artifacts(step.as_ref());
            match &part.comparison {
                None => !artifacts.is_empty(),
                Some((operator, wanted)) => {
                    let is_there = artifacts.iter().any(|path| path == wanted);
                    if *operator == Operator::Unequal { !is_there } else { is_there }
                }
            }
        }
        Subject::Gate(step) => {
            let word = if facts.gate_failed(step.as_ref()) { "failed" } else { "passed" };
            compared(&Value::from(word))
        }
        Subject::Open(gate) => facts.is_open(gate),
    }
}

fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !matches!(text.as_str(), "" | "0" | "false"),
        Value::Array(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
    }
}

fn compare(found: &Value, operator: Operator, wanted: &str) -> bool {
    let found_text = match found {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let numbers = found_text.trim().parse::<f64>().ok().zip(wanted.trim().parse::<f64>().ok());
    match operator {
        Operator::Equal => numbers.map_or(found_text == wanted, |(left, right)| left == right),
        Operator::Unequal => numbers.map_or(found_text != wanted, |(left, right)| left != right),
        // Words have no order: asking for one is answered with no.
        Operator::Less => numbers.is_some_and(|(left, right)| left < right),
        Operator::AtMost => numbers.is_some_and(|(left, right)| left <= right),
        Operator::More => numbers.is_some_and(|(left, right)| left > right),
        Operator::AtLeast => numbers.is_some_and(|(left, right)| left >= right),
        Operator::Contains => match found {
            Value::Array(items) => items.iter().any(|item| item.as_str() == Some(wanted)),
            _ => found_text.contains(wanted),
        },
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Open,
    Close,
    Dot,
    Operator(Operator),
    Word(String),
    Quoted(String),
}

fn scan(text: &str) -> Result<Vec<(Token, usize)>, BadCondition> {
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut next = 0;
    while let Some(&character) = characters.get(next) {
        let at = next + 1;
        let (token, used) = match character {
            _ if character.is_whitespace() => {
                next += 1;
                continue;
            }
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            '.' => (Token::Dot, 1),
            '"' | '\'' => {
                let rest = &characters[next + 1..];
                let Some(end) = rest.iter().position(|other| *other == character) else {
                    return Err(BadCondition { what: "this quote is never closed".to_owned(), at });
                };
                (Token::Quoted(rest[..end].iter().collect()), end + 2)
            }
            '=' | '!' | '<' | '>' => operator(&characters[next..], at)?,
            _ if is_word(character) => {
                // A dot belongs to a number, and else separates names.
                let number = character.is_ascii_digit() || character == '-';
                let length = characters[next..]
                    .iter()
                    .position(|other| !(is_word(*other) || number && *other == '.'))
                    .unwrap_or(characters.len() - next);
                let word: String = characters[next..next + length].iter().collect();
                (
                    if word == "contains" { Token::Operator(Operator::Contains) } else { Token::Word(word) },
                    length,
                )
            }
            other => {
                return Err(BadCondition { what: format!("unexpected `{}`", other.escape_debug()), at });
            }
        };
        tokens.push((token, at));
        next += used;
    }
    Ok(tokens)
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '/' | '%' | '+' | ':')
}

fn operator(rest: &[char], at: usize) -> Result<(Token, usize), BadCondition> {
    let followed = rest.get(1) == Some(&'=');
    let (operator, used) = match (rest[0], followed) {
        ('=', true) => (Operator::Equal, 2),
        ('!', true) => (Operator::Unequal, 2),
        ('<', true) => (Operator::AtMost, 2),
        ('>', true) => (Operator::AtLeast, 2),
        ('<', false) => (Operator::Less, 1),
        ('>', false) => (Operator::More, 1),
        _ => return Err(BadCondition { what: "expected `==` or `!=`".to_owned(), at }),
    };
    Ok((Token::Operator(operator), used))
}

struct Reader<'a> {
    tokens: &'a [(Token, usize)],
    next: usize,
    parts: usize,
    end: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    fn wrong(&self, what: &str) -> BadCondition {
        let at = self.tokens.get(self.next).map_or(self.end, |(_, at)| *at);
        BadCondition { what: what.to_owned(), at }
    }

    fn takes(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(found)) if found == word);
        self.next += usize::from(found);
        found
    }

    fn any(&mut self, depth: usize) -> Result<Tree, BadCondition> {
        let mut all = vec![self.all(depth)?];
        while self.takes("or") {
            all.push(self.all(depth)?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Tree::Any(all) })
    }

    fn all(&mut self, depth: usize) -> Result<Tree, BadCondition> {
        let mut all = vec![self.one(depth)?];
        while self.takes("and") {
            all.push(self.one(depth)?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Tree::All(all) })
    }

    fn one(&mut self, depth: usize) -> Result<Tree, BadCondition> {
        if depth >= CONDITION_DEPTH_MAX {
            return Err(self.wrong("nested too deeply"));
        }
        if self.takes("not") {
            return Ok(Tree::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.peek() == Some(&Token::Open) {
            self.next += 1;
            let inner = self.any(depth + 1)?;
            if self.peek() != Some(&Token::Close) {
                return Err(self.wrong("expected `)`"));
            }
            self.next += 1;
            return Ok(inner);
        }
        self.parts += 1;
        if self.parts > CONDITION_PARTS_MAX {
            return Err(self.wrong("too many comparisons"));
        }
        Ok(Tree::Part(self.part()?))
    }

    fn part(&mut self) -> Result<Part, BadCondition> {
        let start = self.next;
        let subject = self.subject()?;
        let comparison = match self.peek() {
            Some(Token::Operator(operator)) => {
                let operator = *operator;
                self.next += 1;
                Some((operator, self.value()?))
            }
            _ => None,
        };
        let needs_word = matches!(subject, Subject::Status(_) | Subject::Gate(_));
        if comparison.is_none() && needs_word {
            return Err(self.wrong("expected `==` or `!=` and a word"));
        }
        if comparison.is_some() && matches!(subject, Subject::Open(_)) {
            self.next = start;
            return Err(self.wrong("a gate is open or not: leave the comparison out"));
        }
        let listed = |operator: &Operator| {
            matches!(operator, Operator::Contains | Operator::Equal | Operator::Unequal)
        };
        if matches!(subject, Subject::Artifacts(_))
            && comparison.as_ref().is_some_and(|(operator, _)| !listed(operator))
        {
            self.next = start;
            return Err(self.wrong("artifacts are a list: use `contains`"));
        }
        Ok(Part { subject, comparison })
    }

    fn subject(&mut self) -> Result<Subject, BadCondition> {
        let start = self.next;
        let mut names = vec![self.name()?];
        while self.peek() == Some(&Token::Dot) {
            self.next += 1;
            names.push(self.name()?);
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let step = |id: &str| Some(StepId::new(id));
        Ok(match names.as_slice() {
            ["status"] => Subject::Status(None),
            ["artifacts"] => Subject::Artifacts(None),
            ["gate"] => Subject::Gate(None),
            ["gates", gate] => Subject::Open(Gate::from((*gate).to_owned())),
            ["metrics", name] => Subject::Metric(None, (*name).to_owned()),
            [id, "status"] => Subject::Status(step(id)),
            [id, "artifacts"] => Subject::Artifacts(step(id)),
            [id, "gate"] => Subject::Gate(step(id)),
            [id, "metrics", name] => Subject::Metric(step(id), (*name).to_owned()),
            _ => {
                self.next = start;
                return Err(self.wrong(
                    "expected STEP.status, STEP.metrics.NAME, STEP.artifacts, STEP.gate or gates.NAME",
                ));
            }
        })
    }

    fn name(&mut self) -> Result<String, BadCondition> {
        match self.peek() {
            Some(Token::Word(word) | Token::Quoted(word)) => {
                let word = word.clone();
                self.next += 1;
                Ok(word)
            }
            _ => Err(self.wrong("expected a name")),
        }
    }

    fn value(&mut self) -> Result<String, BadCondition> {
        let mut value = self.name().map_err(|_| self.wrong("expected a value"))?;
        // A file name without quotes.
        while self.peek() == Some(&Token::Dot) {
            self.next += 1;
            value.push('.');
            value.push_str(&self.name()?);
        }
        Ok(value)
    }
}
