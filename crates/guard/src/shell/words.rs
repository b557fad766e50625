//! Cutting a shell script into words and signs.

/// What a script is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(Raw),
    /// `;`, `&&`, `|`, a line's end as `\n`.
    Sign(&'static str),
}

/// A word as it was written, with what is needed of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Raw {
    /// Without quotes.
    pub(super) text: String,
    /// Whether any of it was quoted: then it is no reserved word.
    pub(super) quoted: bool,
    /// The insides of `$(…)` and of backquotes, with the line each begins on.
    pub(super) substitutions: Vec<(u32, String)>,
}

/// Longer signs first.
const SIGNS: [&str; 11] = ["&&", "||", "|&", ";;", "\n", ";", "&", "|", "(", ")", "&>"];

/// What is read from a file: before which token that was said, and the file.
pub(super) type Input = (usize, String);

/// The tokens of a script, each with its line.
pub(super) fn cut(text: &str, first_line: u32) -> Vec<(u32, Token)> {
    cut_with_inputs(text, first_line).0
}

/// The same, with the files that commands read their input from: before which token, and which file.
pub(super) fn cut_with_inputs(text: &str, first_line: u32) -> (Vec<(u32, Token)>, Vec<Input>) {
    let (found, documents, inputs) = Default::default();
    let mut cutter = Cutter { rest: text, line: first_line, found, documents, inputs };
    while cutter.step() {}
    (cutter.found, cutter.inputs)
}

struct Cutter<'a> {
    rest: &'a str,
    line: u32,
    found: Vec<(u32, Token)>,
    /// The ends of the documents that begin after this line.
    documents: Vec<String>,
    inputs: Vec<Input>,
}

impl<'a> Cutter<'a> {
    /// Takes the next token; whether there is more.
    fn step(&mut self) -> bool {
        let Some(next) = self.rest.chars().next() else { return false };
        if let Some(rest) = self.rest.strip_prefix("\\\n") {
            self.line += 1;
            self.rest = rest;
        } else if matches!(next, ' ' | '\t' | '\r') {
            self.rest = &self.rest[1..];
        } else if next == '#' {
            self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
        } else if self.rest.starts_with("&>") || matches!(next, '<' | '>') {
            self.redirection();
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| self.rest.starts_with(sign)) {
            self.found.push((self.line, Token::Sign(sign)));
            self.rest = &self.rest[sign.len()..];
            if sign == "\n" {
                self.line += 1;
                self.skip_documents();
            }
        } else {
            let (line, word) = (self.line, self.word());
            let is_descriptor = self.rest.starts_with(['<', '>'])
                && !word.quoted
                && word.text.chars().all(|character| character.is_ascii_digit());
            if !is_descriptor {
                self.found.push((line, Token::Word(word)));
            }
        }
        true
    }

    /// `> file`, `2>&1`, `<<EOF`: where output goes does not change how a command ends.
    fn redirection(&mut self) {
        let is_document = self.rest.starts_with("<<") && !self.rest.starts_with("<<<");
        let is_process = self.rest.starts_with("<(") || self.rest.starts_with(">(");
        let signs = |character: char| matches!(character, '<' | '>' | '&' | '|' | '-');
        let end = self.rest.find(|character| !signs(character)).unwrap_or(self.rest.len());
        let is_input = &self.rest[..end] == "<";
        self.rest = self.rest[end..].trim_start_matches([' ', '\t']);
        if is_process {
            let inside = self.bracketed('(', ')');
            self.rest = &self.rest[inside.len().min(self.rest.len())..];
            return;
        }
        // `>&-` has no word behind it.
        if self.rest.starts_with(['\n', ';', '|', '&', ')']) || self.rest.is_empty() {
            return;
        }
        let word = self.word();
        if is_document {
            self.documents.push(word.text);
        } else if is_input {
            self.inputs.push((self.found.len(), word.text));
        }
    }

    /// Passes by what `<<EOF` gave to a command.
    fn skip_documents(&mut self) {
        for end in std::mem::take(&mut self.documents) {
            while !self.rest.is_empty() {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                self.line += 1;
                if line.trim() == end {
                    break;
                }
            }
        }
    }

    fn word(&mut self) -> Raw {
        let mut word = Raw::default();
        while let Some(next) = self.rest.chars().next() {
            match next {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\'' => {
                    let inside = self.rest[1..].split('\'').next().unwrap_or_default();
                    word.quoted = true;
                    word.text.push_str(inside);
                    self.take((inside.len() + 2).min(self.rest.len()));
                }
                '"' => {
                    word.quoted = true;
                    self.take(1);
                    self.quoted(&mut word);
                }
                '\\' => {
                    let escaped = self.rest[1..].chars().next();
                    word.quoted = true;
                    word.text.extend(escaped.filter(|character| *character != '\n'));
                    self.take(1 + escaped.map_or(0, char::len_utf8));
                }
                '$' | '`' => self.expansion(&mut word),
                _ => {
                    word.text.push(next);
                    self.take(next.len_utf8());
                }
            }
        }
        // A bracket that nobody opened stands for itself.
        if word.text.is_empty() && !word.quoted && word.substitutions.is_empty() {
            let length = self.rest.chars().next().map_or(0, char::len_utf8);
            word.text.push_str(&self.rest[..length]);
            self.take(length);
        }
        word
    }

    /// What is left of `"…"`.
    fn quoted(&mut self, word: &mut Raw) {
        while let Some(next) = self.rest.chars().next() {
            match next {
                '"' => {
                    self.take(1);
                    return;
                }
                '\\' => {
                    let escaped = self.rest[1..].chars().next();
                    word.text.extend(escaped.filter(|character| *character != '\n'));
                    self.take(1 + escaped.map_or(0, char::len_utf8));
                }
                '$' | '`' => self.expansion(word),
                _ => {
                    word.text.push(next);
                    self.take(next.len_utf8());
                }
            }
        }
    }

    /// `$name`, `${name}`, `$(command)`, `` `command` ``, `$((1 + 2))`.
    fn expansion(&mut self, word: &mut Raw) {
        let line = self.line;
        if self.rest.starts_with('`') {
            let inside = self.rest[1..].split('`').next().unwrap_or_default();
            word.substitutions.push((line, inside.to_owned()));
            word.text.push_str("$()");
            self.take((inside.len() + 2).min(self.rest.len()));
        } else if self.rest.starts_with("$((") {
            word.text.push_str("$(())");
            self.take(1);
            let length = self.bracketed('(', ')').len();
            self.take(length);
        } else if self.rest.starts_with("$(") {
            self.take(1);
            let inside = self.bracketed('(', ')');
            let command = inside.strip_prefix('(').unwrap_or(inside);
            let command = command.strip_suffix(')').unwrap_or(command).to_owned();
            self.take(inside.len());
            word.text.push_str("$()");
            word.substitutions.push((line, command));
        } else if self.rest.starts_with("${") {
            self.take(1);
            let inside = self.bracketed('{', '}');
            word.text.push('$');
            word.text.push_str(inside);
            self.take(inside.len());
        } else {
            word.text.push_str(&self.rest[..1]);
            self.take(1);
        }
    }

    /// The text from an opening bracket to the one that closes it, quotes passed by.
    fn bracketed(&self, open: char, close: char) -> &'a str {
        let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
        for (at, character) in self.rest.char_indices() {
            match quote {
                _ if escaped => escaped = false,
                _ if character == '\\' => escaped = true,
                Some(sign) if sign == character => quote = None,
                Some(_) => {}
                None if matches!(character, '\'' | '"') => quote = Some(character),
                None if character == open => depth += 1,
                None if character == close => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return &self.rest[..=at];
                    }
                }
                None => {}
            }
        }
        self.rest
    }

    fn take(&mut self, length: usize) {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.matches('\n').count() as u32;
        self.rest = rest;
    }
}
