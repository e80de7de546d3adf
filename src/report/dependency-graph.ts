import type { ShownCommit } from "../plan/plan-format.js";
import { safeJson, guardRunner, visibleLine } from "../core/visible.js";
import { commitLine } from "./report-view.js";

export const graphFormats = ["mermaid", "json"] as const;
export type GraphFormat = (typeof graphFormats)[number];

/** Which resource uses which: `from` refers to `to` at `path` of its manifest. */
export interface DependencyGraph {
  readonly nodes: readonly DependencyNode[];
  readonly edges: readonly DependencyEdge[];
  /** The commit of `--ref` that the manifests are from. */
  readonly shown?: ShownCommit | null;
}

export interface DependencyNode {
  /** Address of a manifest, or the id or address of a resource without a manifest. */
  readonly id: string;
  /** Null for a resource without a manifest. */
  readonly kind: string | null;
  readonly source: { readonly file: string; readonly line: number } | null;
}

export interface DependencyEdge {
  readonly from: string;
  readonly to: string;
  /** `spec.backend.backend` */
  readonly path: string;
}

const renderers = { mermaid: graphMermaid, json: graphJson } as const satisfies {
  readonly [F in GraphFormat]: (graph: DependencyGraph) => string;
};

/** The dependency graph in one of its formats. Edges may name nodes that are not listed. */
export function renderGraph(graph: DependencyGraph, format: GraphFormat): string {
  return renderers[format](graph);
}

/** The dependency graph as a Mermaid flowchart, which forges draw within Markdown. */
function graphMermaid(graph: DependencyGraph): string {
  const names = nodeNames(graph);
  const external = externalIds(graph, names);
  const lines = [
    ...commentOf(graph),
    "flowchart LR",
    ...[...names].map(([id, name]) => `  ${name}["${label(id)}"]`),
    ...graph.edges.map((edge) => `  ${names.get(edge.from)} -- "${label(edge.path)}" --> ${names.get(edge.to)}`),
    ...(external.size === 0
      ? []
      : [
          "  classDef external stroke-dasharray: 4 4",
          `  class ${[...external].map((id) => names.get(id)).join(",")} external`,
        ]),
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

/** The comment that names the commit. Braces mean something to Mermaid even there. */
function commentOf({ shown }: DependencyGraph): readonly string[] {
  const line = commitLine(shown ?? {});
  return line === null ? [] : [`%% ${line.replaceAll(/[{}]/g, "?")}`];
}

/** Mermaid reads HTML and Markdown in labels: everything but plain characters is written as an entity code. */
function label(text: string): string {
  const safe = visibleLine(text).replace(
    /[^\p{L}\p{N} ._/:,-]/gu,
    (character) => `#${character.codePointAt(0) ?? 32};`,
  );
  return safe === "" ? " " : safe;
}

/** The dependency graph as JSON: `{"nodes":[…],"edges":[…]}`. */
function graphJson(graph: DependencyGraph): string {
  return safeJson({ nodes: graph.nodes, edges: graph.edges, ...graph.shown });
}

/** Short names (`n0`, `n1`, …) for the nodes of a graph, so that no text of a node is taken for syntax. */
function nodeNames(graph: DependencyGraph): ReadonlyMap<string, string> {
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

/** The nodes that no manifest describes. */
function externalIds(graph: DependencyGraph, names: ReadonlyMap<string, string>): ReadonlySet<string> {
  const described = new Set(graph.nodes.filter((node) => node.kind !== null).map((node) => node.id));
  return new Set([...names.keys()].filter((id) => !described.has(id)));
}
