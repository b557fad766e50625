'use strict';

/** Reads and writes extended M3U playlists. */

class PlaylistError extends Error {}

function parseInfo(line) {
  const match = /^#EXTINF:(-?\d+),(.*)$/.exec(line);
  if (!match) {
    throw new PlaylistError(`bad info line: ${line}`);
  }
  const seconds = Number(match[1]);
  const [artist, ...title] = match[2].split(' - ');
  return title.length > 0 ? { seconds, artist, title: title.join(' - ') } : { seconds, artist: '', title: artist };
}

function parse(text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  if (lines[0] !== '#EXTM3U') {
    throw new PlaylistError('missing #EXTM3U header');
  }
  const tracks = [];
  let info = null;
  for (const line of lines.slice(1)) {
    if (line.startsWith('#EXTINF')) {
      info = parseInfo(line);
    } else if (!line.startsWith('#')) {
      tracks.push({ seconds: -1, artist: '', title: line, ...info, file: line });
      info = null;
    }
  }
  return tracks;
}

function stringify(tracks) {
  const lines = ['#EXTM3U'];
  for (const track of tracks) {
    if (!track.file) {
      throw new PlaylistError('track without a file');
    }
    const name = track.artist ? `${track.artist} - ${track.title}` : track.title;
    lines.push(`#EXTINF:${track.seconds},${name}`, track.file);
  }
  return lines.join('\n') + '\n';
}

module.exports = { PlaylistError, parse, parseInfo, stringify };
