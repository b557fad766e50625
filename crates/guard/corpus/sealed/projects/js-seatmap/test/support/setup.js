'use strict';

const chai = require('chai');
const { SeatError } = require('../../lib');

chai.config.truncateThreshold = 0;

chai.use((api) => {
  api.Assertion.addMethod('seatError', function seatError(code) {
    this.assert(this._obj instanceof SeatError, 'expected a SeatError', 'expected no SeatError');
    new api.Assertion(this._obj.code).to.equal(code);
  });
});
