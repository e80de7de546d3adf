import { guardRunner, visibleLine } from "./escape.js";
import { nodeNames, type DependencyGraph } from "./graph.js";

/** The dependency graph in the DOT language. */
export function graphDot(graph: DependencyGraph): string {
  const names = nodeNames(graph);
  const known = new Map(graph.nodes.map((node) => [node.id, node]));
  const lines = [
    "digraph edgewise {",
    "  rankdir=LR;",
    '  node [shape=box, fontname="sans-serif"];',
    ...[...names].map(([id, name]) => {
      const external = known.get(id)?.kind == null ? ", style=dashed" : "";
      return `  ${name} [label=${quoted(id)}${external}];`;
    }),
    ...graph.edges.map((edge) => `  ${names.get(edge.from)} -> ${names.get(edge.to)} [label=${quoted(edge.path)}];`),
    "}",
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

function quoted(text: string): string {
  return `"${visibleLine(text).replace(/[\\"]/g, "\\$&")}"`;
}
