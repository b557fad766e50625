use morse::{decode, encode, MorseError};

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn telegrams_are_encoded() {
    let expected = fixture("titanic.code");
    let found: Vec<String> = fixture("titanic.txt").lines().map(|line| encode(line).unwrap()).collect();
    assert_eq!(found.join("\n") + "\n", expected);
}

#[test]
fn telegrams_are_read() {
    for (code, text) in fixture("titanic.code").lines().zip(fixture("titanic.txt").lines()) {
        assert_eq!(decode(code).unwrap(), text);
    }
}

#[test]
fn decode_undoes_encode() {
    for text in ["CQ", "PARIS", "73 DE K1ABC", "E E E"] {
        assert_eq!(decode(&encode(text).unwrap()).unwrap(), text);
    }
}

#[test]
fn case_is_lost() {
    assert_eq!(decode(&encode("Hello").unwrap()).as_deref(), Ok("HELLO"));
}

#[test]
fn unknown_signs_are_named() {
    let error = decode("... .-.-.-.-").unwrap_err();
    assert_eq!(error, MorseError::NoLetter(".-.-.-.-".to_string()));
    assert_eq!(error.to_string(), "no letter for .-.-.-.-");
}

#[test]
fn punctuation_is_refused() {
    assert!(matches!(encode("stop!"), Err(MorseError::NoSign('!'))));
}

#[test]
fn signs_table() {
    let table = [
        ("e", "."),
        ("t", "-"),
        ("cq", "-.-. --.-"),
        ("73", "--... ...--"),
        ("a b", ".- / -..."),
        ("1", ".----"),
        ("paris", ".--. .- .-. .. ..."),
    ];
    for (text, code) in table {
        assert_eq!(encode(text).unwrap(), code, "{text}");
    }
}
