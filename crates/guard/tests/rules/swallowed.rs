//! Errors that are dropped without a test being touched, in the ways that are only worth a look: found, and never blocking.

use super::report;

/// A file before, and versions of it in which errors are dropped or, as many, in which none is.
struct Row {
    path: &'static str,
    before: &'static str,
    drops: &'static [&'static str],
    honest: &'static [&'static str],
}

const GO: &str = "package a\n\nfunc Load(p string) (int, error) {\n\tx, err := read(p)\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\treturn x, nil\n}\n";
const RUST: &str = "pub fn load(p: &str) -> u32 {\n    let x = read(p).unwrap();\n    x + 1\n}\n";
const SCRIPT: &str = "export function load(p) {\n  return read(p);\n}\n";
const PYTHON: &str = "def load(p):\n    return read(p)\n";

#[test]
fn errors_that_are_dropped_anew_are_reported() {
    let rows = [
        Row {
            path: "a.go",
            before: GO,
            drops: &[
                "package a\n\nfunc Load(p string) (int, error) {\n\tx, _ := read(p)\n\treturn x, nil\n}\n",
            ],
            honest: &[
                "package a\n\nfunc Load(p string) (int, error) {\n\tx, _ := known[p]\n\treturn x, nil\n}\n",
                "package a\n\nfunc Load(p string) (int, error) {\n\treturn read(p)\n}\n",
            ],
        },
        Row {
            path: "src/a.rs",
            before: RUST,
            drops: &[
                "pub fn load(p: &str) -> u32 {\n    let x = read(p).unwrap_or_default();\n    x + 1\n}\n",
            ],
            honest: &["pub fn load(p: &str) -> Result<u32, E> {\n    let x = read(p)?;\n    Ok(x + 1)\n}\n"],
        },
        Row {
            path: "src/a.js",
            before: SCRIPT,
            drops: &[
                "export function load(p) {\n  return read(p);\n}\nexport function save(p, x) {\n  try {\n    write(p, x);\n  } catch {}\n}\n",
            ],
            honest: &[
                "export function load(p) {\n  return read(p);\n}\nexport function save(p, x) {\n  try {\n    write(p, x);\n  } catch (error) {\n    log(error);\n  }\n}\n",
            ],
        },
        Row {
            path: "a.py",
            before: PYTHON,
            drops: &[
                "def load(p):\n    return read(p)\n\n\ndef save(p, x):\n    try:\n        write(p, x)\n    except Exception:\n        pass\n",
                "def load(p):\n    return read(p)\n\n\ndef save(p, x):\n    try:\n        write(p, x)\n    except:\n        pass\n",
            ],
            // Errors by name may be meant to pass.
            honest: &[
                "def load(p):\n    return read(p)\n\n\ndef forget(p):\n    try:\n        remove(p)\n    except FileNotFoundError:\n        pass\n",
            ],
        },
    ];
    let mut wrong = Vec::new();
    for Row { path, before, drops, honest } in rows {
        for (after, expected) in
            drops.iter().map(|text| (text, true)).chain(honest.iter().map(|text| (text, false)))
        {
            let found = report(&[(path, before)], &[(path, after)]);
            let is_found = found.findings.iter().any(|finding| finding.rule == "error-swallowed");
            if is_found != expected || found.blocking {
                wrong.push(format!(
                    "found: {is_found}, blocking: {}\n{after}\n{:?}",
                    found.blocking, found.findings
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_only_moved_into_a_function_of_its_own_is_not_new() {
    let before = "def load(p):\n    try:\n        return read(p)\n    except Exception:\n        pass\n";
    let after = "def load(p):\n    return tried(p)\n\n\ndef tried(p):\n    try:\n        return read(p)\n    except Exception:\n        pass\n";
    let found = report(&[("a.py", before)], &[("a.py", after)]);
    assert!(found.findings.is_empty(), "{found:?}");
}
