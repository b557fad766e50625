'use strict';

const { Hall, SeatError } = require('./hall');
const { parsePlan, PlanError } = require('./plan');
const { bestSeats } = require('./best');
const { priceOf } = require('./price');
const { render } = require('./render');

module.exports = { Hall, SeatError, parsePlan, PlanError, bestSeats, priceOf, render };
