//! A secret in every form that programs give it: none reaches what piton writes, whichever kind of run it is.
//!
//! The forms were made with the libraries of another language. `scripts/torture/canary` makes them anew, for a secret per way in, and
//! looks into what is compressed as well.

use std::path::Path;

use super::common::World;

const SECRET: &str = "cN/&\"q'é %=+\\z~Nc7";

/// What it is called, what a program prints, and what must not be found.
const FORMS: &[(&str, &str, &str)] = &[
    ("base32-at-0", "MNHC6JRCOET4HKJAEU6SWXD2PZHGGNY=", "MNHC6JRCOET4HKJAEU6SWXD2PZHGGN"),
    ("base32-at-1", "PBRU4LZGEJYSPQ5JEAST2K24PJ7E4YZX", "RU4LZGEJYSPQ5JEAST2K24PJ7E4YZX"),
    ("base32-at-2", "PB4GGTRPEYRHCJ6DVEQCKPJLLR5H4TTDG4======", "GTRPEYRHCJ6DVEQCKPJLLR5H4TTDG"),
    ("base32-at-3", "PB4HQY2OF4TCE4JHYOUSAJJ5FNOHU7SOMM3Q====", "Y2OF4TCE4JHYOUSAJJ5FNOHU7SOMM3"),
    ("base32-at-4", "PB4HQ6DDJYXSMITRE7B2SIBFHUVVY6T6JZRTO===", "DJYXSMITRE7B2SIBFHUVVY6T6JZRT"),
    ("base64-at-0", "Y04vJiJxJ8OpICU9K1x6fk5jNw==", "Y04vJiJxJ8OpICU9K1x6fk5jN"),
    ("base64-at-1", "eGNOLyYicSfDqSAlPStcen5OYzc=", "NOLyYicSfDqSAlPStcen5OYz"),
    ("base64-at-2", "eHhjTi8mInEnw6kgJT0rXHp+TmM3", "jTi8mInEnw6kgJT0rXHp+TmM3"),
    ("base64-in-url", "Y04vJiJxJ8OpICU9K1x6fk5jNw%3D%3D", "Y04vJiJxJ8OpICU9K1x6fk5jN"),
    ("base64-lines", "Y04vJiJxJ8OpICU9\nK1x6fk5jNw", "Y04vJiJxJ8OpICU9\nK1x6fk5jNw"),
    ("base64-twice-at-0", "WTA0dkppSnhKOE9wSUNVOUsxeDZmazVqTnc9PQ==", "WTA0dkppSnhKOE9wSUNVOUsxeDZmazVqT"),
    ("base64-twice-at-1", "ZUdOT0x5WWljU2ZEcVNBbFBTdGNlbjVPWXpjPQ==", "OT0x5WWljU2ZEcVNBbFBTdGNlbjVPWXp"),
    ("base64-twice-at-2", "ZUhoalRpOG1JbkVudzZrZ0pUMHJYSHArVG1NMw==", "alRpOG1JbkVudzZrZ0pUMHJYSHArVG1NM"),
    ("base64-unpadded", "Y04vJiJxJ8OpICU9K1x6fk5jNw", "Y04vJiJxJ8OpICU9K1x6fk5jN"),
    ("base64-url-at-0", "Y04vJiJxJ8OpICU9K1x6fk5jNw==", "Y04vJiJxJ8OpICU9K1x6fk5jN"),
    ("base64-url-at-1", "eGNOLyYicSfDqSAlPStcen5OYzc=", "NOLyYicSfDqSAlPStcen5OYz"),
    ("base64-url-at-2", "eHhjTi8mInEnw6kgJT0rXHp-TmM3", "jTi8mInEnw6kgJT0rXHp-TmM3"),
    ("broken-line", "cN/&\"q'é \n%=+\\z~Nc7", "cN/&\"q'é \n%=+\\z~Nc7"),
    (
        "c-octal",
        "\\143\\116\\057\\046\\042\\161\\047\\303\\251\\040\\045\\075\\053\\134\\172\\176\\116\\143\\067",
        "\\143\\116\\057\\046\\042\\161\\047\\303\\251\\040\\045\\075\\053\\134\\172\\176\\116\\143\\067",
    ),
    ("coloured", "cN/&\"\u{1b}[01;31mq'é \u{1b}[m%=+\\z~Nc7", "cN/&\"\u{1b}[01;31mq'é \u{1b}[m%=+\\z~Nc7"),
    ("continued-line", "cN/&\"q'é \\\n%=+\\z~Nc7", "cN/&\"q'é \\\n%=+\\z~Nc7"),
    ("csv", "cN/&\"\"q'é %=+\\z~Nc7", "cN/&\"\"q'é %=+\\z~Nc7"),
    ("hex", "634e2f26227127c3a920253d2b5c7a7e4e6337", "634e2f26227127c3a920253d2b5c7a7e4e6337"),
    (
        "hex-blanks",
        "63 4e 2f 26 22 71 27 c3 a9 20 25 3d 2b 5c 7a 7e 4e 63 37",
        "63 4e 2f 26 22 71 27 c3 a9 20 25 3d 2b 5c 7a 7e 4e 63 37",
    ),
    (
        "hex-bytes",
        "0x63, 0x4e, 0x2f, 0x26, 0x22, 0x71, 0x27, 0xc3, 0xa9, 0x20, 0x25, 0x3d, 0x2b, 0x5c, 0x7a, 0x7e, 0x4e, 0x63, 0x37",
        "0x63, 0x4e, 0x2f, 0x26, 0x22, 0x71, 0x27, 0xc3, 0xa9, 0x20, 0x25, 0x3d, 0x2b, 0x5c, 0x7a, 0x7e, 0x4e, 0x63, 0x37",
    ),
    (
        "hex-colons",
        "63:4e:2f:26:22:71:27:c3:a9:20:25:3d:2b:5c:7a:7e:4e:63:37",
        "63:4e:2f:26:22:71:27:c3:a9:20:25:3d:2b:5c:7a:7e:4e:63:37",
    ),
    ("hex-lines", "634e2f26227127c3a920\n253d2b5c7a7e4e6337", "634e2f26227127c3a920\n253d2b5c7a7e4e6337"),
    ("hex-upper", "634E2F26227127C3A920253D2B5C7A7E4E6337", "634E2F26227127C3A920253D2B5C7A7E4E6337"),
    ("html", "cN/&amp;&quot;q&#x27;é %=+\\z~Nc7", "cN/&amp;&quot;q&#x27;é %=+\\z~Nc7"),
    (
        "html-decimal",
        "&#99;&#78;&#47;&#38;&#34;&#113;&#39;&#233;&#32;&#37;&#61;&#43;&#92;&#122;&#126;&#78;&#99;&#55;",
        "&#99;&#78;&#47;&#38;&#34;&#113;&#39;&#233;&#32;&#37;&#61;&#43;&#92;&#122;&#126;&#78;&#99;&#55;",
    ),
    (
        "html-hex",
        "&#x63;&#x4E;&#x2F;&#x26;&#x22;&#x71;&#x27;&#xE9;&#x20;&#x25;&#x3D;&#x2B;&#x5C;&#x7A;&#x7E;&#x4E;&#x63;&#x37;",
        "&#x63;&#x4E;&#x2F;&#x26;&#x22;&#x71;&#x27;&#xE9;&#x20;&#x25;&#x3D;&#x2B;&#x5C;&#x7A;&#x7E;&#x4E;&#x63;&#x37;",
    ),
    (
        "html-twice",
        "cN/&amp;amp;&amp;quot;q&amp;#x27;é %=+\\z~Nc7",
        "cN/&amp;amp;&amp;quot;q&amp;#x27;é %=+\\z~Nc7",
    ),
    (
        "js-braces",
        "\\u{63}\\u{4e}\\u{2f}\\u{26}\\u{22}\\u{71}\\u{27}\\u{e9}\\u{20}\\u{25}\\u{3d}\\u{2b}\\u{5c}\\u{7a}\\u{7e}\\u{4e}\\u{63}\\u{37}",
        "\\u{63}\\u{4e}\\u{2f}\\u{26}\\u{22}\\u{71}\\u{27}\\u{e9}\\u{20}\\u{25}\\u{3d}\\u{2b}\\u{5c}\\u{7a}\\u{7e}\\u{4e}\\u{63}\\u{37}",
    ),
    (
        "js-hex",
        "\\x63\\x4e\\x2f\\x26\\x22\\x71\\x27\\xe9\\x20\\x25\\x3d\\x2b\\x5c\\x7a\\x7e\\x4e\\x63\\x37",
        "\\x63\\x4e\\x2f\\x26\\x22\\x71\\x27\\xe9\\x20\\x25\\x3d\\x2b\\x5c\\x7a\\x7e\\x4e\\x63\\x37",
    ),
    ("json", "cN/&\\\"q'\\u00e9 %=+\\\\z~Nc7", "cN/&\\\"q'\\u00e9 %=+\\\\z~Nc7"),
    (
        "json-all",
        "\\u0063\\u004e\\u002f\\u0026\\u0022\\u0071\\u0027\\u00e9\\u0020\\u0025\\u003d\\u002b\\u005c\\u007a\\u007e\\u004e\\u0063\\u0037",
        "\\u0063\\u004e\\u002f\\u0026\\u0022\\u0071\\u0027\\u00e9\\u0020\\u0025\\u003d\\u002b\\u005c\\u007a\\u007e\\u004e\\u0063\\u0037",
    ),
    ("json-slash", "cN\\/&\\\"q'\\u00e9 %=+\\\\z~Nc7", "cN\\/&\\\"q'\\u00e9 %=+\\\\z~Nc7"),
    (
        "json-twice",
        "\\\"cN/&\\\\\\\"q'\\\\u00e9 %=+\\\\\\\\z~Nc7\\\"",
        "\\\"cN/&\\\\\\\"q'\\\\u00e9 %=+\\\\\\\\z~Nc7\\\"",
    ),
    ("json-utf8", "cN/&\\\"q'é %=+\\\\z~Nc7", "cN/&\\\"q'é %=+\\\\z~Nc7"),
    ("mail", "cN/&\"q'=C3=A9=20%=3D+\\z~Nc7", "cN/&\"q'=C3=A9=20%=3D+\\z~Nc7"),
    ("mail-broken", "cN/&\"q'é =\r\n%=+\\z~Nc7", "cN/&\"q'é =\r\n%=+\\z~Nc7"),
    ("plain", "cN/&\"q'é %=+\\z~Nc7", "cN/&\"q'é %=+\\z~Nc7"),
    ("python-repr", "cN/&\"q\\'é %=+\\\\z~Nc7", "cN/&\"q\\'é %=+\\\\z~Nc7"),
    ("reversed", "7cN~z\\+=% é'q\"&/Nc", "7cN~z\\+=% é'q\"&/Nc"),
    (
        "shell-backslash",
        "cN\\/\\&\\\"q\\'\\é\\ \\%\\=\\+\\\\z\\~Nc7",
        "cN\\/\\&\\\"q\\'\\é\\ \\%\\=\\+\\\\z\\~Nc7",
    ),
    ("shell-single", "cN/&\"q'\"'\"'é %=+\\z~Nc7", "cN/&\"q'\"'\"'é %=+\\z~Nc7"),
    ("sql", "cN/&\"q''é %=+\\z~Nc7", "cN/&\"q''é %=+\\z~Nc7"),
    ("url", "cN%2F%26%22q%27%C3%A9%20%25%3D%2B%5Cz~Nc7", "cN%2F%26%22q%27%C3%A9%20%25%3D%2B%5Cz~Nc7"),
    (
        "url-all",
        "%63%4E%2F%26%22%71%27%C3%A9%20%25%3D%2B%5C%7A%7E%4E%63%37",
        "%63%4E%2F%26%22%71%27%C3%A9%20%25%3D%2B%5C%7A%7E%4E%63%37",
    ),
    ("url-form", "cN%2F%26%22q%27%C3%A9+%25%3D%2B%5Cz~Nc7", "cN%2F%26%22q%27%C3%A9+%25%3D%2B%5Cz~Nc7"),
    ("url-lower", "cN%2f%26%22q%27%c3%a9%20%25%3d%2b%5cz~Nc7", "cN%2f%26%22q%27%c3%a9%20%25%3d%2b%5cz~Nc7"),
    ("url-path", "cN/%26%22q%27%C3%A9%20%25%3D%2B%5Cz~Nc7", "cN/%26%22q%27%C3%A9%20%25%3D%2B%5Cz~Nc7"),
    (
        "url-twice",
        "cN%252F%2526%2522q%2527%25C3%25A9%2520%2525%253D%252B%255Cz~Nc7",
        "cN%252F%2526%2522q%2527%25C3%25A9%2520%2525%253D%252B%255Cz~Nc7",
    ),
];

/// Looks like them, and is none: the same escapes of other words, and beginnings of the secret.
const HONEST: &str = "cN/&amp;\"q' %2Fusr%2Fbin \\u0063\\u004e &#99;&#78; =3D=22 63:4e:2f:26 Y04vJiJx cN/&\"q'e %=+\\z~Nc7 \\x63N";

fn world() -> World {
    let world = World::new();
    world.configure(&format!("[redact]\npatterns = [{}]\n", serde_json::to_string(SECRET).unwrap()));
    let texts: Vec<&str> = FORMS.iter().map(|(_, written, _)| *written).collect();
    write(&world.beside("forms"), &format!("{}\n{HONEST}\n", texts.join(" | ")));
    // As one string of JSON, for reports.
    write(&world.beside("forms.json"), &serde_json::to_string(&texts.join(" | ")).unwrap());
    world
}

#[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

/// No form is in what piton wrote, as it is or in a string of JSON; what is honest is still there.
fn is_kept(world: &World, honest: bool) {
    world.piton(&["backup", "create", "--to", &world.beside("kept").display().to_string()]).exits(0);
    let mut written = Vec::new();
    for place in [".piton", ".agents", ".ralph", ".workflow", "gaps.yaml", "gap_audit.log"] {
        gather(&world.path(place), &mut written);
    }
    gather(&world.beside("kept"), &mut written);
    let has = |needle: &str| {
        let escaped = serde_json::to_string(needle).unwrap();
        [needle, &escaped[1..escaped.len() - 1]].into_iter().find_map(|needle| {
            let holds = |bytes: &[u8]| bytes.windows(needle.len()).any(|window| window == needle.as_bytes());
            written.iter().find(|(_, bytes)| holds(bytes)).map(|(path, _)| path.clone())
        })
    };
    let through: Vec<_> = FORMS.iter().filter_map(|(name, _, needle)| Some((name, has(needle)?))).collect();
    assert!(through.is_empty(), "{through:#?}");
    assert!(!honest || has(HONEST).is_some(), "what only looks like it is gone as well");
}

fn gather(place: &Path, written: &mut Vec<(String, Vec<u8>)>) {
    if place.is_dir() {
        for entry in std::fs::read_dir(place).unwrap().flatten() {
            gather(&entry.path(), written);
        }
    } else if let Ok(bytes) = std::fs::read(place) {
        written.push((place.display().to_string(), bytes));
    }
}

#[test]
fn no_form_of_a_secret_reaches_a_disk_from_a_loop() {
    let world = world();
    let agent = r#"cat "$BESIDE/forms"; cat "$BESIDE/forms" >&2; touch b.txt
        printf '{"summary": %s, "custom": {"k": %s}}' "$(cat "$BESIDE/forms.json")" "$(cat "$BESIDE/forms.json")" > "$PITON_REPORT""#;
    world.loops("r", agent, &["--check", "cat $BESIDE/forms; test -f b.txt"]).exits(0);
    let texts = std::fs::read_to_string(world.beside("forms")).unwrap();
    world.piton(&["note", "r", &texts]).exits(0);
    is_kept(&world, true);
}

#[test]
fn nor_from_a_workflow() {
    let world = world();
    let step = r#"cat \"$BESIDE/forms\"; cat \"$BESIDE/forms\" >&2; exit 1"#;
    world.write("w.yaml", &format!("{{name: w, steps: [{{id: a, run: \"{step}\"}}]}}\n"));
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--max-attempts", "1"]).exits(1);
    is_kept(&world, true);
}

#[test]
fn nor_from_a_cycle() {
    let world = world();
    world.write(".gitignore", "piton.toml\n.gitignore\n");
    let agent = "cat > /dev/null; cat $BESIDE/forms; cp $BESIDE/forms $PITON_ROLE_DIR/requirements.md; cp $BESIDE/forms $PITON_ROLE_DIR/beside.md; echo PHASE_RESULT:; echo \"- status: completed\"";
    world.piton(&["cycle", "start", "x", "--id", "c", "--exec", agent, "--check", "test=true"]).exits(0);
    is_kept(&world, true);
}

#[test]
fn nor_from_a_ledger_or_a_gap_that_was_edited_by_hand() {
    let world = world();
    let texts = std::fs::read_to_string(world.beside("forms")).unwrap().replace('\n', " ");
    let question = serde_json::to_string(&texts).unwrap();
    world.write("gaps.yaml", &format!("gaps:\n- {{id: teams, category: c, question: {question}}}\n"));
    world.piton(&["gaps", "check", "teams"]).exits(0);
    world
        .piton(&[
            "gaps",
            "verify",
            "teams",
            "--findings",
            &texts,
            "--source",
            "file:a.txt",
            "--reason",
            &texts,
        ])
        .exits(0);
    is_kept(&world, false);
}

#[test]
fn the_name_of_a_file_on_record_holds_no_secret() {
    let world = World::new();
    world.configure("[redact]\npatterns = ['the-falcon-flies']\n");
    write(&world.beside("secret"), "the-falcon-flies");
    world.loops("r", "touch \"$(cat $BESIDE/secret).txt\" b.txt", &["--check", "test -f b.txt"]).exits(0);
    let log = world.piton(&["log", "r", "--json"]).exits(0).out;
    assert!(log.contains("[redacted].txt") && !log.contains("the-falcon-flies"), "{log}");
}
