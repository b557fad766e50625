import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { formatTime, parsePlan, parseTime, PlanError, TimeError } from '../src/index';

describe('parseTime', () => {
  test.each([
    ['00:00', 0],
    ['08:05', 485],
    ['24:10', 1450],
    ['29:59', 1799],
  ])('%s is %i', (text, minutes) => {
    expect(parseTime(text)).toBe(minutes);
  });

  test.each(['', '8:00', '08:60', '30:00', '08:00 ', 'noon'])('refuses %j', (text) => {
    expect(() => parseTime(text)).toThrowError(TimeError);
  });
});

describe('formatTime', () => {
  it('marks the next day', () => {
    expect(formatTime(485)).toBe('08:05');
    expect(formatTime(1450)).toBe('00:10+');
  });

  it('is the inverse of parseTime', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1439 }), (minutes) => {
        expect(parseTime(formatTime(minutes))).toBe(minutes);
      }),
    );
  });
});

describe('parsePlan', () => {
  it('reads trips', () => {
    expect(parsePlan('R1 daily: A 08:00, B 08:10-08:12 # slow')).toStrictEqual([
      { line: 'R1', days: 'daily', calls: [{ stop: 'A', arrives: 480, departs: 480 }, { stop: 'B', arrives: 490, departs: 492 }] },
    ]);
  });

  it.each([
    ['R1', '1: cannot read this line'],
    ['\nR1 never: A 08:00, B 08:10', "2: unknown days 'never'"],
    ['R1 daily: A 08:00, B', "1: cannot read 'B'"],
    ['R1 daily: A 08:00', '1: a trip has two stops at least'],
    ['R1 daily: A 08:00, B 07:59', '1: B is before the last stop'],
    ['R1 daily: A 08:00, B 08:10-08:09', '1: B is before the last stop'],
  ])('refuses %j', (text, message) => {
    const attempt = (): unknown => parsePlan(text);
    expect(attempt).toThrow(PlanError);
    expect(attempt).toThrow(message);
  });
});
