export type Edge = { from: string; to: string; weight: number };

export class GraphError extends Error {}

export class Graph {
  private readonly edges = new Map<string, Edge[]>();

  addNode(name: string): this {
    if (name === '') {
      throw new GraphError('a node needs a name');
    }
    if (!this.edges.has(name)) this.edges.set(name, []);
    return this;
  }

  addEdge(from: string, to: string, weight = 1): this {
    if (weight < 0) {
      throw new GraphError(`negative weight: ${weight}`);
    }
    this.addNode(from).addNode(to);
    this.edges.get(from)!.push({ from, to, weight });
    return this;
  }

  neighbours(name: string): Edge[] {
    const edges = this.edges.get(name);
    if (!edges) {
      throw new GraphError(`no such node: ${name}`);
    }
    return edges;
  }

  nodes(): string[] {
    return [...this.edges.keys()];
  }

  get size(): number {
    return this.edges.size;
  }
}
