import { Ajv2020 } from "ajv/dist/2020.js";
import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApplyEvent } from "../../src/apply/run-context.ts";
import { openJournal } from "../../src/apply/journal.ts";
import { EdgewiseError } from "../../src/core/errors.ts";
import { isObject } from "../../src/core/json.ts";
import { Secret } from "../../src/core/secret.ts";
import { Bench, statuses } from "./support/bench.ts";
import { create, patch } from "./support/operations.ts";

let dir: string;
let path: string;
const place = { cwd: "/" };
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "edgewise-journal-"));
  path = join(dir, "logs", "apply.jsonl");
  await mkdir(join(dir, "logs"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function lines(): Promise<readonly { readonly [member: string]: unknown }[]> {
  const text = await readFile(path, "utf8");
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const parsed: unknown = JSON.parse(line);
      if (!isObject(parsed)) throw new Error(`no object: ${line}`);
      return parsed;
    });
}

const event: ApplyEvent = { time: "2024-05-01T12:00:00.000Z", event: "stopping", reason: "interrupted", message: "m" };

describe("a journal", () => {
  it("is for its owner only, and is added to", async () => {
    const first = await openJournal(path, place);
    await first.write(event);
    await first.close();
    const second = await openJournal(path, place);
    await second.write(event);
    await second.close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const [one, two] = await lines();
    expect(one).toMatchObject({ ...event });
    expect(one?.["run"]).not.toBe(two?.["run"]);
  });
});

describe("the journal of an apply", () => {
  const canary = "canary-55aa";
  const operations = [
    create("op-1", "TLSCertificate/x", { private_key_pem: null }, { bind: { "/private_key_pem": { secret: "s" } } }),
    patch("op-2", "a", { description: canary }, { waits: { "op-1": "late" } }),
  ];

  it("holds each request before it is sent and after it was answered, and no body", async () => {
    const journal = await openJournal(path, place);
    const bench = new Bench();
    const onDisk: number[] = [];
    bench.deps = {
      ...bench.deps,
      resolveSecret: () => Secret.of(canary, "env K"),
      onEvent: (told) => journal.write(told),
      client: {
        list: (collection) => bench.service.list(collection),
        send: async (request) => {
          onDisk.push((await lines()).filter((line) => line["event"] === "request").length);
          return bench.service.send(request);
        },
      },
    };
    await bench.apply(operations);
    await journal.close();
    expect(onDisk).toEqual([1, 2]);
    const written = await lines();
    expect(written.map((line) => line["event"])).toEqual([
      "run-started",
      "operation-started",
      "request",
      "response",
      "operation-ended",
      "operation-started",
      "request",
      "response",
      "operation-ended",
      "run-ended",
    ]);
    expect(written[3]).toMatchObject({
      op: "op-1",
      method: "POST",
      path: "/tls_certificates",
      address: "TLSCertificate/x",
      status: 201,
      resourceId: "new_1",
    });
    expect(JSON.stringify(written)).not.toContain(canary);
    expect(new Set(written.map((line) => line["run"])).size).toBe(1);
  });

  it("fits its schema, whatever happens", async () => {
    const read = async (name: string): Promise<object> => {
      const parsed: unknown = JSON.parse(await readFile(new URL(`../../schemas/${name}`, import.meta.url), "utf8"));
      return isObject(parsed) ? parsed : {};
    };
    const ajv = new Ajv2020({ strict: false, schemas: [await read("output-definitions.schema.json")] });
    const valid = ajv.compile(await read("journal.schema.json"));
    const journal = await openJournal(path, place);
    const bench = new Bench();
    bench.deps = { ...bench.deps, concurrency: 1, onEvent: (told) => journal.write(told) };
    bench.service.fault = ({ method, path: asked }, before) => {
      if (method === "POST") return { lost: "done" };
      if (asked.endsWith("_b")) return { refuse: 403 };
      if (asked.endsWith("_d")) return { throws: new TypeError("a bug") };
      return before === 0 && asked.endsWith("_c") ? { refuse: 400 } : "ok";
    };
    const bind = { "/backend_id": { address: "HTTPResponseBackend/x", part: "id" } } as const;
    const temporary = { restore: { hostports: ["a:443"] }, takers: ["op-3"] };
    await bench.apply([
      create("op-1", "HTTPResponseBackend/x"),
      patch("op-2", "c", { backend_id: null }, { waits: { "op-1": "use" }, bind, temporary }),
      patch("op-3", "b", {}, { waits: { "op-2": "free" } }),
      patch("op-4", "d", {}, { waits: { "op-3": "last" } }),
    ]);
    await journal.close();
    const written = await lines();
    for (const line of written) expect([line["event"], valid(line), valid.errors]).toEqual([line["event"], true, null]);
    const events = new Set(written.map((line) => line["event"]));
    const expected = "run-started operation-started request response waiting restored operation-ended";
    expect(events).toEqual(new Set(`${expected} stopping run-ended`.split(" ")));
  });

  it("that can't be written any more ends the run before the next request", async () => {
    const bench = new Bench();
    bench.deps = {
      ...bench.deps,
      concurrency: 1,
      onEvent: (told) => {
        if (told.event === "request" && told.op === "op-2") throw new EdgewiseError("io", "the disk is full");
      },
    };
    const report = await bench.apply(["a", "b", "c"].map((name, n) => patch(`op-${n + 1}`, name, { description: "" })));
    expect(statuses(report)).toEqual({ "op-1": "done", "op-2": "failed", "op-3": "skipped" });
    expect(bench.service.log).toHaveLength(1);
    expect(report.warnings).toMatchObject([{ code: "events-failed" }]);
    expect(report.warnings[0]?.message).toContain("the disk is full");
  });
});
