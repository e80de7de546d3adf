import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { backend, edge, stage, type Stage } from "./stage.ts";

async function furnished(): Promise<Stage> {
  const on = await stage();
  const made = on.behind("POST", "/backends/http_response", {
    status_code: 200,
    body: "hi ${{ vars.X }}",
    description: "Hello, Wörld",
  });
  on.behind("POST", "/backends/http_response", { status_code: 204, description: "Hello, Wörld" });
  const reserved = on.behind("POST", "/reserved_addrs", { region: "eu", description: "tcp" });
  on.behind("POST", "/edges/tls", {
    hostports: ["a.example.com:443", String(reserved["addr"])],
    metadata: '{"team":"payments"}',
    backend: { backend_id: String(made["id"]), enabled: false },
    tls_termination: { terminate_at: "edge", min_version: "1.2" },
    traffic_policy: { value: '{ "on_tcp_connect": [ { "name": "n", "actions": [ { "type": "deny" } ] } ] }' },
  });
  on.behind("POST", "/edges/tls", {
    hostports: ["b.example.com:443"],
    metadata: "free text",
    tls_termination: { terminate_at: "upstream" },
  });
  on.behind("POST", "/ip_restrictions", { type: "agent", enforced: false, ip_policy_ids: ["ipp_1", "ipp_2"] });
  return on;
}

describe("export", () => {
  it.each(["yaml", "json"])("as %s gives manifests that validate and whose plan only adopts, once", async (format) => {
    const { run, write } = await furnished();
    const exported = await run("export", "--out-dir", "edge", "-o", format);
    expect(exported.exit).toBe(0);
    expect(exported.out).toBe("");
    if (format === "json")
      await write(
        "edgewise.yaml",
        'apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: ["edge/**/*.json"]\n',
      );
    expect((await run("validate")).exit).toBe(0);
    const plan = JSON.parse((await run("plan", "-o", "json")).out);
    expect(plan.summary).toEqual({ create: 0, update: 0, replace: 0, delete: 0, adopt: 6, orphan: 0, unchanged: 0 });
    expect(plan.refusals).toEqual([]);
    for (const change of plan.changes)
      expect(change.fields.map(({ path }: { path: string }) => path)).toEqual(["metadata.marker"]);
    expect((await run("apply", "-y")).exit).toBe(0);
    expect((await run("plan", "--detailed-exitcode")).exit).toBe(0);
  });

  it("to stdout it is one text of documents, with references by name and policies as objects", async () => {
    const { run } = await furnished();
    const { exit, out } = await run("export", "TLSEdge", "HTTPResponseBackend", "ReservedAddress");
    expect(exit).toBe(0);
    expect(out).not.toContain("IPRestriction");
    expect(out).toContain("      name: hello-world\n");
    expect(out).toMatch(/ {2}name: hello-world-[a-z0-9]{6}\n/u);
    expect(out).toContain("    - address: tcp\n");
    expect(out).toContain("      on_tcp_connect:\n        - name: n\n");
    expect(out).toContain("body: hi $${{ vars.X }}\n");
    expect(out).toContain("    team: payments\n");
  });

  it("leaves out what stacks own, unless asked; --owned gives nothing to do", async () => {
    const { run, write } = await furnished();
    await write(
      "edge/all.yaml",
      backend("mine") + edge("mine", "m.example.com:443", ", backend: {backend: {name: mine}}"),
    );
    await run("apply", "-y");
    expect((await run("export")).out).not.toContain("mine");
    expect((await run("export", "--all")).out).toContain("name: mine");
    await run("export", "--owned", "--out-dir", "owned");
    const plan = JSON.parse((await run("plan", "-f", "owned", "-o", "json")).out);
    expect(plan.summary).toMatchObject({ adopt: 0, update: 0, create: 0, unchanged: 2 });
  });

  it("writes files of its own directory alone, whatever the markers of the stack say", async () => {
    const names = ["../../escaped", "/etc/passwd", "Api", "api", "api.", "..", "con", "a/b", "x".repeat(200), "é"];
    const marked = (name: string): string => JSON.stringify({ edgewise: { stack: "demo", name } });
    const { run, read, dir } = await stage({
      lists: {
        HTTPResponseBackend: names.map((name, index) => ({
          id: `bkdhr_${index}`,
          status_code: 200,
          metadata: marked(name),
        })),
      },
    });
    const { exit, err } = await run("export", "--owned", "--out-dir", "out", "-o", "json");
    expect(exit).toBe(0);
    const files = [...err.matchAll(/^wrote (.+)$/gmu)].map(([, file]) => file ?? "");
    expect(files).toHaveLength(names.length);
    expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(names.length);
    for (const file of files) {
      expect(file).toMatch(/^out\/http-response-backend\/[a-z0-9][a-z0-9._-]*\.json$/u);
      expect(await read(file)).toContain('"kind": "HTTPResponseBackend"');
    }
    const visible = (await readdir(dir)).filter((name) => !name.startsWith("."));
    expect(visible.toSorted()).toEqual(["edgewise.yaml", "out"]);
    expect((await run("validate", "-f", "out/**/*.json")).exit).toBe(0);
    const plan = JSON.parse((await run("plan", "-f", "out/**/*.json", "-o", "json")).out);
    expect(plan.refusals).toEqual([]);
    for (const { fields } of plan.changes)
      expect(fields.map(({ path }: { path: string }) => path)).toEqual(["metadata.marker"]);
  });

  it("never overwrites", async () => {
    const { run, write, read } = await furnished();
    await write("edge/tls-edge.yaml", "# mine\n");
    const { exit, err } = await run("export", "--out-dir", "edge");
    expect(exit).toBe(1);
    expect(err).toContain("tls-edge.yaml");
    expect(await read("edge/tls-edge.yaml")).toBe("# mine\n");
    await expect(read("edge/ip-restriction.yaml")).rejects.toThrow("ENOENT");
  });
});
