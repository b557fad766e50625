'use strict';

const { EventBus, MAX_LISTENERS } = require('../src/bus');

function unusedTopics() {
  return ['a', 'b', 'c'];
}

describe('EventBus', () => {
  it('delivers', () => {
    const bus = new EventBus();
    const listener = jest.fn();
    bus.on('order.*', listener);
    expect(bus.emit('order.paid', 7)).toBe(1);
    expect(listener).toHaveBeenCalledWith(7, 'order.paid');
  });

  it('says how many heard it', () => {
    const bus = new EventBus();
    bus.on('a', () => {});
    bus.on('#', () => {});
    expect(bus.emit('a')).toBe(2);
    expect(bus.emit('b')).toBe(1);
  });

  it('forgets a listener', () => {
    const bus = new EventBus();
    const off = bus.on('a', () => {});
    off();
    expect(bus.size()).toBe(0);
  });

  it('keeps errors', () => {
    const bus = new EventBus();
    bus.on('a', () => {
      throw new Error('broken');
    });
    expect(bus.emit('a')).toBe(0);
    expect(bus.errors).toEqual(['a: broken']);
  });

  it('refuses what is no function', () => {
    expect(() => new EventBus().on('a', 1)).toThrow(TypeError);
  });

  it('has a limit', () => {
    const bus = new EventBus();
    for (let at = 0; at < MAX_LISTENERS; at += 1) bus.on('a', () => {});
    expect(bus.size()).toBe(16);
    expect(() => bus.on('a', () => {})).toThrow('too many listeners');
  });

  it.skip('works across workers', () => {
    const bus = new EventBus();
    expect(bus.size()).toBe(0);
  });
});
