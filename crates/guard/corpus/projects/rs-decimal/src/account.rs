use crate::money::{format, Money};

#[derive(Debug, PartialEq, Eq)]
pub enum AccountError {
    NotPositive,
    Insufficient { left: Money },
    Audit(String),
}

pub trait Audit {
    fn record(&mut self, line: &str) -> Result<(), String>;
}

impl Audit for Vec<String> {
    fn record(&mut self, line: &str) -> Result<(), String> {
        self.push(line.to_owned());
        Ok(())
    }
}

#[derive(Debug)]
pub struct Account<A> {
    balance: Money,
    audit: A,
}

impl<A: Audit> Account<A> {
    pub fn new(audit: A) -> Self {
        Account {
            balance: Money(0),
            audit,
        }
    }

    pub fn deposit(&mut self, amount: Money) -> Result<(), AccountError> {
        if amount.0 <= 0 {
            return Err(AccountError::NotPositive);
        }
        self.audit
            .record(&format!("deposit {}", format(amount.0)))
            .map_err(AccountError::Audit)?;
        self.balance = self.balance + amount;
        Ok(())
    }

    pub fn withdraw(&mut self, amount: Money) -> Result<(), AccountError> {
        if amount.0 <= 0 {
            return Err(AccountError::NotPositive);
        }
        if amount > self.balance {
            return Err(AccountError::Insufficient { left: self.balance });
        }
        self.audit
            .record(&format!("withdraw {}", format(amount.0)))
            .map_err(AccountError::Audit)?;
        self.balance = Money(self.balance.0 - amount.0);
        Ok(())
    }

    pub fn balance(&self) -> Money {
        self.balance
    }

    pub fn audit(&self) -> &A {
        &self.audit
    }
}
