//! What the attributes promise, seen in JSON.

use std::collections::BTreeMap;

use piton_record::{record, shown};

#[record(Eq, Default, omit(cheap, name), written(checks))]
struct Order {
    id: u32,
    name: String,
    cheap: bool,
    comment: Option<String>,
    tags: Vec<String>,
    by_name: BTreeMap<String, Vec<u32>>,
    checks: Vec<String>,
}

#[record(Copy, Eq)]
enum Standing {
    OnItsWay,
    Lost { after: Option<u32> },
}

#[record(Default, written)]
struct Whole {
    comment: Option<String>,
    tags: Vec<String>,
}

#[shown(omit(late), written(driver))]
struct View<'a> {
    driver: Option<&'a str>,
    detail: Option<&'a str>,
    late: bool,
}

fn read(text: &str) -> Result<Order, serde_json::Error> {
    serde_json::from_str(text)
}

#[test]
fn what_says_nothing_is_not_written_and_is_read_as_nothing() {
    let plain = r#"{"id":1,"checks":[]}"#;
    assert_eq!(serde_json::to_string(&Order { id: 1, ..Order::default() }).unwrap(), plain);
    assert_eq!(read(plain).unwrap(), Order { id: 1, ..Order::default() });
    let full = Order {
        id: 2,
        name: "a".to_owned(),
        cheap: true,
        comment: Some("c".to_owned()),
        tags: vec!["t".to_owned()],
        by_name: BTreeMap::from([("n".to_owned(), vec![1, 2])]),
        checks: vec!["x".to_owned()],
    };
    let text = serde_json::to_string(&full).unwrap();
    assert_eq!(
        text,
        r#"{"id":2,"name":"a","cheap":true,"comment":"c","tags":["t"],"by_name":{"n":[1,2]},"checks":["x"]}"#
    );
    assert_eq!(read(&text).unwrap(), full);
}

#[test]
fn an_unknown_field_and_one_that_is_always_written_and_missing_are_refused() {
    assert!(read(r#"{"id":1,"checks":[],"newer":1}"#).is_err());
    assert!(read(r#"{"id":1}"#).is_err());
}

#[test]
fn an_enum_is_written_in_snake_case_and_its_fields_as_they_are() {
    assert_eq!(serde_json::to_string(&Standing::OnItsWay).unwrap(), r#""on_its_way""#);
    assert_eq!(serde_json::to_string(&Standing::Lost { after: None }).unwrap(), r#"{"lost":{"after":null}}"#);
    assert!(serde_json::from_str::<Standing>(r#"{"lost":{"after":1,"newer":2}}"#).is_err());
}

#[test]
fn written_alone_means_every_field() {
    assert_eq!(serde_json::to_string(&Whole::default()).unwrap(), r#"{"comment":null,"tags":[]}"#);
}

#[test]
fn a_view_leaves_out_what_says_nothing_too() {
    let view = View { driver: None, detail: None, late: false };
    assert_eq!(serde_json::to_string(&view).unwrap(), r#"{"driver":null}"#);
    let view = View { driver: Some("d"), detail: Some("x"), late: true };
    assert_eq!(serde_json::to_string(&view).unwrap(), r#"{"driver":"d","detail":"x","late":true}"#);
}
