import { graphDot } from "./graph-dot.js";
import { graphJson } from "./graph-json.js";
import { graphMermaid } from "./graph-mermaid.js";
import type { DependencyGraph } from "./graph.js";

export const graphFormats = ["mermaid", "dot", "json"] as const;
export type GraphFormat = (typeof graphFormats)[number];

const renderers = { mermaid: graphMermaid, dot: graphDot, json: graphJson } as const satisfies {
  readonly [F in GraphFormat]: (graph: DependencyGraph) => string;
};

/** The dependency graph in one of its formats. Edges may name nodes that are not listed. */
export function renderGraph(graph: DependencyGraph, format: GraphFormat): string {
  return renderers[format](graph);
}
