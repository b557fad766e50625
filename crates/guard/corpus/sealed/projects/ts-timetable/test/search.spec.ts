import { describe, expect, it, vi } from 'vitest';
import { runsOn, search, show, UnknownStop } from '../src/index';
import { expectPossible, find, noHolidays, read, trips } from './helpers';

describe('search', () => {
  it('goes direct', () => {
    expect(find('Aldorf', 'Cham', '07:30')).toEqual([{ line: 'R1', from: 'Aldorf', to: 'Cham', departs: 480, arrives: 510 }]);
  });

  it('changes when that is faster, but not in less than four minutes', () => {
    const legs = find('Aldorf', 'Dorn', '07:30');
    expect(legs?.map((leg) => leg.line)).toEqual(['R1', 'X9']);
    expect(legs?.[1]?.departs).toBe(8 * 60 + 16);
    expectPossible(legs ?? []);
  });

  it('takes the next trip when one is gone', () => {
    expect(find('Aldorf', 'Bruck', '08:00')?.[0]?.departs).toBe(480);
    expect(find('Aldorf', 'Bruck', '08:01')?.[0]?.departs).toBe(600);
  });

  it('finds nothing after the last trip', () => {
    expect(find('Aldorf', 'Bruck', '10:01')).toBeNull();
    expect(find('Dorn', 'Aldorf', '00:00')).toBeNull();
  });

  it('compares stops without case', () => {
    expect(find('ALDORF', 'bruck', '07:00')).toHaveLength(1);
    expect(find('bruck', 'Bruck', '07:00')).toEqual([]);
  });

  it('knows which stops there are', () => {
    expect(() => find('Aldorf', 'Zell', '08:00')).toThrow(new UnknownStop('unknown stop: Zell'));
  });

  it('runs other trips on weekends and holidays', () => {
    expect(find('Cham', 'Egg', '08:00', '2024-05-04')?.[0]?.line).toBe('B4');
    const calendar = { isHoliday: vi.fn(() => true) };
    expect(find('Cham', 'Egg', '08:00', '2024-05-06', calendar)?.[0]?.line).toBe('B4');
    expect(calendar.isHoliday).toHaveBeenCalledWith('2024-05-06');
  });

  it('gives only possible connections', () => {
    const stops = ['Aldorf', 'Bruck', 'Cham', 'Dorn', 'Egg'];
    let found = 0;
    for (const from of stops) {
      for (const to of stops) {
        for (const hour of ['00:00', '08:05', '09:00']) {
          const legs = find(from, to, hour);
          if (!legs) continue;
          found += 1;
          expectPossible(legs);
        }
      }
    }
    expect(found).toBe(45);
  });
});

describe('runsOn', () => {
  it.each([
    ['daily', '2024-05-04', true],
    ['weekday', '2024-05-06', true],
    ['weekday', '2024-05-05', false],
    ['weekend', '2024-05-05', true],
    ['weekend', '2024-05-06', false],
  ] as const)('%s on %s: %s', (days, date, expected) => {
    expect(runsOn(days, date, noHolidays)).toBe(expected);
  });

  it('refuses what is no date', () => {
    expect(() => runsOn('daily', 'monday', noHolidays)).toThrow(/^not a date: monday$/);
  });
});

describe('show', () => {
  it('shows a connection', () => {
    expect(show(find('Aldorf', 'Egg', '07:00'))).toBe(read('aldorf-egg.txt'));
  });

  it('shows that there is none', () => {
    expect(show(null)).toBe('no connection\n');
    expect(show([])).toBe('you are there already\n');
  });

  it('is quick with many trips', () => {
    const many = Array.from({ length: 40 }, () => trips).flat();
    const started = performance.now();
    search(many, { from: 'Cham', to: 'Dorn', date: '2024-05-06', after: 0 }, noHolidays);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
