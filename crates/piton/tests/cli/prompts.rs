//! Prompt files: frontmatter, includes, templates, and what is said about those that are wrong.

use super::common::World;

const RED: &str = "test=test -f b.txt";

/// Keeps its prompt; the second time it does the work.
const KEEPS: &str = "cat > $BESIDE/prompt-$PITON_ITERATION
    if [ $PITON_ITERATION = 1 ]; then echo x >> a.txt
    echo '{\"notes\":[{\"kind\":\"finding\",\"text\":\"{{iteration}} is no tag here\"}]}' > $PITON_REPORT
    else touch b.txt; fi";

#[test]
fn a_prompt_file_speaks_of_its_run() {
    let world = World::new();
    world.write("tasks/rules.md", "Keep {{default style \"the style\"}} of this project.\n");
    world.write(
        "PROMPT.md",
        "---\nname: dates\nstrict: true\ndefaults: {style: the tone}\n---\n# Fix the dates\n\n\
         Iteration {{iteration}} of {{total_iterations}} on {{git_branch}}.\n{{include:tasks/rules.md}}\
         {{#if last_result}}\nBefore: {{join last_result.files_changed}}\n{{/if}}\n\
         {{#each failing_checks as check}}\n- make `{{check.command}}` pass\n{{/each}}\n\
         {{#each notes as note}}\n* {{note.text}}\n{{/each}}\n",
    );
    let arguments = ["loop", "--here", "--id", "r", "--exec", KEEPS, "--check", RED];
    let ran = world.piton(&arguments).exits(0);
    assert_eq!(ran.err, "");
    let branch = world.git(&["branch", "--show-current"]);
    let prompt = |name| std::fs::read_to_string(world.beside(name)).unwrap();
    let first = prompt("prompt-1");
    let expected = format!(
        "# Fix the dates\n\nIteration 1 of 50 on {}.\nKeep the tone of this project.\n- make `test -f b.txt` pass\n\n---\n",
        branch.trim()
    );
    assert!(first.starts_with(&expected), "{first}");
    let second = prompt("prompt-2");
    assert!(second.contains("Iteration 2 of 50"), "{second}");
    assert!(second.contains("\nBefore: a.txt\n"), "{second}");
    assert!(second.contains("\n* {{iteration}} is no tag here\n"), "{second}");
}

#[test]
fn a_strict_prompt_that_is_wrong_is_refused_before_anything_runs() {
    let world = World::new();
    world.write("PROMPT.md", "---\nstrict: true\ntag: [x]\n---\n\nDo {{iteratoin}}\n");
    let ran = world.piton(&["loop", "--exec", "touch ran", "--check", RED]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: PROMPT.md:3: unknown key `tag`; did you mean `tags`?
    PROMPT.md:6: unknown variable `iteratoin`; did you mean `iteration`?

    hint: correct it; docs/prompts.md says what a prompt file may hold
    ");
    assert!(!world.path("ran").exists());
}

#[test]
fn a_prompt_about_other_templates_stays_as_it_is() {
    let world = World::new();
    let text = "# Fix the workflow\n\nUse ${{ secrets.TOKEN }} and {{#if user}}{{ user.name }}{{/if}}.\n";
    world.write("PROMPT.md", text);
    let ran = world.piton(&["loop", "--exec", KEEPS, "--check", RED]).exits(0);
    insta::assert_snapshot!(ran.err, @r"
    note: PROMPT.md:3: unknown variable `secrets.TOKEN`; write `\{\{` where braces are meant
    note: PROMPT.md:3: unknown variable `user`; write `\{\{` where braces are meant
    ");
    let prompt = std::fs::read_to_string(world.beside("prompt-1")).unwrap();
    assert!(prompt.starts_with(text.trim_end()), "{prompt}");
}

#[test]
fn a_task_that_is_given_as_text_is_taken_as_it_is() {
    let world = World::new();
    let task = "Show {{iteration}} and {{include:x.md}}";
    world.piton(&["loop", task, "--exec", KEEPS, "--check", RED]).exits(0);
    let prompt = std::fs::read_to_string(world.beside("prompt-1")).unwrap();
    assert!(prompt.starts_with(task), "{prompt}");
}

#[test]
fn an_include_that_leads_out_of_the_tree_is_refused() {
    let world = World::new();
    piton_sys::file::create_new(
        &world.beside("secret.md"),
        b"the secret",
        piton_sys::file::Durability::Unsynced,
    )
    .unwrap();
    std::os::unix::fs::symlink(world.beside("secret.md"), world.path("link.md")).unwrap();
    std::os::unix::fs::symlink("rules.md", world.path("alias.md")).unwrap();
    world.write("rules.md", "rules");
    world.write("PROMPT.md", "Do it\n{{include:link.md}}\n");
    let ran = world.piton(&["loop", "--exec", "true", "--check", RED]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: PROMPT.md:2: `link.md` is outside of the tree; include what lies in it

    hint: correct it; docs/prompts.md says what a prompt file may hold
    ");
    world.write("PROMPT.md", "Do it\n{{include:alias.md}}\n");
    world.piton(&["loop", "--here", "--exec", KEEPS, "--check", RED]).exits(0);
    let prompt = std::fs::read_to_string(world.beside("prompt-1")).unwrap();
    assert!(prompt.starts_with("Do it\nrules\n"), "{prompt}");
}

#[test]
fn a_prompt_that_goes_wrong_stops_the_run_until_it_is_right() {
    let world = World::new();
    world.write("rules.md", "rules\n");
    world.write("PROMPT.md", "Do it\n{{include:rules.md}}\n");
    let agent = "if [ $PITON_ITERATION = 1 ]; then rm rules.md; else touch b.txt; fi";
    let ran = world.piton(&["loop", "--here", "--id", "r", "--exec", agent, "--check", RED]).exits(7);
    assert!(ran.out.contains("stopped   PROMPT.md:2: the file `rules.md` is missing"), "{}", ran.out);
    world.write("rules.md", "rules\n");
    world.piton(&["resume", "r"]).exits(0);
}

#[test]
fn an_edit_is_journaled_by_its_digest_and_what_is_odd_with_its_warning() {
    let world = World::new();
    world.write("PROMPT.md", "Do {{nobody_knows}} at iteration {{iteration}}\n");
    let agent = "if [ $PITON_ITERATION = 1 ]; then echo 'Do {{iteration}}' > PROMPT.md; else touch b.txt; fi";
    world.piton(&["loop", "--here", "--id", "r", "--exec", agent, "--check", RED]).exits(0);
    let ends: Vec<_> =
        world.events("r").into_iter().filter(|event| event["type"] == "attempt_finished").collect();
    let prompt = |index: usize| ends[index]["data"]["end"]["prompt"].clone();
    assert!(prompt(0)["warnings"][0].as_str().unwrap().contains("nobody_knows"), "{ends:#?}");
    assert_eq!(prompt(1)["warnings"], serde_json::Value::Null);
    assert_ne!(prompt(0)["digest"], prompt(1)["digest"]);
}

#[test]
fn the_configuration_can_be_strict_and_has_variables_of_its_own() {
    let world = World::new();
    world.write("PROMPT.md", "Write {{style}} code.\n");
    world.configure("[prompts]\nstrict = true\n");
    let arguments = ["loop", "--here", "--id", "r", "--exec", "cat > b.txt", "--check", RED];
    let ran = world.piton(&arguments).exits(2);
    assert!(ran.err.contains("style"), "{ran:?}");
    world.configure("[prompts]\nstrict = true\nvariables = { style = \"terse\" }\n");
    world.piton(&arguments).exits(0);
    assert!(world.read("b.txt").starts_with("Write terse code."));
}

#[test]
fn resume_says_that_the_configuration_changed_since() {
    let world = World::configured("[loop]\nmax_iterations = 1\n");
    let agent = "if [ $PITON_ITERATION = 2 ]; then touch b.txt; fi";
    world.loops("r", agent, &["--check", RED]).exits(3);
    world.configure("[loop]\nmax_iterations = 7\n");
    let ran = world.piton(&["resume", "r", "--max-iterations", "+1"]).exits(0);
    assert!(ran.err.contains("note: piton.toml changed since this run began"), "{ran:?}");
}
