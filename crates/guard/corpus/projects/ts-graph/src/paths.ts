import { Graph } from './graph';

export interface Path {
  nodes: string[];
  cost: number;
}

export function shortestPath(graph: Graph, start: string, goal: string): Path | null {
  const costs = new Map<string, number>([[start, 0]]);
  const previous = new Map<string, string>();
  const open = new Set([start]);
  while (open.size > 0) {
    const current = [...open].reduce((a, b) => (costs.get(a)! <= costs.get(b)! ? a : b));
    if (current === goal) break;
    open.delete(current);
    for (const edge of graph.neighbours(current)) {
      const cost = costs.get(current)! + edge.weight;
      if (cost < (costs.get(edge.to) ?? Infinity)) {
        costs.set(edge.to, cost);
        previous.set(edge.to, current);
        open.add(edge.to);
      }
    }
  }
  if (!costs.has(goal)) return null;
  const nodes = [goal];
  while (nodes[0] !== start) nodes.unshift(previous.get(nodes[0]!)!);
  return { nodes, cost: costs.get(goal)! };
}

export function topologicalOrder(graph: Graph): string[] {
  const order: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const visit = (name: string): void => {
    if (state.get(name) === 'done') return;
    if (state.get(name) === 'open') {
      throw new Error(`cycle through ${name}`);
    }
    state.set(name, 'open');
    for (const edge of graph.neighbours(name)) visit(edge.to);
    state.set(name, 'done');
    order.unshift(name);
  };
  graph.nodes().forEach(visit);
  return order;
}
