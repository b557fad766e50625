//! `prd.json`, as tools write it that run an agent over its stories: `userStories` with `passes`.
//!
//! A list of stories alone is taken, too, and lists that are called `stories`, `features` or `tasks`. Stories come in the order of
//! their `priority`, then as they stand.

use serde_json::{Map, Value};

use super::json::{begin, elements, members};
use super::{Ceilings, Listed};

/// What the list may be called.
const LISTS: [&str; 4] = ["userStories", "stories", "features", "tasks"];

/// The stories of a file that people know as `name`.
pub fn read(text: &str, name: &str) -> Result<Vec<Listed>, String> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("{name} is not JSON: {error}"))?;
    let stories = match &value {
        Value::Array(stories) => Some(stories),
        Value::Object(object) => LISTS.iter().find_map(|list| object.get(*list)?.as_array()),
        _ => None,
    };
    let stories = stories.ok_or_else(|| format!("{name} has no list `userStories`"))?;
    let mut listed = Vec::new();
    for (index, story) in stories.iter().enumerate() {
        let place = format!("{name}, story {}", index + 1);
        let story = story.as_object().ok_or_else(|| format!("{place} is no object"))?;
        let task = story_of(story, &place)
            .ok_or_else(|| format!("{place} has neither a title nor a description"))?;
        listed.push((story.get("priority").and_then(Value::as_f64).unwrap_or(f64::MAX), task));
    }
    listed.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    Ok(listed.into_iter().map(|(_, task)| task).collect())
}

/// The text with the story of this name passed; `None` where it is already, or why it cannot be.
pub fn tick(text: &str, entry: &str) -> Result<Option<String>, String> {
    let stories = read(text, "it")?;
    if stories.iter().filter(|story| story.entry == entry).count() != 1 {
        return Err("it is not on the list any more, or there twice".to_owned());
    }
    let is_it = |place: usize| {
        let text = &text[place..];
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        let story = values.next().and_then(Result::ok);
        let story = story.as_ref().and_then(Value::as_object).and_then(|story| story_of(story, ""));
        story.is_some_and(|story| story.entry == entry)
    };
    let top = begin(text);
    let list = match text.as_bytes().get(top) {
        Some(b'[') => Some(top),
        _ => {
            let known = members(text, top);
            let named = |list: &str| {
                let is_it = |(key, value): &&(std::ops::Range<usize>, std::ops::Range<usize>)| {
                    text[key.clone()] == format!("\"{list}\"") && text[value.clone()].starts_with('[')
                };
                known.iter().rev().find(is_it).map(|(_, value)| value.start)
            };
            LISTS.iter().find_map(|list| named(list))
        }
    };
    let list = list.ok_or("its list is written in a way that is not edited")?;
    let story = elements(text, list).into_iter().find(|story| is_it(story.start));
    let story = story.ok_or("its story is written in a way that is not edited")?;
    let known = members(text, story.start);
    let passes = known.iter().rev().find(|(key, _)| &text[key.clone()] == "\"passes\"");
    let edited = match passes {
        Some((_, value)) if &text[value.clone()] == "true" => return Ok(None),
        Some((_, value)) => format!("{}true{}", &text[..value.start], &text[value.end..]),
        None => {
            let (_, last) = known.last().ok_or("its story is empty")?;
            format!("{}, \"passes\": true{}", &text[..last.end], &text[last.end..])
        }
    };
    // What was edited is read again before it is handed out.
    let after = read(&edited, "it")?;
    match after.iter().any(|story| story.entry == entry && story.is_done) {
        true => Ok(Some(edited)),
        false => Err("its story is written in a way that is not edited".to_owned()),
    }
}

fn story_of(story: &Map<String, Value>, place: &str) -> Option<Listed> {
    let text = |key: &str| {
        let value = story.get(key)?;
        let text = value.as_str().map(str::to_owned).or_else(|| value.as_number().map(ToString::to_string));
        text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let list = |keys: &[&str]| -> Vec<String> {
        let value = keys.iter().find_map(|key| story.get(*key));
        let list = value.and_then(Value::as_array).into_iter().flatten();
        let one = value.and_then(Value::as_str).map(str::to_owned);
        list.filter_map(Value::as_str).map(str::to_owned).chain(one).collect()
    };
    let (id, description) = (text("id"), text("description"));
    let title = text("title").or_else(|| Some(description.as_deref()?.lines().next()?.to_owned()))?;
    let mut task = title.clone();
    if let Some(description) = description.filter(|description| *description != title) {
        task.push_str(&format!("\n\n{description}"));
    }
    for (heading, keys) in [
        ("Acceptance criteria", &["acceptanceCriteria", "acceptance_criteria", "acceptance"][..]),
        ("Steps", &["steps"][..]),
    ] {
        let lines = list(keys);
        if !lines.is_empty() {
            let lines: Vec<String> = lines.iter().map(|line| format!("- {line}")).collect();
            task.push_str(&format!("\n\n{heading}:\n{}", lines.join("\n")));
        }
    }
    task.extend(text("notes").map(|notes| format!("\n\nNotes: {notes}")));
    Some(Listed {
        entry: id.clone().unwrap_or_else(|| title.clone()),
        id,
        title,
        task,
        after: list(&["after", "dependsOn", "depends_on", "dependencies"]),
        checks: list(&["checks", "check"]),
        ceilings: Ceilings {
            iterations: text("maxIterations"),
            duration: text("maxDuration"),
            cost: text("maxCost"),
            tokens: text("maxTokens"),
        },
        place: place.to_owned(),
        is_done: story.get("passes").and_then(Value::as_bool).unwrap_or(false),
    })
}
