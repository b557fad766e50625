use std::cell::RefCell;
use std::rc::Rc;

use morse::{Keyer, Line, MorseError};

/// A line that remembers, and fails as often as it is told.
#[derive(Clone, Default)]
struct Tape {
    seen: Rc<RefCell<Vec<String>>>,
    failures: Rc<RefCell<u32>>,
}

impl Line for Tape {
    fn send(&mut self, code: &str) -> Result<(), MorseError> {
        let mut failures = self.failures.borrow_mut();
        if *failures > 0 {
            *failures -= 1;
            return Err(MorseError::Line("storm".to_string()));
        }
        self.seen.borrow_mut().push(code.to_string());
        Ok(())
    }
}

#[test]
fn messages_reach_the_line() {
    let tape = Tape::default();
    let mut keyer = Keyer::new(tape.clone(), 20).unwrap();
    let took = keyer.key("sos").unwrap();
    assert_eq!(*tape.seen.borrow(), ["... --- ..."]);
    assert_eq!(took, 1620.0);
}

#[test]
fn one_failure_is_forgiven() {
    let tape = Tape::default();
    *tape.failures.borrow_mut() = 1;
    let mut keyer = Keyer::new(tape.clone(), 20).unwrap();
    assert!(keyer.key("e").is_ok());
    assert_eq!(tape.seen.borrow().len(), 1);
}

#[test]
fn two_failures_are_not() {
    let tape = Tape::default();
    *tape.failures.borrow_mut() = 2;
    let mut keyer = Keyer::new(tape, 20).unwrap();
    assert_eq!(keyer.key("e"), Err(MorseError::Line("storm".to_string())));
    assert_eq!(keyer.log(), "");
}

#[test]
fn the_log_is_numbered() {
    let mut keyer = Keyer::new(Tape::default(), 20).unwrap();
    keyer.key("cq").unwrap();
    keyer.key("73").unwrap();
    assert_eq!(keyer.log(), "001 cq\n002 73\n");
}

#[test]
fn prosigns_have_no_gaps() {
    let mut keyer = Keyer::new(Tape::default(), 20).unwrap();
    assert_eq!(keyer.prosign("sk"), Ok("...-.-".to_string()));
}

#[test]
fn a_keyer_has_a_speed() {
    assert_eq!(Keyer::new(Tape::default(), 0).err(), Some(MorseError::Speed(0)));
}
