export interface Source {
  load(): Promise<number>;
}

export async function loadUnread(source: Source, log: (message: string) => void): Promise<number | null> {
  try {
    const count = await source.load();
    if (count < 0) {
      throw new RangeError('negative count');
    }
    return count;
  } catch (error) {
    log(`unread: ${(error as Error).message}`);
    throw error;
  }
}

export async function pollUnread(source: Source, times: number): Promise<number[]> {
  const counts: number[] = [];
  for (let i = 0; i < times; i += 1) {
    counts.push(await source.load());
  }
  return counts;
}
