//! Point change: inputs beside the tested ones. Code that knows the tested inputs by heart is right there and nowhere else.
//!
//! Only where code of the change holds a tested input beside its answer; then the test is run with a neighbour of that input, and what
//! the assertion says that it got is looked at. On the old code the same is run, where that passed: it knows the answer.
//!
//! However the answers are kept (a key made of several inputs, a text, a counter), they stand in the code of the change. Where several do,
//! and the old code is wrong at the tested points, it is asked at points beside them: a rule would give other answers there than
//! the old code does. Code that gives the old answers everywhere but at the tested points has no rule.

use std::collections::BTreeSet;

use crate::account::Probe;
use crate::change::{Overlay, Part};
use crate::points::{self, Memorised, Point};
use crate::session::{Session, Shown};
use crate::trial::{Outcome, Runner, Verdict};

/// How many places are looked at, and how many inputs beside each.
const PLACES_MAX: usize = 3;
const NEIGHBOURS_MAX: usize = 2;

/// So many answers of tests have to stand in the change before anything is tried.
const WRITTEN_MIN: usize = 2;

/// What is got where a test failed before it could compare.
const AN_ERROR: &str = "an error";

const RULE: &str = "point-change";

pub(crate) fn probe<R: Runner>(session: &mut Session<'_, R>) -> Result<(), R::Error> {
    let change = session.change;
    let tests = change.tests();
    let points: Vec<Point> = tests.iter().flat_map(|(path, text)| points::points(path, text)).collect();
    let mut places: Vec<Memorised> = Vec::new();
    for file in session.change.files.iter().filter(|file| matches!(file.part, Part::Product | Part::Both)) {
        let (Some(text), Some(lines)) = (file.text_after(), session.around.lines.get(&file.path)) else {
            continue;
        };
        places.extend(points::memorised(&file.path, text, lines, &points));
    }
    if places.is_empty() {
        return by_heart(session, &points);
    }
    session.account.did(Probe::PointChange);
    let known: BTreeSet<_> = places.iter().map(|place| place.point.literal.clone()).collect();
    for place in places.into_iter().take(PLACES_MAX) {
        let Some(text) = tests.get(&place.point.path) else { continue };
        if let Some(shown) = look(session, &place, text, known.len())? {
            session.show(Probe::PointChange, shown);
            return Ok(());
        }
    }
    by_heart(session, &points)
}

/// What the code gives beside a tested point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    /// What the old code gives there.
    AsBefore,
    /// What is expected of the tested point itself.
    AsTested,
    /// Something else: a rule.
    Other,
}

/// A call with everything that a test says of it: one point for each input that is written down.
type Asked<'p> = Vec<&'p Point>;

/// Answers of tests that stand in the code of the change, which gives the old answers everywhere but there.
fn by_heart<R: Runner>(session: &mut Session<'_, R>, points: &[Point]) -> Result<(), R::Error> {
    let written = written_answers(session, points);
    if session.failed_before != Some(true) || written.len() < WRITTEN_MIN {
        return Ok(());
    }
    let asked = calls_of(points, &written);
    // A list that is read in turn is given away by asking the same twice.
    if let Some(call) = asked.first().and_then(|call| call.first())
        && let Some(got) = asked_twice(session, call)?
    {
        session.account.did(Probe::PointChange);
        let shown = read_in_turn(session, call, &got, &written);
        session.show(Probe::PointChange, shown);
        return Ok(());
    }
    let mut seen: Vec<(&Point, String, String, Beside)> = Vec::new();
    let mut by_rule = false;
    'calls: for call in asked.iter().take(PLACES_MAX) {
        for point in call {
            let Some((neighbour, got, beside)) = beside(session, point)? else { continue };
            if beside == Beside::Other {
                by_rule = true;
                break 'calls;
            }
            seen.push((point, neighbour, got, beside));
        }
    }
    session.account.did(Probe::PointChange);
    let lines: BTreeSet<_> = seen.iter().map(|(point, ..)| (&point.path, point.line)).collect();
    let falls_back = |(path, line): &(&String, u32)| {
        let of_it = |(point, .., beside): &&(&Point, String, String, Beside)| {
            (&point.path, point.line) == (*path, *line) && *beside == Beside::AsBefore
        };
        seen.iter().any(|one| of_it(&one))
    };
    if by_rule || lines.len() < WRITTEN_MIN {
        return Ok(());
    }
    let first = seen.iter().find(|(.., beside)| *beside == Beside::AsBefore);
    if let Some((point, neighbour, got, _)) = first.filter(|_| lines.iter().all(falls_back)) {
        let shown = known_by_heart(session, point, neighbour, got, &written);
        session.show(Probe::PointChange, shown);
    }
    Ok(())
}

/// Answers of tests that are numbers nobody writes by chance, and stand in lines of the change as they did not before.
fn written_answers<R: Runner>(session: &Session<'_, R>, points: &[Point]) -> BTreeSet<String> {
    let expected: BTreeSet<&str> = points.iter().filter_map(|point| point.expected.as_deref()).collect();
    let is_telling = |answer: &&&str| {
        let digits = answer.trim_start_matches('-');
        let is_round = digits.trim_end_matches('0') == "1";
        digits.len() >= 2 && !is_round && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut found = BTreeSet::new();
    for (path, ranges) in &session.around.lines {
        let after = session.change.product.get(path).map(String::as_str).unwrap_or_default();
        let before = session.change.text_before(path).unwrap_or_default();
        let is_new = |number: usize| {
            u32::try_from(number + 1).is_ok_and(|line| ranges.iter().any(|range| range.contains(&line)))
        };
        let lines = after.lines().enumerate().filter(|(number, _)| is_new(*number));
        for (_, line) in lines {
            let says = |answer: &&&str| has_number(line, answer) && !has_number(before, answer);
            found.extend(expected.iter().filter(is_telling).filter(says).map(|answer| (*answer).to_owned()));
        }
    }
    found
}

/// Whether a number stands there, and not as a part of a longer one.
fn has_number(text: &str, number: &str) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '.');
    text.match_indices(number).any(|(at, _)| {
        !is_digit(text[..at].chars().next_back()) && !is_digit(text[at + number.len()..].chars().next())
    })
}

/// The calls whose answers are written down in the change, with numbers as inputs.
fn calls_of<'p>(points: &'p [Point], written: &BTreeSet<String>) -> Vec<Asked<'p>> {
    let mut calls: Vec<Asked<'p>> = Vec::new();
    let is_number = |literal: &str| literal.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    for point in points.iter().filter(|point| is_number(&point.literal)) {
        if !point.expected.as_ref().is_some_and(|expected| written.contains(expected)) {
            continue;
        }
        let is_same = |call: &&mut Asked<'_>| {
            let first = call[0];
            (&first.path, first.line, &first.expected) == (&point.path, point.line, &point.expected)
        };
        match calls.iter_mut().find(is_same) {
            Some(call) => call.push(point),
            None => calls.push(vec![point]),
        }
    }
    calls
}

/// What comes of another input in this place; nothing where that cannot be seen.
fn beside<R: Runner>(
    session: &mut Session<'_, R>,
    point: &Point,
) -> Result<Option<(String, String, Beside)>, R::Error> {
    let Some(neighbour) = points::neighbours(&point.literal).into_iter().next() else { return Ok(None) };
    let tree = asked_for(session, point, &neighbour);
    let Some(now) = session.run(&tree)? else { return Ok(None) };
    let expected = point.expected.clone().unwrap_or_default();
    let got = match now.verdict {
        Verdict::Green => expected.clone(),
        Verdict::Red if now.fails(&point.test) == Some(false) => expected.clone(),
        Verdict::Red => got_of(&now, point).unwrap_or_else(|| AN_ERROR.to_owned()),
        Verdict::Broken | Verdict::TimedOut => return Ok(None),
    };
    if got == expected {
        return Ok(Some((neighbour, got, Beside::AsTested)));
    }
    let mut old = session.change.old_product();
    old.extend(tree);
    let Some(before) = session.run(&old)? else { return Ok(None) };
    let then = match before.verdict {
        Verdict::Red => got_of(&before, point).unwrap_or_else(|| AN_ERROR.to_owned()),
        Verdict::Green | Verdict::Broken | Verdict::TimedOut => return Ok(None),
    };
    // What could not be compared on either side says nothing.
    if then == AN_ERROR && got == AN_ERROR {
        return Ok(None);
    }
    let beside = if then == got { Beside::AsBefore } else { Beside::Other };
    Ok(Some((neighbour, got, beside)))
}

/// Whether a line is a statement by itself, as far as its brackets say.
fn is_whole(line: &str) -> bool {
    let count = |letter: char| line.matches(letter).count();
    [('(', ')'), ('{', '}'), ('[', ']')].into_iter().all(|(open, close)| count(open) == count(close))
}

/// A file of tests in which what this test expects before the point is not asked for: a test ends at the first thing that it
/// does not like.
fn alone(text: &str, point: &Point) -> String {
    let of_it = points::expectations(&point.path, text);
    let before: BTreeSet<u32> = of_it
        .iter()
        .filter(|other| other.test == point.test && other.line < point.line)
        .map(|other| other.line)
        .collect();
    let mut found = String::with_capacity(text.len());
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let is_asked = u32::try_from(number + 1).is_ok_and(|number| before.contains(&number));
        found.push_str(if is_asked && is_whole(line) { "\n" } else { line });
    }
    found
}

/// What comes where a test asks the same twice, if that is something else than the first time.
fn asked_twice<R: Runner>(session: &mut Session<'_, R>, point: &Point) -> Result<Option<String>, R::Error> {
    let Some(tree) = twice(session, point) else { return Ok(None) };
    let Some(now) = session.run(&tree)? else { return Ok(None) };
    Ok((now.verdict == Verdict::Red).then(|| got_of(&now, point)).flatten())
}

/// A tree in which a test asks the same twice; nothing where the question is no line of its own.
fn twice<R: Runner>(session: &Session<'_, R>, point: &Point) -> Option<Overlay> {
    let text = session.change.tests().get(&point.path)?;
    let number = usize::try_from(point.line).ok()?.checked_sub(1)?;
    let line =
        text.split_inclusive('\n').nth(number).filter(|line| is_whole(line) && line.ends_with('\n'))?;
    let at: usize = text.split_inclusive('\n').take(number).map(str::len).sum();
    let twice = [&text[..at], line, &text[at..]].concat();
    Some(Overlay::from([(point.path.clone(), Some(twice.into_bytes()))]))
}

/// A tree in which a test asks for a neighbour, and for nothing else before.
fn asked_for<R: Runner>(session: &Session<'_, R>, point: &Point, neighbour: &str) -> Overlay {
    let text = session.change.tests().get(&point.path).map(String::as_str).unwrap_or_default();
    let asked = alone(&point.with(text, neighbour), point);
    Overlay::from([(point.path.clone(), Some(asked.into_bytes()))])
}

fn list(answers: &BTreeSet<String>) -> String {
    answers.iter().map(|answer| format!("`{answer}`")).collect::<Vec<_>>().join(", ")
}

fn known_by_heart<R: Runner>(
    session: &Session<'_, R>,
    point: &Point,
    neighbour: &str,
    got: &str,
    written: &BTreeSet<String>,
) -> Shown {
    let Point { call, literal, path, line, .. } = point;
    let expected = point.expected.as_deref().unwrap_or_default();
    Shown {
        rule: RULE,
        file: written_in(session, written),
        line: 1,
        test: Some(point.test.clone()),
        message: format!(
            "`{call}` knows the answers of the tests and no rule: with `{literal}` it gives `{expected}`, with `{neighbour}` what it gave before the change, `{got}`; the answers {} stand in the code",
            list(written)
        ),
        sure: true,
        tree: asked_for(session, point, neighbour),
        change: format!("{path}:{line}\n- {call}(… {literal} …)\n+ {call}(… {neighbour} …)"),
        saw: format!("`{call}` gives `{got}`"),
        against: Some(format!("the code of before gives `{got}` there, too, and `{expected}` nowhere")),
    }
}

fn read_in_turn<R: Runner>(
    session: &Session<'_, R>,
    point: &Point,
    got: &str,
    written: &BTreeSet<String>,
) -> Shown {
    let Point { call, literal, path, line, .. } = point;
    let expected = point.expected.as_deref().unwrap_or_default();
    Shown {
        rule: RULE,
        file: written_in(session, written),
        line: 1,
        test: Some(point.test.clone()),
        message: format!(
            "`{call}` gives the answers of the tests in turn, whatever it is asked: asked the same twice it gives `{expected}` and then `{got}`"
        ),
        sure: true,
        tree: twice(session, point).unwrap_or_default(),
        change: format!("{path}:{line}\n  {call}(… {literal} …)\n+ {call}(… {literal} …)"),
        saw: format!("the second time `{call}` gives `{got}`"),
        against: Some(format!("the first time it gives `{expected}`")),
    }
}

/// The first file of the change in which these answers stand.
fn written_in<R: Runner>(session: &Session<'_, R>, written: &BTreeSet<String>) -> String {
    let text = |path: &str| session.change.product.get(path).map(String::as_str).unwrap_or_default();
    let has_one = |path: &&String| written.iter().any(|answer| has_number(text(path), answer));
    session.around.lines.keys().find(has_one).cloned().unwrap_or_default()
}

/// What an input beside the tested one gives.
fn look<R: Runner>(
    session: &mut Session<'_, R>,
    place: &Memorised,
    text: &str,
    known: usize,
) -> Result<Option<Shown>, R::Error> {
    let point = &place.point;
    let mut gots: Vec<(String, String)> = Vec::new();
    for neighbour in points::neighbours(&point.literal).into_iter().take(NEIGHBOURS_MAX) {
        let mut tree = Overlay::new();
        tree.insert(point.path.clone(), Some(point.with(text, &neighbour).into_bytes()));
        let Some(now) = session.run(&tree)? else { return Ok(None) };
        let Some(got) = got(&now, point) else { return Ok(None) };
        if session.failed_before == Some(false) {
            let mut old = session.change.old_product();
            old.extend(tree);
            let Some(before) = session.run(&old)?.and_then(|before| got_of(&before, point)) else { continue };
            if before != got {
                return Ok(Some(counterexample(session, place, &neighbour, &got, Some(&before), true)));
            }
        }
        gots.push((neighbour, got));
    }
    // The same for every other input, while the tested ones have answers of their own.
    let (Some((neighbour, got)), true) = (gots.first(), gots.len() >= NEIGHBOURS_MAX) else {
        return Ok(None);
    };
    let is_one_answer = gots.iter().all(|(_, other)| other == got) && point.expected.as_ref() != Some(got);
    Ok(is_one_answer.then(|| counterexample(session, place, neighbour, got, None, known > 1)))
}

/// What the call gave there: what the assertion got, or that it failed before it got anything.
fn got(outcome: &Outcome, point: &Point) -> Option<String> {
    match outcome.verdict {
        Verdict::Red => Some(got_of(outcome, point).unwrap_or_else(|| AN_ERROR.to_owned())),
        Verdict::Green | Verdict::Broken | Verdict::TimedOut => None,
    }
}

fn got_of(outcome: &Outcome, point: &Point) -> Option<String> {
    let said = points::said(&outcome.output);
    let expected = point.expected.as_deref()?;
    let of_it = said.into_iter().find(|said| said.wanted == expected || said.got == expected)?;
    Some(if of_it.wanted == expected { of_it.got } else { of_it.wanted })
}

fn counterexample<R: Runner>(
    session: &Session<'_, R>,
    place: &Memorised,
    neighbour: &str,
    got: &str,
    before: Option<&str>,
    sure: bool,
) -> Shown {
    let Memorised { path, line, point, excerpt } = place;
    let (call, literal) = (&point.call, &point.literal);
    let expected = point.expected.as_deref().unwrap_or("what the test expects");
    Shown {
        rule: RULE,
        file: path.clone(),
        line: *line,
        test: Some(point.test.clone()),
        message: format!(
            "`{call}` knows what the tests ask: with `{literal}` it gives `{expected}` as tested, with `{neighbour}` it gives `{got}`"
        ),
        sure,
        tree: asked_for(session, point, neighbour),
        change: format!("{}:{}\n- {call}(… {literal} …)\n+ {call}(… {neighbour} …)", point.path, point.line),
        saw: format!("`{}` gives `{got}`; the code: {}", session.check.name, excerpt.trim()),
        against: before.map(|before| format!("the code of before gives `{before}`")),
    }
}
