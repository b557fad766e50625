import { Graph, GraphError } from '../src/graph';

describe('Graph', () => {
  let graph: Graph;

  beforeEach(() => {
    graph = new Graph().addEdge('a', 'b', 2).addEdge('a', 'c');
  });

  it('adds nodes with edges', () => {
    expect(graph.nodes()).toEqual(['a', 'b', 'c']);
    expect(graph.size).toBe(3);
  });

  it('lists neighbours', () => {
    expect(graph.neighbours('a').map((edge) => edge.to)).toEqual(['b', 'c']);
    expect(graph.neighbours('b')).toEqual([]);
  });

  it('has a default weight', () => {
    expect(graph.neighbours('a')[1]).toEqual({ from: 'a', to: 'c', weight: 1 });
  });

  it('adds a node once', () => {
    graph.addNode('a');
    expect(graph.size).toBe(3);
  });

  it('knows its nodes', () => {
    expect(() => graph.neighbours('z')).toThrow('no such node: z');
  });

  it('rejects negative weights', () => {
    expect(() => graph.addEdge('a', 'b', -1)).toThrow(GraphError);
  });

  it('rejects nameless nodes', () => {
    expect(() => graph.addNode('')).toThrow(GraphError);
  });
});
