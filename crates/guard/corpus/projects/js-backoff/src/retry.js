import { exponential } from './delays.js';

export class RetryError extends Error {
  constructor(attempts, cause) {
    super(`gave up after ${attempts} attempts: ${cause.message}`, { cause });
    this.attempts = attempts;
  }
}

export async function retry(work, { attempts = 3, sleep = defaultSleep, retryable = () => true } = {}) {
  if (attempts < 1) {
    throw new RangeError('attempts must be positive');
  }
  let last;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!retryable(error)) throw error;
      last = error;
    }
    if (attempt < attempts) await sleep(exponential(attempt));
  }
  throw new RetryError(attempts, last);
}

function defaultSleep(delay) {
  return new Promise((resolve) => setTimeout(resolve, delay));
}
