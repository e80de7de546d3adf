import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { run } from "../../../src/commands/run.ts";
import type { Json } from "../../../src/json.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import { stage } from "../../commands/stage.ts";
import { hostileService, plainly, type HostileService, type Reply } from "./support/hostile-service.ts";
import { mutated, mutation, oddValues, type Mutation } from "./support/mutate.ts";
import { pair, richManifests } from "./support/rich-manifests.ts";
import { runs } from "../../support/runs.ts";

// Waits take no time, because this test is not about retries.
vi.mock("../../../src/api/system-clock.ts", () => {
  let now = 1_700_000_000_000;
  return {
    systemClock: {
      now: () => now,
      sleep: async (ms: number): Promise<void> => {
        now += ms;
        await new Promise((resolve) => setImmediate(resolve));
      },
    },
  };
});

let service: HostileService;
beforeAll(async () => {
  service = await hostileService();
});
afterAll(() => service.close());

/** Any response: the correct one with a change somewhere, another JSON value, or invalid JSON. */
const answer: fc.Arbitrary<(right: { readonly status: number; readonly body: Json }) => Reply> = fc.oneof(
  fc.array(mutation, { minLength: 1, maxLength: 3 }).map(
    (mutations) => (right: { readonly status: number; readonly body: Json }) =>
      plainly({
        ...right,
        body: mutations.reduce((json: Json, each: Mutation) => mutated(json, each), right.body),
      }),
  ),
  fc
    .tuple(fc.constantFrom(...oddValues), fc.constantFrom(200, 201, 202, 204, 206, 299, 304, 400, 404, 409, 418, 503))
    .map(([body, status]) => () => ({ status, body: status === 204 || status === 304 ? "" : JSON.stringify(body) })),
  fc
    .constantFrom<Reply>(
      { status: 200, body: "" },
      { status: 200, body: "<html>" },
      { status: 200, body: '{"a":' },
      { status: 200, body: "[".repeat(5000) },
      { status: 200, body: "{}", headers: { "content-length": "5" } },
      { status: 200, body: '{"id":"x"}', headers: { "content-encoding": "gzip" } },
      "reset",
    )
    .map((reply) => () => reply),
);

async function goes(command: readonly string[]): Promise<{ readonly exit: number; readonly text: string }> {
  const { dir, write } = await stage();
  for (const [path, text] of Object.entries(richManifests)) await write(path, text);
  await write(
    "edgewise.yaml",
    "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\napi: {timeout: 150ms}\n",
  );
  const env = {
    EDGEWISE_API_KEY: "key-of-the-stage",
    EDGEWISE_BASE_URL: service.baseUrl,
    CERT_KEY: pair.key,
    HOOK_SECRET: "hook-secret-0123456789",
  };
  const io = memoryIo({ cwd: dir, env });
  const exit = await run(command, io);
  const text = io.out() + io.err();
  expect(text).not.toMatch(/bug in edgewise|error of edgewise itself|TypeError|^\s+at .*\.[tj]s:\d/mu);
  return { exit, text };
}

describe("whatever the service returns", () => {
  it("to reads: a plan that holds, or an error, and then no write", async () => {
    await fc.assert(
      fc.asyncProperty(
        answer,
        fc.constantFrom(
          "/ip_restrictions",
          "/edges/tls",
          "/reserved_addrs",
          "/backends/http_response",
          "/tls_certificates",
          "/webhook_verification",
          "/tls_termination",
          "",
        ),
        async (made, path) => {
          service.begin(
            {},
            {
              name: "odd",
              at: ({ method, url }) => method === "GET" && url.endsWith(path),
              answer: (_, right) => made(right),
            },
          );
          const { exit, text } = await goes(["apply", "-y", "-o", "json"]);
          expect([0, 1, 3, 4], text).toContain(exit);
          if (text.includes("list-unbelievable") || text.includes("does not plan from"))
            expect(service.writes()).toBe(0);
          if (exit === 1 || exit === 4) expect(service.writes(), text).toBe(0);
        },
      ),
      runs(15),
    );
  });

  it("to writes: an outcome for each, and no false success", async () => {
    await fc.assert(
      fc.asyncProperty(answer, fc.constantFrom("POST", "PUT", "PATCH", ""), async (made, verb) => {
        service.begin(
          {},
          {
            name: "odd",
            at: ({ method }) => method !== "GET" && method.endsWith(verb),
            answer: (_, right) => made(right),
          },
        );
        const { exit, text } = await goes(["apply", "-y", "-o", "json"]);
        expect([0, 1, 3], text).toContain(exit);
        const result = JSON.parse(
          text.slice(text.indexOf('{\n  "format": "edgewise.result'), text.lastIndexOf("\n}\n") + 2),
        ) as { readonly verified: unknown };
        // A write that was reported as failed may have been done; a verified result must be true.
        if (exit === 0) expect(result.verified).toBe(true);
      }),
      runs(12),
    );
  });
});
