import { Graph } from '../src/graph';
import { shortestPath, topologicalOrder } from '../src/paths';
import { parseGraph } from '../src/text';

const map = parseGraph('a -> b 1\nb -> c 2\na -> c 5\nd -> a');

describe('shortestPath', () => {
  it('prefers the cheaper way', () => {
    expect(shortestPath(map, 'a', 'c')).toEqual({ nodes: ['a', 'b', 'c'], cost: 3 });
  });

  it('stays where it is', () => {
    expect(shortestPath(map, 'a', 'a')).toEqual({ nodes: ['a'], cost: 0 });
  });

  it('finds no way', () => {
    expect(shortestPath(map, 'c', 'a')).toBeNull();
  });

  it.each([
    ['d', 'a', 1],
    ['d', 'b', 2],
    ['d', 'c', 4],
  ])('costs from %s to %s', (from, to, cost) => {
    expect(shortestPath(map, from, to)?.cost).toBe(cost);
  });
});

describe('topologicalOrder', () => {
  it('puts causes first', () => {
    const order = topologicalOrder(map);
    expect(order).toEqual(['d', 'a', 'b', 'c']);
    expect(order.indexOf('d')).toBeLessThan(order.indexOf('a'));
  });

  it('finds cycles', () => {
    const loop = new Graph().addEdge('x', 'y').addEdge('y', 'x');
    expect(() => topologicalOrder(loop)).toThrow('cycle through x');
  });

  it('handles a large graph', () => {
    const large = new Graph();
    for (let i = 0; i < 500; i += 1) large.addEdge(`n${i}`, `n${i + 1}`);
    expect(topologicalOrder(large)).toHaveLength(501);
  }, 4000);
});
