import { guardRunner, visibleLine } from "./escape.js";
import { nodeNames, type DependencyGraph } from "./graph.js";

/** The dependency graph as a Mermaid flowchart, which forges draw in Markdown. */
export function graphMermaid(graph: DependencyGraph): string {
  const names = nodeNames(graph);
  const known = new Map(graph.nodes.map((node) => [node.id, node]));
  const external = [...names].filter(([id]) => known.get(id)?.kind == null).map(([, name]) => name);
  const lines = [
    "flowchart LR",
    ...[...names].map(([id, name]) => `  ${name}["${label(id)}"]`),
    ...graph.edges.map((edge) => `  ${names.get(edge.from)} -- "${label(edge.path)}" --> ${names.get(edge.to)}`),
    ...(external.length === 0
      ? []
      : ["  classDef external stroke-dasharray: 4 4", `  class ${external.join(",")} external`]),
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

/** Mermaid reads HTML and Markdown in labels: everything but plain characters is written as an entity code. */
function label(text: string): string {
  const safe = visibleLine(text).replace(
    /[^\p{L}\p{N} ._/:,-]/gu,
    (character) => `#${character.codePointAt(0) ?? 32};`,
  );
  return safe === "" ? " " : safe;
}
