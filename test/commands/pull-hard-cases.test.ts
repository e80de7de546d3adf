import { describe, expect, it } from "vitest";
import { type Stage, stage } from "./stage.ts";

const policy = `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: api}
spec:
  hostports: [a.example.com:443]
  traffic_policy:
    value:
      on_tcp_connect:
        # one
        - name: one
          actions: [{type: log}] # quietly
        # two
        - name: two
          actions: [{type: deny}]
        # three
        - name: three
          actions: [{type: close-connection}]
`;

const one = { name: "one", actions: [{ type: "log" }] };
const two = { name: "two", actions: [{ type: "deny" }] };
const three = { name: "three", actions: [{ type: "close-connection" }] };

async function applied(files: { readonly [path: string]: string }): Promise<Stage> {
  const on = await stage();
  for (const [path, text] of Object.entries(files)) await on.write(path, text);
  const { err, exit } = await on.run("apply", "-y");
  expect(exit, err).toBe(0);
  return on;
}

function setPolicy({ behind, id }: Stage, value: string | object): void {
  behind("PATCH", `/edges/tls/${id("TLSEdge")}`, {
    traffic_policy: { enabled: true, value: typeof value === "string" ? value : JSON.stringify(value) },
  });
}

const backend = (name: string, spec: string): string =>
  `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: ${name}}\nspec:\n${spec}`;

describe("pull of policies", () => {
  it("moves a rule with its comments, and removes the first with its own", async () => {
    const on = await applied({ "edge/api.yaml": policy });
    setPolicy(on, { on_tcp_connect: [two, three, one] });
    expect((await on.run("pull", "-y")).exit).toBe(0);
    const [head = "", first = "", second = "", third = ""] = policy.split(/^(?= {8}# )/mu);
    expect(await on.read("edge/api.yaml")).toBe(head + second + third + first);
    setPolicy(on, { on_tcp_connect: [one, two, three] });
    expect((await on.run("pull", "-y")).exit).toBe(0);
    expect(await on.read("edge/api.yaml")).toBe(policy);
    setPolicy(on, { on_tcp_connect: [{ ...two, name: "new" }, two, three] });
    expect((await on.run("pull", "-y")).exit).toBe(0);
    expect(await on.read("edge/api.yaml")).toBe(
      `${head}        - name: new\n          actions:\n            - type: deny\n${second}${third}`,
    );
    expect((await on.run("plan", "--detailed-exitcode")).exit).toBe(0);
  });
});

describe("pull of what doesn't fit", () => {
  it("leaves a manifest alone whose live hostport another one still has, and pulls the rest", async () => {
    const edge = (name: string): string =>
      `apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: ${name}}\nspec:\n  description: old ${name}\n  hostports: [${name}.example.com:443]\n`;
    const on = await applied({ "edge/a.yaml": edge("a"), "edge/b.yaml": edge("b"), "edge/c.yaml": edge("c") });
    const id = (name: string): string => on.id("TLSEdge", { description: `old ${name}` });
    const [a, b, c] = [id("a"), id("b"), id("c")];
    on.behind("PATCH", `/edges/tls/${c}`, { hostports: ["elsewhere.example.com:443"] });
    on.behind("PATCH", `/edges/tls/${a}`, { hostports: ["c.example.com:443"], description: "new" });
    on.behind("PATCH", `/edges/tls/${b}`, { description: "new" });
    const { exit, out } = await on.run("pull", "-y", "TLSEdge/a", "TLSEdge/b");
    expect(exit).toBe(1);
    expect(out).toContain("spec.hostports stays: its manifest would no longer be valid: c.example.com:443");
    expect(await on.read("edge/a.yaml")).toBe(edge("a"));
    expect(await on.read("edge/b.yaml")).toBe(edge("b").replace("old b", "new"));
    expect((await on.run("pull", "-y")).exit).toBe(0);
    expect((await on.run("plan", "--detailed-exitcode")).exit).toBe(0);
  });

  it("leaves a manifest alone that would refer to something that is gone", async () => {
    const text = `apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: e}\nspec:\n  description: old\n  hostports: [e.example.com:443]\n  backend: {backend: {name: b}}\n`;
    const on = await stage({ model: { deleteReferenced: "dangle" } });
    await on.write("edge/e.yaml", text);
    await on.write("edge/b.yaml", backend("b", "  status_code: 503\n"));
    expect((await on.run("apply", "-y")).exit).toBe(0);
    const gone = on.behind("POST", "/backends/http_response", { status_code: 200 })["id"] as string;
    on.behind("PATCH", `/edges/tls/${on.id("TLSEdge")}`, {
      description: "new",
      backend: { enabled: true, backend_id: gone },
    });
    on.behind("DELETE", `/backends/http_response/${gone}`);
    const { exit, out } = await on.run("pull", "-y");
    expect(exit).toBe(0);
    expect(out).toContain("spec.backend.backend stays: its manifest would be refused: spec.backend refers to the");
    expect(await on.read("edge/e.yaml")).toBe(text);
    expect((await on.run("plan", "--detailed-exitcode")).exit).toBe(2);
  });
});
