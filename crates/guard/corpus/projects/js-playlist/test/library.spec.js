'use strict';

const path = require('node:path');
const { expect } = require('chai');
const { Library } = require('../lib/library');
const { PlaylistError } = require('../lib/m3u');
const { track } = require('./helpers');

describe('Library', () => {
  let library;

  beforeEach(() => {
    library = new Library(path.join(__dirname, 'fixtures'), { lookup: async () => 1965 });
  });

  const failure = (promise) => promise.then(() => expect.fail('nothing was thrown'), (error) => error);

  it('opens a playlist', async () => {
    const tracks = await library.open('evening');
    expect(tracks[1].artist).to.equal('Dave Brubeck');
  });

  it('says which playlist is missing', async () => {
    const error = await failure(library.open('morning'));
    expect(error).to.be.instanceOf(PlaylistError);
    expect(error.message).to.equal('no playlist morning');
  });

  it('does not leave its folder', async () => {
    const error = await failure(library.open('../secret'));
    expect(error.message).to.contain('not a playlist name');
  });

  it('adds years', async () => {
    const [found] = await library.withYears([track({ title: 'Feeling Good' })]);
    expect(found.year).to.equal(1965);
  });

  it('goes on when the service fails', async () => {
    library.lookup = async () => {
      throw new Error('503');
    };
    const [found] = await library.withYears([track()]);
    expect(found.year).to.equal(null);
    expect(found.problem).to.equal('503');
  });
});
