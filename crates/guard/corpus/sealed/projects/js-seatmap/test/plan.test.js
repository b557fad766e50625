'use strict';

const { expect } = require('chai');
const { parsePlan, PlanError } = require('../lib');
const { PLAN, caught } = require('./support/hall');

describe('parsePlan', () => {
  it('reads rows in order', () => {
    const rows = parsePlan(PLAN);
    expect(rows.map((row) => row.name)).to.deep.equal(['A', 'B', 'C']);
    expect(rows[2]).to.deep.equal({ name: 'C', category: 'C', cells: ['.', '.', '#', '.', '.', '.'] });
  });

  const broken = [
    ['', 'line 1: no rows'],
    ['// nothing', 'line 1: no rows'],
    ['A A ..\nA B ..', 'line 2: row A is there twice'],
    ['A A ..\n\nB D ..', "line 3: cannot read 'B D ..'"],
    ['A A _#_', 'line 1: row A has no seats'],
  ];
  for (const [text, message] of broken) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      const error = caught(() => parsePlan(text));
      expect(error).to.be.instanceOf(PlanError);
      expect(error.message).to.equal(message);
    });
  }
});
