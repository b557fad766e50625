//! What commands are given to run by others: what stands in their input, and what a loop goes through.

use std::collections::{BTreeMap, BTreeSet};

use super::super::parse;
use super::super::words::{Token, cut_with_inputs};
use super::words::{self, Started, started};
use super::{DEPTH_MAX, Search, joined};

/// How many words of a list are followed.
const LISTED_MAX: usize = 64;

impl Search<'_> {
    /// What a script runs of what it reads: `sh < FILE`, `cat FILE | sh`, `xargs sh < LIST`, `for s in a b; do sh $s; done`.
    pub(super) fn fed(
        &mut self,
        text: &str,
        places: &BTreeSet<String>,
        variables: &BTreeMap<String, String>,
        depth: usize,
    ) {
        let (tokens, inputs) = cut_with_inputs(text, 1);
        let mut commands: Vec<(Vec<String>, bool)> = vec![(Vec::new(), false)];
        let mut starts = Vec::new();
        for (_, token) in &tokens {
            starts.push(commands.len() - 1);
            match token {
                Token::Sign(sign) => commands.push((Vec::new(), matches!(*sign, "|" | "|&"))),
                Token::Word(word) => {
                    // A script in a word.
                    let is_script =
                        word.quoted && word.text.contains(' ') && word.text.contains(['<', '|', ';']);
                    if is_script && depth > 1 {
                        self.fed(&word.text, places, variables, depth - 1);
                    }
                    let words = &mut commands.last_mut().expect("there is one from the start").0;
                    words.push(words::expand(&word.text, variables));
                }
            }
        }
        for (at, name) in inputs {
            let of = starts.get(at.saturating_sub(1)).copied().unwrap_or_default();
            let name = words::expand(&name, variables);
            if let Some(reader) = commands.get(of).and_then(|(words, _)| Reader::of(words)) {
                self.read_by(reader, true, &name, places, depth);
            }
        }
        for at in 1..commands.len() {
            let Some(reader) = Reader::of(&commands[at].0).filter(|_| commands[at].1) else { continue };
            let mut before = at;
            while before > 0 && commands[before].1 {
                before -= 1;
                let words = commands[before].0.clone();
                let is_printed = words
                    .first()
                    .is_some_and(|word| word != "ls" && word != "echo" && word != "printf" && word != "find");
                for word in words.iter().skip(1).filter(|word| !word.starts_with('-')) {
                    self.read_by(reader, is_printed, word, places, depth);
                }
            }
        }
        self.looped(text, &tokens, places, variables, depth);
    }

    fn read_by(
        &mut self,
        reader: Reader,
        is_content: bool,
        name: &str,
        places: &BTreeSet<String>,
        depth: usize,
    ) {
        if depth < 2 {
            return;
        }
        let listed = places.iter().filter_map(|place| joined(place, name)).find_map(|path| self.text(&path));
        let is_text = is_content && reader != Reader::Each;
        self.file(name, places, reader == Reader::Shell || !is_content, is_text, depth - 1);
        if let (Reader::Each, true, Some(text)) = (reader, is_content, listed) {
            for word in text.split_whitespace().take(LISTED_MAX) {
                self.file(word, places, true, false, depth - 1);
            }
        }
    }

    /// `for NAME in WORDS`: what is run with each of them.
    fn looped(
        &mut self,
        text: &str,
        tokens: &[(u32, Token)],
        places: &BTreeSet<String>,
        variables: &BTreeMap<String, String>,
        depth: usize,
    ) {
        let word = |at: usize| match tokens.get(at) {
            Some((_, Token::Word(word))) => Some(word.text.as_str()),
            _ => None,
        };
        for at in 0..tokens.len() {
            let (Some("for"), Some(name), Some("in")) = (word(at), word(at + 1), word(at + 2)) else {
                continue;
            };
            let listed: Vec<&str> = (at + 3..tokens.len()).map_while(word).take(LISTED_MAX).collect();
            let mentions = [format!("${name}"), format!("${{{name}")];
            for command in parse(text).commands() {
                let said = command.text();
                if depth < 2 || !mentions.iter().any(|mention| said.contains(mention.as_str())) {
                    continue;
                }
                for value in &listed {
                    let mut variables = variables.clone();
                    variables.insert(name.to_owned(), words::expand(value, &variables));
                    let words = command.expanded(&mut variables);
                    self.command(&words, &mut places.clone(), depth.min(DEPTH_MAX) - 1);
                }
            }
        }
    }
}

/// Who runs what is in its input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// As a script.
    Shell,
    /// As a script of another language.
    Other,
    /// Each word of it.
    Each,
}

impl Reader {
    fn of(words: &[String]) -> Option<Self> {
        let has = |is: fn(&str) -> bool| words.iter().any(|word| is(word));
        let reads = matches!(started(words), Started::Nothing)
            || words.iter().any(|word| word == "-s" || word == "-");
        let is_of_words = has(|word| words::program(word) == "xargs" || word == "parallel");
        match () {
            () if is_of_words => runs_what_it_is_given(words).then_some(Self::Each),
            () if reads && has(words::is_shell) => Some(Self::Shell),
            // An interpreter with nothing to run but its input.
            () if words.len() == 1 && has(words::is_interpreter) => Some(Self::Other),
            () => None,
        }
    }
}

/// Whether `xargs` runs the words themselves, by a shell or an interpreter that has no script of its own.
fn runs_what_it_is_given(words: &[String]) -> bool {
    let is_placeholder = |name: &String| name.contains("{}") || name == "%";
    match started(words) {
        Started::Nothing => words.iter().any(|word| words::is_shell(word)),
        Started::Files { names, .. } => match &names[..] {
            [only] => words::is_interpreter(only) || is_placeholder(only),
            names => names.iter().all(|name| words::is_interpreter(name) || name.contains("{}")),
        },
        _ => false,
    }
}
