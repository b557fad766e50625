'use strict';

/** `3:05`, `1:02:03` */
function clock(seconds) {
  if (!Number.isFinite(seconds) || seconds < 0) {
    throw new RangeError(`not a duration: ${seconds}`);
  }
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] > 0 ? parts : parts.slice(1);
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

function readClock(text) {
  if (!/^\d+(:[0-5]\d){1,2}$/.test(text)) {
    throw new RangeError(`not a clock: ${text}`);
  }
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** Known lengths only: streams have -1. */
function total(tracks) {
  return tracks.filter((track) => track.seconds > 0).reduce((sum, track) => sum + track.seconds, 0);
}

module.exports = { clock, readClock, total };
