import { createHmac } from "node:crypto";
import { rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { violations } from "../../schemas/all-schemas.ts";
import { config, githubJob, pullRequest } from "../../commands/ci-hosts.ts";
import { backend } from "../../commands/stage.ts";

describe("edgewise ci", () => {
  it("plans what a pull request touches, in one comment that later runs update", async () => {
    const { on, at, details } = await pullRequest();
    at.comments.push({ id: 1, body: "<!-- edgewise ci -->", state: "", user: { type: "User" }, updated_at: "" });
    const { run, output, summary } = await githubJob(on, at, "pull_request", details, "plan");
    const first = await run();
    expect(first.exit, first.err).toBe(0);
    expect(first.out).toContain("file=b/edge/all.yaml,line=");
    expect(first.out).not.toContain("a/edge");
    expect(await summary()).toContain("`b/edgewise.yaml`");
    expect(await output()).toMatchObject({
      changes: "true",
      approved: expect.stringMatching(/^sha256:[0-9a-f]{64}$/u),
    });
    const long = `status_code: 503, body: ${"x".repeat(1000)}`;
    await on.write(
      "b/edge/more.yaml",
      Array.from({ length: 90 }, (_, index) => backend(`page-${index}`, long)).join(""),
    );
    expect(await run()).toMatchObject({ exit: 0 });
    expect(at.comments[1]?.body.length).toBeGreaterThan(50_000);
    expect(at.comments[1]?.body.length).toBeLessThan(65_536);
    expect(at.comments.map(({ body }) => body.length > 50)).toEqual([false, true]);
    expect(at.comments[1]?.body).toContain("HTTPResponseBackend/b");
    expect([...at.applied]).toEqual([]);
  });

  it("applies what was approved, and nothing else", async () => {
    const { on, at, head } = await pullRequest();
    const planned = await githubJob(on, at, "push", {}, "plan");
    expect((await planned.run()).exit).toBe(0);
    const { approved = "" } = await planned.output();
    const { run } = await githubJob(on, at, "push", {}, "apply");
    expect(await run({ EDGEWISE_APPROVED: `sha256:${"0".repeat(64)}` })).toMatchObject({ exit: 4 });
    const saved = await on.read("edgewise-plans/b.json");
    await rm(join(on.dir, "edgewise-plans/b.json"));
    expect(await run({ EDGEWISE_APPROVED: approved })).toMatchObject({ exit: 4 });
    await on.write("edgewise-plans/b.json", saved);
    expect(on.writes()).toBe(0);
    const ran = await run({ EDGEWISE_APPROVED: approved });
    expect(ran.exit, ran.err).toBe(0);
    expect(on.sandbox.world().lists.HTTPResponseBackend).toHaveLength(2);
    const tags = { "edge-applied-a": head, "edge-applied-b": head };
    expect(Object.fromEntries(at.applied)).toEqual(tags);

    for (const tag of Object.keys(tags)) on.git("tag", "-f", tag, head);
    await on.write("a/edge/all.yaml", `# a comment\n${backend("a")}`);
    const next = on.commit("comment");
    const other = await githubJob(on, at, "push", { repository: { default_branch: "next" } }, "plan");
    expect(await other.run()).toMatchObject({ exit: 0 });
    expect(Object.fromEntries(at.applied)).toEqual(tags);
    const again = await githubJob(on, at, "push", { repository: { default_branch: "main" } }, "plan", "-o", "json");
    const { exit, out } = await again.run();
    const parsed = JSON.parse(out);
    expect(violations("ci", parsed)).toEqual([]);
    expect({ exit, slugs: parsed.stacks.map(({ slug }: { slug: string }) => slug) }).toEqual({ exit: 0, slugs: ["a"] });
    expect(await again.output()).toMatchObject({ changes: "false", approved: "" });
    expect(Object.fromEntries(at.applied)).toEqual({ ...tags, "edge-applied-a": next });
  });

  it("exits 3 when one stack is applied and another is refused", async () => {
    const { on, at, head } = await pullRequest();
    const planned = await githubJob(on, at, "push", {}, "plan");
    expect((await planned.run()).exit).toBe(0);
    const { approved = "" } = await planned.output();
    await on.write("b/edge/all.yaml", backend("b", "status_code: 410"));
    const { run } = await githubJob(on, at, "push", {}, "apply");
    expect(await run({ EDGEWISE_APPROVED: approved })).toMatchObject({ exit: 3 });
    expect(on.sandbox.world().lists.HTTPResponseBackend).toHaveLength(1);
    expect(Object.fromEntries(at.applied)).toEqual({ "edge-applied-a": head });
  });

  it("opens an issue for drift, updates and closes it", async () => {
    const { on, at } = await pullRequest();
    for (const name of ["a", "b"]) await on.run("apply", "-y", "-c", `${name}/edgewise.yaml`);
    const { run } = await githubJob(on, at, "schedule", {}, "drift");
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
    const checked = await (await githubJob(on, at, "pull_request", fork, "check")).run();
    expect(checked).toMatchObject({ exit: 1 });
    expect(checked.out).toContain("::error file=b/edge/all.yaml,line=1");
    expect(`\n${checked.out}${checked.err}`).not.toContain("\n::error::x");
    const huge = join(on.dir, "b/edge/huge.yaml");
    await on.write("b/edge/huge.yaml", "");
    await truncate(huge, 300 * 1024 * 1024);
    const large = await (await githubJob(on, at, "pull_request", fork, "check")).run();
    expect(large).toMatchObject({ exit: 1, out: expect.stringContaining("huge.yaml") });
    await rm(huge);
    const { run, summary } = await githubJob(on, at, "pull_request", fork, "plan");
    on.env["EDGEWISE_BASE_URL"] = "";
    await on.write("b/edge/all.yaml", backend("b", "status_code: 410"));
    await on.write("::error::x/edgewise.yaml", "apiVersion: edgewise/v1\nkind: Config\nstack: x\n");
    expect(await run()).toMatchObject({ exit: 0 });
    expect(await summary()).toMatch(/compared with/iu);
    expect([...at.requests, ...on.sandbox.requests().log]).toEqual([]);
  });

  it("contacts no host in a dry run, and says what it would do", async () => {
    const { on, at, details } = await pullRequest();
    const { run, summary } = await githubJob(on, at, "pull_request", details, "plan", "--dry-run");
    const { err, exit } = await run();
    expect(exit).toBe(0);
    expect(err).toContain("Would comment on change 3");
    expect({ requests: at.requests, summary: await summary() }).toEqual({ requests: [], summary: "" });
  });

  it("goes on with the other stacks when one fails, and says when it can't report", async () => {
    const { on, at } = await pullRequest();
    await on.write("a/edge/all.yaml", "kind: Nonsense\n");
    const { run } = await githubJob(on, at, "workflow_dispatch", {}, "plan");
    const ran = await run();
    expect(ran.exit).toBe(1);
    expect(ran.out).toContain("HTTPResponseBackend/b");
    const { run: other } = await githubJob(on, at, "schedule", { inputs: { stack: "b" } }, "drift");
    const refused = await other({ GITHUB_TOKEN: "another-token" });
    expect(refused).toMatchObject({ exit: 1, err: expect.stringContaining("GitHub's API refuses GET issues (401)") });
  });

  it("refuses a change that renames a stack or removes its configuration while that owns live resources", async () => {
    const { on, at, details, main } = await pullRequest();
    for (const name of ["a", "b"]) await on.run("apply", "-y", "-c", `${name}/edgewise.yaml`);
    await rm(join(on.dir, "a"), { recursive: true });
    await on.write("b/edgewise.yaml", config("c"));
    on.commit("rename and remove");
    const { run } = await githubJob(on, at, "pull_request", details, "plan");
    const { exit, out } = await run();
    expect(exit).toBe(4);
    expect(out).toMatch(/^::error .*a\/edgewise.yaml was removed.* stays live.*HTTPResponseBackend\/a/mu);
    expect(out).toMatch(/^::error .*names its stack "c" instead of "b".* created a second time or refused/mu);
    const destroy = `edgewise destroy --ref ${main.slice(0, 12)} -c a/edgewise.yaml`;
    for (const said of [destroy, 'previousStacks: ["b"]']) expect(out.replaceAll("%3A", ":")).toContain(said);
    expect(at.comments[0]?.body).toContain(`\`${destroy}\``);
    expect(await on.run(...destroy.split(" ").slice(1), "-y")).toMatchObject({ exit: 0 });
    await on.write("b/edgewise.yaml", config("c", "previousStacks: [b]\n"));
    on.commit("keep");
    expect(await run()).toMatchObject({ exit: 0 });
  });

  it("plans main that was set back, and rolls a stack back to a commit that was merged", async () => {
    const { on, at, head, main } = await pullRequest();
    for (const name of ["a", "b"]) on.git("tag", `edge-applied-${name}`, head);
    for (const name of ["a", "b"]) await on.run("apply", "-y", "-c", `${name}/edgewise.yaml`);
    on.git("update-ref", "refs/remotes/origin/main", head);
    const inputs = { ref: main, stack: "b", allow: "", "max-deletes": "" };
    const event = { inputs, repository: { default_branch: "main" } };
    const rolled = await githubJob(on, at, "workflow_dispatch", event, "plan");
    expect(await rolled.run()).toMatchObject({ exit: 0 });
    const { approved = "" } = await rolled.output();
    const { run } = await githubJob(on, at, "workflow_dispatch", event, "apply");
    const applied = await run({ EDGEWISE_APPROVED: approved });
    expect(applied.exit, applied.err).toBe(0);
    expect(Object.fromEntries(at.applied)).toEqual({ "edge-applied-b": main });
    const foreign = on.git("commit-tree", "-m", "never merged", `${head}^{tree}`);
    const other = await githubJob(
      on,
      at,
      "workflow_dispatch",
      { ...event, inputs: { ...inputs, ref: foreign } },
      "plan",
    );
    expect(await other.run()).toMatchObject({
      exit: 4,
      err: expect.stringContaining("is not part of the default branch"),
    });

    on.git("reset", "-q", "--hard", main);
    await on.run("apply", "-y", "--ref", head, "-c", "b/edgewise.yaml");
    const push = { repository: { default_branch: "main" } };
    const back = await (await githubJob(on, at, "push", push, "plan")).run();
    expect(back.out).toContain("file=b/edge/all.yaml,line=");
    expect(back.out).not.toContain("a/edgewise.yaml");
  });

  it("plans what a merge queue holds, and prints no name that a runner would act on", async () => {
    const { on, at, main } = await pullRequest();
    await on.write("::set-output name=x::y/edgewise.yaml", config("odd"));
    await on.write("::set-output name=x::y/edge/all.yaml", backend("odd"));
    on.commit("odd");
    const event = { merge_group: { base_sha: main } };
    const { run } = await githubJob(on, at, "merge_group", event, "plan");
    const { err, exit, out } = await run();
    expect(exit, err).toBe(0);
    expect(out).toContain("b/edgewise.yaml: exit 2");
    expect(`\n${out}${err}`).not.toMatch(/\n\s*::set-output/u);
    expect(at.requests).toEqual([]);
  });

  it("advises no stale retry after a part of an apply", async () => {
    const { on, at } = await pullRequest();
    const planned = await githubJob(on, at, "push", {}, "plan");
    await planned.run();
    const { approved = "" } = await planned.output();
    on.behind("POST", "/backends/http_response", {
      status_code: 503,
      metadata: JSON.stringify({ edgewise: { stack: "b", name: "b" } }),
    });
    const { run: apply, summary } = await githubJob(on, at, "push", {}, "apply");
    expect(await apply({ EDGEWISE_APPROVED: approved })).toMatchObject({ exit: 3 });
    expect(await summary()).toContain("**Next:** Start the whole pipeline again");
  });

  it("prints text and contacts nobody outside of a CI system", async () => {
    const { on, main } = await pullRequest();
    const { err, exit, out } = await on.run("ci", "plan", "--changed-since", main);
    expect({ exit, first: out.split("\n")[0] }, err).toEqual({ exit: 0, first: "== b/edgewise.yaml ==" });
    expect(out).toContain("Plan: 1 to create");
    expect(out).not.toContain("## ");
  });

  it("notifies Slack or any receiver, without markup, values and addresses of receivers", async () => {
    const { on, at } = await pullRequest();
    const receivers = `notify:
  - {url: {env: SLACK_URL}}
  - {url: {env: HOOK_URL}, type: json, secret: {env: HOOK_SECRET}, on: [drift]}
  - {url: {env: NO_URL}}
`;
    await rm(join(on.dir, "a"), { recursive: true });
    await on.write("b/edgewise.yaml", config('"<!channel>"', receivers));
    on.commit("notify");
    Object.assign(on.env, {
      SLACK_URL: `${at.url}/hook/secret-part`,
      HOOK_URL: `${at.url}/hook`,
      HOOK_SECRET: "signs-it-all",
    });
    const planned = await githubJob(on, at, "push", {}, "plan");
    await planned.run();
    const { approved = "" } = await planned.output();
    const { run } = await githubJob(on, at, "push", {}, "apply");
    const applied = await run({ EDGEWISE_APPROVED: approved });
    expect(applied).toMatchObject({
      exit: 0,
      err: expect.stringContaining("the receiver in NO_URL was not notified: NO_URL is not"),
    });
    expect(applied.err).not.toContain("secret-part");
    expect(JSON.parse(at.posted[0]?.body ?? "")).toMatchObject({
      text: expect.stringMatching(/^🟢 &lt;!channel&gt;: applied, 1 of 1/u),
    });

    on.behind("PATCH", `/backends/http_response/${on.id("HTTPResponseBackend")}`, { description: "by hand" });
    const { run: drift } = await githubJob(on, at, "schedule", {}, "drift");
    expect(await drift({ SLACK_URL: `${at.url}/gone` })).toMatchObject({
      exit: 2,
      err: expect.stringContaining("it answers 401"),
    });
    const { body, headers } = at.posted[1] ?? { body: "{}", headers: {} };
    const time = String(headers["x-edgewise-timestamp"]);
    const hmac = createHmac("sha256", "signs-it-all").update(`${time}.${body}`).digest("hex");
    expect(headers["x-edgewise-signature"]).toBe(`sha256=${hmac}`);
    const notice = JSON.parse(body);
    expect(violations("ci-notification", notice)).toEqual([]);
    expect(notice).toMatchObject({ event: "drift", details: ["HTTPResponseBackend/b: modified"] });
    expect(body).not.toContain("by hand");
  });
});
