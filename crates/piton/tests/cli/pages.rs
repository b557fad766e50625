//! Pages that are run as written: what they show is what happens.
//!
//! In a block tagged `console` a line that begins with `$ ` is a command, and lines with `> ` are more of it; what follows is
//! what it prints, both outputs together. `…` stands for any text within a line, and a line of it alone for any lines. A block
//! below `<!-- file: NAME -->` is a file that the reader saves. Commands share one shell as far as a reader can tell: the
//! directory they are in, and `$?` of the one before.

use crate::common::World;

/// What a page has its reader do.
enum Item {
    File { name: String, text: String },
    Step(Step),
}

/// A command and what it prints.
struct Step {
    command: String,
    expected: Vec<String>,
}

/// Does everything that a page says, in the repository of `world`, with these assignments of the shell: how many commands.
pub(crate) fn follow(world: &World, page: &str, variables: &str) -> usize {
    let binaries = std::path::Path::new(env!("CARGO_BIN_EXE_piton")).parent().unwrap();
    let mut steps = 0;
    for item in items(page) {
        match item {
            Item::File { name, text } => world.write(&name, &text),
            Item::Step(step) => {
                let line = format!(
                    "PATH={}:$PATH; export PATH; {variables}\n\
                     cd \"$(cat \"$BESIDE/page-directory\" 2>/dev/null || pwd)\"\n\
                     (exit $(cat \"$BESIDE/page-code\" 2>/dev/null || echo 0))\n\
                     {{ {}\n}} 2>&1\n\
                     echo $? > \"$BESIDE/page-code\"; pwd > \"$BESIDE/page-directory\"",
                    binaries.display(),
                    step.command
                );
                check(&step, &world.shell(&line).out);
                steps += 1;
            }
        }
    }
    steps
}

fn check(step: &Step, out: &str) {
    let printed: Vec<&str> = out.lines().collect();
    assert!(
        fits(&step.expected, &printed),
        "$ {}\n{out}\n--- the page says\n{}",
        step.command,
        step.expected.join("\n")
    );
}

fn items(page: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let file = line.strip_prefix("<!-- file: ").and_then(|rest| rest.strip_suffix(" -->"));
        if line == "```console" {
            items.extend(steps(&block(&mut lines)).into_iter().map(Item::Step));
        } else if let Some(name) = file {
            assert!(lines.next().is_some_and(|line| line.starts_with("```")), "no block below `{line}`");
            items.push(Item::File { name: name.to_owned(), text: block(&mut lines).join("\n") + "\n" });
        }
    }
    items
}

fn block<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    lines.take_while(|line| *line != "```").collect()
}

fn steps(lines: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in lines {
        match (line.strip_prefix("$ "), line.strip_prefix("> "), steps.last_mut()) {
            (Some(command), ..) => steps.push(Step { command: command.to_owned(), expected: Vec::new() }),
            (None, Some(more), Some(step)) => step.command += &format!("\n{more}"),
            (None, None, Some(step)) => step.expected.push((*line).to_owned()),
            (None, _, None) => panic!("output before a command: {line}"),
        }
    }
    steps
}

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
