'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { expect } = require('chai');
const { PlaylistError, parse, parseInfo, stringify } = require('../lib/m3u');

const fixture = (name) => fs.readFileSync(path.join(__dirname, 'fixtures', name), 'utf8');

describe('parseInfo', () => {
  it('reads artist and title', () => {
    expect(parseInfo('#EXTINF:215,Nina Simone - Sinnerman')).to.deep.equal({ seconds: 215, artist: 'Nina Simone', title: 'Sinnerman' });
  });

  it('leaves dashes in the title alone', () => {
    expect(parseInfo('#EXTINF:1,A - B - C').title).to.equal('B - C');
  });

  it('does without an artist', () => {
    const info = parseInfo('#EXTINF:-1,Radio');
    expect(info.artist).to.equal('');
    expect(info.title).to.equal('Radio');
    expect(info.seconds).to.equal(-1);
  });

  it('refuses a line without a length', () => {
    expect(() => parseInfo('#EXTINF:Radio')).to.throw(PlaylistError, 'bad info line');
  });
});

describe('parse', () => {
  it('reads every track', () => {
    const tracks = parse(fixture('evening.m3u'));
    expect(tracks).to.have.lengthOf(4);
    expect(tracks.map((track) => track.file)).to.deep.equal(['sinnerman.mp3', 'take-five.mp3', 'http://radio.example.org/jazz', 'untitled.mp3']);
  });

  it('names a track without info after its file', () => {
    const [, , , last] = parse(fixture('evening.m3u'));
    expect(last).to.deep.equal({ seconds: -1, artist: '', title: 'untitled.mp3', file: 'untitled.mp3' });
  });

  it('skips comments and blank lines', () => {
    expect(parse('#EXTM3U\n\n# mine\na.mp3\n')).to.have.lengthOf(1);
  });

  it('accepts the line ends of Windows', () => {
    expect(parse('#EXTM3U\r\na.mp3\r\n')[0].file).to.equal('a.mp3');
  });

  it('needs the header', () => {
    expect(() => parse('a.mp3\n')).to.throw(PlaylistError, 'missing #EXTM3U');
  });
});

describe('stringify', () => {
  it('writes what parse reads', () => {
    const tracks = parse(fixture('evening.m3u'));
    expect(parse(stringify(tracks))).to.deep.equal(tracks);
  });

  it('writes the recorded file', () => {
    expect(stringify(parse(fixture('evening.m3u')))).to.equal(fixture('evening.written.m3u'));
  });

  it('refuses a track without a file', () => {
    expect(() => stringify([{ seconds: 1, artist: '', title: 'x' }])).to.throw(PlaylistError, 'without a file');
  });
});
