import { shortestPath } from '../src/paths';
import { edgeLabel, formatPath, parseGraph } from '../src/text';

describe('parseGraph', () => {
  it('reads edges', () => {
    const graph = parseGraph('a -> b 3\n\n  b -> c  \n');
    expect(graph.nodes()).toEqual(['a', 'b', 'c']);
    expect(graph.neighbours('a')[0]!.weight).toBe(3);
  });

  it('rejects garbage', () => {
    expect(() => parseGraph('a => b')).toThrow('cannot read: a => b');
  });

  it('reads nothing', () => {
    expect(parseGraph('').size).toBe(0);
  });
});

describe('formatPath', () => {
  it('joins nodes', () => {
    expect(formatPath(['a', 'b'])).toBe('a > b');
  });

  it('shows one node', () => {
    expect(formatPath(['a'])).toBe('a');
  });

  it('shows nothing', () => {
    expect(formatPath([])).toBe('');
  });

  it('labels edges', () => {
    expect(edgeLabel('a', 'b')).toBe('a->b');
  });

  it('has nowhere to go', () => {
    expect(shortestPath(parseGraph('a -> b'), 'b', 'a')).toBeNull();
  });
});
