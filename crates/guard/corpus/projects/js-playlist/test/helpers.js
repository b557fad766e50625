'use strict';

let serial = 0;

/** A track with what the test cares about. */
exports.track = (over = {}) => {
  serial += 1;
  return { seconds: 100, artist: 'Nobody', title: `Track ${serial}`, file: `${serial}.mp3`, ...over };
};

/** Random numbers that repeat. */
exports.fromList = (...numbers) => {
  let at = 0;
  return () => numbers[at++ % numbers.length];
};
