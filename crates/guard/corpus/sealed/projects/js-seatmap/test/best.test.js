'use strict';

const { expect } = require('chai');
const fc = require('fast-check');
const { bestSeats, priceOf, render } = require('../lib');
const { makeHall, expectGolden } = require('./support/hall');

describe('bestSeats', () => {
  it('takes the middle of the first row that fits', () => {
    const { hall } = makeHall();
    expect(bestSeats(hall, 2)).to.deep.equal(['A1', 'A2']);
    expect(bestSeats(hall, 3)).to.deep.equal(['B2', 'B3', 'B4']);
    expect(bestSeats(hall, 5)).to.deep.equal(['B1', 'B2', 'B3', 'B4', 'B5']);
  });

  it('gives up when no row fits', () => {
    const { hall } = makeHall();
    expect(bestSeats(hall, 6)).to.equal(null);
  });

  [0, -1, 9, 1.5, '2'].forEach((size) => {
    it(`refuses a group of ${JSON.stringify(size)}`, () => {
      const { hall } = makeHall();
      expect(() => bestSeats(hall, size)).to.throw(RangeError, `not ${size}`);
    });
  });

  it('gives free neighbours only', () => {
    const ids = ['A1', 'A2', 'A5', 'B1', 'B2', 'B3', 'B4', 'B5', 'C1', 'C2', 'C4', 'C5'];
    fc.assert(fc.property(fc.subarray(ids), fc.integer({ min: 1, max: 8 }), (held, size) => {
      const { hall } = makeHall();
      hall.hold(held, 'ada');
      const found = bestSeats(hall, size);
      if (found === null) return;
      expect(found).to.have.lengthOf(size);
      const seats = found.map((id) => hall.seat(id));
      seats.forEach((seat, index) => {
        expect(hall.isFree(seat.id)).to.equal(true);
        expect(seat.row).to.equal(seats[0].row);
        expect(seat.index).to.equal(seats[0].index + index);
      });
    }), { numRuns: 200 });
  });
});

describe('priceOf', () => {
  const cases = [
    [[], 0],
    [['A'], 4000],
    [['A', 'B', 'C'], 9000],
    [['C', 'C', 'C', 'C'], 8000],
    [['C', 'C', 'C', 'C', 'C'], 9000],
  ];
  cases.forEach(([categories, cents]) => {
    it(`asks ${cents} for ${categories.join('') || 'nothing'}`, () => {
      expect(priceOf(categories)).to.equal(cents);
    });
  });

  it('refuses unknown categories', () => {
    expect(() => priceOf(['D'])).to.throw(TypeError, 'unknown category D');
    expect(() => priceOf(['toString'])).to.throw(TypeError, 'unknown category toString');
  });
});

describe('render', () => {
  it('draws the hall', async () => {
    const { hall } = makeHall();
    hall.hold(['A1', 'B3', 'B4'], 'ada');
    await hall.sell(['B3'], 'ada', async () => {});
    expectGolden('hall.txt', render(hall));
  });
});
