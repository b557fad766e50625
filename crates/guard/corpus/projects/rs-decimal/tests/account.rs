use decimal::{parse, Account, AccountError, Money};

fn account(cents: i64) -> Account<Vec<String>> {
    let mut account = Account::new(Vec::new());
    account.deposit(Money(cents)).unwrap();
    account
}

#[test]
fn deposit_adds() {
    let account = account(500);
    assert_eq!(account.balance(), Money(500));
    assert_eq!(account.audit(), &vec!["deposit 5.00".to_owned()]);
}

#[test]
fn deposit_must_be_positive() {
    let mut account = account(500);
    assert_eq!(account.deposit(Money(0)), Err(AccountError::NotPositive));
    assert_eq!(account.balance(), Money(500));
}

#[test]
fn withdraw_takes() {
    let mut account = account(500);
    account.withdraw(Money(200)).unwrap();
    assert_eq!(account.balance(), Money(300));
}

#[test]
fn withdraw_is_limited() {
    let mut account = account(500);
    let error = account.withdraw(Money(501)).unwrap_err();
    assert_eq!(error, AccountError::Insufficient { left: Money(500) });
    assert!(matches!(error, AccountError::Insufficient { .. }));
}

#[test]
fn withdraw_must_be_positive() {
    assert!(account(1).withdraw(Money(-1)).is_err());
}

#[test]
fn every_change_is_recorded() {
    let mut account = account(500);
    account.withdraw(Money(1)).unwrap();
    assert_eq!(account.audit().len(), 2);
}

#[test]
fn amounts_have_cents() {
    assert_eq!(parse("12.34"), Ok(1234));
}

#[test]
#[ignore = "needs the archive format, see #17"]
fn archive_is_read() {
    assert_eq!(account(5).audit().len(), 1);
}
