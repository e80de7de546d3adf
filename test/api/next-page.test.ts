import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextPage } from "../../src/api/list-pages.ts";
import { runs } from "../support/runs.ts";

const base = new URL("https://api.example.com/v1/edge");
const current = new URL("https://api.example.com/v1/edge/edges/tls?before_id=a");

function hrefOf(uri: string): string | null {
  const next = nextPage(uri, current, base);
  return typeof next === "string" ? null : next.href;
}

describe("a next page", () => {
  it.each([
    ["https://api.example.com/v1/edge/edges/tls?before_id=b", "/edges/tls?before_id=b"],
    ["HTTPS://API.Example.COM:443/v1/edge/edges/tls?before_id=b", "/edges/tls?before_id=b"],
    ["//api.example.com/v1/edge/edges/tls?x", "/edges/tls?x"],
    ["/v1/edge/edges/tls?before_id=b#part", "/edges/tls?before_id=b"],
    ["?before_id=b", "/edges/tls?before_id=b"],
    ["/v1/edge/pages/2", "/pages/2"],
    // Relative to the base address, as the specification writes paths.
    ["/edges/tls?before_id=b", "/edges/tls?before_id=b"],
    ["https://%61pi.example.com/v1/edge/edges/tls?q=%2f%2e", "/edges/tls?q=%2f%2e"],
  ])("may be %s", (uri, expected) => {
    expect(hrefOf(uri)).toBe(`https://api.example.com/v1/edge${expected}`);
  });

  it.each([
    ["http://api.example.com/v1/edge/edges/tls"],
    ["https://api.example.com@evil.example/v1/edge/edges/tls"],
    ["https://user:pass@api.example.com/v1/edge/edges/tls"],
    ["//evil.example/v1/edge/edges/tls"],
    ["https:evil.example"],
    ["/\\evil.example/v1/edge/edges/tls"],
    [" https://api.example.com/v1/edge/edges/tls"],
    ["/v1/other"],
    ["/v1/edge"],
    ["/v1/edgeother/x"],
    ["/v1/edge/../other"],
    ["/v1/edge/%2e%2e/other"],
    ["/v1/edge/..%2fother"],
    ["/v1/edge/%252e%252e/other"],
    ["/v1/edge/%00"],
    ["/reserved_addrs?before_id=b"],
    ["file:///etc/passwd"],
    ["https://[::1"],
  ])("may not be %s", (uri) => {
    expect(hrefOf(uri)).toBeNull();
  });

  it("never leaves the origin and the path of the base, however it is put together", () => {
    const part = fc.constantFrom(
      ..."https: http: // / \\ .. . %2e %2f %5c @ : ? # api.example.com evil.example v1 edge edges tls 443 user a".split(
        " ",
      ),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const next = nextPage(parts.join(""), current, base);
        if (typeof next === "string") return;
        expect(next.origin).toBe("https://api.example.com");
        expect(decodeURIComponent(next.pathname)).toMatch(/^\/v1\/edge\//);
        expect(decodeURIComponent(next.pathname).split("/")).not.toContain("..");
        expect(next.username + next.password).toBe("");
      }),
      runs(500),
    );
  });
});
