//! What everything that is stored or shown as data has in common, said once.
//!
//! Owns two attributes. [`macro@record`] is for what is written and read again: it refuses fields that it does not know, so
//! that a newer file is never half understood. [`macro@shown`] is for what is only written. In both, what says nothing is not
//! written: an `Option` that is `None`, and a list, set or map that is empty.
//!
//! It writes serde's own attributes and derives, and no code besides.

use std::collections::BTreeMap;
use std::iter::Peekable;

use proc_macro::token_stream::IntoIter;
use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// What is written and read again.
///
/// `#[record(Eq, omit(cheap), written(checks))]` derives `Eq` beside what every record has; `cheap`, which is neither an
/// `Option` nor a list, is left out where it is the default, and `checks` is written even when it is empty. `written` alone
/// means every field. An enum is written in `snake_case`; the fields of its variants are written as they are.
#[proc_macro_attribute]
pub fn record(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let wanted = Wanted::read(arguments);
    let is_enum = words(&item).any(|word| word == "enum");
    let case = if is_enum { "rename_all = \"snake_case\"," } else { "" };
    let derives =
        format!("Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize, {}", wanted.derives);
    let head = format!("#[derive({derives})] #[serde({case} deny_unknown_fields)]");
    if is_enum { joined(&head, item) } else { joined(&head, with_fields(item, &wanted, true)) }
}

/// What is only written. `#[shown(Clone, omit(timed_out), written(driver))]` takes the same words as [`macro@record`], and
/// derives nothing that is not asked for.
#[proc_macro_attribute]
pub fn shown(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let wanted = Wanted::read(arguments);
    let head = format!("#[derive(::serde::Serialize, {})]", wanted.derives);
    joined(&head, with_fields(item, &wanted, false))
}

/// What an attribute asks for.
#[derive(Default)]
struct Wanted {
    derives: String,
    /// Every field is written, also where it says nothing.
    all_written: bool,
    /// By field: whether it is left out where it says nothing. What is not here follows from the type.
    fields: BTreeMap<String, bool>,
}

impl Wanted {
    fn read(arguments: TokenStream) -> Self {
        let mut wanted = Self::default();
        let mut tokens = arguments.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let word = token.to_string();
            match tokens.next_if(|next| matches!(next, TokenTree::Group(_))) {
                Some(TokenTree::Group(names)) => {
                    assert!(word == "omit" || word == "written", "`{word}` is neither `omit` nor `written`");
                    let names = words(&names.stream()).filter(|name| name != ",");
                    wanted.fields.extend(names.map(|name| (name, word == "omit")));
                    tokens.next_if(|next| next.to_string() == ",");
                }
                _ if word == "written" => wanted.all_written = true,
                _ if word == "," => {}
                _ => wanted.derives.push_str(&format!("{word},")),
            }
        }
        wanted
    }
}

/// The item with what its fields need before each of them.
fn with_fields(item: TokenStream, wanted: &Wanted, is_read: bool) -> TokenStream {
    let mut named = 0;
    let tokens = item.into_iter().map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            let mut fields = TokenStream::new();
            let mut tokens = group.stream().into_iter().peekable();
            while let Some(field) = Field::read(&mut tokens) {
                named += usize::from(wanted.fields.contains_key(&field.name));
                fields.extend(field.omitted(wanted, is_read));
                fields.extend(field.tokens);
            }
            TokenTree::Group(Group::new(Delimiter::Brace, fields))
        }
        token => token,
    });
    let item = tokens.collect();
    assert_eq!(named, wanted.fields.len(), "`omit` or `written` names what is no field");
    item
}

/// A field with its attributes, up to and with its comma.
struct Field {
    name: String,
    /// The first word of its type, as in `Option<u32>`.
    of: String,
    /// It says itself how it is written.
    is_explicit: bool,
    tokens: Vec<TokenTree>,
}

impl Field {
    fn read(tokens: &mut Peekable<IntoIter>) -> Option<Self> {
        let mut field =
            Self { name: String::new(), of: String::new(), is_explicit: false, tokens: Vec::new() };
        let (mut depth, mut is_type, mut last) = (0_i32, false, String::new());
        tokens.peek()?;
        for token in tokens.by_ref() {
            let text = token.to_string();
            field.is_explicit |=
                text.starts_with("[serde") && (text.contains("skip") || text.contains("flatten"));
            match text.as_str() {
                "<" => depth += 1,
                ">" => depth -= 1,
                ":" if !is_type => (field.name, is_type) = (std::mem::take(&mut last), true),
                "," if depth == 0 => {
                    field.tokens.push(token);
                    return Some(field);
                }
                // A type that came through another macro is one token, with all that it holds.
                word if is_type && depth == 0 => {
                    let path = word.split('<').next().unwrap_or(word).trim();
                    field.of = path.rsplit(':').next().unwrap_or(path).trim().to_owned();
                }
                _ => {}
            }
            last = text;
            field.tokens.push(token);
        }
        Some(field)
    }

    /// The attribute that leaves it out where it says nothing, if that is wanted.
    fn omitted(&self, wanted: &Wanted, is_read: bool) -> TokenStream {
        let says_nothing = match self.of.as_str() {
            "Option" => "Option::is_none",
            "Vec" => "Vec::is_empty",
            "BTreeMap" => "std::collections::BTreeMap::is_empty",
            "BTreeSet" => "std::collections::BTreeSet::is_empty",
            "VecDeque" => "std::collections::VecDeque::is_empty",
            "Map" => "serde_json::Map::is_empty",
            "bool" => "std::ops::Not::not",
            "String" => "String::is_empty",
            _ => "crate::is_default",
        };
        let is_empty_often =
            !matches!(self.of.as_str(), "bool" | "String") && says_nothing != "crate::is_default";
        let usually = is_empty_often && !wanted.all_written;
        let is_omitted = wanted.fields.get(&self.name).copied().unwrap_or(usually);
        if !is_omitted || self.is_explicit {
            return TokenStream::new();
        }
        let default = if is_read { "default," } else { "" };
        parsed(&format!("#[serde({default} skip_serializing_if = \"{says_nothing}\")]"))
    }
}

fn words(tokens: &TokenStream) -> impl Iterator<Item = String> + use<> {
    tokens.clone().into_iter().map(|token| token.to_string())
}

fn joined(head: &str, item: TokenStream) -> TokenStream {
    let mut tokens = parsed(head);
    tokens.extend(item);
    tokens
}

fn parsed(text: &str) -> TokenStream {
    text.parse().expect("what is written here are tokens")
}
