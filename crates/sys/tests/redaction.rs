//! What is a secret, what is not, and that chunks make no difference.

use std::borrow::Cow;
use std::ffi::OsString;

use piton_sys::redact::Redactor;
use proptest::prelude::*;

/// Texts with a secret, and what is left of them. Keys are put together here so that no scanner takes this
/// file for a leak.
fn secrets() -> Vec<(String, String)> {
    let a = |count| "aB3".repeat(count);
    let line = |prefix: &str, body: String, rest: &str| {
        (format!("before {prefix}{body}{rest} after"), format!("before [redacted]{rest} after"))
    };
    vec![
        line("sk-", a(16), ","),
        line("sk-proj-", a(40), "\""),
        line("sk-ant-api03-", format!("{}-_{}", a(20), a(9)), "\n"),
        line("ghp_", a(12), " "),
        line("gho_", a(12), ""),
        line("github_pat_", format!("{}_{}", a(8), a(20)), "."),
        line("AKIA", "ABCDEFGH12345678".to_owned(), "'"),
        line("xoxb-", format!("1234567890-{}", a(8)), ""),
        line("xoxp-", format!("1234567890-{}", a(8)), ""),
        line("AIza", a(12)[..35].to_owned(), ")"),
        line("glpat-", a(7), ""),
        line("npm_", a(12), ";"),
        line("hf_", a(12), ";"),
        line("gsk_", a(18), "\n"),
        line("xai-", a(18), ","),
        line("sk_test_", a(8), ","),
        line("pypi-AgE", a(18), ","),
        line("SG.", format!("{}.{}", a(7), a(15)), "'"),
        line("whsec_", a(10), ""),
        line("xapp-1-A12-", a(10), ")"),
        line("AGE-SECRET-KEY-1", "QPZRY9X8".repeat(8)[..58].to_owned(), ")"),
        line("eyJ", format!("{}.{}.{}", a(10), a(30), a(14)), ""),
        ("Authorization: Bearer ".to_owned() + &a(9) + "/=", "Authorization: Bearer [redacted]".to_owned()),
        ("x bEARER\t".to_owned() + &a(9), "x bEARER\t[redacted]".to_owned()),
        (format!("{{\"t\":\"key:\\nsk-{}\"}}", a(16)), "{\"t\":\"key:\\n[redacted]\"}".to_owned()),
        (format!("a{0}b{0}c", pem("RSA PRIVATE KEY", &a(400))), "a[redacted]b[redacted]c".to_owned()),
        (format!("a{}b", pem("PRIVATE KEY", "-----\n---E-----EN")), "a[redacted]b".to_owned()),
        (format!("{}-", pem("PGP PRIVATE KEY BLOCK", &a(40))), "[redacted]-".to_owned()),
        // As an address or a form has it, once and within another one.
        (
            format!("a{}b", pem("PRIVATE KEY", &a(400)).replace(' ', "%20").replace('\n', "%0A")),
            "a[redacted]b".to_owned(),
        ),
        (
            format!("a{}b", pem("RSA PRIVATE KEY", &a(400)).replace(' ', "+").replace('\n', "%0D%0A")),
            "a[redacted]b".to_owned(),
        ),
        (
            format!("a{}b", pem("EC PRIVATE KEY", &a(40)).replace(' ', "%2520").replace('\n', "%250A")),
            "a[redacted]b".to_owned(),
        ),
        // An end that never comes hides the rest of a short text.
        (format!("a{}", &pem("PRIVATE KEY", &a(40))[..100]), "a[redacted]".to_owned()),
    ]
}

fn pem(label: &str, body: &str) -> String {
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----")
}

const HARMLESS: &[&str] = &[
    "",
    "plain text, nothing to see",
    "the task-force asked to risk-assess disk-encryption-of-all-the-laptops",
    "sk-short",
    "class=\"sk-three-bounce-animation-container\"",
    "npm_config_registry=https://registry.example.org npm_lifecycle_event",
    "ghp_tooshort gho_ ghp_",
    "AKIA is a prefix; AKIAabcdefghijklmnop is not a key",
    "the bearer of bad news, Bearer short",
    "eyJ0.eyJ1.x eyJhbGciOiJIUzI1NiJ9",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "|------|------|-----BEGIN",
    "xoxb- glpat- AIza",
    "half_hf_life gsk_ xai- SG. whsec_ AGE-SECRET-KEY-1 done dop_v1_ shpat_",
    // base64 of honest texts that begin as keys do, and of a certificate.
    "Z2hwX2lzIHRoZSBwcmVmaXggb2YgdG9rZW5z QUtJQSBpcyBhIHByZWZpeA==",
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0=",
    // Digests, which anything could hide in.
    "6768705f 2d2d2d2d2d424547494e20 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "[31mred[0m and \\u0041 and %20 and &amp; and =3D and 'it'\\''s'",
    "zażółć gęślą jaźń \u{1f9d7}",
];

#[test]
fn known_formats_are_redacted() {
    for (text, clean) in secrets() {
        assert_eq!(Redactor::new().redact(&text), clean, "of `{text}`");
    }
}

#[test]
fn what_only_looks_similar_is_left_alone() {
    for text in HARMLESS {
        assert!(matches!(Redactor::new().redact(text), Cow::Borrowed(same) if same == *text), "`{text}`");
    }
}

#[test]
fn values_of_secret_sounding_variables_are_redacted_in_every_encoding() {
    let redactor = Redactor::new().with_variables(variables(&[
        ("MY_API_KEY", "correct horse/battery"),
        ("db_password", "hunter2hunter2"),
        ("SHORT_TOKEN", "abc"),
        ("GREETING", "hello wide world"),
        ("SSH_KEY_DIRECTORY", "/"),
    ]));
    let clean = |text: &str| redactor.redact(text).into_owned();
    assert_eq!(clean("is correct horse/battery!"), "is [redacted]!");
    assert_eq!(clean("?k=correct%20horse%2Fbattery&"), "?k=[redacted]&");
    assert_eq!(clean("Y29ycmVjdCBob3JzZS9iYXR0ZXJ5"), "[redacted]");
    // base64 of "user:hunter2hunter2": what the value shares with its neighbours stays.
    assert!(!clean("dXNlcjpodW50ZXIyaHVudGVyMg==").contains("dW50ZXIyaHVudGVy"));
    assert_eq!(clean("hunter2hunter2hunter2"), "[redacted]hunter2");
    assert_eq!(clean("abc, hello wide world, /"), "abc, hello wide world, /");
}

#[test]
fn a_value_is_found_however_it_is_escaped() {
    let redactor = Redactor::new().with_variables(variables(&[("MY_API_KEY", "b c/de\"f")]));
    for escaped in [
        "b%20c%2fde%22f",
        "b+c%2Fde%22f",
        "%62%20%63%2f%64%65%22%66",
        "6220632f64652266",
        "6220632F64652266",
        r"\u0062\u0020\u0063\u002f\u0064\u0065\u0022\u0066",
        r#"b c\/de\"f"#,
        r#"b c/de\\\"f"#,
    ] {
        assert_eq!(redactor.redact(&format!("<{escaped}>")), "<[redacted]>", "{escaped}");
    }
}

#[test]
fn keys_are_known_in_base64_and_hexadecimal() {
    let key = "ghp_".to_owned() + &"aB3".repeat(12);
    let pem = pem("RSA PRIVATE KEY", &"aB3/".repeat(100));
    for before in ["", "x", "xy"] {
        for secret in [&key, &pem] {
            let text = base64(format!("{before}{secret}").as_bytes());
            let clean = Redactor::new().redact(&text).into_owned();
            // What the key shares with its neighbours stays.
            assert!(clean.len() < 20 && clean.ends_with("[redacted]"), "{clean}");
        }
    }
    let hex: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(Redactor::new().redact(&format!("x {hex} y")), "x [redacted] y");
    assert_eq!(Redactor::new().redact(&hex.to_uppercase()), "[redacted]");
    // As `base64` prints it.
    let lines: Vec<String> = base64(pem.as_bytes())
        .as_bytes()
        .chunks(76)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    assert_eq!(Redactor::new().redact(&format!("{}\nnext", lines.join("\n"))), "[redacted]\nnext");
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| {
        let number =
            (0..3).fold(0_usize, |all, at| all << 8 | usize::from(three.get(at).copied().unwrap_or(0)));
        let character = |at: usize| match at > three.len() {
            true => '=',
            false => char::from(ALPHABET[number >> (18 - 6 * at) & 63]),
        };
        (0..4).map(character).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

#[test]
fn a_secret_of_many_lines_is_found_line_by_line_and_a_password_in_an_address() {
    let line = "aB3/".repeat(16);
    let key = format!("-----BEGIN THING-----\n{line}\nshort\n-----END THING-----\n");
    let redactor = Redactor::new().with_variables(variables(&[
        ("DEPLOY_KEY", &key),
        ("PADDED_TOKEN", "  padded-value\n"),
        ("DATABASE_URL", "postgres://user:p%40ss-and-word@db.example/x?y=1@2"),
        ("HOMEPAGE", "https://example.org/a:b@c"),
    ]));
    let clean = |text: &str| redactor.redact(text).into_owned();
    assert_eq!(
        clean(&format!("{line}\nshort -----BEGIN THING-----")),
        "[redacted]\nshort -----BEGIN THING-----"
    );
    assert_eq!(clean("a padded-value b"), "a [redacted] b");
    assert_eq!(
        clean("PGPASS=p%40ss-and-word, p@ss-and-word at db.example"),
        "PGPASS=[redacted], [redacted] at db.example"
    );
    assert_eq!(clean("https://example.org/a:b@c"), "https://example.org/a:b@c");
}

#[test]
fn a_quoted_value_is_found_in_json() {
    let redactor = Redactor::new().with_variables(variables(&[("A_SECRET", "line one\n\"line two\"")]));
    assert_eq!(redactor.redact(r#"{"x":"line one\n\"line two\""}"#), r#"{"x":"[redacted]"}"#);
}

#[test]
fn the_longest_of_several_literals_wins() {
    let redactor = Redactor::new().with_literals(["password", "password-and-more", "short"]);
    assert_eq!(
        redactor.redact("password-and-more password-and-mor short"),
        "[redacted] [redacted]-and-mor short"
    );
}

#[test]
fn bytes_that_are_no_text_stay_as_they_are() {
    let redactor = Redactor::new().with_literals(["a-literal-secret"]);
    assert_eq!(*redactor.redact_bytes(b"\xff\xfea-literal-secret\x80"), *b"\xff\xfe[redacted]\x80");
}

#[test]
fn little_is_held_back() {
    let mut stream = Redactor::new().stream();
    let text = "sk-".to_owned() + &"a1".repeat(1_000_000) + " end.";
    let mut clean = Vec::new();
    for piece in text.as_bytes().chunks(1000) {
        clean.extend(stream.push(piece));
    }
    assert_eq!(clean, b"[redacted] end.");
    assert_eq!(stream.finish(), b"");
}

#[test]
fn hostile_input_takes_linear_time() {
    for unit in [
        "sk-",
        "eyJ",
        "-",
        "-----BEGIN ",
        "bearer ",
        "ghp_",
        "xoxb-a",
        "AKIAAKI",
        "eyJaaaaaaaaaaa.a",
        "-----BEGIN A",
    ] {
        let text = unit.repeat(1_000_000 / unit.len());
        let started = std::time::Instant::now();
        let _ = Redactor::new().redact(&text);
        assert!(started.elapsed() < std::time::Duration::from_secs(20), "`{unit}`: {:?}", started.elapsed());
    }
}

fn variables(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    list.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// Pieces of secrets and of what surrounds them, in any order.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    let mut pieces: Vec<String> = secrets().into_iter().map(|(text, _)| text).collect();
    pieces.extend(HARMLESS.iter().map(|text| (*text).to_owned()));
    for part in [
        "sk-",
        "-----",
        "BEGIN ",
        "PRIVATE KEY",
        "-----END",
        "eyJ",
        ".",
        " ",
        "Bearer ",
        "a1",
        "literal",
        "-one",
    ] {
        pieces.push(part.to_owned());
    }
    let piece = prop_oneof![
        4 => proptest::sample::select(pieces).prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..20),
    ];
    // A piece may be cut short, so that one secret starts within another.
    let cut = (piece, any::<proptest::sample::Index>(), any::<bool>()).prop_map(|(mut piece, index, cut)| {
        if cut && !piece.is_empty() {
            piece.truncate(index.index(piece.len()));
        }
        piece
    });
    proptest::collection::vec(cut, 0..12).prop_map(|pieces| pieces.concat())
}

/// A secret in the ways it may be written, and pieces of them.
fn written() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&str> = vec![
        "literal-one",
        "literal%2done",
        r"literal\u002done",
        "literal&#45;one",
        "lit=\r\neral=2Done",
        "literal-\n  one",
        "eno-laretil",
        "6c69746572616c2d6f6e65",
        "6c:69:74:65:72:61:6c:2d:6f:6e:65",
        "0x6c, 0x69, 0x74, 0x65, 0x72, 0x61, 0x6c, 0x2d, 0x6f, 0x6e, 0x65",
        "bGl0ZXJhbC1vbmU=",
        "YkdsMFpYSmhiQzF2Ym1VPQ==",
        "NRUXIZLSMFWC233OMU======",
        "\\\\\\",
        "%25",
        "&amp;",
        "=",
        "0",
        "x",
        "\n",
        "\u{1b}[0m",
    ];
    let piece = (proptest::sample::select(pieces), any::<proptest::sample::Index>(), any::<bool>());
    let cut = piece.prop_map(|(piece, index, cut)| {
        piece.as_bytes()[..if cut { index.index(piece.len()) } else { piece.len() }].to_vec()
    });
    proptest::collection::vec(cut, 0..10).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn chunks_make_no_difference_to_what_is_encoded(text in written(), places in proptest::collection::vec(any::<proptest::sample::Index>(), 0..8)) {
        let redactor = Redactor::new().with_literals(["literal-one", "literal-one-and-two", "-oneliteral"]);
        let whole = redactor.redact_bytes(&text).into_owned();
        let mut cuts: Vec<usize> = places.iter().map(|place| place.index(text.len() + 1)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let mut stream = redactor.stream();
        let mut pieces: Vec<u8> = cuts.windows(2).flat_map(|ends| stream.push(&text[ends[0]..ends[1]])).collect();
        pieces.extend(stream.finish());
        prop_assert_eq!(String::from_utf8_lossy(&pieces), String::from_utf8_lossy(&whole));
    }

    #[test]
    fn chunks_make_no_difference(text in texts(), cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..20)) {
        let redactor = Redactor::new().with_literals(["literal-one", "literal-one-and-two", "-oneliteral"]);
        let whole = redactor.redact_bytes(&text).into_owned();
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        places.extend([0, text.len()]);
        places.sort_unstable();
        let mut stream = redactor.stream();
        let mut pieces = Vec::new();
        for ends in places.windows(2) {
            pieces.extend(stream.push(&text[ends[0]..ends[1]]));
        }
        pieces.extend(stream.finish());
        prop_assert_eq!(String::from_utf8_lossy(&pieces), String::from_utf8_lossy(&whole));
    }

    #[test]
    fn byte_by_byte_makes_no_difference(text in texts()) {
        let redactor = Redactor::new().with_literals(["literal-one", "literal-one-and-two", "-oneliteral"]);
        let mut stream = redactor.stream();
        let mut pieces: Vec<u8> = text.iter().flat_map(|&byte| stream.push(&[byte])).collect();
        pieces.extend(stream.finish());
        prop_assert_eq!(pieces, redactor.redact_bytes(&text).into_owned());
    }

    #[test]
    fn every_secret_is_found_wherever_it_is_cut(index in any::<proptest::sample::Index>(), place in any::<proptest::sample::Index>()) {
        let secrets = secrets();
        let (text, clean) = &secrets[index.index(secrets.len())];
        let (a, b) = text.as_bytes().split_at(place.index(text.len()));
        let mut stream = Redactor::new().stream();
        let pieces = [stream.push(a), stream.push(b), stream.finish()].concat();
        prop_assert_eq!(String::from_utf8_lossy(&pieces), clean.as_str());
    }
}
