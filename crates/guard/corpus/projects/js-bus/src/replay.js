'use strict';

function parseRecord(line) {
  try {
    const [topic, body] = JSON.parse(line);
    return { topic, body };
  } catch (error) {
    throw new SyntaxError(`invalid record: ${line}`, { cause: error });
  }
}

function percentile(values, rank) {
  if (values.length === 0) {
    throw new RangeError('no values');
  }
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor((rank / 100) * sorted.length))];
}

function average(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function replay(bus, text) {
  let count = 0;
  for (const line of text.split('\n').filter(Boolean)) {
    const { topic, body } = parseRecord(line);
    count += bus.emit(topic, body);
  }
  return count;
}

module.exports = { parseRecord, percentile, average, replay };
