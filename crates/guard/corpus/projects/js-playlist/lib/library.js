'use strict';

const fs = require('node:fs/promises');
const path = require('node:path');
const { PlaylistError, parse } = require('./m3u');

/** A folder of playlists, and a service that knows more about tracks. */
class Library {
  constructor(folder, { lookup, features = require('../features.json') } = {}) {
    this.folder = folder;
    this.lookup = lookup;
    this.features = features;
  }

  async open(name) {
    if (name.includes('/') || name.startsWith('.')) {
      throw new PlaylistError(`not a playlist name: ${name}`);
    }
    let text;
    try {
      text = await fs.readFile(path.join(this.folder, `${name}.m3u`), 'utf8');
    } catch (error) {
      if (error.code === 'ENOENT') {
        throw new PlaylistError(`no playlist ${name}`);
      }
      throw error;
    }
    return parse(text);
  }

  /** Adds years where the service knows them. */
  async withYears(tracks) {
    if (!this.features.years) {
      return tracks;
    }
    return Promise.all(
      tracks.map(async (track) => {
        try {
          return { ...track, year: await this.lookup(track) };
        } catch (error) {
          return { ...track, year: null, problem: error.message };
        }
      }),
    );
  }
}

module.exports = { Library };
