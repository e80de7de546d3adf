import { describe, expect, it } from "vitest";
import { address, backend, edge, stage, type Stage } from "./stage.ts";

const manifests = backend("down") + edge("api", "api.example.com:443", ", backend: {backend: {name: down}}");

describe("apply", () => {
  it("applies, verifies, and has nothing to do the second time", async () => {
    const { run, writes } = await stage({ manifests });
    const first = await run("apply", "-y", "-o", "json");
    expect(first.exit).toBe(0);
    expect(JSON.parse(first.out)).toMatchObject({
      format: "edgewise.result/v1",
      outcome: "applied",
      verified: true,
      operations: [{ status: "done" }, { status: "done" }],
    });
    expect(writes()).toBe(2);
    const second = await run("apply", "-y", "-o", "json");
    expect(second.exit).toBe(0);
    expect(JSON.parse(second.out)).toMatchObject({ outcome: "nothing", verified: true, operations: [] });
    expect(writes()).toBe(2);
  });

  it("stdout has the result alone, stderr plan and progress; -q leaves stderr empty", async () => {
    const { run, write } = await stage({ manifests });
    const { out, err } = await run("apply", "-y");
    expect(out).toMatch(/^APPLIED/u);
    expect(out).not.toContain("created");
    expect(err).toContain("Create (2)");
    expect(err).toMatch(/op-1 {2}created HTTPResponseBackend\/down \(bkdhr_/u);
    expect(err).not.toContain("\u001b");
    await write("edge/all.yaml", manifests.replace("503", "502"));
    const quiet = await run("apply", "-y", "-q");
    expect(quiet).toMatchObject({ exit: 0, err: "" });
  });

  it("--no-verify leaves verified null and lists once", async () => {
    const { run, sandbox } = await stage({ manifests });
    const { out, exit } = await run("apply", "-y", "--no-verify", "-o", "json");
    expect(exit).toBe(0);
    expect(JSON.parse(out).verified).toBeNull();
    expect(sandbox.requests().log.filter(({ method, path }) => method === "GET" && path === "/edges/tls")).toHaveLength(
      1,
    );
  });

  describe("on a terminal", () => {
    it("asks, shows the plan first, and only yes applies", async () => {
      const { runWith, writes } = await stage({ manifests });
      for (const answer of ["", "y", "YES", "no"]) {
        const { io, ran } = runWith({ terminal: true, answer: () => answer }, "apply");
        const { exit, out, err } = await ran;
        expect(exit).toBe(1);
        expect(io.questions).toHaveLength(1);
        expect(io.questions[0]).toContain("stack demo");
        expect(err).toContain("Create (2)");
        expect(err).toContain("nothing was changed");
        expect(out).toBe("");
      }
      expect(writes()).toBe(0);
      const { exit } = await runWith({ terminal: true, answer: () => "yes" }, "apply").ran;
      expect(exit).toBe(0);
      expect(writes()).toBe(2);
    });

    it("asks before it destroys", async () => {
      const { run, write, runWith } = await stage();
      const kept = backend("kept").replace(
        "metadata: {name: kept}",
        "metadata: {name: kept}\nlifecycle: {deletion: orphan}",
      );
      await write("edge/all.yaml", backend("down") + edge("api", "a.example.com:443") + kept);
      await run("apply", "-y");
      const { io, ran } = runWith({ terminal: true, answer: () => "yes" }, "destroy", "--max-deletes", "9");
      expect((await ran).exit).toBe(0);
      expect(io.questions[0]).toMatch(/^Destroy stack demo at http:\S+ \(3 requests\)\? Type yes: $/u);
      expect(io.err()).toMatch(/orphaned HTTPResponseBackend\/kept \(bkdhr_/u);
      expect(io.err()).toMatch(/deleted TLSEdge\/api/u);
    });

    it("asks nothing when there is nothing to do or the plan is refused", async () => {
      const { runWith, run, write } = await stage({ manifests: address("tcp") });
      await run("apply", "-y");
      const nothing = runWith({ terminal: true }, "apply");
      expect((await nothing.ran).exit).toBe(0);
      expect(nothing.io.questions).toHaveLength(0);
      await write("edge/all.yaml", backend("x"));
      const refused = runWith({ terminal: true }, "apply");
      expect((await refused.ran).exit).toBe(4);
      expect(refused.io.questions).toHaveLength(0);
    });

    it("refuses as stale what changed while the answer was waited for", async () => {
      const on = await stage();
      const { run, runWith, write, behind, writes } = on;
      await write("edge/all.yaml", manifests);
      await run("apply", "-y");
      await write("edge/all.yaml", manifests.replace("503", "502"));
      const before = writes();
      const id = on.id("HTTPResponseBackend");
      const meddle = (): string => {
        behind("PATCH", `/backends/http_response/${id}`, { body: "meddled" });
        return "yes";
      };
      const { exit, out } = await runWith({ terminal: true, answer: meddle }, "apply", "-o", "json").ran;
      expect(exit).toBe(4);
      expect(JSON.parse(out)).toMatchObject({ outcome: "refused", refusals: [{ code: "stale-plan" }] });
      expect(writes()).toBe(before);
    });
  });

  describe("a saved plan", () => {
    it("is applied once; the second time it is stale and nothing is written", async () => {
      const { run, writes } = await stage({ manifests });
      await run("plan", "--out", "plan.json");
      const first = await run("apply", "plan.json", "-y", "-o", "json");
      expect(first.exit).toBe(0);
      expect(JSON.parse(first.out)).toMatchObject({ outcome: "applied", verified: true });
      const written = writes();
      const second = await run("apply", "plan.json", "-y", "-o", "json");
      expect(second.exit).toBe(4);
      expect(JSON.parse(second.out)).toMatchObject({ outcome: "refused" });
      expect(JSON.parse(second.out).refusals.every(({ code }: { code: string }) => code === "stale-plan")).toBe(true);
      expect(writes()).toBe(written);
    });

    it.each([["--destroy"], ["--approved"]])("of destroy is applied with %s alone, and verified", async (flag) => {
      const { run, read, writes, sandbox } = await stage({ manifests });
      await run("apply", "-y");
      const before = writes();
      const saved = await run("destroy", "--out", "destroy.json");
      expect(saved).toMatchObject({ exit: 0, out: "" });
      expect(saved.err).toContain("Delete (2)");
      const refused = await run("apply", "destroy.json", "-y", "-o", "json");
      expect(refused.exit).toBe(4);
      expect(refused.out).toContain("made by `edgewise destroy`");
      expect(writes()).toBe(before);
      const { hash } = JSON.parse(await read("destroy.json"));
      const flags = flag === "--approved" ? [flag, hash] : [flag];
      const { exit, out } = await run("apply", "destroy.json", "-y", "-o", "json", ...flags);
      expect(JSON.parse(out)).toMatchObject({ outcome: "applied", verified: true });
      expect(exit).toBe(0);
      expect(sandbox.world().lists.TLSEdge).toHaveLength(0);
    });

    it.each([
      ["edited", (text: string) => text.replace("api.example.com:443", "evil.example.com:443"), "checksum", 4],
      ["cut short", (text: string) => text.slice(0, 100), "it is not valid JSON", 1],
      [
        "of another format",
        (text: string) => text.replace("edgewise.plan/v1", "edgewise.plan/v9"),
        "edgewise.plan/v9",
        4,
      ],
      ["something else", () => "[]", "not a saved plan", 1],
    ])("that is %s is not applied", async (_, edit, words, code) => {
      const { run, write, read, writes } = await stage({ manifests });
      await run("plan", "--out", "plan.json");
      await write("plan.json", edit(await read("plan.json")));
      for (const args of [
        ["apply", "plan.json", "-y"],
        ["show", "plan.json"],
      ]) {
        const { exit, out, err } = await run(...args);
        expect(exit).toBe(code);
        expect(out).toBe("");
        expect(err).toContain(words);
      }
      expect(writes()).toBe(0);
    });

    it("for another stack or service is refused with 4", async () => {
      const { run, runWith, env } = await stage({ manifests });
      await run("plan", "--out", "plan.json");
      const other = await run("apply", "plan.json", "-y", "--stack", "other");
      expect(other.exit).toBe(4);
      expect(other.err).toContain("stack demo");
      const elsewhere = { ...env, EDGEWISE_BASE_URL: "http://127.0.0.1:9" };
      const there = await runWith({ env: elsewhere }, "apply", "plan.json", "-y").ran;
      expect(there.exit).toBe(4);
      expect(there.err).toContain("http://127.0.0.1:9");
    });

    it("takes no flags that would make another plan", async () => {
      const { run } = await stage({ manifests });
      await run("plan", "--out", "plan.json");
      for (const flags of [["--only", "TLSEdge/api"], ["--no-prune"], ["--base", "main"], ["--destroy"]]) {
        const { exit, err } = await run("apply", "plan.json", "-y", ...flags);
        expect([exit, err]).toEqual([1, expect.stringContaining(flags[0] ?? "")]);
      }
    });

    it.each([[["-l", "team=a"]], [["-f", "more/extra.yaml"]], [["--no-prune"]]])(
      "is applied with its own selection, given again or not: %j",
      async (selection) => {
        const { run, write, writes } = await stage();
        const labelled = backend("extra").replace("name: extra", "name: extra, labels: {team: a}");
        await write("edge/all.yaml", manifests + labelled);
        await write("more/extra.yaml", backend("outside"));
        await run("plan", "--out", "plan.json", ...selection);
        const first = await run("apply", "plan.json", "-y", "-o", "json");
        expect(first.exit, first.err).toBe(0);
        expect(JSON.parse(first.out)).toMatchObject({ outcome: "applied", verified: true });
        const written = writes();
        expect(written).toBeGreaterThan(0);
        const second = await run("apply", "plan.json", "-y", "-o", "json", ...selection);
        expect(second.exit, second.err).toBe(4);
        expect(second.out).toContain("no change of the plan is needed now");
        expect(writes()).toBe(written);
      },
    );

    it("counts what loosened its guards only when that is given again, configured or approved", async () => {
      const { run, read, write, writes } = await stage({ manifests: address("tcp") + backend("down") });
      await run("apply", "-y");
      await write("edge/all.yaml", backend("down"));
      const allow = ["--allow", "ReservedAddress/tcp"];
      expect((await run("plan", "--out", "plan.json", ...allow, "--detailed-exitcode")).exit).toBe(2);
      const plan = JSON.parse(await read("plan.json"));
      expect(plan.relaxations.allow).toEqual(["ReservedAddress/tcp"]);
      for (const format of ["text", "markdown", "html"]) {
        expect((await run("show", "plan.json", "-o", format)).out).toContain(
          "Guards loosened by flags: --allow ReservedAddress/tcp",
        );
      }
      const before = writes();
      const refused = await run("apply", "plan.json", "-y", "-o", "json");
      expect(refused.exit).toBe(4);
      const { refusals } = JSON.parse(refused.out);
      expect(refusals.map(({ code }: { code: string }) => code)).toEqual(["deletion-protected", "irreversible"]);
      expect(refusals[0].remedy).toContain("--allow ReservedAddress/tcp");
      expect(refused.out).not.toContain(plan.hash);
      const other = await run("apply", "plan.json", "-y", "--approved", `sha256:${"0".repeat(64)}`);
      expect(other).toMatchObject({ exit: 4, out: "" });
      const empty = await run("apply", "plan.json", "-y", "--approved", "");
      expect(empty).toMatchObject({ exit: 1, out: "" });
      expect(writes()).toBe(before);
      expect((await run("apply", "plan.json", "-y", "--approved", plan.hash)).exit).toBe(0);
      expect(writes()).toBe(before + 1);
    });

    it("that needs --max-deletes or --take-over is applied with the flag, and refused without", async () => {
      const { run, write, writes, behind } = await stage({
        manifests: [1, 2, 3, 4, 5].map((number) => backend(`b${number}`)).join(""),
      });
      await run("apply", "-y");
      const theirs = JSON.stringify({ edgewise: { stack: "theirs", name: "b9" } });
      const { id } = behind("POST", "/backends/http_response", { status_code: 503, metadata: theirs });
      await write("edge/all.yaml", backend("b9").replace("name: b9", `name: b9, id: ${String(id)}`));
      const flags = ["--max-deletes", "100%", "--take-over"];
      expect((await run("plan", "--out", "plan.json", "--detailed-exitcode", ...flags)).exit).toBe(2);
      const before = writes();
      for (const some of [[], flags.slice(0, 2), flags.slice(2)]) {
        const { exit, out } = await run("apply", "plan.json", "-y", "-o", "json", ...some);
        expect(exit, out).toBe(4);
        expect(out).toMatch(/too-many-deletes|ownership-conflict/u);
      }
      expect(writes()).toBe(before);
      expect((await run("apply", "plan.json", "-y", ...flags)).exit).toBe(0);
    });

    it("that was refused when it was made stays refused, whatever is given now", async () => {
      const { run, write, writes } = await stage({ manifests: address("tcp") });
      await run("apply", "-y");
      await write("edge/all.yaml", backend("down"));
      await run("plan", "--out", "plan.json");
      const before = writes();
      const { exit, out } = await run("apply", "plan.json", "-y", "-o", "json", "--allow", "ReservedAddress/tcp");
      expect(exit).toBe(4);
      expect(out).toContain("deletion-protected");
      expect(writes()).toBe(before);
    });

    describe("that was made without a secret", () => {
      const hook = `apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: hook, id: edghtsrt_1}
spec:
  edge: {id: edghts_1}
  webhook_verification: {provider: GITHUB, secret: {env: HOOK}}
`;
      async function applied(): Promise<Stage> {
        const on = await stage();
        on.env["HOOK"] = "the first secret";
        await on.write("edge/all.yaml", hook);
        expect((await on.run("apply", "-y")).exit).toBe(0);
        delete on.env["HOOK"];
        return on;
      }

      it.each([
        ["some other change", `${backend("down")}${hook}`, 3, "applied"],
        ["no other change", hook, 1, "nothing"],
      ])("leaves one alone that was rotated, and says so: %s", async (_what, manifests, code, outcome) => {
        const { env, run, sandbox, write } = await applied();
        await write("edge/all.yaml", manifests);
        expect((await run("plan", "--out", "plan.json")).exit).toBe(0);
        env["HOOK"] = "the second secret";
        const { exit, out } = await run("apply", "plan.json", "-y", "-o", "json");
        expect(exit, out).toBe(code);
        const result = JSON.parse(out);
        expect(result).toMatchObject({ outcome, verified: false });
        expect(result.warnings.map((warning: { readonly code: string }) => warning.code)).toContain("not-converged");
        expect(out).toContain("spec.webhook_verification.secret");
        expect(JSON.stringify(sandbox.world().modules)).toContain("the first secret");
        const text = await run("apply", "plan.json", "-y");
        expect(text.out).not.toContain("Live matches the manifests");
        expect((await run("apply", "-y")).exit).toBe(0);
        expect(JSON.stringify(sandbox.world().modules)).toContain("the second secret");
      });
    });
  });

  describe("when something goes wrong", () => {
    it("skips what depends on it, tells all as JSON, and exits 3 when something was changed", async () => {
      const { run } = await stage({
        manifests: manifests + backend("lone"),
        faults: ["status=403,method=POST,path=/edges/tls"],
      });
      const { exit, out } = await run("apply", "-y", "-o", "json");
      expect(exit).toBe(3);
      const result = JSON.parse(out);
      expect(result).toMatchObject({ outcome: "partial", verified: false, warnings: [] });
      expect(
        result.operations.map(({ address, status }: { address: string; status: string }) => [address, status]),
      ).toEqual(
        expect.arrayContaining([
          ["HTTPResponseBackend/lone", "done"],
          ["HTTPResponseBackend/down", "done"],
          ["TLSEdge/api", "failed"],
        ]),
      );
    });

    it("exits 3 when the service did not do what it said", async () => {
      const on = await stage();
      const { run, write, runWith, behind } = on;
      await write("edge/all.yaml", manifests);
      await run("apply", "-y");
      await write("edge/all.yaml", manifests.replace("503", "502"));
      const id = on.id("TLSEdge");
      const { ran } = runWith(
        {
          onStderr: (text) => {
            if (text.includes("Verifying")) behind("PATCH", `/edges/tls/${id}`, { description: "meddled" });
          },
        },
        "apply",
        "-y",
        "-o",
        "json",
      );
      const { exit, out } = await ran;
      expect(exit).toBe(3);
      expect(JSON.parse(out)).toMatchObject({ outcome: "applied", verified: false });
    });

    it("--fail-on stops with 2 before anything is written", async () => {
      const { run, writes } = await stage({ manifests });
      const { exit, err } = await run("apply", "-y", "--fail-on", "routing");
      expect(exit).toBe(2);
      expect(err).toContain("--fail-on");
      expect(writes()).toBe(0);
    });
  });

  describe("interrupted", () => {
    it("once while writing: what is in flight finishes, the rest is skipped, 3", async () => {
      const { runWith, sandbox } = await stage({ manifests });
      const { io, ran } = runWith(
        {
          onStderr: (text) => {
            if (text.includes("created HTTPResponseBackend/down")) io.signal("SIGTERM");
          },
        },
        "apply",
        "-y",
        "-o",
        "json",
      );
      const { exit, out, err } = await ran;
      expect(exit).toBe(3);
      expect(JSON.parse(out)).toMatchObject({ outcome: "partial", interrupted: true, verified: null });
      expect(err).toContain("SIGTERM");
      expect(sandbox.world().lists.HTTPResponseBackend).toHaveLength(1);
      expect(sandbox.world().lists.TLSEdge).toHaveLength(0);
    });
  });

  it("--journal says who applied what, from where, without the key even if a variable of CI repeats it", async () => {
    const { runWith, read, env } = await stage({ manifests });
    const ci = {
      GITHUB_SERVER_URL: "https://github.example.com",
      GITHUB_REPOSITORY: "example/edge",
      GITHUB_RUN_ID: "7",
      GITHUB_ACTOR: "ben", // whose push it was, which ann runs again
      GITHUB_TRIGGERING_ACTOR: `ann ${env["EDGEWISE_API_KEY"]}`,
    };
    const { ran } = runWith({ env: { ...env, ...ci } }, "apply", "-y", "--journal", "journal.jsonl");
    expect(await ran).toMatchObject({ exit: 0 });
    const text = await read("journal.jsonl");
    const started = JSON.parse(text.split("\n")[0] ?? "");
    expect(started).toMatchObject({
      stack: "demo",
      plan: expect.stringMatching(/^sha256:/),
      commit: null,
      toolVersion: expect.stringMatching(/^\d/),
      by: expect.stringMatching(/^ann .*, https:\/\/github\.example\.com\/example\/edge\/actions\/runs\/7$/),
    });
    expect(text).not.toContain(env["EDGEWISE_API_KEY"]);
  });
});

describe("destroy", () => {
  it("deletes what the stack owns and nothing else, under the guards", async () => {
    const { run, behind, sandbox } = await stage({ manifests: manifests + address("tcp") });
    await run("apply", "-y");
    behind("POST", "/backends/http_response", { status_code: 200 });
    const refused = await run("destroy", "-y");
    expect(refused.exit).toBe(4);
    expect(refused.out).toContain("deletion-protected");
    const { exit, out } = await run("destroy", "-y", "--allow", "ReservedAddress/tcp", "-o", "json");
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ outcome: "applied", verified: true });
    const { lists } = sandbox.world();
    expect([lists.TLSEdge.length, lists.ReservedAddress.length, lists.HTTPResponseBackend.length]).toEqual([0, 0, 1]);
    expect((await run("destroy", "-y")).exit).toBe(0);
  });

  it("needs no manifests", async () => {
    const { run, write } = await stage({ manifests });
    await run("apply", "-y");
    await write("edge/all.yaml", "this: is broken\n");
    expect((await run("destroy", "-y")).exit).toBe(0);
  });
});

it("a file that the account can't be written to is found before anything is changed", async () => {
  const { run, writes } = await stage({ manifests });
  for (const file of ["edgewise.yaml/result.json", "gone/result.json", "edge"]) {
    const { exit, out, err } = await run("apply", "-y", "-o", "json", "--output-file", file);
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain(`${file} can't be written`);
  }
  expect(writes()).toBe(0);
});
