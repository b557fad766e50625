//! Variables, conditions, loops, helpers, escapes.

use serde_json::json;

use super::*;

#[test]
fn every_builtin_has_its_name() {
    for (template, expected) in [
        ("{{iteration}}/{{total_iterations}}/{{max_iterations}}", "3/50/50"),
        ("{{attempt}}", "4"),
        ("{{loop_id}} {{run_id}}", "ralph-dates-7f3a91c2 ralph-dates-7f3a91c2"),
        ("{{session_id}}", "s-1"),
        ("{{timestamp}} {{date}} {{time}}", "2026-02-15T12:03:20Z 2026-02-15 12:03:20"),
        ("{{working_dir}}", "/work/app"),
        ("{{git_commit}}", "0a1b2c"),
        ("{{last_result.success}} {{last_result.tests_passed}}", "false 41"),
        ("{{last_result.files_changed.1}}", "src/b.rs"),
        ("{{checks.0.name}}: {{checks.0.command}}", "test: cargo test"),
        ("{{failing_checks.0.output}}", "1 failed"),
        ("{{join failing_tests}}", "dates::zone"),
        ("{{notes.0.kind}} of {{notes.0.iteration}}: {{notes.0.text}}", "decision of 2: no regex"),
        ("{{join objectives.pending}} after {{join objectives.completed}}", "format, zones after parse"),
        ("{{modified_files}}", r#"["src/a.rs"]"#),
        ("{{custom.phase.name}}", "two"),
    ] {
        assert_eq!(clean(template), expected, "{template}");
    }
}

#[test]
fn a_name_is_written_with_or_without_blanks_and_with_dots() {
    assert_eq!(clean("{{owner}} {{ owner }} {{table.deep.er.1}}"), "Ada Ada 20");
}

#[test]
fn what_is_known_by_name_and_has_no_value_is_empty_and_no_mistake() {
    assert_eq!(clean("[{{git_branch}}{{last_result.tests_failed}}{{custom.gone}}{{rows.7}}]"), "[]");
    let first = Facts { iteration: 1, ..Facts::default() };
    let template = "[{{last_result.summary}}{{timestamp}}{{session_id}}]{{#if last_result}}x{{/if}}";
    assert_eq!(render_with(template, &first, Mode::Strict).unwrap().text, "[]");
    assert!(render_with("{{last_result.sumary}}", &first, Mode::Strict).is_err());
}

#[test]
fn an_unknown_name_stays_as_it_is_with_a_warning_and_is_an_error_in_strict_mode() {
    let (text, warnings) = lenient("a {{ iteratoin }} b\n${{ secrets.TOKEN }}\n{{table.shallow}}");
    assert_eq!(text, "a {{ iteratoin }} b\n${{ secrets.TOKEN }}\n{{table.shallow}}");
    assert_eq!(
        warnings,
        [
            "PROMPT.md:1: unknown variable `iteratoin`; did you mean `iteration`?",
            "PROMPT.md:2: unknown variable `secrets.TOKEN`; write `\\{\\{` where braces are meant",
            "PROMPT.md:3: unknown variable `table.shallow`; write `\\{\\{` where braces are meant",
        ]
    );
    // All of it at once.
    assert_eq!(strict("a {{ iteratoin }} b\n${{ secrets.TOKEN }}\n{{table.shallow}}"), warnings.join("\n"));
}

#[test]
fn the_word_of_the_user_comes_before_a_builtin_and_a_default_after_it() {
    let mut facts = facts();
    facts.variables.insert("iteration".to_owned(), json!("mine"));
    let text = "---\ndefaults: {iteration: 9, attempt: 9, git_branch: main, colour: red, owner: Bob}\n---\n\
                {{iteration}} {{attempt}} {{git_branch}} {{colour}} {{owner}}";
    assert_eq!(render_with(text, &facts, Mode::Strict).unwrap().text, "mine 4 main red Ada");
}

#[test]
fn a_condition_takes_the_half_that_its_subject_calls_for() {
    for (subject, expected) in [
        ("owner", "yes"),
        ("empty", "no"),
        ("zero", "no"),
        ("iteration", "yes"),
        ("none", "no"),
        ("rows", "yes"),
        ("table", "yes"),
        ("git_branch", "no"),
        ("last_result", "yes"),
        ("last_result.success", "no"),
        ("checks.1.passed", "yes"),
    ] {
        let template = format!("{{{{#if {subject}}}}}yes{{{{#else}}}}no{{{{/if}}}}");
        assert_eq!(clean(&template), expected, "{subject}");
    }
    assert_eq!(clean("a{{#if zero}}b{{/if}}c"), "ac");
    assert_eq!(clean("{{#if owner}}{{#if zero}}1{{else}}2{{/if}}{{#else}}3{{/if}}"), "2");
}

#[test]
fn a_loop_names_its_item_and_counts() {
    assert_eq!(
        clean(
            "{{#each objectives.pending as one}}{{@index}}{{#if @first}}<{{/if}}{{one}}{{#if @last}}>{{/if}} {{/each}}"
        ),
        "0<format 1zones> "
    );
    assert_eq!(
        clean(
            "{{#each rows as row}}{{row.n}}{{#each row.in as n}}{{n}}@{{@index}}{{/each}};{{@index}} {{/each}}"
        ),
        "a1@02@1;0 b;1 "
    );
    assert_eq!(clean("[{{#each none as x}}{{x}}{{/each}}{{#each git_branch as x}}{{x}}{{/each}}]"), "[]");
    let (text, warnings) = lenient("{{#each owner as x}}{{x}}{{/each}} {{@index}}");
    assert_eq!(text, "{{#each owner as x}}{{x}}{{/each}} {{@index}}");
    assert!(warnings[0].contains("needs a list, and `owner` is none"), "{warnings:?}");
}

#[test]
fn a_tag_of_a_block_that_is_alone_on_its_line_takes_the_line_with_it() {
    let template = "Left:\n{{#each objectives.pending as one}}\n- {{one}}\n{{/each}}\n  {{#if zero}}  \r\nx\n{{/if}}\nEnd";
    assert_eq!(clean(template), "Left:\n- format\n- zones\nEnd");
}

#[test]
fn a_block_about_an_unknown_name_stays_as_it_is() {
    let template = "{{#if user.admin}}\n  {{iteration}}\n{{/if}}\nthen {{iteration}}";
    let (text, warnings) = lenient(template);
    assert_eq!(text, "{{#if user.admin}}\n  {{iteration}}\n{{/if}}\nthen 3");
    assert_eq!(warnings.len(), 1);
}

#[test]
fn helpers_do_one_thing_each() {
    for (template, expected) in [
        ("{{uppercase owner}} {{lowercase owner}}", "ADA ada"),
        ("[{{trim '  x '}}]", "[x]"),
        ("{{default nobody \"no one\"}} {{default empty 'x'}} {{default owner 'x'}}", "no one x Ada"),
        ("{{default git_branch owner}}", "Ada"),
        ("{{length owner}} {{length rows}} {{length table}} {{length git_branch}}", "3 2 1 0"),
        ("{{join last_result.files_changed ' + '}}", "src/a.rs + src/b.rs"),
        ("{{dateformat timestamp '%d.%m.%Y'}}", "15.02.2026"),
        ("{{add iteration 1}} {{subtract total_iterations iteration}}", "4 47"),
        ("{{add 1.5 2}} {{subtract 9223372036854775807 -1}}", "3.5 9.223372036854776e+18"),
    ] {
        assert_eq!(clean(template), expected, "{template}");
    }
    for (template, complaint) in [
        ("{{add owner 1}}", "`add` needs two numbers"),
        ("{{length iteration}}", "`length` needs a text or a list"),
        ("{{join owner}}", "`join` needs a list"),
        ("{{dateformat owner '%Y'}}", "`dateformat` needs a time like `timestamp`"),
        ("{{dateformat timestamp '%!'}}", "`dateformat` needs a format like \"%Y-%m-%d\""),
        ("{{uppercase nobody}}", "unknown variable `nobody`"),
        ("{{uppercase}}", "unknown variable `uppercase`"),
        ("{{uppercase owner owner}}", "is no tag"),
        ("{{shout owner}}", "is no tag"),
        ("{{trim 'x}}", "is no tag"),
    ] {
        let (text, warnings) = lenient(template);
        assert_eq!(text, template);
        assert!(warnings[0].contains(complaint), "{template}: {warnings:?}");
        assert!(strict(template).contains(complaint), "{template}");
    }
}

#[test]
fn braces_that_are_meant_are_escaped() {
    assert_eq!(clean(r"\{\{iteration\}\} is {{iteration}}"), "{{iteration}} is 3");
    // A file without a tag has nothing to escape from: a regular expression stays what it is.
    assert_eq!(clean(r"match \{\{.*\}\}"), r"match \{\{.*\}\}");
}

#[test]
fn what_a_fact_says_is_text_and_never_a_tag() {
    assert_eq!(clean("{{last_result.summary}}"), "fixed {{iteration}} of the dates");
    let mut facts = facts();
    facts.variables.insert("note".to_owned(), json!("{{include:/etc/passwd}}{{#if x}}\\{\\{"));
    let text = render_with("{{note}}", &facts, Mode::Strict).unwrap().text;
    assert_eq!(text, "{{include:/etc/passwd}}{{#if x}}\\{\\{");
}
