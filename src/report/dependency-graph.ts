import type { ShownCommit } from "../plan/plan-format.js";
import { safeJson, guardRunner, visibleLine } from "../core/visible.js";
import { commitLine } from "./report-view.js";

export type DependencyGraph = Readonly<{
  nodes: readonly DependencyNode[];
  edges: readonly DependencyEdge[];
  shown?: ShownCommit | null;
}>;

export type DependencyNode = Readonly<{
  /** An address, or the id of a resource without a manifest. */
  id: string;
  kind: string | null;
  source: Readonly<{ file: string; line: number }> | null;
}>;

export type DependencyEdge = Readonly<{
  from: string;
  to: string;
  path: string;
}>;

export function renderGraph(graph: DependencyGraph, format: string | undefined): string {
  const { edges, nodes, shown } = graph;
  return format === "json" ? safeJson({ nodes, edges, ...shown }) : graphMermaid(graph);
}

/** Short names keep texts of nodes from being taken for syntax. */
function graphMermaid({ edges, nodes, shown }: DependencyGraph): string {
  const ids = new Set([...nodes.map(({ id }) => id), ...edges.flatMap(({ from, to }) => [from, to])]);
  const names = new Map([...ids].map((id, index) => [id, `n${index}`]));
  const described = new Set(nodes.flatMap(({ id, kind }) => (kind === null ? [] : [id])));
  const external = [...names].flatMap(([id, name]) => (described.has(id) ? [] : [name]));
  const from = commitLine(shown ?? {});
  const lines = [
    // Braces mean something to Mermaid even in a comment.
    ...(from === "" ? [] : [`%% ${from.replaceAll(/[{}]/g, "?")}`]),
    "flowchart LR",
    ...[...names].map(([id, name]) => `  ${name}["${label(id)}"]`),
    ...edges.map((edge) => `  ${names.get(edge.from)} -- "${label(edge.path)}" --> ${names.get(edge.to)}`),
    ...(external.length === 0
      ? []
      : ["  classDef external stroke-dasharray: 4 4", `  class ${external.join(",")} external`]),
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

/** Mermaid reads HTML and Markdown in labels. */
function label(text: string): string {
  const safe = visibleLine(text).replace(
    /[^\p{L}\p{N} ._/:,-]/gu,
    (character) => `#${character.codePointAt(0) ?? 32};`,
  );
  return safe === "" ? " " : safe;
}
