import type { Graph } from "./graph.js";
import { safeJson } from "./safe-json.js";

/** The dependency graph as JSON: `{"nodes":[…],"edges":[…]}`. */
export function graphJson(graph: Graph): string {
  return safeJson({ nodes: graph.nodes, edges: graph.edges });
}
