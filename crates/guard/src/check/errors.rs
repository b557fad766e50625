//! Errors that are hidden, and code that no longer does its work: swallowed errors, lost refusals, stubs.
//!
//! Only functions that were there before are looked at: new code may handle its errors as it likes.

use std::collections::BTreeMap;

use super::{Draft, suppressions};
use crate::comparison::{ChangedFile, Comparison, test_modules};
use crate::inventory::{Definition, Inventory, Reach, reach, says_so};
use crate::language::Class;
use crate::paths;
use crate::similar::only_in;
use crate::source::{Piece, Source};
use crate::text::{ends_with_any, identifiers, starts_with_any};
use crate::vocabulary::CASTS;
use crate::words::is_plain_value;

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let followed = &comparison.followed;
    let tests_changed = comparison.files.iter().any(|file| file.is_test() && file.before.is_some())
        || !followed.added.is_empty()
        || !followed.removed.is_empty()
        || comparison.changed_pairs().next().is_some()
        || comparison.files.iter().any(test_module_changed);
    // A change that only takes away is not what its tests ask for.
    let tests_changed = tests_changed && !comparison.takes_away();
    // What a file that is gone held may be in another now.
    let gone: Vec<_> = comparison
        .files
        .iter()
        .filter(|file| file.after.is_none())
        .filter_map(|file| file.before.as_ref()?.inventory.as_ref())
        .flat_map(|inventory| suppressions::of(inventory, false))
        .map(|(_, text)| text)
        .collect();
    let mut drafts = Vec::new();
    for file in &comparison.files {
        let Some(new) = file.new_inventory() else { continue };
        let old = file.old_inventory();
        drafts.extend(suppressions::check(file.path(), old, new, &gone));
        if !paths::is_test(file.path()) {
            drafts.extend(super::handling::dropped_in_new_code(file.path(), old, new));
        }
        let Some(old) = old else { continue };
        for (before, after) in functions(old, new) {
            let both = Both { path: file.path(), old, new, before, after };
            if let Some(stub) = both.stubbed() {
                drafts.push(stub.unsure_if(tests_changed));
                continue;
            }
            if paths::is_test(file.path()) {
                continue;
            }
            // Where tests changed as well, it may be what they ask for.
            let swallowed = both.swallowed().into_iter().chain(both.hands_on_less());
            drafts.extend(swallowed.map(|draft| draft.unsure_if(tests_changed)));
            let refused = both.refuses_less(comparison, tests_changed);
            let fails = both.fails_less().filter(|_| refused.is_none() && comparison.takes_away());
            drafts.extend(refused.into_iter().chain(fails));
            drafts.extend(both.handler_deleted().into_iter().chain(both.error_became_value()));
        }
    }
    drafts
}

/// Whether the tests beside the code changed, in whatever form they are written.
fn test_module_changed(file: &ChangedFile) -> bool {
    let Some((old, new)) = file.inventories() else { return false };
    let tests = |inventory: &Inventory| -> Vec<String> {
        test_modules(inventory).iter().map(|span| inventory.source.flat(span)).collect()
    };
    tests(old) != tests(new)
}

/// The functions that both files have, apart from tests.
fn functions<'a>(old: &'a Inventory, new: &'a Inventory) -> Vec<(&'a Definition, &'a Definition)> {
    let named = |inventory: &'a Inventory| {
        let mut named: BTreeMap<&'a str, Vec<&'a Definition>> = BTreeMap::new();
        for definition in inventory.functions().filter(|function| !inventory.is_in_test(&function.span)) {
            named.entry(&definition.name).or_default().push(definition);
        }
        named
    };
    let (known, found) = (named(old), named(new));
    // Where the number of functions with one name is another, nobody can tell which became which.
    let pairs = known.into_iter().filter_map(|(name, before)| {
        let after = found.get(name).filter(|after| after.len() == before.len())?;
        Some(before.into_iter().zip(after.iter().copied()))
    });
    pairs.flatten().collect()
}

/// A function before and after.
pub(super) struct Both<'a> {
    path: &'a str,
    pub(super) old: &'a Inventory,
    pub(super) new: &'a Inventory,
    pub(super) before: &'a Definition,
    pub(super) after: &'a Definition,
}

impl Both<'_> {
    pub(super) fn draft(&self, rule: &'static str, line: u32, message: String) -> Draft {
        Draft::new(rule, self.path, line, message)
    }

    /// A body that is only a placeholder now.
    fn stubbed(&self) -> Option<Draft> {
        let (old, new) = (&self.old.source, &self.new.source);
        let work = |source: &Source, definition: &Definition| {
            let mut body = source.inside(&definition.body);
            // What documents a function is no work of it.
            if body.len() > 1 && source.tokens[body.start].kind == crate::source::Kind::Text {
                body.start += 1;
            }
            source.flat(&body)
        };
        let (was, is) = (work(old, self.before), work(new, self.after));
        // What it did is still there, after a return that nothing gets past.
        let is_cut_off = is.len() > was.len() && is.ends_with(&was) && self.returns_at_once();
        if !is_stub(&is) && !is_cut_off || is_stub(&was) || was.len() < 12 {
            return None;
        }
        let message = format!("`{}` does nothing any more", self.after.name);
        let draft = self.draft("function-stubbed", new.line(self.after.span.start), message);
        Some(draft.before(old.excerpt(&self.before.span)).after(new.excerpt(&self.after.span)))
    }

    /// Whether the first thing that a function does is to return, whatever it is given.
    fn returns_at_once(&self) -> bool {
        let source = &self.new.source;
        let body = source.inside(&self.after.body);
        let first = source.pieces_in(&body).find(|(_, piece)| piece.span.start == body.start);
        first.is_some_and(|(_, piece)| match piece.class {
            Class::Return => true,
            Class::If => {
                crate::inventory::is_always(source, &piece.condition)
                    && source.pieces_in(&piece.body).any(|(_, inner)| inner.class == Class::Return)
            }
            _ => false,
        })
    }

    /// Handlers that drop what they caught, where none did.
    fn swallowed(&self) -> Vec<Draft> {
        let dropping = |source: &Source, definition: &Definition| -> Vec<(u32, String, String)> {
            let pieces = source.pieces_in(&definition.body).filter(|(_, piece)| drops(source, piece));
            let found = pieces.map(|(index, piece)| {
                let around = source.around(index).find(|(_, outer)| outer.class == Class::Try);
                let tried = around
                    .filter(|_| piece.class == Class::Handler)
                    .map(|(_, outer)| source.flat(&source.inside(&outer.body)))
                    .unwrap_or_default();
                (source.line(piece.span.start), source.flat(&piece.span), tried)
            });
            found.collect()
        };
        let known = dropping(&self.old.source, self.before).into_iter().map(|(_, text, _)| text);
        let was = self.old.source.flat(&self.before.body);
        let mut drafts = Vec::new();
        let found = dropping(&self.new.source, self.after);
        for (line, text, tried) in only_in(found, known, |(_, text, _)| text.clone()) {
            let message = format!("`{}` catches errors here and drops them", self.after.name);
            let draft = self.draft("error-swallowed", line, message).after(text);
            // New code may handle its own errors as it likes; what ran before used to let them through.
            drafts.push(draft.sure_if(was.contains(&tried)));
        }
        drafts
    }

    /// Fewer errors are handed on, and more are turned into values.
    fn hands_on_less(&self) -> Option<Draft> {
        let count = |source: &Source, definition: &Definition, wanted: &dyn Fn(&str) -> bool| {
            let inside = source.pieces_in(&definition.body);
            inside
                .filter(|(_, piece)| {
                    matches!(piece.class, Class::Return | Class::Call | Class::Binding)
                        && wanted(&source.flat(&piece.span))
                })
                .count()
        };
        let (old, new) = (&self.old.source, &self.new.source);
        let marks = |source: &Source, definition: &Definition| {
            definition.body.clone().filter(|index| source.word(*index) == "?").count()
        };
        let hands_on = |flat: &str| {
            flat.starts_with("return")
                && flat.split(|character: char| !character.is_alphanumeric()).any(|word| word == "err")
        };
        let drops = |flat: &str| {
            ends_with_any(flat, &[".unwrap_or_default()", ".ok()"])
                || flat == "return nil"
                || starts_with_any(flat, &["_,_=", "_=", "let _="])
        };
        let ignored = |source: &Source, definition: &Definition| {
            source
                .pieces_in(&definition.body)
                .filter(|(_, piece)| super::handling::ignores(source, piece))
                .count()
        };
        // Go: an error that is looked at, whatever is done about it.
        let looks = |flat: &str| flat.contains("err!=nil");
        let checks = |source: &Source, definition: &Definition| {
            let ifs = source.pieces_in(&definition.body).filter(|(_, piece)| piece.class == Class::If);
            ifs.filter(|(_, piece)| looks(&source.flat(&piece.condition))).count()
        };
        let fewer = marks(new, self.after) < marks(old, self.before)
            || checks(new, self.after) < checks(old, self.before)
            || count(new, self.after, &hands_on) < count(old, self.before, &hands_on);
        let drops_more = count(new, self.after, &drops) > count(old, self.before, &drops);
        let more = drops_more || ignored(new, self.after) > ignored(old, self.before);
        // A failure that ended the program, or one that was taken apart, may have been the lack of a value as well.
        let ended = |source: &Source, definition: &Definition| {
            count(source, definition, &|flat| flat.ends_with(".unwrap()") || flat.contains(".expect(\""))
        };
        let fewer_ends = ended(new, self.after) < ended(old, self.before)
            || failures(self.new, self.after) < failures(self.old, self.before);
        (more && (fewer || fewer_ends)).then(|| {
            let what = if fewer { "handed on" } else { "did not drop" };
            let message = format!("`{}` drops errors that it {what}", self.after.name);
            self.draft("error-swallowed", new.line(self.after.span.start), message)
                .sure_if(fewer && drops_more)
        })
    }

    /// Whether another function refuses, which may be where a refusal went. A change that only takes away moved
    /// nothing to where it was not.
    fn is_refused_elsewhere(&self, comparison: &Comparison) -> bool {
        let strict = comparison.takes_away();
        comparison.files.iter().any(|file| {
            let Some(inventory) = file.new_inventory() else {
                return false;
            };
            let had = file.old_inventory().filter(|_| strict);
            let is_known = |name: &str| {
                let names = |inventory: &Inventory| inventory.definition(name).is_some();
                names(self.old) || had.is_some_and(names)
            };
            let mut others = inventory
                .definitions
                .iter()
                .filter(|definition| definition.is_function && !is_known(&definition.name));
            others.any(|definition| !refusals(inventory, definition).is_empty())
        })
    }

    /// Whether every word and text of a refusal that is gone is still in the function as often.
    fn says_as_often(&self, lost: &str) -> bool {
        let (was, is) = (self.old.source.flat(&self.before.body), self.new.source.flat(&self.after.body));
        let count = |text: &str, word: &str| text.matches(word).count();
        let words = identifiers(lost);
        let telling: Vec<&str> =
            words.filter(|word| word.len() > 3 && !["return", "raise", "throw"].contains(word)).collect();
        telling.iter().any(|word| word.starts_with(|first: char| first.is_uppercase()))
            && telling.iter().all(|word| count(&is, word) >= count(&was, word))
    }

    /// Fewer ways to fail, whatever they are: raised, returned or handed on.
    fn fails_less(&self) -> Option<Draft> {
        let (was, is) = (failures(self.old, self.before), failures(self.new, self.after));
        (is < was).then(|| {
            let message = format!("`{}` no longer fails where it did", self.after.name);
            self.draft("error-swallowed", self.new.source.line(self.after.span.start), message)
        })
    }

    /// Refusals that are gone or out of reach, unless they are somewhere else now.
    fn refuses_less(&self, comparison: &Comparison, tests_changed: bool) -> Option<Draft> {
        let (was, is) = (refusals(self.old, self.before), refusals(self.new, self.after));
        if is.len() >= was.len() {
            return None;
        }
        let count = |texts: &[String], wanted: &String| texts.iter().filter(|text| *text == wanted).count();
        let lost = was.iter().find(|text| count(&is, text) < count(&was, text))?;
        let is_moved = self.is_refused_elsewhere(comparison);
        // The very error is still made, by other means: `ok_or_else(|| error)?`.
        let is_cut_off = self.new.source.flat(&self.after.body).contains(lost.as_str());
        let still = !is_cut_off && self.says_as_often(lost);
        let line = self.new.source.line(self.after.span.start);
        let message = format!("`{}` no longer refuses what it refused", self.after.name);
        let draft = self.draft("validation-removed", line, message).before(lost.clone());
        Some(draft.unsure_if(is_moved || still || tests_changed))
    }
}

/// Whether a value is none, or empty, or the first that comes to mind.
pub(super) fn is_nothing(value: &str) -> bool {
    let made = ["::new()", "::default()"];
    is_plain_value(value)
        || ["0.0", "1", "({})"].contains(&value)
        || ends_with_any(value, &made)
        || value.starts_with("\"\".")
        || value.starts_with("Promise.resolve(")
}

/// Whether nothing is left of a body, as normalised text.
fn is_stub(body: &str) -> bool {
    let body = CASTS.iter().fold(body, |body, cast| body.strip_suffix(cast).unwrap_or(body));
    let answer = body.trim_start_matches("return").trim();
    // What comes with an error that is none.
    let answer = answer.strip_suffix(",nil").unwrap_or(answer);
    let inner = |start: &str| answer.strip_prefix(start).and_then(|rest| rest.strip_suffix(')'));
    let bare = inner("Ok(").or_else(|| inner("Some(")).unwrap_or(answer);
    let does_nothing = ["", "pass", "..."].contains(&answer) || is_nothing(bare) && body != "()";
    let is_macro = body.starts_with("unimplemented!(") || body.starts_with("todo!(");
    let is_placeholder = body.to_lowercase().contains("not implemented") || body.contains("NotImplemented");
    does_nothing || is_macro || is_placeholder && body.len() < 80
}

/// Whether a piece catches errors and drops them.
fn drops(source: &Source, piece: &Piece) -> bool {
    match piece.class {
        Class::Handler => {
            let body = source.flat(&source.inside(&piece.body));
            let returned = body.strip_prefix("return").unwrap_or(&body).trim();
            let is_constant = returned.len() < 40 && !returned.contains('(') && !body.contains("raise");
            let leaves = body.is_empty()
                || body.starts_with("return")
                || ["pass", "...", "continue"].contains(&body.as_str());
            leaves && is_constant && !says_so(source, piece)
        }
        Class::Call => {
            let callee = source.flat(&piece.name);
            let arguments = source.flat(&piece.arguments);
            let gives_up = ends_with_any(&callee, &[".or_else", ".unwrap_or_else", ".map_err"])
                && ["(|_|", "(|_error|", "(|_e|"].iter().any(|start| {
                    arguments.strip_prefix(start).is_some_and(|rest| {
                        is_given_up(rest.trim_end_matches(')').trim_matches(['{', '}']))
                            || is_given_up(&rest[..rest.len().saturating_sub(1)])
                    })
                });
            callee == "recover" && !is_looked_at(source, piece)
                || gives_up && callee.ends_with(".or_else")
                || callee.ends_with("contextlib.suppress")
                || callee == "suppress"
                || drops_rejection(source, piece)
        }
        // Rust: `Err(_) => Ok(0)`.
        Class::Block => {
            let flat = source.flat(&piece.span);
            let rest = ["Err(_)=>", "Err(_error)=>", "Err(..)=>", "Err(_e)=>", "Err(_err)=>"]
                .iter()
                .find_map(|start| flat.strip_prefix(start));
            rest.is_some_and(|rest| is_given_up(rest.trim_matches(['{', '}', ','])))
        }
        _ => false,
    }
}

/// `.catch(() => {})`.
pub(super) fn drops_rejection(source: &Source, piece: &Piece) -> bool {
    source.flat(&piece.name).ends_with(".catch")
        && ends_with_any(
            &source.flat(&piece.arguments),
            &["=>{})", "=>null)", "=>undefined)", "=>[])", "=>({}))"],
        )
}

/// Whether a condition asks what `recover` gave.
fn is_looked_at(source: &Source, piece: &Piece) -> bool {
    let before = source.word(piece.span.start.wrapping_sub(1));
    before == ":=" || before == "=" && source.word(piece.span.start.wrapping_sub(2)) != "_"
}

/// Whether an arm does nothing but give a constant as if all were well.
fn is_given_up(answer: &str) -> bool {
    let answer = answer.trim_start_matches("return").trim();
    let inner = answer.strip_prefix("Ok(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(answer);
    let is_number = inner.replace('_', "").parse::<f64>().is_ok();
    is_number || ["", "continue"].contains(&inner) || is_nothing(inner)
}

/// How many ways to fail a function has.
fn failures(inventory: &Inventory, definition: &Definition) -> usize {
    let source = &inventory.source;
    let raised = source.pieces_in(&definition.body).filter(|(_, piece)| piece.class == Class::Throw).count();
    let is_failure = |index: &usize| {
        let word = source.word(*index);
        let traits = &source.language.traits;
        traits.failure_words.contains(&word)
            || traits.returned_error == Some(word) && source.word(index - 1) != "_" && {
                (1..6).any(|back| source.word(index.saturating_sub(back)) == "return")
            }
    };
    raised + definition.body.clone().filter(|index| *index > 0).filter(is_failure).count()
}

/// The conditionals of a function that end in an error and can be reached.
fn refusals(inventory: &Inventory, definition: &Definition) -> Vec<String> {
    let source = &inventory.source;
    let mut found = Vec::new();
    for (index, piece) in source.pieces_in(&definition.body) {
        let refuses = match piece.class {
            Class::Throw => true,
            Class::Return => source.words(&piece.span).any(|word| {
                ["Err", "errors", "Errorf", "bail"].contains(&word)
                    || word.starts_with("Err") && word.len() > 3
            }),
            Class::Call => {
                ["panic", "bail!", "ensure!", "panic!"].contains(&source.flat(&piece.name).as_str())
            }
            _ => false,
        };
        // A handler that translates an error refuses nothing by itself.
        let mut around =
            source.around(index).take_while(|(_, outer)| outer.span.start >= definition.body.start);
        let in_handler = around.find_map(|(_, outer)| match outer.class {
            Class::Handler => Some(true),
            // It refuses under a condition of its own.
            Class::If => Some(false),
            _ => None,
        });
        let in_handler = in_handler == Some(true);
        if refuses && !in_handler && reach(source, index, &definition.body) == Reach::Live {
            found.push(source.flat(&piece.span));
        }
    }
    found
}
