import { Numbering } from '../src/numbers';
import { MemoryCounter } from './factory';

describe('Numbering', () => {
  let counter: MemoryCounter;
  let numbering: Numbering;

  beforeEach(() => {
    counter = new MemoryCounter();
    numbering = new Numbering(counter);
  });

  it('counts per year', async () => {
    expect(await numbering.next(2024)).toBe('2024-00001');
    expect(await numbering.next(2024)).toBe('2024-00002');
    await expect(numbering.next(2025)).resolves.toBe('2025-00001');
  });

  it('leaves no gaps and gives none twice when asked at once', async () => {
    const numbers = await Promise.all(Array.from({ length: 20 }, () => numbering.next(2024)));
    expect(new Set(numbers).size).toBe(20);
    expect([...numbers].sort().at(-1)).toBe('2024-00020');
  });

  it('goes on after a failure', async () => {
    jest.spyOn(counter, 'write').mockRejectedValueOnce(new Error('disk full'));
    await expect(numbering.next(2024)).rejects.toThrow('disk full');
    await expect(numbering.next(2024)).resolves.toBe('2024-00001');
  });

  it('ends at 99999', async () => {
    counter.values.set(2024, 99_999);
    await expect(numbering.next(2024)).rejects.toThrow('no numbers left in 2024');
    expect(counter.values.get(2024)).toBe(99_999);
  });

  it.each([1999, 10_000, 2024.5, Number.NaN])('refuses the year %d', async (year) => {
    await expect(numbering.next(year)).rejects.toThrow(RangeError);
  });
});
