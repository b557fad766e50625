//! What `--check-only` shows.

use piton_files::workflow::{difference, mermaid, plan, read};

const TEXT: &str = r#"
name: release
steps:
  - {id: ship, workflow: ship.yaml, needs: [look, lint]}
  - {id: plan, agent: planner, prompt: plan.md}
  - id: build
    agent: coder
    prompt: build.md
    needs: [plan]
    loop: {items: [1, 2]}
  - {id: lint, run: make lint, needs: [build], loop_back_to: build}
  - id: look
    agent: reviewer
    prompt: look.md
    needs: [build]
    human_in_the_loop: true
    when: build.status == COMPLETED
    gates: [security]
"#;

#[test]
fn the_plan_stands_in_the_order_of_execution() {
    let (definition, _) = read("w.yaml", TEXT.as_bytes()).unwrap();
    insta::assert_snapshot!(plan(&definition), @r"
    release: 5 steps, 4 levels
    level 1
      plan · planner · plan.md
    level 2
      build · coder · build.md · needs plan · once per item of 2 given
    level 3
      lint · run · make lint · needs build · back to build when its gate fails
      look · reviewer · look.md · needs build · when build.status == COMPLETED · gates security · asks a person
    level 4
      ship · workflow · ship.yaml · needs look, lint
    ");
}

#[test]
fn the_graph_can_be_drawn() {
    let (definition, _) = read("w.yaml", TEXT.as_bytes()).unwrap();
    insta::assert_snapshot!(mermaid(&definition), @r#"
    graph TD
      s0[["ship"]]
      s1["plan"]
      s2["build"]
      s3[/"lint"/]
      s4{{"look"}}
      s3 --> s0
      s4 --> s0
      s1 --> s2
      s2 --> s3
      s3 -. gate fails .-> s2
      s2 --> s4
    "#);
}

#[test]
fn a_changed_document_is_shown_as_a_difference() {
    let old =
        "name: a\nsteps:\n- {id: x, run: make}\n- {id: y, run: ls, needs: [x]}\n- {id: gone, run: ls}\n";
    let new =
        "name: b\nsteps:\n- {id: x, run: make}\n- {id: y, run: ls -l, timeout: 5s}\n- {id: fresh, run: ls}\n";
    let read = |text: &str| read("w.yaml", text.as_bytes()).unwrap().0;
    let expected = [
        r#"~ workflow: name: "a" → "b""#,
        "- step `gone`",
        r#"~ step `y`: needs: ["x"] → nothing"#,
        "~ step `y`: timeout_ms: nothing → 5000",
        r#"~ step `y`: work: {"run":{"command":"ls"}} → {"run":{"command":"ls -l"}}"#,
        "+ step `fresh`",
    ];
    assert_eq!(difference(&read(old), &read(new)), expected);
    assert_eq!(difference(&read(old), &read(old)), Vec::<String>::new());
}
