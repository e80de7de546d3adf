import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { isObject } from "../../src/core/json.ts";
import { violations } from "../schemas/all-schemas.ts";
import { listPaths } from "../support/lists.ts";
import { runs } from "../support/runs.ts";
import { type Stage, backend, edge, stage } from "./stage.ts";

const config = (stack: string, more = "") =>
  `apiVersion: edgewise/v1\nkind: Config\nstack: ${stack}\nmanifests: [edge/]\n${more}`;

async function empty(options: Parameters<typeof stage>[0] = {}): Promise<Stage> {
  const at = await stage(options);
  await rm(join(at.dir, "edgewise.yaml"));
  return at;
}

async function write(at: Stage, name: string, manifests: string, more = ""): Promise<void> {
  await at.write(`${name}/edgewise.yaml`, config(name, more));
  await at.write(`${name}/edge/all.yaml`, manifests);
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `s${String(index).padStart(2, "0")}`);
const reads = (at: Stage) => at.sandbox.requests().log.filter(({ method }) => method === "GET");

interface OneReport {
  readonly config: string;
  readonly exit: number;
  readonly error: { readonly code: string } | null;
  readonly plan?: unknown;
  readonly drift?: unknown;
}

function stacksIn(out: string): readonly OneReport[] {
  const parsed = JSON.parse(out);
  expect(violations("all-stacks", parsed)).toEqual([]);
  return parsed.stacks;
}

describe("stacks of one account", () => {
  it("need its lists once, however many they are", async () => {
    const at = await empty();
    for (const name of names(20)) await write(at, name, backend("page"));
    const { exit, out } = await at.run("plan", "--all", "-o", "json");
    expect(exit).toBe(0);
    expect(stacksIn(out)).toHaveLength(20);
    expect(
      reads(at)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(listPaths);
  });

  it("get the same reports as each alone", async () => {
    const page = fc.record({ status: fc.constantFrom(200, 404, 503), name: fc.constantFrom("a", "b", "c") });
    const stackPages = fc.uniqueArray(page, { selector: ({ name }) => name, minLength: 1, maxLength: 3 });
    const states = fc.record({
      applied: fc.array(stackPages, { minLength: 2, maxLength: 4 }),
      wanted: fc.array(fc.option(stackPages), { minLength: 4, maxLength: 4 }),
      edges: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(states, async ({ applied, edges, wanted }) => {
        const at = await empty();
        const text = (pages: (typeof applied)[number], index: number) =>
          pages.map(({ name, status }) => backend(name, `status_code: ${status}`)).join("") +
          (edges ? edge("api", `s${index}.example.com:443`, `, backend: {backend: {name: ${pages[0]?.name}}}`) : "");
        for (const [index, pages] of applied.entries()) {
          await write(at, `s${index}`, text(pages, index));
          expect(await at.run("apply", "-y", "-c", `s${index}/edgewise.yaml`)).toMatchObject({ exit: 0 });
        }
        for (const [index, pages] of wanted.slice(0, applied.length).entries()) {
          if (pages !== null) await write(at, `s${index}`, text(pages, index));
        }
        for (const command of ["plan", "drift"] as const) {
          const more = command === "plan" ? ["--detailed-exitcode"] : ["--unmanaged"];
          const all = await at.run(command, "--all", "-o", "json", ...more);
          for (const { config: file, exit, [command]: report } of stacksIn(all.out)) {
            const alone = await at.run(command, "-c", file, "-o", "json", ...more);
            expect({ exit, report }).toEqual({ exit: alone.exit, report: JSON.parse(alone.out) });
          }
          const texts = await at.run(command, "--all", ...more);
          for (const [index] of applied.entries()) {
            const alone = await at.run(command, "-c", `s${index}/edgewise.yaml`, ...more);
            expect(texts.out).toContain(`== s${index}/edgewise.yaml ==\n${alone.out}`);
          }
        }
      }),
      runs(2),
    );
  });
});

const allowed = (...urls: readonly string[]) => urls.flatMap((url) => ["--allow-origin", url]);

describe("a signal", () => {
  it("stops all stacks, and what was done is reported", async () => {
    const at = await empty();
    let ask = (): void => undefined;
    const asked = new Promise<void>((resolve) => (ask = resolve));
    const silent = createServer(() => ask());
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    for (const name of ["a", "b"]) await write(at, name, backend("page"), `api: {baseUrl: "${at.sandbox.baseUrl}"}\n`);
    for (const name of ["c", "d"]) {
      await write(at, name, backend("page"), `api: {baseUrl: "${url}"}\nadopt: {TLSEdge/none: edgtls_1}\n`);
    }
    const { EDGEWISE_BASE_URL: _, ...env } = at.env;
    const { io, ran } = at.runWith({ env }, "plan", "--all", "-o", "json", ...allowed(at.sandbox.baseUrl, url));
    await asked;
    await expect.poll(io.err).toContain("c/edgewise.yaml:\nwarning: adopt names TLSEdge/none");
    io.signal("SIGINT");
    const { err, exit, out } = await ran;
    expect(exit).toBe(130);
    expect(err.replaceAll(/^warning: adopt .*\n/gmu, "")).toBe("c/edgewise.yaml:\n");
    expect(stacksIn(out).map((each) => [each.config, each.exit, each.error?.code ?? null])).toEqual([
      ["a/edgewise.yaml", 0, null],
      ["b/edgewise.yaml", 0, null],
      ["c/edgewise.yaml", 130, "interrupted"],
      ["d/edgewise.yaml", 130, "interrupted"],
    ]);
    expect(isObject(JSON.parse(out).stacks[1].plan)).toBe(true);
    expect(io.signal("SIGINT")).toBe(false);
  });
});
