use std::collections::HashMap;

use crate::parser::{parse, Expr, ParseError};

#[derive(Debug, Clone, PartialEq)]
pub enum EvalError {
    Parse(ParseError),
    Unknown(String),
    DivisionByZero,
}

pub fn eval(text: &str, names: &HashMap<String, f64>) -> Result<f64, EvalError> {
    walk(&parse(text).map_err(EvalError::Parse)?, names)
}

fn walk(expr: &Expr, names: &HashMap<String, f64>) -> Result<f64, EvalError> {
    match expr {
        Expr::Number(number) => Ok(*number),
        Expr::Name(name) => match names.get(name) {
            Some(value) => Ok(*value),
            None => Err(EvalError::Unknown(name.clone())),
        },
        Expr::Neg(inner) => Ok(-walk(inner, names)?),
        Expr::Binary(op, left, right) => {
            let (left, right) = (walk(left, names)?, walk(right, names)?);
            if *op == '/' && right == 0.0 {
                return Err(EvalError::DivisionByZero);
            }
            Ok(match op {
                '+' => left + right,
                '-' => left - right,
                '*' => left * right,
                _ => left / right,
            })
        }
    }
}

#[expect(dead_code)]
fn half(value: f64) -> f64 {
    value / 2.0
}

pub fn round_to(value: f64, places: i32) -> f64 {
    let factor = 10f64.powi(places);
    (value * factor).round() / factor
}
