//! Point change: inputs beside the tested ones. Code that knows the tested inputs by heart is right there and nowhere else.
//!
//! Only where code of the change holds a tested input beside its answer; then the test is run with a neighbour of that input, and what
//! the assertion says that it got is looked at. On the old code the same is run, where that passed: it knows the answer.

use std::collections::BTreeSet;

use crate::account::Probe;
use crate::change::{Overlay, Part};
use crate::points::{self, Memorised, Point};
use crate::session::{Session, Shown};
use crate::trial::{Outcome, Runner, Verdict};

/// How many places are looked at, and how many inputs beside each.
const PLACES_MAX: usize = 3;
const NEIGHBOURS_MAX: usize = 2;

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
        return Ok(());
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
    Ok(())
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
        Verdict::Red => Some(got_of(outcome, point).unwrap_or_else(|| "an error".to_owned())),
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
        change: format!("{}:{}\n- {call}(… {literal} …)\n+ {call}(… {neighbour} …)", point.path, point.line),
        saw: format!("`{}` gives `{got}`; the code: {}", session.check.name, excerpt.trim()),
        against: before.map(|before| format!("the code of before gives `{before}`")),
    }
}
