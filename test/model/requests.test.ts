import { describe, expect, it } from "vitest";
import { rejectionNumbers } from "../../src/model/request.ts";
import { idOf, service } from "./service.ts";

const backend = { status_code: 200 };

describe("errors", () => {
  it("have a code, the status, words and an operation id", () => {
    const { call } = service();
    expect(call("POST", "/backends/http_response", { status_code: 200, statuscode: 1 })).toEqual({
      status: 400,
      body: {
        error_code: `ERR_EDGE_${rejectionNumbers["member-unknown"]}`,
        status_code: 400,
        msg: 'the body has an unknown member "statuscode"; known are description, metadata, body, headers, status_code.',
        details: { operation_id: "op_model000001" },
      },
    });
  });
});

describe("bodies", () => {
  it.each([undefined, null, [], "text", 1])("%j is no body for a create", (body) => {
    expect(service().call("POST", "/backends/http_response", body).status).toBe(400);
  });
});

describe("lenient services", () => {
  it("take the id in a PATCH and wrapped module PUTs", () => {
    const { call, done } = service({ lenient: true });
    const id = idOf(done("POST", "/edges/tls", { hostports: ["a.example:443"] }));
    expect(call("PATCH", `/edges/tls/${id}`, { id, description: "x" }).status).toBe(200);
    expect(call("PATCH", `/edges/tls/${id}`, { id }).status).toBe(400);
    expect(call("PATCH", `/edges/tls/${id}`, { id: "other", description: "x" }).status).toBe(400);
    const module = { certificate_authority_ids: ["ca_1"] };
    expect(call("PUT", `/edges/tls/${id}/mutual_tls`, { id, module }).status).toBe(200);
    expect(call("PUT", `/edges/tls/${id}/mutual_tls`, { id, module, more: 1 }).status).toBe(400);
    expect(service().call("PUT", "/edges/https/e/tls_termination", { id: "e", module: {} }).status).toBe(400);
  });
});

describe("lists", () => {
  const path = "/backends/http_response";

  it("are paged newest first, by next_page_uri to the end", () => {
    const { done } = service({ pageSize: 2 });
    const made = [0, 1, 2, 3, 4].map(() => idOf(done("POST", path, backend)));
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let next: string | null = path; next !== null;) {
      const page = done("GET", next);
      const items = page["backends"] as readonly { readonly id: string }[];
      sizes.push(items.length);
      seen.push(...items.map((item) => item.id));
      expect(page["uri"]).toBe(`http://model.example${path}`);
      next = page["next_page_uri"] as string | null;
    }
    expect(seen).toEqual(made.toReversed());
    expect(sizes).toEqual([2, 2, 1]);
  });

  it.each(["limit=0", "limit=101", "page=2", "before_id=bkdhr_no"])("refuse ?%s", (query) => {
    expect(service().call("GET", `${path}?${query}`).status).toBe(400);
  });
});

describe("paths and methods", () => {
  it("that are not there are 404 and 405", () => {
    const { call } = service();
    for (const path of ["/", "/edges", "/edges/tls/", "/edges/tls/a/b/c", "/backends", "/%"]) {
      expect(call("GET", path).status).toBe(404);
    }
    expect(call("PUT", "/edges/tls", {})).toMatchObject({ status: 405, allow: ["GET", "POST"] });
    expect(call("DELETE", "/edges/tls").status).toBe(405);
    expect(call("PUT", "/edges/tls/x", {}).status).toBe(405);
  });
});
