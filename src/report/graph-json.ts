import type { DependencyGraph } from "./graph.js";
import { safeJson } from "./safe-json.js";

/** The dependency graph as JSON: `{"nodes":[…],"edges":[…]}`. */
export function graphJson(graph: DependencyGraph): string {
  return safeJson({ nodes: graph.nodes, edges: graph.edges });
}
