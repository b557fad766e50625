'use strict';

const { matchTopic } = require('./topic');

const MAX_LISTENERS = 16;

class EventBus {
  constructor() {
    this.listeners = [];
    this.errors = [];
  }

  on(pattern, listener) {
    if (typeof listener !== 'function') {
      throw new TypeError('listener must be a function');
    }
    if (this.listeners.length >= MAX_LISTENERS) {
      throw new RangeError('too many listeners');
    }
    const entry = { pattern, listener };
    this.listeners.push(entry);
    return () => {
      this.listeners = this.listeners.filter((item) => item !== entry);
    };
  }

  emit(topic, payload) {
    let count = 0;
    for (const { pattern, listener } of this.listeners) {
      if (!matchTopic(pattern, topic)) continue;
      try {
        listener(payload, topic);
        count += 1;
      } catch (error) {
        this.errors.push(`${topic}: ${error.message}`);
      }
    }
    return count;
  }

  size() {
    return this.listeners.length;
  }
}

module.exports = { EventBus, MAX_LISTENERS };
