/** Which resource uses which: `from` refers to `to` at `path` of its manifest. */
export interface DependencyGraph {
  readonly nodes: readonly DependencyNode[];
  readonly edges: readonly DependencyEdge[];
}

export interface DependencyNode {
  /** Address of a manifest, or the id or address of something that no manifest here describes. */
  readonly id: string;
  /** The kind, or null for what no manifest describes. */
  readonly kind: string | null;
  readonly source: { readonly file: string; readonly line: number } | null;
}

export interface DependencyEdge {
  readonly from: string;
  readonly to: string;
  /** `spec.backend.backend` */
  readonly path: string;
}

/** Short names (`n0`, `n1`, …) for the nodes of a graph, so that no text of a node is ever taken for syntax. */
export function nodeNames(graph: DependencyGraph): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const name = (id: string): void => {
    if (!names.has(id)) names.set(id, `n${names.size}`);
  };
  for (const node of graph.nodes) name(node.id);
  for (const edge of graph.edges) {
    name(edge.from);
    name(edge.to);
  }
  return names;
}
