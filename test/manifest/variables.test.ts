import { describe, expect, it } from "vitest";
import type { Json } from "../../src/core/json.ts";
import { substitute } from "../../src/manifest/read-document.ts";
import { load } from "./support/load-text.ts";

const from = {
  variables: {
    region: "eu",
    port: 443,
    on: true,
    list: [1, { a: 2 }],
    map: { a: "${{ vars.region }}" },
    nothing: null,
    yaml: "{a: 1}",
  },
  env: { EDGEWISE_VAR_HOST: "h.example", HOME: "/root", EDGEWISE_API_KEY: "hunter2", EDGEWISE_VAR_EMPTY: "" },
};

function run(value: Json): { readonly value: Json; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const result = substitute(value, {
    from,
    report: ({ code, message }, path) => problems.push(`${path.join(".")} ${code}: ${message}`),
  });
  return { value: result, problems };
}

describe("variables", () => {
  it.each<[Json, Json]>([
    ["${{ vars.region }}", "eu"],
    ["a-${{ vars.region }}-b:${{ vars.port }}", "a-eu-b:443"],
    ["${{ vars.port }}", 443],
    ["${{ vars.on }}", true],
    ["${{ vars.list }}", [1, { a: 2 }]],
    ["${{ env.HOST }}:443", "h.example:443"],
    ["${{ env.EMPTY }}", ""],
    ["$${{ vars.region }}", "${{ vars.region }}"],
    ["$$${{ vars.region }}", "$${{ vars.region }}"],
    ["${req.http.host} $${x} $ {{ a }}", "${req.http.host} $${x} $ {{ a }}"],
    ["${{ vars.map }}", { a: "${{ vars.region }}" }],
    [{ "${{ vars.region }}": ["${{ vars.region }}"] }, { "${{ vars.region }}": ["eu"] }],
  ])("%j becomes %j", (before, after) => {
    expect(run(before)).toEqual({ value: after, problems: [] });
  });

  it.each<[Json, string]>([
    ["${{ vars.regoin }}", " variable-unset: the variable regoin has no value"],
    [{ a: ["x${{ env.HOME }}"] }, "a.0 variable-unset: the environment variable EDGEWISE_VAR_HOME is not set"],
    ["${{ vars.__proto__ }}", " variable-unset: the variable __proto__ has no value"],
    ["x${{ vars.list }}", " variable-type: ${{ vars.list }} is a list, which can't be part of a text"],
    ["${{ secrets.KEY }}", " variable-expression: the text between ${{ and }} is not an expression"],
    ["${{ vars.region", " variable-expression: an expression begins with ${{ but is not closed with }}"],
  ])("%j is refused", (before, problem) => {
    expect(run(before).problems).toEqual([problem]);
  });

  it("may stand anywhere in a manifest, keep files as they are, and are told with their place", async () => {
    const { manifests, diagnostics } = await load(
      {
        "a.yaml": `apiVersion: edgewise/v1
kind: \${{ vars.kind }}
metadata: {name: "\${{ vars.name }}-b"}
spec:
  status_code: \${{ vars.status }}
  body: {file: "\${{ vars.name }}.txt"}
`,
        "x.txt": "as ${{ it }} is",
      },
      { variables: { kind: "HTTPResponseBackend", name: "x", status: 503 } },
    );
    expect(diagnostics).toEqual([]);
    expect(manifests.map(({ address, spec }) => ({ address, spec }))).toEqual([
      { address: "HTTPResponseBackend/x-b", spec: { status_code: 503, body: "as ${{ it }} is" } },
    ]);
  });

  const backend = (status: string, enabled = "true") => ({
    "a.yaml": `apiVersion: edgewise/v1
kind: HTTPResponseBackend
metadata: {name: x}
spec: {status_code: "${status}", body: "${status}"}
---
apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: e}
spec: {hostports: ["a.example:443"], backend: {enabled: "${enabled}", backend: {name: x}}}
`,
  });

  it("that a flag or the environment gives as text are numbers and booleans where only those can stand", async () => {
    const variables = { status: "503" };
    const untyped = new Set(["status"]);
    const env = { EDGEWISE_VAR_ON: "false" };
    const loaded = await load(backend("${{ vars.status }}", "${{ env.ON }}"), { variables, untyped, env });
    expect(loaded.diagnostics).toEqual([]);
    expect(loaded.manifests.map(({ spec }) => spec)).toMatchObject([
      { backend: { enabled: false } },
      { status_code: 503, body: "503" },
    ]);
  });

  it.each<[string, object]>([
    ["a text of the configuration", {}],
    ["a text that is no number", { variables: { status: "503 ", on: true }, untyped: new Set(["status"]) }],
  ])("keep the type that they have: %s is no number", async (_, changes) => {
    const { diagnostics } = await load(backend("${{ vars.status }}", "${{ vars.on }}"), {
      variables: { status: "503", on: true },
      ...changes,
    });
    expect(diagnostics).toMatchObject([{ code: "wrong-type", line: 4 }]);
  });
});
