import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { stage } from "../../commands/stage.ts";
import { violations } from "../../schemas/all-schemas.ts";
import { git } from "../../slow/security/support/proposal.ts";

interface Shown {
  readonly name: string;
  readonly state: string;
  readonly message: string;
  readonly changes: { readonly [origin: string]: number };
}

const sorry = (status: number): string =>
  `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata:\n  name: NAME\nspec:\n  status_code: ${status}\n`;

/** Two stacks that share nothing, `prod` and `spare`, each with its source and its account: both in sync. */
async function served() {
  const on = await stage();
  const state = join(on.dir, "state");
  await writeFile(join(on.dir, "key"), on.sandbox.apiKey, { mode: 0o600 });
  const push = async (name: string, status: number): Promise<void> => {
    const top = join(on.dir, name);
    await mkdir(top, { recursive: true });
    await writeFile(join(top, "m.yaml"), sorry(status).replace("NAME", name));
    const config = `apiVersion: edgewise/v1\nkind: Config\nstack: ${name}\nmanifests: [m.yaml]\n`;
    await writeFile(join(top, "edgewise.yaml"), config);
    git(top, "init", "-q", "-b", "main");
    git(top, "add", "-A");
    git(top, "commit", "-qm", "change");
  };
  const account = { baseUrl: on.sandbox.baseUrl, key: { file: "key" } };
  const fleet = {
    apiVersion: "edgewise/v1",
    kind: "Fleet",
    sources: {
      "prod-source": { git: join(on.dir, "prod"), poll: "1s" },
      own: { git: join(on.dir, "spare"), poll: "1s" },
    },
    accounts: { "prod-account": account, own: account },
    stacks: {
      prod: { source: "prod-source", account: "prod-account" },
      spare: { source: "own", account: "own" },
    },
    http: { listen: "127.0.0.1:0" },
  };
  await writeFile(join(on.dir, "fleet.yaml"), JSON.stringify(fleet));
  const once = async () => {
    const ran = await on.run("serve", "fleet.yaml", "--once", "--state", state, "-o", "json");
    const { stacks } = JSON.parse(ran.out) as {
      readonly stacks: readonly Shown[];
    };
    return {
      ...ran,
      prod: stacks.find(({ name }) => name === "prod"),
      spare: stacks.find(({ name }) => name === "spare"),
    };
  };
  await push("prod", 503);
  await push("spare", 503);
  expect(await once()).toMatchObject({ exit: 0, prod: { state: "synced" } });
  return { on, once, push, state };
}

const cut = (text: string): string => text.slice(0, text.length / 2);

describe("a record that can't be read", () => {
  it.each([
    ["a stack's, cut", "stacks/prod.json", cut],
    ["a stack's, of zeros", "stacks/prod.json", (text: string) => "\0".repeat(text.length)],
    ["another stack's", "stacks/prod.json", (text: string) => text.replace('"name":"', '"name":"x')],
    ["an account's", "accounts/prod-account.json", cut],
    ["a source's", "followed/prod-source.json", cut],
  ])(
    "fails its stack, is named and left as it is, and stops no other, until it is put right: %s",
    async (_, path, damage) => {
      const { on, once, push, state } = await served();
      const file = join(state, path);
      const text = await readFile(file, "utf8");
      const damaged = damage(text);
      await writeFile(file, damaged);
      await push("prod", 504);
      await push("spare", 504);
      const writes = on.writes();
      for (const exit of [3, 3]) {
        const ran = await once();
        expect(ran).toMatchObject({
          exit,
          prod: { state: "failed" },
          spare: { state: "synced" },
        });
        expect(ran.prod?.message).toContain(file);
        expect(ran.err).toContain(file);
        expect(await readFile(file, "utf8")).toBe(damaged);
      }
      expect(on.writes()).toBe(writes + 1);
      await writeFile(file, text);
      expect(await once()).toMatchObject({
        exit: 0,
        prod: { state: "synced" },
      });
      expect(on.writes()).toBe(writes + 2);
    },
  );

  it("makes every difference of its stack one of both sides when it is removed", async () => {
    const { once, push, state } = await served();
    await writeFile(join(state, "stacks/prod.json"), "{");
    await push("prod", 504);
    expect((await once()).prod).toMatchObject({
      state: "failed",
      changes: { commit: 0, drift: 0, both: 0 },
    });
    await rm(join(state, "stacks/prod.json"));
    expect((await once()).prod).toMatchObject({
      state: "waiting",
      changes: { commit: 0, drift: 0, both: 1 },
    });
  });

  it.each(["stacks/prod.json", "accounts/prod-account.json", "followed/prod-source.json"])(
    "is read again while serve runs: %s",
    async (path) => {
      const { on, state } = await served();
      const file = join(state, path);
      const text = await readFile(file, "utf8");
      await writeFile(file, "{");
      const flags = ["serve", "fleet.yaml", "--state", state, "--log-format", "json"];
      const { io } = on.runWith({}, ...flags);
      onTestFinished(() => void io.signal("SIGTERM"));
      const logged = (line: RegExp): Promise<void> =>
        vi.waitFor(() => expect(io.err()).toMatch(line), { timeout: 15_000, interval: 20 });
      await logged(/"state-changed","stack":"prod","from":"\w+","to":"failed"/u);
      const damage = io
        .err()
        .split("\n")
        .find((line) => line.includes('"state-damaged"'));
      expect(damage).toContain(file);
      expect(violations("serve-log", JSON.parse(damage ?? ""))).toEqual([]);
      const url = /"url":"([^"]+)"/u.exec(io.err())?.[1] ?? "";
      expect(await (await fetch(url)).text()).toContain(file);
      await writeFile(file, text);
      await logged(/"state-changed","stack":"prod","from":"failed","to":"synced"/u);
    },
  );
});
