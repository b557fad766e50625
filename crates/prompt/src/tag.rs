//! What stands between `{{` and `}}`.

use serde_json::Value;

/// A tag that means something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tag {
    Value(Expression),
    /// The text of another file is put here.
    Include(String),
    /// A block that is there if its subject is.
    If(Path),
    /// A block that is there once per item.
    Each(Path, String),
    /// The other half of an `If`.
    Else,
    EndIf,
    EndEach,
}

/// What a value is made of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    /// What a fact says, by its dotted name.
    Path(Path),
    /// A helper with what it is given.
    Call(Helper, Vec<Argument>),
}

/// What a helper is given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    /// What a fact says, by its dotted name.
    Path(Path),
    /// A text, a number, true or false.
    Literal(Value),
}

/// A name with dots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path(pub(crate) Vec<String>);

impl Path {
    /// The whole name.
    pub(crate) fn name(&self) -> String {
        self.0.join(".")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Helper {
    Uppercase,
    Lowercase,
    Trim,
    Default,
    Length,
    Join,
    Dateformat,
    Add,
    Subtract,
}

impl Helper {
    const ALL: [Helper; 9] = [
        Helper::Uppercase,
        Helper::Lowercase,
        Helper::Trim,
        Helper::Default,
        Helper::Length,
        Helper::Join,
        Helper::Dateformat,
        Helper::Add,
        Helper::Subtract,
    ];

    /// Its name in a tag.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Helper::Uppercase => "uppercase",
            Helper::Lowercase => "lowercase",
            Helper::Trim => "trim",
            Helper::Default => "default",
            Helper::Length => "length",
            Helper::Join => "join",
            Helper::Dateformat => "dateformat",
            Helper::Add => "add",
            Helper::Subtract => "subtract",
        }
    }

    /// The fewest and the most arguments.
    fn arity(self) -> (usize, usize) {
        match self {
            Helper::Uppercase | Helper::Lowercase | Helper::Trim | Helper::Length => (1, 1),
            Helper::Join => (1, 2),
            Helper::Default | Helper::Dateformat | Helper::Add | Helper::Subtract => (2, 2),
        }
    }
}

/// What `content` means, if it means anything.
pub(crate) fn parse(content: &str) -> Option<Tag> {
    let content = content.trim();
    if let Some(path) = content.strip_prefix("include:") {
        return Some(Tag::Include(path.trim().to_owned()));
    }
    match words(content)?.as_slice() {
        ["#else" | "else"] => Some(Tag::Else),
        ["/if"] => Some(Tag::EndIf),
        ["/each"] => Some(Tag::EndEach),
        ["#if", subject] => Some(Tag::If(path(subject)?)),
        ["#each", list, "as", item] => Some(Tag::Each(path(list)?, name(item)?.to_owned())),
        [variable] => Some(Tag::Value(Expression::Path(path(variable)?))),
        [helper, arguments @ ..] => call(helper, arguments),
        [] => None,
    }
}

fn call(name: &str, arguments: &[&str]) -> Option<Tag> {
    let helper = Helper::ALL.into_iter().find(|helper| helper.name() == name)?;
    let (fewest, most) = helper.arity();
    if arguments.len() < fewest || arguments.len() > most {
        return None;
    }
    let arguments = arguments.iter().map(|word| argument(word)).collect::<Option<Vec<_>>>()?;
    Some(Tag::Value(Expression::Call(helper, arguments)))
}

fn argument(word: &str) -> Option<Argument> {
    if let Some(quote @ ('"' | '\'')) = word.chars().next() {
        let text = word.strip_prefix(quote)?.strip_suffix(quote)?;
        return Some(Argument::Literal(Value::from(text)));
    }
    if let Ok(number) = word.parse::<i64>() {
        return Some(Argument::Literal(Value::from(number)));
    }
    match word {
        "true" => Some(Argument::Literal(Value::Bool(true))),
        "false" => Some(Argument::Literal(Value::Bool(false))),
        _ if word.starts_with(|first: char| first.is_ascii_digit() || first == '-') => {
            word.parse::<f64>().ok().map(|number| Argument::Literal(Value::from(number)))
        }
        _ => path(word).map(Argument::Path),
    }
}

/// The words of a tag; what stands in quotes is one. `None` where a quote is not closed.
fn words(content: &str) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    let mut rest = content.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => 1 + rest[1..].find(first)? + 1,
            _ => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        words.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    Some(words)
}

fn path(word: &str) -> Option<Path> {
    if let "@index" | "@first" | "@last" = word {
        return Some(Path(vec![word.to_owned()]));
    }
    let mut parts = word.split('.');
    let first = name(parts.next()?)?;
    let is_part = |part: &str| !part.is_empty() && part.chars().all(is_letter);
    let rest: Option<Vec<_>> = parts.map(|part| is_part(part).then(|| part.to_owned())).collect();
    Some(Path(std::iter::once(first.to_owned()).chain(rest?).collect()))
}

fn name(word: &str) -> Option<&str> {
    let begins = word.starts_with(|first: char| first.is_alphabetic() || first == '_');
    (begins && word.chars().all(is_letter)).then_some(word)
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '-'
}
