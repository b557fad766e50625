'use strict';

const { EventBus } = require('../src/bus');
const { average, parseRecord, percentile, replay } = require('../src/replay');

describe('parseRecord', () => {
  it('reads a record', () => {
    expect(parseRecord('["a", 1]')).toEqual({ topic: 'a', body: 1 });
  });

  it('names a bad record', () => {
    expect(() => parseRecord('nonsense')).toThrow('invalid record: nonsense');
  });
});

describe('percentile', () => {
  it('sorts', () => {
    expect(percentile([3, 1, 2], 50)).toBe(2);
    expect(percentile([3, 1, 2], 99)).toBe(3);
  });

  it('needs values', () => {
    expect(() => percentile([], 50)).toThrow(RangeError);
  });

  it('is one of the values', () => {
    for (let round = 0; round < 250; round += 1) {
      const values = Array.from({ length: 9 }, () => Math.random());
      expect(values).toContain(percentile(values, round % 100));
    }
  });
});

describe('average', () => {
  it('is a mean', () => {
    expect(average([1, 2])).toBeCloseTo(1.5, 5);
  });
});

describe('replay', () => {
  it('emits every line', () => {
    const bus = new EventBus();
    const heard = [];
    bus.on('#', (body) => heard.push(body));
    expect(replay(bus, '["a", 1]\n["b", 2]\n')).toBe(2);
    expect(heard).toEqual([1, 2]);
  });

  it('is fast', () => {
    const bus = new EventBus();
    const started = Date.now();
    replay(bus, '["a", 1]\n'.repeat(1000));
    const elapsed = Date.now() - started;
    expect(elapsed).toBeLessThan(500);
  });
});
