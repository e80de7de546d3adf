import type { Graph } from "./graph-of.js";

/** The graph in the DOT language; what lies outside the manifests is dashed. */
export function renderDot(graph: Graph): string {
  const lines = ["digraph edgewise {", "  rankdir=LR;", "  node [shape=box];"];
  for (const { id, external } of graph.nodes) lines.push(`  ${quoted(id)}${external ? " [style=dashed]" : ""};`);
  for (const { from, to, path } of graph.edges) {
    lines.push(`  ${quoted(from)} -> ${quoted(to)} [label=${quoted(path.replace(/^spec\./u, ""))}];`);
  }
  return `${lines.join("\n")}\n}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll(/\s/gu, " ")}"`;
}
