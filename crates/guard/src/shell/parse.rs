//! The grammar: from tokens to lists.
//!
//! Total: a sign that fits nowhere is passed by, and what is nested too deeply is read as nothing.

use super::words::{Raw, Token, cut};
use super::{Command, Connector, Item, List, Options, Pipeline, Simple, Word};
use crate::vocabulary::SHELLS;

/// Nobody nests commands so deeply by hand.
const DEPTH_MAX: usize = 40;

/// Words that end the list before them.
const ENDS: [&str; 9] = ["then", "elif", "else", "fi", "do", "done", "esac", "}", ";;"];

/// The commands of a script. Lines are counted from 1.
pub(crate) fn parse(text: &str) -> List {
    parse_at(text, 1, 0)
}

fn parse_at(text: &str, line: u32, depth: usize) -> List {
    if depth > DEPTH_MAX {
        return List::default();
    }
    let mut parser = Parser { tokens: cut(text, line), at: 0, depth };
    let mut items = Vec::new();
    while parser.at < parser.tokens.len() {
        items.extend(parser.list().0);
        // What ended the list ends nothing here.
        parser.at += 1;
    }
    List(items)
}

struct Parser {
    tokens: Vec<(u32, Token)>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn sign(&self) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some((_, Token::Sign(sign))) => Some(sign),
            Some((_, Token::Word(_))) | None => None,
        }
    }

    fn word(&self) -> Option<&Raw> {
        match self.tokens.get(self.at) {
            Some((_, Token::Word(word))) => Some(word),
            Some((_, Token::Sign(_))) | None => None,
        }
    }

    /// The next word where it may be a reserved one.
    fn reserved(&self) -> Option<&str> {
        self.word().filter(|word| !word.quoted).map(|word| word.text.as_str())
    }

    /// Passes by `wanted` where it comes next.
    fn eat(&mut self, wanted: &str) -> bool {
        let is_next = self.sign() == Some(wanted) || self.reserved() == Some(wanted);
        self.at += usize::from(is_next);
        is_next
    }

    fn skip_lines(&mut self) {
        while matches!(self.sign(), Some("\n" | ";")) {
            self.at += 1;
        }
    }

    fn list(&mut self) -> List {
        self.depth += 1;
        let mut items = Vec::new();
        loop {
            self.skip_lines();
            let is_end = self.at >= self.tokens.len()
                || matches!(self.sign(), Some(")" | ";;"))
                || self.reserved().is_some_and(|word| ENDS.contains(&word));
            if is_end || self.depth > DEPTH_MAX {
                break;
            }
            let before = self.at;
            items.push(self.item());
            // A sign that begins nothing.
            self.at += usize::from(self.at == before);
        }
        self.depth -= 1;
        List(items)
    }

    fn item(&mut self) -> Item {
        let first = self.pipeline();
        let mut rest = Vec::new();
        loop {
            let connector = match self.sign() {
                Some("&&") => Connector::And,
                Some("||") => Connector::Or,
                Some(_) | None => break,
            };
            self.at += 1;
            self.skip_lines();
            rest.push((connector, self.pipeline()));
        }
        let background = self.sign() == Some("&");
        self.at += usize::from(background);
        Item { first, rest, background }
    }

    fn pipeline(&mut self) -> Pipeline {
        let mut negated = false;
        while self.eat("!") {
            negated = !negated;
        }
        let mut commands = vec![self.command()];
        while matches!(self.sign(), Some("|" | "|&")) {
            self.at += 1;
            self.skip_lines();
            commands.push(self.command());
        }
        Pipeline { negated, commands }
    }

    fn command(&mut self) -> Command {
        if self.sign() == Some("(") {
            return self.bracketed();
        }
        match self.reserved() {
            Some("{") => {
                self.at += 1;
                let list = self.list();
                self.eat("}");
                Command::Group(list)
            }
            Some("if") => self.conditional(),
            Some(word @ ("while" | "until")) => {
                let until = word == "until";
                self.at += 1;
                let condition = self.list();
                Command::Loop { until, condition, body: self.body() }
            }
            Some("for" | "select") => {
                while self.at < self.tokens.len() && self.reserved() != Some("do") {
                    self.at += 1;
                }
                Command::For(self.body())
            }
            Some("case") => self.case(),
            Some("function") => {
                self.at += 1;
                let name = self.word().map(|word| word.text.clone()).unwrap_or_default();
                self.at += 1;
                self.eat("(");
                self.eat(")");
                self.function(name)
            }
            Some("time") => {
                self.at += 1;
                self.command()
            }
            _ => self.simple(),
        }
    }

    /// `( … )`, or `(( 1 + 2 ))`, whose status is anybody's guess like that of `[`.
    fn bracketed(&mut self) -> Command {
        let line = self.tokens[self.at].0;
        self.at += 1;
        if self.eat("(") {
            let mut open = 2;
            while open > 0 && self.at < self.tokens.len() {
                match self.sign() {
                    Some("(") => open += 1,
                    Some(")") => open -= 1,
                    Some(_) | None => {}
                }
                self.at += 1;
            }
            let word = Word { text: "((".to_owned(), substitutions: Vec::new() };
            return Command::Simple(Simple { line, assignments: Vec::new(), words: vec![word] });
        }
        let list = self.list();
        self.eat(")");
        Command::Subshell(list)
    }

    fn conditional(&mut self) -> Command {
        let (mut branches, mut otherwise) = (Vec::new(), None);
        while self.eat("if") || self.eat("elif") {
            let condition = self.list();
            self.eat("then");
            branches.push((condition, self.list()));
        }
        if self.eat("else") {
            otherwise = Some(self.list());
        }
        self.eat("fi");
        Command::If { branches, otherwise }
    }

    /// `do … done`.
    fn body(&mut self) -> List {
        self.skip_lines();
        self.eat("do");
        let body = self.list();
        self.eat("done");
        body
    }

    fn case(&mut self) -> Command {
        let mut arms = Vec::new();
        while self.at < self.tokens.len() && !self.eat("in") {
            self.at += 1;
        }
        self.skip_lines();
        while self.at < self.tokens.len() && !self.eat("esac") {
            // The pattern of an arm.
            while self.at < self.tokens.len() && !self.eat(")") {
                self.at += 1;
            }
            arms.push(self.list());
            self.eat(";;");
            self.skip_lines();
        }
        Command::Case(arms)
    }

    fn function(&mut self, name: String) -> Command {
        self.skip_lines();
        let body = match self.command() {
            Command::Group(list) | Command::Subshell(list) => list,
            other => List(vec![Item {
                first: Pipeline { negated: false, commands: vec![other] },
                rest: Vec::new(),
                background: false,
            }]),
        };
        Command::Function { name, body }
    }

    fn simple(&mut self) -> Command {
        let line = self.tokens.get(self.at).map_or(0, |(line, _)| *line);
        let (mut assignments, mut words) = (Vec::new(), Vec::new());
        while let Some(raw) = self.word().cloned() {
            self.at += 1;
            match assignment(&raw).filter(|_| words.is_empty()) {
                Some((name, value)) => assignments.push((name, self.substituted(value))),
                None => words.push(self.substituted(raw)),
            }
            // `name() { … }`
            if words.len() == 1 && assignments.is_empty() && self.sign() == Some("(") {
                let is_function = matches!(self.tokens.get(self.at + 1), Some((_, Token::Sign(")"))));
                if is_function {
                    self.at += 2;
                    return self.function(words.remove(0).text);
                }
            }
        }
        script(&words, line, self.depth).unwrap_or(Command::Simple(Simple { line, assignments, words }))
    }

    fn substituted(&self, raw: Raw) -> Word {
        let substitutions =
            raw.substitutions.iter().map(|(line, text)| parse_at(text, *line, self.depth + 1)).collect();
        Word { text: raw.text, substitutions }
    }
}

/// `NAME=value`.
fn assignment(raw: &Raw) -> Option<(String, Raw)> {
    let (name, value) = raw.text.split_once('=')?;
    let is_name = !name.is_empty()
        && name.chars().all(|character| character.is_alphanumeric() || character == '_')
        && !name.starts_with(|first: char| first.is_ascii_digit());
    is_name.then(|| (name.to_owned(), Raw { text: value.to_owned(), ..raw.clone() }))
}

/// `sh -ec '…'` and `eval '…'` hold a script of their own.
fn script(words: &[Word], line: u32, depth: usize) -> Option<Command> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let name = texts.first()?.rsplit('/').next()?;
    if name == "eval" {
        let list = parse_at(&texts[1..].join(" "), line, depth + 1);
        return Some(Command::Group(list));
    }
    let at = texts.iter().position(|word| word.starts_with('-') && word.ends_with('c'))?;
    if !SHELLS.contains(&name) || texts[1..at].iter().any(|word| !word.starts_with(['-', '+'])) {
        return None;
    }
    let mut options = Options::default();
    options.set(texts[1..=at].iter().copied());
    Some(Command::Script { options, list: parse_at(texts.get(at + 1)?, line, depth + 1) })
}
