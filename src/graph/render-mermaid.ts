import type { Graph } from "./graph-of.js";

/** The graph as a Mermaid flowchart; what lies outside the manifests has round corners. */
export function renderMermaid(graph: Graph): string {
  const keys = new Map(graph.nodes.map((node, index) => [node.id, `n${index}`]));
  const lines = ["flowchart LR"];
  for (const { id, external } of graph.nodes) {
    const label = `"${text(id)}"`;
    lines.push(`  ${keys.get(id)}${external ? `(${label})` : `[${label}]`}`);
  }
  for (const { from, to, path } of graph.edges) {
    lines.push(`  ${keys.get(from)} -->|"${text(path.replace(/^spec\./u, ""))}"| ${keys.get(to)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Mermaid takes entities by name or number, with `#` in place of `&`. */
function text(raw: string): string {
  return raw.replaceAll(/[^\w./: -]/gu, (character) => `#${character.codePointAt(0)};`);
}
