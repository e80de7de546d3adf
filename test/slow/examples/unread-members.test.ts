import { describe, expect, it } from "vitest";
import { schemaProblems } from "./kubernetes-files.ts";

function service(spec: object, more: object = {}): readonly string[] {
  const manifest = { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, ...more, spec };
  return schemaProblems(manifest);
}

describe("schemaProblems", () => {
  it("has nothing against a manifest of Kubernetes", () => {
    expect(service({ selector: { a: "b" }, ports: [{ port: 80, targetPort: "http" }] })).toEqual([]);
  });

  it("finds what is misspelt, at any depth", () => {
    const ports = [{ port: 80 }, { port: 81, nmae: "a" }];
    expect(service({ ports, selectr: { a: "b" } }, { sepc: {} })).toEqual([
      "/sepc",
      "/spec/ports/1/nmae",
      "/spec/selectr",
    ]);
  });

  it("finds what is missing or of another type", () => {
    expect(service({ ports: [{}] }).join(" ")).toContain("port");
    expect(service({ ports: [{ port: "80" }] }).join(" ")).toContain("integer");
    expect(schemaProblems({ apiVersion: "v2", kind: "Service", metadata: { name: "a" } })).toEqual([
      "v2 Service is not known",
    ]);
  });
});
