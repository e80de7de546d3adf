import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EdgewiseError } from "../../src/errors.ts";
import type { OpenedResponse } from "../../src/api/interpret-response.ts";
import { type Paging, listPages } from "../../src/api/list-pages.ts";
import type { Value } from "../../src/json.ts";
import { testClient } from "./support/client.ts";
import { json, serve } from "./support/server.ts";
import { runs } from "../support/runs.ts";

const collection = { path: "/edges/tls", member: "tls_edges" };
const base = new URL("http://127.0.0.1:1");

const page = (ids: readonly string[], next: Value = null): Value => ({
  tls_edges: ids.map((id) => ({ id })),
  next_page_uri: next,
});

interface Steps {
  readonly result: unknown;
  readonly steps: readonly string[];
  /** Whether the pages that nobody needs any more were told so. */
  readonly stopped: boolean;
}

/** Lists pages that are answered at once; past the last one the service fails. */
async function list(pages: readonly Value[], isEarly = true): Promise<Steps> {
  const steps: string[] = [];
  let stop: AbortSignal | undefined;
  const open = async (url: URL, signal?: AbortSignal): Promise<OpenedResponse> => {
    stop = signal;
    const body = structuredClone(pages[steps.filter((step) => step.startsWith("GET")).length]);
    steps.push(`GET ${url.pathname}${url.search}`);
    if (body === undefined) throw new EdgewiseError("api", "503");
    const interpret: OpenedResponse["interpret"] = () => {
      steps.push("searched");
      return { status: 200, body, secrets: false, bytes: 10 };
    };
    return { body, nextAtEnd: null, bytes: 10, interpret };
  };
  const paging: Paging = {
    read: async (url) => (await open(url)).interpret(),
    ...(isEarly ? { open } : {}),
    show: (text) => text,
    onPage: (items) => steps.push(`page of ${items.length}`),
  };
  const result: unknown = await listPages(base, collection, paging).catch((error: unknown) => error);
  return { result, steps, stopped: stop?.aborted === true };
}

describe("the next page of a list", () => {
  it.each([
    ["is on another origin", page(["a"], "https://evil.example/edges/tls")],
    ["is the page itself", page(["a"], "/edges/tls")],
    ["follows an empty page", page([], "?2")],
  ])("is not asked for early when it %s", async (_, first) => {
    const { steps } = await list([first]);
    expect(steps.slice(0, 2)).toEqual(["GET /edges/tls", "searched"]);
  });

  it("changes no list and no error, and costs at most one request more", async () => {
    const id = fc.oneof({ weight: 9, arbitrary: fc.nat(60).map(String) }, { weight: 1, arbitrary: fc.constant("") });
    const next = fc.oneof(
      { weight: 6, arbitrary: fc.nat(9).map((at) => `?page=${at}`) },
      { weight: 1, arbitrary: fc.constantFrom(null, 1, "", "//evil.example", "/edges/tls", "%%%") },
    );
    const pages = fc.array(
      fc.tuple(fc.array(id, { maxLength: 3 }), next).map(([ids, uri]) => page(ids, uri)),
      { minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(pages, async (answers) => {
        const early = await list(answers);
        const late = await list(answers, false);
        expect(early.result).toEqual(late.result);
        const handedOn = ({ steps }: Steps): readonly string[] => steps.filter((step) => step.startsWith("page"));
        const requests = ({ steps }: Steps): readonly string[] => steps.filter((step) => step.startsWith("GET"));
        expect(handedOn(early)).toEqual(handedOn(late));
        expect(requests(early).slice(0, requests(late).length)).toEqual(requests(late));
        expect(requests(early).length - requests(late).length).toBeLessThanOrEqual(1);
      }),
      runs(60),
    );
  });

  it("waits until the page's secrets are known when requests are shown", async () => {
    const secret = "hunter2hunter2";
    const answers: unknown[] = [
      { tls_edges: [{ id: "a", secret }], next_page_uri: `?before_id=${secret}` },
      { tls_edges: [{ id: "b" }] },
    ];
    for (const traced of ["all", "waits"] as const) {
      const { baseUrl, seen } = await serve((_, response, count) => json(response, 200, answers[count - 1]));
      const { client, events } = testClient(baseUrl, { traced });
      const pages: number[] = [];
      const result = await client.list(collection, () => pages.push(events.length));
      await client.close();
      expect(result).toEqual([{ id: "a" }, { id: "b" }]);
      expect(seen.map(({ url }) => url)).toEqual(["/edges/tls", `/edges/tls?before_id=${secret}`]);
      // When the first page is handed on, its request and its response were traced, and nothing of the second.
      expect(pages[0]).toBe(traced === "all" ? 2 : 0);
      if (traced === "all") expect(JSON.stringify(events)).not.toContain(secret);
    }
  });

  it.each([
    ["an error", 400],
    ["a redirect", 302],
  ])("is not spoken of before the page's secrets are known, when it is %s that repeats one", async (_, status) => {
    const secret = "hunter2hunter2";
    // Cut off in the middle of the secret, of which too little is left to be found later.
    const headers: { [name: string]: string } = status === 302 ? { location: `${"x".repeat(194)}${secret}` } : {};
    const { baseUrl } = await serve((request, response) => {
      const [member = ""] = request.url.slice(1).split("?");
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      if (request.url.includes("?"))
        json(response, status, { msg: status === 302 ? "" : `${"x".repeat(294)}${secret}` });
      else json(response, 200, { [member]: [{ id: "a", secret }], next_page_uri: "?before_id=a" });
    });
    const { client } = testClient(baseUrl, { traced: "waits" });
    // Two, so that there are requests to let pass: the error comes while the page waits.
    const lists = ["a", "b"].map((member) => client.list({ path: `/${member}`, member }).catch(String));
    const messages = await Promise.all(lists);
    await client.close();
    for (const message of messages) expect(message).toMatch(/x\(secre/u);
  });
});
