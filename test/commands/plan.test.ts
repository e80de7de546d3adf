import { describe, expect, it } from "vitest";
import { listPaths } from "../support/lists.ts";
import { applied, backend, beyondLists, edge, stage } from "./stage.ts";

const manifests = backend("down") + edge("api", "api.example.com:443", ", backend: {backend: {name: down}}");

describe("plan", () => {
  it("shows changes on stdout alone and sends no write", async () => {
    const { run, writes } = await stage({ manifests });
    const { exit, out, err } = await run("plan");
    expect(out).toContain("+   TLSEdge/api");
    expect(out).toContain("2 to create");
    expect(err).toBe("");
    expect(exit).toBe(0);
    expect(writes()).toBe(0);
  });

  it.each(["text", "json", "markdown", "html", "github", "gitlab"])(
    "-o %s is what show gives of the saved plan",
    async (format) => {
      const { run, read } = await stage({ manifests });
      const planned = await run("plan", "-o", format, "--out", "plan.json", "-q");
      const shown = await run("show", "plan.json", "-o", format);
      expect(planned.exit).toBe(0);
      expect(shown).toEqual({ exit: 0, out: planned.out, err: "" });
      expect(planned.out.length).toBeGreaterThan(30);
      if (format === "json") expect(planned.out).toBe(await read("plan.json"));
      if (format === "gitlab") expect(JSON.parse(planned.out)).toEqual({ create: 2, update: 0, delete: 0 });
    },
  );

  it.each([
    ["plan", "--out", "edgewise.yaml"],
    ["plan", "--output-file", "edge/all.yaml"],
    ["apply", "-y", "--output-file", "edge/all.yaml"],
  ])("%s %s %s replaces no manifest and no configuration", async (...args) => {
    const { run, read, writes } = await stage({ manifests });
    const file = args.at(-1) ?? "";
    const before = await read(file);
    const { exit, err } = await run(...args);
    expect({ exit, after: await read(file), writes: writes() }).toEqual({ exit: 1, after: before, writes: 0 });
    expect(err).toContain("is a manifest or the configuration, and was not changed");
  });

  it("begins with what is lost, and counts above a long plan as well as below", async () => {
    const { run, write } = await stage();
    const names = ["a", "b", "c", "d"];
    const kept = edge("kept", "kept.example.com:443", ", ip_restriction: {ip_policies: [{id: ipp_1}]}");
    const created = names.map((name) => backend(name)).join("");
    await write("edge/all.yaml", kept + names.map((name) => edge(name, `${name}.example.com:443`)).join(""));
    await run("apply", "-y");
    await write(
      "edge/all.yaml",
      edge("kept", "kept.example.com:443") +
        edge("taker", "d.example.com:443") +
        ["", "more-", "yet-", "still-"].map((start) => created.replaceAll("name: ", `name: ${start}`)).join(""),
    );
    const lost =
      "3 hostports no longer served: a.example.com:443, b.example.com:443, c.example.com:443; 4 deletions: TLSEdge/a, TLSEdge/b, TLSEdge/c and 1 more; TLSEdge/kept: the IP restriction no longer guards this edge";
    const counts = "Plan: 17 to create, 1 to update, 4 to delete.";
    const text = (await run("plan", "--max-deletes", "9")).out;
    expect(text.replaceAll(/\n +/gu, " ").split("\n")[0]).toBe(`SECURITY  ${lost}`);
    expect(text.split(counts)).toHaveLength(3);
    const markdown = (await run("plan", "-o", "markdown")).out.replaceAll("\u200b", "");
    expect(markdown).toContain(`> **security:** ${lost}`);
    expect(markdown.indexOf(counts)).toBeLessThan(markdown.indexOf("### Delete "));
    expect((await run("plan", "-o", "html")).out).toContain(`<b>security</b>${lost}`);
  });

  it("shows one change of three or more resources, and a warning about them, once with their addresses", async () => {
    const names = ["a", "b", "c", "d"];
    const version = (name: string, min: string) =>
      edge(name, `${name}.example.com:443`, `, tls_termination: {min_version: "${min}"}`);
    const old = names.map((name) => version(name, "1.1") + backend(`gone-${name}`)).join("");
    const { run, write } = await applied(old);
    await write("edge/all.yaml", names.map((name) => version(name, name === "d" ? "1.3" : "1.2")).join(""));
    const text = (await run("plan")).out;
    expect(text).toContain("Update (4)\n  ~   3 TLSEdge  [routing]\n");
    expect(text).toMatch(
      /min_version: "1.1" -> "1.2"[^~]*\n      TLSEdge\/a, TLSEdge\/b, TLSEdge\/c\n  ~   TLSEdge\/d/u,
    );
    expect(text.match(/-> "1.2"/gu)).toHaveLength(1);
    expect(text.match(/-   HTTPResponseBackend\/gone-/gu)).toHaveLength(4);
    expect(text).toMatch(/Warnings \(4\)\n  ! referrers-invisible  4 resources\n[^!]*gone-a, [^!]*gone-d\n/u);
    const markdown = (await run("plan", "-o", "markdown")).out;
    expect(markdown).toContain("<summary><code>~</code> update <code>3 TLSEdge</code>");
    expect(markdown).toContain("`TLSEdge/a`, `TLSEdge/b`, `TLSEdge/c`");
    expect(markdown.match(/\*\*referrers-invisible/gu)).toHaveLength(1);
    const html = (await run("plan", "-o", "html")).out;
    expect(html).toContain("<code>TLSEdge/a</code>, <code>TLSEdge/b</code>, <code>TLSEdge/c</code>");
    expect((await run("plan", "--compact")).out.match(/~   update  TLSEdge/gu)).toHaveLength(4);
    expect(JSON.parse((await run("plan", "-o", "json")).out).changes).toHaveLength(8);
    expect((await run("plan", "-o", "github")).out.match(/title=update TLSEdge/gu)).toHaveLength(4);
  });

  it("shows a removed deny rule as one block of YAML", async () => {
    const { run, write } = await stage();
    const rules = ["one", "two", "three"].map(
      (name) => `{name: ${name}, actions: [{type: deny, config: {status_code: 403}}]}`,
    );
    const policy = (list: readonly string[]) =>
      edge("api", "a.example.com:443", `, traffic_policy: {value: {on_tcp_connect: [${list.join(", ")}]}}`);
    await write("edge/all.yaml", policy(rules));
    await run("apply", "-y");
    await write("edge/all.yaml", policy(rules.filter((_, index) => index !== 1)));
    expect((await run("plan")).out.replaceAll(/^ +/gmu, "")).toContain(
      "-   - name: two\n-     actions:\n-       - type: deny\n-         config:\n-           status_code: 403\n",
    );
  });

  it("show needs neither key, nor configuration, nor service", async () => {
    const { run, runWith, sandbox, dir } = await stage({ manifests });
    await run("plan", "--out", "plan.json");
    const seen = sandbox.requests().total;
    const { exit, out } = await runWith({ cwd: "/", env: {} }, "show", `${dir}/plan.json`).ran;
    expect(exit).toBe(0);
    expect(out).toContain("TLSEdge/api");
    expect(sandbox.requests().total).toBe(seen);
  });

  it("-f plans those files alone, prunes nothing, and finds what they miss among what is live", async () => {
    const { run, write } = await applied(manifests + backend("other"));
    await write("one.yaml", edge("second", "b.example.com:443", ", backend: {backend: {name: down}}"));
    const { out } = await run("plan", "-f", "one.yaml", "-o", "json");
    const plan = JSON.parse(out);
    expect(plan.summary).toMatchObject({ create: 1, delete: 0 });
    expect(plan.changes[0].address).toBe("TLSEdge/second");
  });

  it("--no-prune leaves what no manifest describes", async () => {
    const { run, write } = await applied(manifests + backend("other"));
    await write("edge/all.yaml", manifests);
    expect(JSON.parse((await run("plan", "-o", "json")).out).summary.delete).toBe(1);
    expect(JSON.parse((await run("plan", "-o", "json", "--no-prune")).out).summary.delete).toBe(0);
  });

  it("--label selects by labels, all of which must match; none is an error", async () => {
    const { run, write } = await stage();
    await write(
      "edge/all.yaml",
      backend("a", "status_code: 500", ", labels: {team: x, tier: one}") +
        backend("b", "status_code: 500", ", labels: {team: x}"),
    );
    const addresses = async (...args: string[]) =>
      JSON.parse((await run("plan", "-o", "json", ...args)).out).changes.map(
        (change: { address: string }) => change.address,
      );
    expect(await addresses("-l", "team=x")).toEqual(["HTTPResponseBackend/a", "HTTPResponseBackend/b"]);
    expect(await addresses("-l", "team=x", "-l", "tier=one")).toEqual(["HTTPResponseBackend/a"]);
    const none = await run("plan", "-l", "team=y");
    expect(none).toMatchObject({ exit: 1, out: "" });
    expect(none.err).toContain("team=y");
  });

  it("--only takes what it depends on along, and an address that nothing has is an error", async () => {
    const { run } = await stage({ manifests: manifests + backend("other") });
    const { out } = await run("plan", "-o", "json", "--only", "TLSEdge/api");
    expect(JSON.parse(out).summary.create).toBe(2);
    const unkind = await run("plan", "--only", "api");
    expect(unkind.exit).toBe(1);
    expect(unkind.err).toContain("An address is Kind/name, like TLSEdge/api.");
    const none = await run("plan", "--only", "TLSEdge/apii");
    expect(none).toMatchObject({ exit: 1, out: "" });
    expect(none.err).toContain("TLSEdge/apii");
  });

  it("manifests with errors are shown with their place, and nothing but lists is asked of the service", async () => {
    const on = await stage();
    await on.write("edge/bad.yaml", backend("down", "status_code: 99, colour: red"));
    const { exit, out, err } = await on.run("plan", "-o", "json");
    expect(exit).toBe(1);
    expect(out).toBe("");
    expect(err).toMatch(/edge\/bad\.yaml:4:\d+: error/u);
    expect(beyondLists(on)).toEqual([]);
  });

  it.each(["plan", "drift", "apply -y"])(
    "%s does not wait for the service when a manifest is wrong",
    async (command) => {
      const slow = await stage({ latencyMs: 3_600_000 });
      const quick = await stage();
      for (const { write } of [slow, quick]) await write("edge/bad.yaml", backend("down", "colour: red"));
      const [ran, other] = await Promise.all([slow, quick].map(async ({ run }) => run(...command.split(" "))));
      expect(ran).toMatchObject({ exit: 1, out: "" });
      expect(ran).toEqual(other);
      expect(slow.writes() + quick.writes()).toBe(0);
    },
  );

  it("a list that fails means no plan", async () => {
    const { run } = await stage({ manifests, faults: ["status=400,path=/edges/tls"] });
    const { exit, out, err } = await run("plan");
    expect(exit).toBe(1);
    expect(out).toBe("");
    expect(err).toContain("GET /edges/tls: 400");
  });

  it("-v traces requests on stderr without the key; --log-format json does so as JSON lines", async () => {
    const { run, env } = await stage({ manifests });
    const text = await run("plan", "-v");
    expect(text.err).toMatch(/< #\d+ GET \/edges\/tls: 200, \d+ ms, \d+ bytes/u);
    expect(text.err).not.toContain(env["EDGEWISE_API_KEY"]);
    const json = await run("plan", "-v", "--log-format", "json");
    const lines = json.err
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter((line) => line.level === "trace" && line.type === "answer")).toHaveLength(listPaths.length);
  });

  it.each([
    ["EDGEWISE_API_KEY", "EDGEWISE_API_KEY"],
    ["EDGEWISE_BASE_URL", "--base-url"],
  ])("without %s it says what to set", async (missing, remedy) => {
    const { runWith, env } = await stage({ manifests });
    const rest = Object.fromEntries(Object.entries(env).filter(([name]) => name !== missing));
    const { exit, out, err } = await runWith({ env: rest }, "plan").ran;
    expect(exit).toBe(1);
    expect(out).toBe("");
    expect(err).toContain(remedy);
  });

  it("says what --exclude leaves out", async () => {
    const { run } = await stage({ manifests: backend("a") + backend("b") });
    const part = await run("plan", "--exclude", "HTTPResponseBackend/a");
    expect(part.out).toContain("Left out by --exclude: HTTPResponseBackend/a, and what can't be done without.");
    const none = await run("plan", "--exclude", "HTTPResponseBackend/a", "--exclude", "HTTPResponseBackend/b");
    expect(none.out).toContain("Live matches the manifests that the flags select (0 resources).");
  });

  it("--output-file gets the result, without colour, and stdout nothing", async () => {
    const { runWith, read } = await stage({ manifests });
    const { out } = await runWith({ color: true }, "plan", "--output-file", "plan.txt").ran;
    expect(out).toBe("");
    const text = await read("plan.txt");
    expect(text).toContain("TLSEdge/api");
    expect(text).not.toContain("\u001b");
    expect((await runWith({ color: true }, "plan").ran).out).toContain("\u001b[");
    expect((await runWith({ color: true }, "plan", "--no-color").ran).out).not.toContain("\u001b");
  });
});
