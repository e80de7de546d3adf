import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Stage, stage } from "./stage.ts";

const edges = `# The edges of payments.
apiVersion: edgewise/v1
kind: TLSEdge
metadata:
  name: api   # public
  labels: {team: payments}
spec:
  # What customers see.
  description: Public API   # ask marketing
  hostports:
    - "api.example.com:443"   # the main one
    - old.example.com:443     # until 2027
  # Who may call.
  ip_restriction:
    ip_policies: [ {id: ipp_1}, {id: ipp_2} ]
  traffic_policy:
    value:
      on_tcp_connect:
        # first: log
        - name: log
          actions: [{type: log}]
        # then: stop
        - name: stop
          actions:
            - type: deny
---
apiVersion: edgewise/v1
kind: HTTPResponseBackend
metadata: {name: maintenance}
spec: {status_code: 503, body: 'closed', headers: {Retry-After: "60"}}
`;

async function drifted(text = edges): Promise<Stage & { readonly edge: string }> {
  const found = await stage();
  await found.write("edge/api.yaml", text);
  const applied = await found.run("apply", "-y");
  expect(applied.exit, applied.err).toBe(0);
  const edge = found.id("TLSEdge");
  return { ...found, edge };
}

const rewritten = [
  ["Public API   #", "Public API, v2 #"],
  [
    "    - old.example.com:443     # until 2027\n",
    "    - new.example.com:443\n  backend:\n    backend: {name: maintenance}\n",
  ],
  ["[ {id: ipp_1}, {id: ipp_2} ]", "[{id: ipp_2}, {id: ipp_3}]"],
  ["type: deny", "type: close-connection"],
  ["503", "429"],
  ['Retry-After: "60"', 'Retry-After: "5", x-a: b'],
].reduce((text, [was = "", is = ""]) => text.replace(was, is), edges);

function changeByHand({ behind, edge, id }: Stage & { readonly edge: string }): void {
  const backend = id("HTTPResponseBackend");
  behind("PATCH", `/edges/tls/${edge}`, {
    description: "Public API, v2",
    hostports: ["new.example.com:443", "api.example.com:443"],
    backend: { enabled: true, backend_id: backend },
    ip_restriction: { enabled: true, ip_policy_ids: ["ipp_2", "ipp_3"] },
    traffic_policy: {
      enabled: true,
      value: JSON.stringify({
        on_tcp_connect: [
          { name: "log", actions: [{ type: "log" }] },
          { name: "stop", actions: [{ type: "close-connection" }] },
        ],
      }),
    },
  });
  behind("PATCH", `/backends/http_response/${backend}`, {
    status_code: 429,
    headers: { "retry-after": "5", "x-a": "b" },
  });
}

async function expectEmptyPlan({ run }: Stage): Promise<void> {
  const after = await run("plan", "--detailed-exitcode");
  expect(after.exit, after.out + after.err).toBe(0);
}

it("rewrites a text over several lines alone", async () => {
  for (const [was, is] of [
    ["a long\n      text", "new"],
    [">-\n      a long\n      text", ">-\n      new"],
  ] as const) {
    const text = (value: string): string => edges.replace("Public API", value).replace(/^kind: T/mu, "kind:     T");
    const { behind, edge, read, run } = await drifted(text(was).replace(/ {3}# ask marketing/u, ""));
    behind("PATCH", `/edges/tls/${edge}`, { description: "new" });
    expect((await run("pull", "-y")).exit).toBe(0);
    expect((await read("edge/api.yaml")).replace(/ +new/u, "      new")).toBe(
      text(is)
        .replace(/ {3}# ask marketing/u, "")
        .replace(/ +new/u, "      new"),
    );
  }
});

describe("pull", () => {
  it("rewrites what differs, keeps everything else, and leaves an empty plan", async () => {
    const on = await drifted();
    changeByHand(on);
    const writes = on.writes();
    const { err, exit, out } = await on.run("pull", "-y");
    expect(exit, err).toBe(0);
    expect(await on.read("edge/api.yaml")).toBe(rewritten);
    expect(out).toContain("Pulled 7 fields of 2 resources into 1 file.");
    expect(err).toContain(
      "-  description: Public API   # ask marketing\n+  description: Public API, v2 # ask marketing\n",
    );
    expect(on.writes()).toBe(writes);
    await expectEmptyPlan(on);
    const again = await on.run("pull", "-y", "-o", "json");
    expect(again.exit).toBe(0);
    expect(JSON.parse(again.out)).toMatchObject({ outcome: "nothing", files: [], pulled: [], left: [] });
  });

  it("keeps line breaks of Windows, a byte order mark, the mode, and what follows", async () => {
    const windows = (text: string): string => `\ufeff${text.replaceAll("\n", "\r\n")}`;
    const on = await drifted(windows(edges));
    const file = join(on.dir, "edge/api.yaml");
    await chmod(file, 0o640);
    changeByHand(on);
    expect((await on.run("pull", "-y")).exit).toBe(0);
    expect(await readFile(file, "utf8")).toBe(windows(rewritten));
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    await expectEmptyPlan(on);
  });

  it("pulls what is named and nothing else", async () => {
    const on = await drifted();
    changeByHand(on);
    expect((await on.run("pull", "-y", "HTTPResponseBackend/maintenance")).exit).toBe(0);
    const one = await on.read("edge/api.yaml");
    expect(one).toBe(
      edges.slice(0, edges.indexOf("spec: {status")) + rewritten.slice(rewritten.indexOf("spec: {status")),
    );
  });

  it("leaves files, variables, secrets and shared anchors alone, and says what to do", async () => {
    const on = await stage();
    Object.assign(on.env, { EDGEWISE_VAR_TEXT: "from outside" });
    await on.write("edge/policy.json", JSON.stringify({ on_tcp_connect: [] }));
    const text = `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: api}
spec:
  description: "\${{ env.TEXT }}"
  metadata: {owner: &who a, team: *who}
  hostports: [a.example.com:443]
  traffic_policy:
    value: {file: policy.json}
`;
    await on.write("edge/all.yaml", text);
    expect((await on.run("apply", "-y")).exit).toBe(0);
    on.behind("PATCH", `/edges/tls/${on.id("TLSEdge")}`, {
      description: "by hand",
      metadata: JSON.stringify({ edgewise: { stack: "demo", name: "api" }, owner: "b", team: "a" }),
      traffic_policy: { enabled: true, value: JSON.stringify({ on_tcp_connect: [{ actions: [{ type: "deny" }] }] }) },
    });
    const { exit, out } = await on.run("pull", "-y", "TLSEdge/api");
    expect(exit).toBe(1);
    expect(await on.read("edge/all.yaml")).toBe(text);
    expect(out).toContain("edge/all.yaml:5:3");
    expect(out).toContain("spec.description holds a variable");
    expect(out).toContain("edge/all.yaml:9:5");
    expect(out).toContain("spec.traffic_policy.value comes from policy.json. Write what is live into policy.json.");
    const json = JSON.parse((await on.run("pull", "-y", "-o", "json")).out);
    expect(json.left).toMatchObject([
      { path: "spec.description", source: { file: "edge/all.yaml", line: 5, column: 3 }, live: "by hand" },
      { path: "spec.metadata", message: "has the anchor &who, which is used elsewhere in the document" },
      { path: "spec.traffic_policy.value", source: { line: 9, column: 5 } },
    ]);
  });

  it("edits a policy around the sources of its secrets, and never writes a secret", async () => {
    const on = await stage();
    Object.assign(on.env, { TOKEN: "token-of-the-policy" });
    const text = `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: api}
spec:
  hostports: [b.example.com:443]
  traffic_policy:
    value:
      on_tcp_connect:
        - name: one   # the first
          actions: [{type: log, config: {token: {env: TOKEN}}}]
`;
    await on.write("edge/all.yaml", text);
    expect((await on.run("apply", "-y")).exit).toBe(0);
    const rules = (token: string): string =>
      JSON.stringify({
        on_tcp_connect: [
          { name: "one", actions: [{ type: "log", config: { token } }] },
          { name: "two", actions: [{ type: "deny" }] },
        ],
      });
    const change = (token: string): unknown =>
      on.behind("PATCH", `/edges/tls/${on.id("TLSEdge")}`, { traffic_policy: { enabled: true, value: rules(token) } });
    change("token-of-the-policy");
    const pulled = await on.run("pull", "-y");
    expect(pulled.exit, pulled.out + pulled.err).toBe(0);
    expect(await on.read("edge/all.yaml")).toBe(`${text}        - name: two
          actions:
            - type: deny
`);
    await expectEmptyPlan(on);
    change("another-token-by-hand");
    const before = await on.read("edge/all.yaml");
    const { exit, out } = await on.run("pull", "-y", "TLSEdge/api");
    expect(exit).toBe(1);
    expect(out).toContain("holds secrets that the manifest doesn't have");
    expect(out + pulled.out + pulled.err).not.toContain("another-token");
    expect(await on.read("edge/all.yaml")).toBe(before);
  });

  it("pulls modules of HTTPS edges: null says that one is gone", async () => {
    const on = await stage();
    const text = `apiVersion: edgewise/v1
kind: HTTPSEdge
metadata: {name: web, id: edghts_1}
spec:
  tls_termination:
    min_version: '1.2' # old clients
`;
    await on.write("edge/web.yaml", text);
    expect((await on.run("apply", "-y")).exit).toBe(0);
    on.behind("PUT", "/edges/https/edghts_1/tls_termination", { enabled: true, min_version: "1.3" });
    expect((await on.run("pull", "-y")).exit).toBe(0);
    expect(await on.read("edge/web.yaml")).toBe(text.replace("'1.2'", "'1.3'"));
    await expectEmptyPlan(on);
    on.behind("DELETE", "/edges/https/edghts_1/tls_termination");
    expect((await on.run("pull", "-y")).exit).toBe(0);
    expect(await on.read("edge/web.yaml")).toContain("  tls_termination: null");
    await expectEmptyPlan(on);
  });

  it("pulls what is about to be adopted: the plan then only adopts", async () => {
    const on = await stage();
    on.behind("POST", "/backends/http_response", { status_code: 418, description: "tea" });
    const id = on.id("HTTPResponseBackend");
    const text = `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: tea, id: ${id}}\nspec: {status_code: 200}\n`;
    await on.write("edge/tea.yaml", text);
    expect((await on.run("pull", "-y")).exit).toBe(0);
    expect(await on.read("edge/tea.yaml")).toBe(
      text.replace("{status_code: 200}", "{description: tea, status_code: 418}"),
    );
    const { changes } = JSON.parse((await on.run("plan", "-o", "json")).out);
    expect(changes).toMatchObject([{ action: "adopt", fields: [{ path: "metadata.marker" }] }]);
  });

  it("asks on a terminal, and needs an answer elsewhere", async () => {
    const on = await drifted();
    changeByHand(on);
    const refused = await on.run("pull");
    expect(refused).toMatchObject({ exit: 1, out: "" });
    expect(refused.err).toContain("there is no terminal on which to confirm the changes");
    const no = on.runWith({ terminal: true, answer: () => "no" }, "pull");
    const answered = await no.ran;
    expect(no.io.questions[0]).toContain("Write these changes (7 fields in 1 file)?");
    expect(answered.exit).toBe(1);
    expect(answered.err).toContain("not approved: nothing was changed");
    expect(await on.read("edge/api.yaml")).toBe(edges);
    const interrupted = on.runWith({ terminal: true, answer: () => (interrupted.io.signal("SIGINT"), "yes") }, "pull");
    expect((await interrupted.ran).exit).toBe(130);
    expect(await on.read("edge/api.yaml")).toBe(edges);
    const yes = on.runWith({ terminal: true, answer: () => "yes" }, "pull");
    expect((await yes.ran).exit).toBe(0);
    expect(await on.read("edge/api.yaml")).toBe(rewritten);
  });

  it("writes nothing when a file was changed meanwhile, or is read-only", async () => {
    const on = await drifted();
    changeByHand(on);
    const file = join(on.dir, "edge/api.yaml");
    const other = `${edges}# somebody was here\n`;
    const raced = on.runWith({ terminal: true, answer: async () => (await writeFile(file, other), "yes") }, "pull");
    expect((await raced.ran).exit).toBe(1);
    expect((await raced.ran).err).toContain("edge/api.yaml has changed meanwhile; no file was changed");
    expect(await on.read("edge/api.yaml")).toBe(other);
    await chmod(file, 0o444);
    const locked = await on.run("pull", "-y");
    expect(locked.exit).toBe(1);
    expect(locked.err).toContain("edge/api.yaml is read-only; no file was changed");
    expect(await on.read("edge/api.yaml")).toBe(other);
  });
});
