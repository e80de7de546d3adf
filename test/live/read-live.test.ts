import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/api/api-error.ts";
import type { ApiResponse, ReadClient } from "../../src/api/client.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { type ListedKind, forListedKinds, listedKinds } from "../../src/kinds/names.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { readLive } from "../../src/live/read-live.ts";

const paths = listedKinds.map((kind) => kinds[kind].collection?.path ?? "");

type Answer = ApiResponse | readonly JsonObject[] | Error;

function refusal(status: number, path: string, serverMessage: string | null = null): ApiError {
  const problem = { method: "GET", path, outcome: "answered", what: null, remedy: null, attempts: 1 } as const;
  return new ApiError({ ...problem, status, serverMessage });
}

function clientOf(answers: { readonly [path: string]: Answer }): ReadClient & { readonly asked: string[] } {
  const asked: string[] = [];
  const answer = async (path: string): Promise<ApiResponse | readonly JsonObject[]> => {
    asked.push(path);
    const given = answers[path] ?? [];
    if (given instanceof Error) throw given;
    return given;
  };
  return {
    asked,
    baseUrl: "http://127.0.0.1",
    get: async (path) => (await answer(path)) as ApiResponse,
    list: async ({ path, member }) => {
      const given = await answer(path === "/backends/http_response" && member !== "backends" ? "?" : path);
      return given as JsonObject[];
    },
    close: async () => undefined,
  };
}

const used = (...kinds: ListedKind[]): ReadonlySet<ListedKind> => new Set(kinds);
const none = { used: used(), modules: [] };

describe("live state", () => {
  it("is the lists of all kinds, as they came", async () => {
    const client = clientOf(Object.fromEntries(paths.map((path) => [path, [{ id: path, metadata: 7 }]])));
    const live = await readLive(client, none);
    expect(client.asked.toSorted()).toEqual(paths.toSorted());
    expect(live).toEqual({
      lists: forListedKinds((kind) => [{ id: kinds[kind].collection?.path, metadata: 7 }]),
      unreadable: [],
      modules: [],
    });
  });

  it.each([403, 404])("leaves out a collection that answers %i when no manifest uses it", async (status) => {
    const client = clientOf({ "/tls_certificates": refusal(status, "/tls_certificates"), "/edges/tls": [{ id: "e" }] });
    const live = await readLive(client, { used: used("TLSEdge"), modules: [] });
    expect(live.unreadable).toEqual([{ kind: "TLSCertificate", status }]);
    expect(live.lists.TLSCertificate).toEqual([]);
    expect(live.lists.TLSEdge).toEqual([{ id: "e" }]);
  });

  it.each([400, 410, 501])(
    "leaves out a collection that is gone with %i, when the API itself says so",
    async (status) => {
      const gone = refusal(status, "/edges/tls", "TLS edges are no longer available.");
      const live = await readLive(clientOf({ "/edges/tls": gone }), { used: used("TLSCertificate"), modules: [] });
      expect(live.unreadable).toEqual([{ kind: "TLSEdge", status }]);
      const proxy = refusal(status, "/edges/tls");
      await expect(readLive(clientOf({ "/edges/tls": proxy }), none)).rejects.toBe(proxy);
      await expect(readLive(clientOf({ "/edges/tls": gone }), { used: used("TLSEdge"), modules: [] })).rejects.toBe(
        gone,
      );
    },
  );

  it.each(["used", "a later page", "401", "500", "unbelievable", "a bug"])("is an error when it is %s", async (why) => {
    const errors: { readonly [why: string]: Error } = {
      used: refusal(403, "/tls_certificates"),
      "a later page": refusal(404, "/tls_certificates?before_id=a"),
      "401": refusal(401, "/tls_certificates"),
      "500": refusal(500, "/tls_certificates"),
      unbelievable: new Error("list"),
      "a bug": new TypeError("bug"),
    };
    const error = errors[why] ?? new Error("none");
    const wanted = { used: why === "used" ? used("TLSCertificate") : used(), modules: [] };
    await expect(readLive(clientOf({ "/tls_certificates": error }), wanted)).rejects.toBe(error);
  });

  it("is an error when nothing at all may be read: that is the key, not the kinds", async () => {
    const client = clientOf(Object.fromEntries(paths.map((path) => [path, refusal(403, path)])));
    await expect(readLive(client, none)).rejects.toMatchObject({ status: 403 });
    expect(client.asked).toHaveLength(listedKinds.length);
  });

  it("has the modules that manifests name, and asks for no other", async () => {
    const path = "/edges/https/edghts_1/routes/r";
    const at = (module: string): string => `${path}/${module}`;
    const client = clientOf({
      [at("webhook_verification")]: { status: 200, body: { enabled: true } },
      [at("gone")]: refusal(404, at("gone")),
      [at("null")]: { status: 200, body: null },
      [at("none")]: { status: 204, body: null },
      [at("empty")]: { status: 200, body: {} },
    });
    const names = ["webhook_verification", "gone", "null", "none", "empty"];
    const modules = [
      { kind: "HTTPSEdgeRoute", id: "r", path, names },
      { kind: "HTTPSEdge", id: "edghts_1", path: "/edges/https/edghts_1", names: [] },
    ] as const;
    const live = await readLive(client, { used: used(), modules });
    expect(live.modules).toEqual([
      {
        kind: "HTTPSEdgeRoute",
        id: "r",
        path,
        modules: { webhook_verification: { enabled: true }, gone: null, null: null, none: null, empty: null },
      },
      { kind: "HTTPSEdge", id: "edghts_1", path: "/edges/https/edghts_1", modules: {} },
    ]);
    expect(client.asked).toHaveLength(listedKinds.length + names.length);
  });

  it.each([["a text"], [[]], [7], [true]])("does not believe %j to be a module", async (body) => {
    const modules = [{ kind: "HTTPSEdge", id: "x", path: "/m", names: ["tls_termination"] }] as const;
    const client = clientOf({ "/m/tls_termination": { status: 200, body } });
    await expect(readLive(client, { used: used(), modules })).rejects.toMatchObject({
      code: "list-unbelievable",
      message: "GET /m/tls_termination: the response is not a module object",
    });
  });
});
