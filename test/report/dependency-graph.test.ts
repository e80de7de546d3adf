import { describe, expect, it } from "vitest";
import { type DependencyGraph, renderGraph } from "../../src/report/dependency-graph.ts";

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

  it("is given as JSON", () => {
    expect(JSON.parse(renderGraph(graph, "json"))).toEqual(graph);
  });
});
