import { describe, expect, it, vi } from 'vitest';
import { loadUnread, pollUnread } from './useUnread';

describe('loadUnread', () => {
  it('gives the count', async () => {
    const source = { load: vi.fn().mockResolvedValue(4) };
    expect(await loadUnread(source, vi.fn())).toBe(4);
    expect(source.load).toHaveBeenCalledTimes(1);
  });

  it('logs and passes on failures', async () => {
    const log = vi.fn();
    const source = { load: vi.fn().mockRejectedValue(new Error('offline')) };
    await expect(loadUnread(source, log)).rejects.toThrow('offline');
    expect(log).toHaveBeenCalledWith('unread: offline');
  });

  it('rejects a negative count', async () => {
    const source = { load: vi.fn().mockResolvedValue(-1) };
    await expect(loadUnread(source, vi.fn())).rejects.toThrow(RangeError);
  });

  it('polls', { retry: 1, timeout: 1000 }, async () => {
    const source = { load: vi.fn().mockResolvedValueOnce(1).mockResolvedValueOnce(2) };
    expect(await pollUnread(source, 2)).toEqual([1, 2]);
  });
});
