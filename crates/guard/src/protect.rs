//! Which paths are protected: by name, with everything below, or by a pattern.

/// Whether `path` is protected by `rule`: a path in the tree, or a pattern with `*`, `?` and `**`. A pattern without a
/// slash is about the name of a file or directory anywhere, as in `.env*` and `*.key`.
pub fn is_protected(path: &str, rule: &str) -> bool {
    let rule = rule.trim_end_matches('/');
    if !rule.contains(['*', '?']) {
        return path == rule || path.strip_prefix(rule).is_some_and(|rest| rest.starts_with('/'));
    }
    if !rule.contains('/') {
        return path.split('/').any(|part| matches(part.as_bytes(), rule.as_bytes()));
    }
    // What is protected is so with everything below.
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.into_iter().any(|end| matches(&path.as_bytes()[..end], rule.as_bytes()))
}

/// Whether what a pattern names literally, before its first sign, leads into the directory or lies above it. One without a directory
/// leads nowhere: it is about names anywhere, but not in whole directories of what was installed or built.
pub fn leads_into(rule: &str, directory: &str) -> bool {
    let literal = &rule[..rule.find(['*', '?']).unwrap_or(rule.len())];
    let top = literal.rsplit_once('/').map_or("", |(top, _)| top);
    !top.is_empty() && (is_protected(top, directory) || is_protected(directory, top))
}

/// Only `**` crosses a slash. Works in the product of both lengths at most.
fn matches(text: &[u8], pattern: &[u8]) -> bool {
    // Row by row: which beginnings of the pattern match the text so far.
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    skip_stars(&mut reached, pattern);
    for &byte in text {
        let mut next = vec![false; pattern.len() + 1];
        for at in 0..pattern.len() {
            if !reached[at] {
                continue;
            }
            match pattern[at] {
                b'*' if byte != b'/'
                    || pattern.get(at + 1) == Some(&b'*')
                    || (at > 0 && pattern[at - 1] == b'*') =>
                {
                    next[at] = true;
                }
                b'*' => {}
                b'?' if byte != b'/' => next[at + 1] = true,
                literal if literal == byte => next[at + 1] = true,
                _ => {}
            }
        }
        skip_stars(&mut next, pattern);
        reached = next;
    }
    reached[pattern.len()]
}

/// A star may stand for nothing.
fn skip_stars(reached: &mut [bool], pattern: &[u8]) {
    for at in 0..pattern.len() {
        if reached[at] && pattern[at] == b'*' {
            reached[at + 1] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_patterns_protect_what_they_say() {
        let table = [
            ("tests", "tests/a.py", true),
            ("tests", "tests2/a.py", false),
            ("tests/", "tests", true),
            (".env*", ".env", true),
            (".env*", "app/.env.local", true),
            (".env*", "app/env", false),
            ("*.key", "certs/server.key", true),
            ("*.key", "server.key.txt", false),
            ("*.pem", "a.pem/below", true),
            ("secrets/*", "secrets/a", true),
            ("secrets/*", "secrets/a/b", true),
            ("secrets/*", "secrets", false),
            ("secrets/*", "app/secrets/a", false),
            ("**/secrets/*", "app/secrets/a", true),
            ("src/*/gen.rs", "src/a/gen.rs", true),
            ("src/*/gen.rs", "src/a/b/gen.rs", false),
            ("src/**/gen.rs", "src/a/b/gen.rs", true),
            ("v?.txt", "v1.txt", true),
            ("v?.txt", "v10.txt", false),
        ];
        for (rule, path, expected) in table {
            assert_eq!(is_protected(path, rule), expected, "{rule} on {path}");
        }
    }

    #[test]
    fn no_pattern_takes_for_ever() {
        let (text, pattern) = ("a".repeat(20_000), "*a".repeat(50));
        assert!(!is_protected(&format!("{text}b"), &pattern));
    }
}
