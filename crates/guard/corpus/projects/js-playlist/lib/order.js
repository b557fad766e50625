'use strict';

const COLLATOR = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

function sortBy(tracks, ...keys) {
  for (const key of keys) {
    if (!['artist', 'title', 'seconds', 'file'].includes(key)) {
      throw new TypeError(`cannot sort by ${key}`);
    }
  }
  return [...tracks].sort((left, right) => {
    for (const key of keys) {
      const order = key === 'seconds' ? left.seconds - right.seconds : COLLATOR.compare(left[key], right[key]);
      if (order !== 0) {
        return order;
      }
    }
    return 0;
  });
}

/** Fisher-Yates; the source of random numbers is given so that tests know it. */
function shuffle(tracks, random = Math.random) {
  const result = [...tracks];
  for (let at = result.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [result[at], result[other]] = [result[other], result[at]];
  }
  return result;
}

/** Keeps the first of tracks with the same file. */
function unique(tracks) {
  const seen = new Set();
  return tracks.filter((track) => !seen.has(track.file) && seen.add(track.file));
}

/** The longest run of tracks that fits into a time. */
function fit(tracks, seconds) {
  if (seconds <= 0) {
    throw new RangeError('nothing fits into no time');
  }
  const chosen = [];
  let left = seconds;
  for (const track of tracks) {
    if (track.seconds > left) {
      break;
    }
    chosen.push(track);
    left -= track.seconds;
  }
  return chosen;
}

module.exports = { fit, shuffle, sortBy, unique };
