// Functions around a handler.

export function compose(layers) {
  return async function run(request, last) {
    let reached = -1;
    async function step(index) {
      if (index <= reached) throw new Error('next() called twice');
      reached = index;
      const layer = layers[index];
      if (!layer) return last(request);
      return layer(request, () => step(index + 1));
    }
    return step(0);
  };
}

// Refuses bodies above a number of bytes.
export function limitBody(bytes) {
  return (request, next) => {
    if (Buffer.byteLength(request.body ?? '') > bytes) return { status: 413, body: 'too large' };
    return next();
  };
}

// Answers after a time even if the handler does not.
export function timeout(milliseconds, timers = { setTimeout, clearTimeout }) {
  return async (request, next) => {
    let timer;
    const late = new Promise((resolve) => {
      timer = timers.setTimeout(() => resolve({ status: 503, body: 'too slow' }), milliseconds);
    });
    try {
      return await Promise.race([next(), late]);
    } finally {
      timers.clearTimeout(timer);
    }
  };
}
