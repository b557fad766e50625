use rstest::rstest;
use slugger::slug::{initials, slugify, validate, SlugError};

#[rstest]
#[case("Hello World", "hello-world")]
#[case("Größe über", "groesse-ueber")]
#[case("  (draft)  ", "draft")]
#[case("1 + 1", "1-1")]
fn slugs(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(slugify(text), expected);
}

#[rstest]
#[case("", SlugError::Empty)]
#[case("a_b", SlugError::BadCharacter('_'))]
#[case("a b", SlugError::BadCharacter(' '))]
fn invalid(#[case] slug: &str, #[case] error: SlugError) {
    assert_eq!(validate(slug), Err(error));
}

#[test]
fn long_slugs_are_rejected() {
    let slug = "a".repeat(61);
    assert_eq!(validate(&slug), Err(SlugError::TooLong(61)));
}

#[test]
fn valid_slug() {
    assert_eq!(validate("a-b"), Ok("a-b"));
}

#[test]
fn valid_number() {
    assert_eq!(validate("42"), Ok("42"));
}

#[rstest]
fn initials_of_names(#[values("Ada Lovelace", " Al  Lee ")] name: &str) {
    assert_eq!(initials(name), "AL");
}

#[test]
fn initials_of_nobody() {
    assert_eq!(initials(""), "");
}
