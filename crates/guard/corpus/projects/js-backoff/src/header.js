export function parseRetryAfter(text, now = 0) {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  if (Number.isNaN(at)) {
    throw new SyntaxError(`invalid header ${text}`);
  }
  return Math.max(0, at - now);
}

export function isRetryable(status) {
  return status === 429 || status >= 500;
}

export function describeStatus(status) {
  if (!Number.isInteger(status)) {
    throw new TypeError('status must be a number');
  }
  if (status === 429) return 'slow down';
  if (status >= 500) return 'server trouble';
  return 'fine';
}

export function parseLimits(text) {
  try {
    const { limit, window } = JSON.parse(text);
    return { limit, window };
  } catch (error) {
    throw new SyntaxError('unreadable limits', { cause: error });
  }
}
