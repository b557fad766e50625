export const MAX_DELAY = 60000;

export function exponential(attempt, base = 100) {
  if (attempt < 1) {
    throw new RangeError('attempt starts at one');
  }
  return Math.min(base * 2 ** (attempt - 1), MAX_DELAY);
}

export function linear(attempt, step = 100) {
  return Math.min(attempt * step, MAX_DELAY);
}

export function jittered(delay, random = Math.random) {
  return Math.round(delay / 2 + (random() * delay) / 2);
}

export function totalDelay(attempts, base) {
  let sum = 0;
  for (let attempt = 1; attempt <= attempts; attempt += 1) sum += exponential(attempt, base);
  return sum;
}

function constantDelay() {
  return 250;
}
