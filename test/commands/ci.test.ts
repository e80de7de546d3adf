import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { violations } from "../schemas/all-schemas.ts";
import { type Repository, repository } from "./ref-repository.ts";
import { type Ran, backend } from "./stage.ts";

interface Entry {
  number: number;
  body: string;
  state: string;
  labels: readonly string[];
  readonly user: { readonly type: string };
}

/** What GitHub holds of a repository, behind the part of its API that is used. */
interface Github {
  readonly url: string;
  readonly comments: Entry[];
  readonly issues: Entry[];
  readonly tags: Map<string, string>;
  readonly requests: string[];
}

async function github(): Promise<Github> {
  const held = {
    comments: [] as Entry[],
    issues: [] as Entry[],
    tags: new Map<string, string>(),
    requests: [] as string[],
  };
  const answer = (method: string, path: string, body: { [member: string]: string }): readonly [number, unknown] => {
    const [place = ""] = path.split("?");
    const entry = { body: body["body"] ?? "", state: "open", labels: [], user: { type: "Bot" } };
    const change = (list: Entry[], id: string | undefined) => {
      const found = list.find(({ number }) => number === Number(id));
      return found === undefined ? ([404, {}] as const) : ([200, Object.assign(found, body)] as const);
    };
    const add = (list: Entry[]) => [201, list[list.push({ ...entry, ...body, number: list.length + 1 }) - 1]] as const;
    const shown = (list: Entry[]) => list.map((each) => ({ ...each, id: each.number }));
    switch (`${method} ${place.replace(/\d+/gu, "N")}`) {
      case "GET issues/N/comments":
        return [200, shown(held.comments)];
      case "POST issues/N/comments":
        return add(held.comments);
      case "PATCH issues/comments/N":
        return change(held.comments, place.split("/").at(-1));
      case "GET issues":
        return [200, shown(held.issues.filter(({ state }) => state === "open"))];
      case "POST issues":
        return add(held.issues);
      case "PATCH issues/N":
        return change(held.issues, place.split("/").at(-1));
    }
    const name = method === "POST" ? (body["ref"] ?? "") : `refs/${place.replace("git/refs/", "")}`;
    if (method === "PATCH" && !held.tags.has(name)) return [422, { message: "Reference does not exist" }];
    held.tags.set(name, body["sha"] ?? "");
    return [200, {}];
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      held.requests.push(`${method} ${url}`);
      const known = url.startsWith("/repos/o/r/") && request.headers.authorization === "Bearer token-of-the-job";
      const text = Buffer.concat(chunks).toString();
      const [status, body] = known
        ? answer(method, url.slice("/repos/o/r/".length), text === "" ? {} : JSON.parse(text))
        : [401, {}];
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { ...held, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Runs `edgewise ci` as a job of an event does; the last value of each output, and the summary. */
async function job(on: Repository, at: Github, event: string, details: object, ...args: readonly string[]) {
  const places = join(on.dir, ".git", "job");
  await mkdir(places, { recursive: true });
  for (const name of ["summary", "output"]) await writeFile(join(places, name), "");
  await writeFile(join(places, "event.json"), JSON.stringify(details));
  const env = {
    ...on.env,
    GITHUB_ACTIONS: "true",
    GITHUB_EVENT_NAME: event,
    GITHUB_EVENT_PATH: join(places, "event.json"),
    GITHUB_API_URL: at.url,
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_REPOSITORY: "o/r",
    GITHUB_RUN_ID: "7",
    GITHUB_REF: "refs/heads/main",
    GITHUB_SHA: on.git("rev-parse", "HEAD"),
    GITHUB_TOKEN: "token-of-the-job",
    GITHUB_STEP_SUMMARY: join(places, "summary"),
    GITHUB_OUTPUT: join(places, "output"),
  };
  const run = async (more: { readonly [name: string]: string } = {}): Promise<Ran> =>
    on.runWith({ env: { ...env, ...more } }, "ci", ...args).ran;
  const output = async () =>
    Object.fromEntries(
      (await readFile(env.GITHUB_OUTPUT, "utf8"))
        .trim()
        .split("\n")
        .map((line) => line.split("=")),
    );
  return { run, output, summary: () => readFile(env.GITHUB_STEP_SUMMARY, "utf8") };
}

const config = (stack: string) =>
  `apiVersion: edgewise/v1\nkind: Config\nstack: ${stack}\nmanifests: [edge/]\nlock: {settle: 10ms}\n`;

/** Two stacks on main, and a pull request that changes one. */
async function pullRequest() {
  const on = await repository();
  for (const name of ["a", "b"]) {
    await on.write(`${name}/edgewise.yaml`, config(name));
    await on.write(`${name}/edge/all.yaml`, backend(name));
  }
  await rm(join(on.dir, "edgewise.yaml"));
  const main = on.commit("main");
  on.git("update-ref", "refs/remotes/origin/main", main);
  await on.write("b/edge/all.yaml", backend("b", "status_code: 404"));
  const head = on.commit("change");
  const repo = { full_name: "o/r" };
  const details = { pull_request: { number: 3, base: { ref: "main", repo }, head: { sha: head, repo } } };
  return { on, at: await github(), main, head, details };
}

describe("edgewise ci", () => {
  it("plans what a pull request touches, in one comment that later runs update", async () => {
    const { on, at, details } = await pullRequest();
    at.comments.push({ number: 1, body: "<!-- edgewise ci -->", state: "", labels: [], user: { type: "User" } });
    const { run, output, summary } = await job(on, at, "pull_request", details, "plan");
    const first = await run();
    expect(first.exit, first.err).toBe(0);
    expect(first.out).toContain("file=b/edge/all.yaml,line=");
    expect(first.out).not.toContain("a/edge");
    expect(await summary()).toContain("`b/edgewise.yaml`");
    expect(await output()).toMatchObject({
      changes: "true",
      approved: expect.stringMatching(/^sha256:[0-9a-f]{64}$/u),
    });
    // A plan that is larger than a comment is cut, and not left out.
    await on.write("b/edge/more.yaml", Array.from({ length: 900 }, (_, index) => backend(`page-${index}`)).join(""));
    expect(await run()).toMatchObject({ exit: 0 });
    expect(at.comments[1]?.body.length).toBeLessThan(65_536);
    // Somebody else's, which only begins like ours, is left alone.
    expect(at.comments.map(({ body }) => body.length > 50)).toEqual([false, true]);
    expect(at.comments[1]?.body).toContain("HTTPResponseBackend/b");
    expect([...at.tags]).toEqual([]);
  });

  it("applies what was approved, and nothing else", async () => {
    const { on, at, head } = await pullRequest();
    const planned = await job(on, at, "push", {}, "plan");
    expect((await planned.run()).exit).toBe(0);
    const { approved = "" } = await planned.output();
    const { run } = await job(on, at, "push", {}, "apply");
    expect(await run({ EDGEWISE_APPROVED: `sha256:${"0".repeat(64)}` })).toMatchObject({ exit: 4 });
    const saved = await on.read("edgewise-plans/b.json");
    await rm(join(on.dir, "edgewise-plans/b.json"));
    expect(await run({ EDGEWISE_APPROVED: approved })).toMatchObject({ exit: 4 });
    await on.write("edgewise-plans/b.json", saved);
    expect(on.writes()).toBe(0);
    const ran = await run({ EDGEWISE_APPROVED: approved });
    expect(ran.exit, ran.err).toBe(0);
    expect(on.sandbox.world().lists.HTTPResponseBackend).toHaveLength(2);
    const tags = { "refs/tags/edge-applied-a": head, "refs/tags/edge-applied-b": head };
    expect(Object.fromEntries(at.tags)).toEqual(tags);

    // What differs from the tag is planned, and the tag moves where nothing is to be applied.
    for (const tag of Object.keys(tags)) on.git("update-ref", tag, head);
    await on.write("a/edge/all.yaml", `# a comment\n${backend("a")}`);
    const next = on.commit("comment");
    const other = await job(on, at, "push", { repository: { default_branch: "next" } }, "plan");
    expect(await other.run()).toMatchObject({ exit: 0 });
    expect(Object.fromEntries(at.tags)).toEqual(tags);
    const again = await job(on, at, "push", { repository: { default_branch: "main" } }, "plan", "-o", "json");
    const { exit, out } = await again.run();
    const parsed = JSON.parse(out);
    expect(violations("ci", parsed)).toEqual([]);
    expect({ exit, slugs: parsed.stacks.map(({ slug }: { slug: string }) => slug) }).toEqual({ exit: 0, slugs: ["a"] });
    expect(await again.output()).toMatchObject({ changes: "false", approved: "" });
    expect(Object.fromEntries(at.tags)).toEqual({ ...tags, "refs/tags/edge-applied-a": next });
  });

  it("exits 3 when one stack is applied and another is refused", async () => {
    const { on, at, head } = await pullRequest();
    const planned = await job(on, at, "push", {}, "plan");
    expect((await planned.run()).exit).toBe(0);
    const { approved = "" } = await planned.output();
    await on.write("b/edge/all.yaml", backend("b", "status_code: 410"));
    const { run } = await job(on, at, "push", {}, "apply");
    expect(await run({ EDGEWISE_APPROVED: approved })).toMatchObject({ exit: 3 });
    expect(on.sandbox.world().lists.HTTPResponseBackend).toHaveLength(1);
    expect(Object.fromEntries(at.tags)).toEqual({ "refs/tags/edge-applied-a": head });
  });

  it("opens an issue for drift, updates and closes it", async () => {
    const { on, at } = await pullRequest();
    for (const name of ["a", "b"]) await on.run("apply", "-y", "-c", `${name}/edgewise.yaml`);
    const { run } = await job(on, at, "schedule", {}, "drift");
    const change = (description: string) =>
      on.behind("PATCH", `/backends/http_response/${on.id("HTTPResponseBackend", { status_code: 404 })}`, {
        description,
      });
    change("by hand");
    expect(await run()).toMatchObject({ exit: 2 });
    change("by hand again");
    expect(await run()).toMatchObject({ exit: 2 });
    expect(at.issues).toMatchObject([{ state: "open", body: expect.stringContaining("by hand again") }]);
    change("");
    expect(await run()).toMatchObject({ exit: 0 });
    expect(at.issues).toMatchObject([{ state: "closed" }]);
  });

  it("checks a change without a key, and gives a fork nothing else", async () => {
    const { on, at, details } = await pullRequest();
    await on.write("b/edge/all.yaml", "kind: Nonsense\n");
    await on.write("::error::x/edgewise.yaml", "kind: [\n");
    const fork = structuredClone(details);
    fork.pull_request.head.repo = { full_name: "somebody/r" };
    on.env["EDGEWISE_API_KEY"] = "";
    const checked = await (await job(on, at, "pull_request", fork, "check")).run();
    expect(checked).toMatchObject({ exit: 1 });
    expect(checked.out).toContain("::error file=b/edge/all.yaml,line=1");
    expect(`\n${checked.out}${checked.err}`).not.toContain("\n::error::x");
    expect(await (await job(on, at, "pull_request", fork, "plan")).run()).toMatchObject({ exit: 0, out: "" });
    expect([...at.requests, ...on.sandbox.requests().log]).toEqual([]);
  });

  it("contacts no host in a dry run, and says what it would do", async () => {
    const { on, at, details } = await pullRequest();
    const { run, summary } = await job(on, at, "pull_request", details, "plan", "--dry-run");
    const { err, exit } = await run();
    expect(exit).toBe(0);
    expect(err).toContain("Would comment on change 3");
    expect({ requests: at.requests, summary: await summary() }).toEqual({ requests: [], summary: "" });
  });

  it("goes on with the other stacks when one fails, and says when it can't report", async () => {
    const { on, at } = await pullRequest();
    await on.write("a/edge/all.yaml", "kind: Nonsense\n");
    const { run } = await job(on, at, "workflow_dispatch", {}, "plan");
    const ran = await run();
    expect(ran.exit).toBe(1);
    expect(ran.out).toContain("HTTPResponseBackend/b");
    const { run: other } = await job(on, at, "schedule", { inputs: { stack: "b" } }, "drift");
    const refused = await other({ GITHUB_TOKEN: "another-token" });
    expect(refused).toMatchObject({ exit: 1, err: expect.stringContaining("GitHub's API refuses GET issues (401)") });
  });
});
