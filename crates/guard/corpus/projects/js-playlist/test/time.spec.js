'use strict';

const { expect } = require('chai');
const { clock, readClock, total } = require('../lib/time');
const { track } = require('./helpers');

describe('clock', () => {
  const cases = [
    { seconds: 0, text: '0:00' },
    { seconds: 65, text: '1:05' },
    { seconds: 599.6, text: '10:00' },
    { seconds: 3723, text: '1:02:03' },
  ];

  cases.forEach(({ seconds, text }) => {
    it(`shows ${seconds} as ${text}`, () => {
      expect(clock(seconds)).to.equal(text);
    });
  });

  it('refuses what is no duration', () => {
    expect(() => clock(-1)).to.throw(RangeError, 'not a duration: -1');
    expect(() => clock(NaN)).to.throw(RangeError);
  });
});

describe('readClock', () => {
  it('undoes clock', () => {
    for (let seconds = 0; seconds < 8000; seconds += 13) {
      expect(readClock(clock(seconds))).to.equal(seconds);
    }
  });

  it('refuses sixty seconds', () => {
    expect(() => readClock('1:60')).to.throw(RangeError, 'not a clock');
  });
});

describe('total', () => {
  it('adds what is known', () => {
    expect(total([track({ seconds: 10 }), track({ seconds: -1 }), track({ seconds: 5 })])).to.equal(15);
  });

  it('is nothing for no tracks', () => {
    expect(total([])).to.equal(0);
  });

  it('is quick for a long list', function () {
    this.timeout(500);
    const tracks = Array.from({ length: 50_000 }, () => track({ seconds: 2 }));
    expect(total(tracks)).to.equal(100_000);
  });
});
