'use strict';

const { splitTopic, matchTopic, parentTopic, topicDepth } = require('../src/topic');

describe('matchTopic', () => {
  test.each([
    ['a.b', 'a.b', true],
    ['a.*', 'a.b', true],
    ['a.#', 'a.b.c', true],
    ['a.b', 'a.c', false],
    ['a.b.c', 'a.b', false],
  ])('%s with %s', (pattern, topic, expected) => {
    expect(matchTopic(pattern, topic)).toBe(expected);
  });

  it('needs the same length', () => {
    expect(matchTopic('a', 'a.b')).toBe(false);
    expect(matchTopic('*', 'a')).toBe(true);
  });
});

describe('splitTopic', () => {
  it('splits', () => {
    expect(splitTopic('order.paid')).toEqual(['order', 'paid']);
  });

  it('refuses an empty topic', () => {
    expect(() => splitTopic('')).toThrow('empty topic');
  });
});

describe('parentTopic', () => {
  it('is one level up', () => {
    expect(parentTopic('a.b.c')).toBe('a.b');
    expect(parentTopic('a.b')).toBe('a');
  });

  it('has none at the top', () => {
    expect(() => parentTopic('a')).toThrow(new RangeError('no parent of a'));
  });
});

describe('topicDepth', () => {
  it('counts', () => {
    expect(topicDepth('a')).toBe(1);
    expect(topicDepth('a.b.c')).toBe(3);
  });

  it('counts levels', () => {
    expect(topicDepth('a')).toBe(1);
    expect(topicDepth('a.b.c')).toBe(3);
  });
});
