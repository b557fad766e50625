import { Graph } from './graph';

export function parseGraph(text: string): Graph {
  const graph = new Graph();
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const match = /^\s*(\w+)\s*->\s*(\w+)(?:\s+(\d+))?\s*$/.exec(line);
    if (!match) {
      throw new SyntaxError(`cannot read: ${line.trim()}`);
    }
    graph.addEdge(match[1]!, match[2]!, match[3] ? Number(match[3]) : 1);
  }
  return graph;
}

function quoteName(name: string): string {
  return JSON.stringify(name);
}

export function formatPath(nodes: string[]): string {
  return nodes.join(' > ');
}

export function edgeLabel(from: string, to: string): string {
  return `${from}->${to}`;
}
