import { describe, expect, it } from "vitest";
import { type DependencyGraph, renderGraph } from "../../src/report/dependency-graph.ts";
import { type Arrow, layoutDiagram, nodeHeight, reduceArrows } from "../../src/report/diagram-layout.ts";

const graph: DependencyGraph = {
  nodes: [
    { id: "TLSEdge/api", kind: "TLSEdge", source: { file: "edge/api.yaml", line: 1 } },
    { id: "HTTPResponseBackend/maintenance", kind: "HTTPResponseBackend", source: null },
    { id: 'ipp_"]; end\n::x', kind: null, source: null },
  ],
  edges: [
    { from: "TLSEdge/api", to: "HTTPResponseBackend/maintenance", path: "spec.backend.backend" },
    { from: "TLSEdge/api", to: 'ipp_"]; end\n::x', path: "spec.ip_restriction.ip_policies" },
    { from: "TLSEdge/api", to: "ca_1", path: "spec.mutual_tls.certificate_authorities" },
  ],
};

describe("the dependency graph", () => {
  it("is drawn as mermaid, with no text taken for syntax", () => {
    expect(renderGraph(graph, "mermaid")).toBe(`flowchart LR
  n0["TLSEdge/api"]
  n1["HTTPResponseBackend/maintenance"]
  n2["ipp_#34;#93;#59; end#92;n::x"]
  n3["ca_1"]
  n0 -- "spec.backend.backend" --> n1
  n0 -- "spec.ip_restriction.ip_policies" --> n2
  n0 -- "spec.mutual_tls.certificate_authorities" --> n3
  classDef external stroke-dasharray: 4 4
  class n2,n3 external
`);
  });

  it("is drawn as dot", () => {
    const dot = renderGraph(graph, "dot");
    expect(dot).toContain('  n2 [label="ipp_\\"]; end\\\\n::x", style=dashed];');
    expect(dot).toContain('  n0 -> n1 [label="spec.backend.backend"];');
  });

  it("is given as JSON", () => {
    expect(JSON.parse(renderGraph(graph, "json"))).toEqual(graph);
  });
});

const arrow = (from: number, to: number): Arrow => ({ from, to, label: "use" });

describe("the order's drawing", () => {
  it("leaves out arrows that others imply, and refuses circles", () => {
    const reduced = reduceArrows(4, [arrow(0, 1), arrow(1, 2), arrow(0, 2), arrow(0, 3), arrow(2, 3)]);
    expect(reduced?.arrows.map(({ from, to }) => `${from}${to}`).sort()).toEqual(["01", "12", "23"]);
    expect(reduceArrows(2, [arrow(0, 1), arrow(1, 0)])).toBeNull();
  });

  it("puts what waits to the right, and nothing over anything", () => {
    const arrows = Array.from({ length: 150 }, (_, index) => arrow(index % 50, 50 + ((index * 7) % 100)));
    const reduced = reduceArrows(150, arrows);
    const layout = layoutDiagram(reduced?.order ?? [], reduced?.arrows ?? []);
    for (const { from, to } of arrows) expect(layout.nodes.get(from)?.x).toBeLessThan(layout.nodes.get(to)?.x ?? 0);
    const columns = new Map<number, number[]>();
    for (const { x, y } of layout.nodes.values()) columns.set(x, [...(columns.get(x) ?? []), y]);
    for (const ys of columns.values()) {
      ys.sort((a, b) => a - b).forEach((y, index) =>
        expect(index === 0 || y - (ys[index - 1] ?? 0) >= nodeHeight).toBe(true),
      );
      for (const y of ys) expect(y >= 0 && y + nodeHeight <= layout.height).toBe(true);
    }
  });
});
