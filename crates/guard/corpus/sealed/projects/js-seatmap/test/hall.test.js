'use strict';

const { expect } = require('chai');
const { HOLD_MS } = require('../lib/hall');
const { makeHall, caught } = require('./support/hall');

describe('Hall', () => {
  let hall;
  let now;
  let sold;

  beforeEach(() => {
    sold = [];
    ({ hall, now } = makeHall({ onSold: (seat, customer) => sold.push([seat.id, customer]) }));
  });

  describe('state', () => {
    it('is free at first', () => {
      expect(hall.state('A1')).to.equal('free');
      expect(hall.state('C3')).to.equal('broken');
    });

    it('knows no aisles', () => {
      expect(caught(() => hall.state('A3'))).to.be.a.seatError('unknown');
      expect(caught(() => hall.state('Z1')).message).to.equal('there is no seat Z1');
    });
  });

  describe('hold', () => {
    it('holds for ten minutes', () => {
      hall.hold(['A1', 'A2'], 'ada');
      expect(hall.state('A1')).to.equal('held');
      now.forward(HOLD_MS - 1);
      expect(hall.state('A2')).to.equal('held');
      now.forward(1);
      expect(hall.state('A2')).to.equal('free');
    });

    it('holds all or nothing', () => {
      hall.hold(['B2'], 'ada');
      const error = caught(() => hall.hold(['B1', 'B2', 'B3'], 'bob'));
      expect(error).to.be.a.seatError('taken');
      expect(error.message).to.equal('not free: B2');
      expect(hall.state('B1')).to.equal('free');
      expect(hall.seat('B2').holder).to.equal('ada');
    });

    it('refuses broken seats, nobody, and seats named twice', () => {
      expect(caught(() => hall.hold(['C3'], 'ada'))).to.be.a.seatError('taken');
      expect(caught(() => hall.hold(['C1'], ''))).to.be.a.seatError('customer');
      expect(caught(() => hall.hold(['C1', 'C1'], 'ada'))).to.be.a.seatError('twice');
    });

    it('can be released by its holder alone', () => {
      hall.hold(['A1'], 'ada');
      hall.release(['A1'], 'bob');
      expect(hall.state('A1')).to.equal('held');
      hall.release(['A1'], 'ada');
      expect(hall.state('A1')).to.equal('free');
    });
  });

  describe('sell', () => {
    it('sells held seats', async () => {
      const paid = [];
      hall.hold(['B1', 'B2'], 'ada');
      await hall.sell(['B1', 'B2'], 'ada', async (ids) => { paid.push(...ids); });
      expect(paid).to.deep.equal(['B1', 'B2']);
      expect(sold).to.deep.equal([['B1', 'ada'], ['B2', 'ada']]);
      expect(hall.state('B1')).to.equal('sold');
    });

    it('keeps the hold when the payment fails', async () => {
      hall.hold(['B1'], 'ada');
      let error;
      try {
        await hall.sell(['B1'], 'ada', () => Promise.reject(new Error('card declined')));
      } catch (problem) {
        error = problem;
      }
      expect(error).to.be.an('error').with.property('message', 'card declined');
      expect(hall.state('B1')).to.equal('held');
      expect(sold).to.deep.equal([]);
    });

    it('sells nothing that expired', async () => {
      hall.hold(['B1'], 'ada');
      now.forward(HOLD_MS);
      const error = await hall.sell(['B1'], 'ada', async () => {}).then(() => null, (problem) => problem);
      expect(error).to.be.a.seatError('not-held');
    });
  });
});
