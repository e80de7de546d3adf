import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/json.ts";
import { run } from "../../../src/commands/run.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import { done, sandboxFor } from "../../sandbox/support.ts";
import { temporary } from "../../support/cli.ts";

interface Shown {
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
  readonly message: string;
  readonly digest: string | null;
  readonly impact: string;
  readonly changes: { readonly commit: number; readonly drift: number; readonly both: number };
}

interface Policy {
  readonly commit: string;
  readonly drift: string;
}

const manifest = (kind: string, name: string, spec: object, metadata: object = {}): string =>
  `---\n${JSON.stringify({ apiVersion: "edgewise/v1", kind, metadata: { name, ...metadata }, spec })}\n`;

const sorry = (status: number): string => manifest("HTTPResponseBackend", "sorry", { status_code: status });

const config = (more: object = {}): string =>
  JSON.stringify({ apiVersion: "edgewise/v1", kind: "Config", stack: "prod", manifests: ["m.yaml"], ...more });

/** A backend as the service shows it. */
interface Backend {
  readonly id: string;
  readonly status_code: number;
}

/** A repository, a sandbox, and a fleet of one stack. */
async function world() {
  const writes: string[] = [];
  const sandbox = await sandboxFor({
    onRequest: ({ method, path }) => {
      if (method !== "GET") writes.push(`${method} ${path}`);
    },
  });
  const dir = await temporary();
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text, { mode: 0o600 });
  };
  await put("key", sandbox.apiKey);
  await put("repo/prod/edgewise.yaml", config());
  const git = (...args: readonly string[]): void => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    execFileSync("git", ["-C", join(dir, "repo"), ...who, ...args]);
  };
  git("init", "-q", "-b", "main");
  return {
    /** The one backend that is live. */
    live: async (): Promise<Backend> => {
      const { backends } = await done(sandbox, "GET", path);
      const [one] = JSON.parse(JSON.stringify(backends)) as readonly Backend[];
      if (one === undefined) throw new Error("nothing is live");
      return one;
    },
    /** Somebody writes by hand. */
    byHand: (method: string, at: string, body: JsonObject) => done(sandbox, method, at, body),
    put,
    git,
    /** A key of somebody; their line in a file of allowed signers. */
    key: async (name: string): Promise<string> => {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", join(dir, name)]);
      return `${name}@example.com ${await readFile(join(dir, `${name}.pub`), "utf8")}`;
    },
    /** Git's settings with which somebody signs and commits. */
    as: (name: string): readonly string[] =>
      ["gpg.format=ssh", `user.email=${name}@example.com`, `user.signingKey=${join(dir, name)}`].flatMap((one) => [
        "-c",
        one,
      ]),
    push: async (manifests: string, configuration = config()): Promise<void> => {
      await put("repo/prod/m.yaml", manifests);
      await put("repo/prod/edgewise.yaml", configuration);
      git("add", "-A");
      git("commit", "-qm", "change", "--allow-empty");
    },
    /** One pass of everything: how the stack is after it, the exit code, and what was written meanwhile. */
    once: async (apply: Policy, more: object = {}, source: object = {}) => {
      const fleet = {
        apiVersion: "edgewise/v1",
        kind: "Fleet",
        sources: { edge: { git: "./repo", ...source } },
        accounts: { main: { baseUrl: sandbox.baseUrl, key: { file: "key" } } },
        stacks: { prod: { source: "edge", config: "prod/edgewise.yaml", account: "main", ...more } },
        defaults: { apply, brake: { deletesPerDay: 2 } },
      };
      await put("fleet.yaml", JSON.stringify(fleet));
      writes.splice(0);
      const io = memoryIo({ cwd: dir, env: { PATH: process.env["PATH"] ?? "" } });
      const exit = await run(["serve", "fleet.yaml", "--once", "-o", "json"], io);
      const { stacks } = JSON.parse(io.out() || io.err()) as { readonly stacks: readonly Shown[] };
      const [stack] = stacks;
      if (stack === undefined) throw new Error(io.err());
      const state = stack.reason === null ? stack.state : `${stack.state}: ${stack.reason}`;
      return { exit, state, stack, writes: [...writes] };
    },
  };
}

const everything = { commit: "security", drift: "security" };
const path = "/backends/http_response";

describe("serve, pass by pass", () => {
  it("neither follows nor lets anybody approve what nobody signed, and nobody their own", async () => {
    const { as, git, key, live, once, push, put } = await world();
    const people = (await key("ann")) + (await key("bob"));
    await put("people", people);
    const pass = () =>
      once({ commit: "none", drift: "never" }, { approvers: "people" }, { ref: "main", signedBy: "people" });
    const sign = (name: string) => git(...as(name), "commit", "-q", "--amend", "--no-edit", "-S", "--reset-author");
    const approve = (name: string, digest: string | null) =>
      git(...as(name), "tag", "-s", "-m", "yes", `edgewise/approve/prod/${digest}/${name}@example.com`);
    await push(sorry(503));
    sign("ann");
    expect(await pass()).toMatchObject({ exit: 0, state: "synced" });

    // Below a signed tip that has nothing to do with it.
    await push(sorry(501));
    await put("repo/README.md", "readme");
    git("add", "-A");
    git(...as("ann"), "commit", "-q", "-S", "-m", "readme");
    const held = await pass();
    expect(held.exit).toBe(3);
    expect(held.stack.message).toMatch(/is not signed by anyone in .*people: sign it \(git rebase/);
    expect(held.writes).toEqual([]);

    // Its author may not, whoever signed it; somebody else may.
    git("reset", "-q", "--hard", "HEAD~2");
    await push(sorry(502));
    git(...as("ann"), "commit", "-q", "--amend", "--no-edit", "--reset-author");
    git(...as("bob"), "commit", "-q", "--amend", "--no-edit", "-S");
    const { stack } = await pass();
    expect(stack).toMatchObject({ state: "waiting", reason: "approval" });
    for (const name of ["ann", "bob"]) {
      approve(name, stack.digest);
      const own = await pass();
      expect(own).toMatchObject({ state: "waiting: approval", writes: [] });
      expect(own.stack.message).toContain("wrote or signed commit");
    }
    await put("people", people + (await key("eve")));
    approve("eve", stack.digest);
    expect(await pass()).toMatchObject({ exit: 0, state: "synced" });
    expect((await live()).status_code).toBe(502);
  });

  it("carries out what the table of origin, impact and action allows, and tells what waits", async () => {
    const { byHand, live, once, push } = await world();
    await push(sorry(503));
    expect(await once({ commit: "none", drift: "never" })).toMatchObject({ exit: 0, state: "synced" });
    const { id, status_code } = await live();
    expect(status_code).toBe(503);
    const meddle = () => byHand("PATCH", `${path}/${id}`, { status_code: 200 });

    // The same difference, made by a hand, by a commit, and by both.
    for (const [origin, change, policies] of [
      ["drift", meddle, { commit: "never", drift: "routing" }],
      ["commit", async () => push(sorry(501)), { commit: "routing", drift: "never" }],
      [
        "both",
        async () => {
          await meddle();
          await push(sorry(502));
        },
        { commit: "routing", drift: "routing" },
      ],
    ] as const) {
      await change();
      const held = { ...policies, ...(origin === "commit" ? { commit: "cosmetic" } : { drift: "cosmetic" }) };
      const waits = await once(held);
      expect(waits, origin).toMatchObject({ exit: 2, state: "waiting: approval", writes: [] });
      expect(waits.stack).toMatchObject({ impact: "routing", changes: { commit: 0, drift: 0, both: 0, [origin]: 1 } });
      expect(await once(policies), origin).toMatchObject({
        exit: 0,
        writes: [`PATCH ${path}/${id}`],
      });
    }

    // What carries the stack's marker and no manifest asks for is deleted by no policy.
    const marker = JSON.stringify({ edgewise: { stack: "prod", name: "by-hand" } });
    await byHand("POST", path, { status_code: 404, metadata: marker });
    expect(await once(everything)).toMatchObject({ exit: 2, state: "waiting: approval", writes: [] });
  });

  it("keeps what is live when a commit is wrong or a guard refuses it, and goes on with the next good one", async () => {
    const { once, push } = await world();
    const backends = (count: number): string =>
      Array.from({ length: count }, (_, index) =>
        manifest("HTTPResponseBackend", `b${index}`, { status_code: 503 }),
      ).join("");
    await push(backends(4));
    expect(await once(everything)).toMatchObject({ exit: 0, state: "synced" });
    await push("kind: Nonsense\n");
    const failed = await once(everything);
    expect(failed).toMatchObject({ exit: 3, state: "failed", writes: [] });
    expect(failed.stack.message).toMatch(/^prod\/m\.yaml:1:7: /);
    await push(backends(1));
    const refused = await once(everything);
    expect(refused).toMatchObject({ exit: 4, state: "refused", writes: [] });
    expect(refused.stack.message).toContain("brake.deletesPerDay is 2");
    await push(backends(3));
    expect(await once(everything)).toMatchObject({ exit: 0, state: "synced" });
  });

  it("waits while somebody else holds the account's lock, and takes it before it writes", async () => {
    const { byHand, once, push } = await world();
    const locking = config({ lock: { settle: "50ms" } });
    await push(sorry(503), locking);
    const { writes } = await once(everything);
    expect(writes.map((write) => write.split(" ")[0])).toEqual(["POST", "POST", "DELETE"]);
    const until = new Date(Date.now() + 600_000).toISOString();
    const lock = { lock: true, stack: "other", run: "r1", by: "ann@host", until };
    await byHand("POST", path, { status_code: 503, metadata: JSON.stringify({ edgewise: lock }) });
    await push(sorry(502), locking);
    const waits = await once(everything);
    expect(waits).toMatchObject({ exit: 2, state: "waiting: locked", writes: [] });
    expect(waits.stack.message).toContain("ann@host");
  });
});
