//! docs/gaps.md shows what happens: its sessions are run as written, in one repository.

use crate::common::World;

/// A command and what it prints, both outputs together.
struct Step {
    command: String,
    expected: Vec<String>,
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match (line.strip_prefix("$ "), line.strip_prefix("> "), steps.last_mut()) {
                (Some(command), ..) => steps.push(Step { command: command.to_owned(), expected: Vec::new() }),
                (None, Some(more), Some(step)) => step.command += &format!("\n{more}"),
                (None, None, Some(step)) => step.expected.push(line.to_owned()),
                (None, _, None) => panic!("{line}"),
            },
            (false, _) => {}
        }
    }
    steps
}

/// `…` stands for any text within a line; a line of it alone for any lines.
fn fits(expected: &[String], printed: &[&str]) -> bool {
    match (expected.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "…" => {
            fits(rest, printed) || printed.split_first().is_some_and(|(_, later)| fits(expected, later))
        }
        (Some((first, rest)), Some((line, later))) => fits_line(first, line) && fits(rest, later),
        _ => false,
    }
}

fn fits_line(expected: &str, line: &str) -> bool {
    let mut pieces = expected.split('…');
    let mut rest = match line.strip_prefix(pieces.next().unwrap_or_default()) {
        Some(rest) => rest,
        None => return false,
    };
    let pieces: Vec<&str> = pieces.collect();
    for (place, piece) in pieces.iter().enumerate() {
        match rest.find(piece) {
            Some(_) if place + 1 == pieces.len() => return rest.ends_with(piece),
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.is_empty()
}

#[test]
fn the_page_shows_what_happens() {
    let page = include_str!("../../../../../docs/gaps.md");
    let world = World::new();
    let directory = std::path::Path::new(env!("CARGO_BIN_EXE_piton")).parent().unwrap();
    let steps = steps(page);
    assert!(steps.len() > 12, "{} steps", steps.len());
    for step in steps {
        let line = format!(
            "PATH={}:$PATH NOW=2026-02-15T12:00:00Z; export PATH NOW\n{{ {}\n}} 2>&1",
            directory.display(),
            step.command
        );
        let ran = world.shell(&line);
        let printed: Vec<&str> = ran.out.lines().collect();
        assert!(
            fits(&step.expected, &printed),
            "$ {}\n{}\n--- the page says\n{}",
            step.command,
            ran.out,
            step.expected.join("\n")
        );
    }
}
