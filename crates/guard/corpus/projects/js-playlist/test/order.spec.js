'use strict';

const { expect } = require('chai');
const { fit, shuffle, sortBy, unique } = require('../lib/order');
const { fromList, track } = require('./helpers');

describe('sortBy', () => {
  const tracks = [
    track({ artist: 'beck', title: 'Track 10' }),
    track({ artist: 'Abba', title: 'Zed' }),
    track({ artist: 'Beck', title: 'Track 9' }),
  ];

  it('sorts by several keys', () => {
    const sorted = sortBy(tracks, 'artist', 'title');
    expect(sorted.map((item) => item.title)).to.deep.equal(['Zed', 'Track 9', 'Track 10']);
  });

  it('leaves its input alone', () => {
    sortBy(tracks, 'title');
    expect(tracks[0].artist).to.equal('beck');
  });

  it('refuses unknown keys', () => {
    expect(() => sortBy(tracks, 'mood')).to.throw(TypeError, 'cannot sort by mood');
  });
});

describe('shuffle', () => {
  it('follows its random numbers', () => {
    expect(shuffle(['a', 'b', 'c'], fromList(0, 0))).to.deep.equal(['b', 'c', 'a']);
  });

  it('keeps every track', () => {
    const shuffled = shuffle([1, 2, 3, 4, 5, 6, 7]);
    expect(shuffled).to.have.members([1, 2, 3, 4, 5, 6, 7]);
  });

  it('moves a track everywhere about equally often', () => {
    const counts = [0, 0, 0];
    for (let run = 0; run < 6000; run += 1) {
      counts[shuffle(['x', 'y', 'z']).indexOf('x')] += 1;
    }
    expect(counts[0] / 6000).to.be.closeTo(1 / 3, 0.05);
  });
});

describe('unique', () => {
  it('keeps the first', () => {
    const first = track({ file: 'a.mp3', title: 'first' });
    const again = track({ file: 'a.mp3', title: 'again' });
    expect(unique([first, again, track()])[0].title).to.equal('first');
    expect(unique([first, again])).to.have.lengthOf(1);
  });
});

describe('fit', () => {
  it('stops before the time is over', () => {
    const tracks = [track({ seconds: 60 }), track({ seconds: 50 }), track({ seconds: 20 })];
    expect(fit(tracks, 115)).to.deep.equal(tracks.slice(0, 2));
  });

  it('needs some time', () => {
    expect(() => fit([], 0)).to.throw(RangeError, 'no time');
  });
});
