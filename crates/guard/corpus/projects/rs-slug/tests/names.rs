use rstest::{fixture, rstest};
use slugger::names::Registry;
use slugger::slug::{validate, SlugError};

#[fixture]
fn registry() -> Registry {
    let mut registry = Registry::default();
    registry.register("First Post").unwrap();
    registry
}

#[rstest]
fn registers(mut registry: Registry) {
    assert_eq!(
        registry.register("Second Post"),
        Ok("second-post".to_owned())
    );
    assert_eq!(registry.len(), 2);
}

#[rstest]
fn names_are_unique(mut registry: Registry) {
    assert_eq!(
        registry.register("First Post!"),
        Ok("first-post-2".to_owned())
    );
    assert_eq!(
        registry.register("first post"),
        Ok("first-post-3".to_owned())
    );
}

#[rstest]
fn released_names_are_free(mut registry: Registry) {
    assert!(registry.release("first-post"));
    assert!(registry.is_empty());
    assert_eq!(registry.register("First Post"), Ok("first-post".to_owned()));
}

#[rstest]
fn empty_titles_are_rejected(mut registry: Registry) {
    assert_eq!(registry.register("!?"), Err(SlugError::Empty));
    assert_eq!(registry.len(), 1);
}

#[rstest]
fn unknown_names_are_not_released(mut registry: Registry) {
    assert!(!registry.release("nothing"));
}

#[test]
fn numbers_are_names() {
    assert_eq!(validate("42"), Ok("42"));
}
