import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { initFiles } from "../../../src/init/init-files.ts";
import { knownActions } from "../../../src/kinds/policy/known-words.ts";
import { kindNames } from "../../../src/kinds/names.ts";
import { editorSchemas } from "../../../src/schema/editor-schemas.ts";
import { stage } from "../../commands/stage.ts";
import { root } from "../../repository/source-files.ts";
import { documentBlocks, exampleFiles, open, rooms } from "./documents.ts";
import { LanguageServer, type ShownDiagnostic } from "./language-server.ts";

const workspace = mkdtempSync(join(tmpdir(), "edgewise-workspace-"));
let server: LanguageServer;

const known = {
  HTTPResponseBackend: { maintenance: "edge/pages.yaml", teapot: "edge/pages.yaml" },
  ReservedAddress: { "1.5": "edge/addresses.yaml", "tcp-eu": "edge/addresses.yaml" },
  TLSEdge: { api: "edge/api.yaml" },
};

beforeAll(async () => {
  mkdirSync(join(workspace, ".edgewise/schemas"), { recursive: true });
  for (const [name, text] of await editorSchemas(known))
    writeFileSync(join(workspace, ".edgewise/schemas", name), text);
  server = await LanguageServer.start(workspace, rooms);
  // Its first diagnostics come after it has read its settings; completions asked for earlier know no schema.
  await server.diagnostics(open(workspace, "manifest/first.yaml", "kind: Nothing\n"));
});

afterAll(async () => {
  await server.stop();
  rmSync(workspace, { recursive: true });
});

/** `line:column message`, in the order of the text. */
const shown = (found: readonly ShownDiagnostic[]): readonly string[] =>
  found
    .toSorted((a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character)
    .map(({ message, range: { start } }) => `${start.line + 1}:${start.character + 1} ${message}`);

const problemsIn = async (path: string, text: string): Promise<readonly string[]> =>
  shown(await server.diagnostics(open(workspace, path, text)));

const addresses = [
  "HTTPResponseBackend/maintenance",
  "HTTPResponseBackend/teapot",
  "ReservedAddress/1.5",
  "ReservedAddress/tcp-eu",
  "TLSEdge/api",
];

const head = (kind: string, name = "a"): string =>
  `apiVersion: edgewise/v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`;

describe.concurrent("yaml-language-server finds nothing wrong with", () => {
  const written = [...exampleFiles(), ...documentBlocks()];

  it.each(written)("$from", async ({ from, room, text }) => {
    expect(
      await problemsIn(`${room}/${from.replaceAll(/[^\w.-]/g, "-")}.yaml`, text.replaceAll(/^# yaml-l.*$/gm, "#")),
    ).toEqual([]);
  });

  it("a traffic policy in a file of its own, which it completes", async () => {
    const text = readFileSync(join(root, "examples/production/policies/deny.yaml"), "utf8");
    expect(await problemsIn("traffic-policy/deny.yaml", text)).toEqual([]);
    const items = await server.completions(open(workspace, "traffic-policy/new.yaml", "|"));
    expect(items.map(({ label }) => label)).toContain("on_tcp_connect");
  });

  it("the examples by the schemas that they name", async () => {
    for (const { from, text } of exampleFiles().filter(({ text: each }) => each.includes("# yaml-language-server:"))) {
      expect(shown(await server.diagnostics(open(root, from, text))), from).toEqual([]);
      const broken = text.replace(/^apiVersion: .*$/m, "apiVersion: edgewise/v7");
      expect(shown(await server.diagnostics(open(root, from, broken))), from).toHaveLength(1);
    }
  });

  it("what init writes, by the lines in it alone", async () => {
    const repository = join(workspace, "made by init");
    cpSync(join(workspace, ".edgewise"), join(repository, ".edgewise"), { recursive: true });
    for (const { path, text } of initFiles({ stack: "demo", ci: "none", version: "1.0.0", vendored: true })) {
      expect(shown(await server.diagnostics(open(repository, path, text)))).toEqual([]);
      const everyDocument = text.replaceAll(/^kind: .*$/gm, "kind: Nothing");
      const documents = text.match(/^kind: /gm)?.length;
      expect(shown(await server.diagnostics(open(repository, path, everyDocument)))).toHaveLength(documents ?? 0);
    }
  });

  it("expressions in every place, and what takes their place", async () => {
    const text = `apiVersion: \${{ vars.v }}
kind: TLSEdge
metadata: {name: "a-\${{ vars.b }}", labels: {x: "\${{ vars.y }}"}, id: "\${{ env.ID }}", previousNames: "\${{ vars.p }}"}
lifecycle: {deletion: "\${{ vars.d }}", ignore: ["spec.description", "\${{ vars.f }}"]}
spec:
  description: "${"long ".repeat(60)}\${{ vars.d }}"
  metadata: "\${{ vars.m }}"
  hostports: ["\${{ vars.h }}:443", {address: not-there-yet}, "\${{ vars.typed }}", "$\${{ literal }}:1"]
  backend: {enabled: "\${{ vars.e }}", backend: {name: "\${{ vars.n }}"}}
  ip_restriction: {ip_policies: "\${{ vars.p }}"}
  mutual_tls: "\${{ vars.m }}"
  tls_termination: {terminate_at: "\${{vars.t}}", min_version: "\${{ vars.v }}"}
  traffic_policy:
    enabled: \${{ vars.x }}
    value:
      on_tcp_connect:
        - {name: log, expressions: ["true"], actions: [{type: log, config: {secret: {env: X}, key: {file: k.pem}}}, {type: brand-new}]}
      on_something_new: []
---
${head("HTTPResponseBackend")}spec: {status_code: "\${{ vars.s }}", headers: null, body: {file: "\${{ vars.f }}"}}
---
${head("IPRestriction")}spec: \${{ vars.whole }}
---
${head("HTTPSEdgeRoute")}lifecycle: null
spec: {edge: {id: e}, webhook_verification: {provider: SNS, secret: "\${{ vars.source }}"}, traffic_policy: {value: {file: policy.yaml}}}
---
${head("TLSEdge")}spec: {hostports: ["a:1"], backend: null, traffic_policy: {value: '{"on_tcp_connect": []}'}}
---
# nothing
`;
    expect(await problemsIn("manifest/expressions.yaml", text)).toEqual([]);
    expect(await problemsIn("manifest/crlf.yaml", text.replaceAll("\n", "\r\n"))).toEqual([]);
  });

  it("a configuration, and the content of a field, among the manifests", async () => {
    const text = "apiVersion: edgewise/v1\nkind: Config\nstack: a\n---\non_tcp_connect:\n  - actions: []\n";
    expect(await problemsIn("manifest/other.yaml", text)).toEqual([]);
  });
});

describe.concurrent("yaml-language-server shows each mistake once, at its place, in words:", () => {
  it.each<readonly [string, string, readonly string[]]>([
    [
      "an unknown member",
      `${head("TLSEdge")}spec:\n  hostports: []\n  hostport: []\n`,
      ["7:3 Property hostport is not allowed."],
    ],
    [
      "a number as the name of another resource",
      `${head("TLSEdge")}spec:\n  hostports: [{address: 15}]\n`,
      ["6:25 Must be text: put a number, true or false in quotes."],
    ],
    ["a missing member", `${head("TLSEdge")}spec: {}\n`, ['5:1 Missing property "hostports".']],
    [
      "missing members of a document",
      "kind: TLSEdge\nspec: {hostports: []}\n",
      ['1:1 Missing property "apiVersion".', '1:1 Missing property "metadata".'],
    ],
    ["an unknown kind", `${head("TLSEdg")}spec: {anything: 1}\n`, [`2:7 Must be one of ${kindNames.join(", ")}.`]],
    [
      "a wrong name",
      `${head("TLSEdge", "My Edge")}spec: {hostports: []}\n`,
      ["4:9 Must be a name: lower-case letters, digits, '-', '.' and '_', with a letter or digit at both ends."],
    ],
    [
      "a number for text",
      `${head("TLSEdge")}spec:\n  hostports: []\n  tls_termination: {min_version: 1.2}\n`,
      ["7:34 Must be text: put a number, true or false in quotes."],
    ],
    [
      "text around an expression for a typed value",
      `${head("HTTPResponseBackend")}spec: {status_code: "5\${{ vars.x }}"}\n`,
      ["5:21 Must be a whole number, or an expression such as ${{ vars.NAME }}."],
    ],
    [
      "a reference with two ways",
      `${head("TLSEdge")}spec:\n  hostports: []\n  backend: {backend: {name: a, id: b}}\n`,
      ["7:23 Must have exactly one of name, id."],
    ],
    [
      "a key in the manifest",
      `${head("TLSCertificate")}spec:\n  certificate_pem: {file: a.pem}\n  private_key_pem: "-----BEGIN"\n`,
      [
        "7:20 A secret belongs outside of the manifest: write {env: NAME} or {file: path}. Without --allow-inline-secrets this is an error.",
      ],
    ],
    [
      "a mistake in the second document",
      `${head("TLSEdge")}spec: {hostports: []}\n---\n${head("TLSEdge")}spec: {hostports: 5}\n`,
      ["11:19 Must be a list, or an expression such as ${{ vars.NAME }}."],
    ],
    [
      "all mistakes of a text",
      `${head("IPRestriction")}spec: {type: apis, enforced: 1, ip_policies: [{name: a}]}\n`,
      [
        "5:14 Must be one of dashboard, api, agent, endpoints, or an expression such as ${{ vars.NAME }}.",
        "5:30 Must be true or false, or an expression such as ${{ vars.NAME }}.",
        '5:47 Missing property "id".',
        "5:48 Property name is not allowed.",
      ],
    ],
  ])("%s", async (_what, text, expected) => {
    expect(await problemsIn("manifest/wrong.yaml", text)).toEqual(expected);
  });

  it("but not an inline secret below the comment that allows it", async () => {
    const comment = "# yaml-language-server-disable A secret belongs";
    const text = `${head("TLSCertificate")}spec:\n  certificate_pem: a\n  ${comment}\n  private_key_pem: b\n`;
    expect(await problemsIn("manifest/inline.yaml", text)).toEqual([]);
  });

  it("those of a configuration, which has no expressions", async () => {
    const text = `apiVersion: edgewise/v1
kind: Config
manifest: [edge/]
lock: \${{ vars.lock }}
guards: {maxDeletes: 250%, allow: [Edge/a]}
api: {timeout: 30, moduleEndpoints: [mutual_tls]}
adopt: {api: edgtls_1}
policies: [{name: no-deletes}]
environments: {staging: {stak: x}, "a b": {}}
`;
    expect(await problemsIn("config/edgewise.yaml", text)).toEqual([
      "3:1 Property manifest is not allowed.",
      "4:7 Must be true or false or a map.",
      "5:22 Must be a whole number or a percentage from 0% to 100%.",
      "5:36 Must be an address: a kind, a slash and a name, such as TLSEdge/api.",
      "6:16 Must be text: put a number, true or false in quotes.",
      "6:38 Must be one of backend, ip_restriction.",
      "7:9 The name must be an address: a kind, a slash and a name, such as TLSEdge/api.",
      '8:12 Missing property "expression".',
      "9:26 Property stak is not allowed.",
      "9:36 The name must be the name of an environment: letters, digits, '-', '.' and '_', with a letter or digit at both ends.",
    ]);
  });
});

describe.concurrent("yaml-language-server completes", () => {
  const labels = async (path: string, text: string): Promise<readonly string[]> =>
    (await server.completions(open(workspace, path, text))).map(({ label }) => label);

  it.each<readonly [string, string, readonly string[]]>([
    ["the members of a document", "|", ["apiVersion", "kind", "metadata", "lifecycle", "spec"]],
    ["kinds", "apiVersion: edgewise/v1\nkind: |\n", kindNames],
    [
      "the members of a kind",
      `${head("TLSEdge")}spec:\n  |\n`,
      [
        "description",
        "metadata",
        "hostports",
        "backend",
        "ip_restriction",
        "mutual_tls",
        "tls_termination",
        "traffic_policy",
      ],
    ],
    [
      "values",
      `${head("TLSEdge")}spec:\n  tls_termination:\n    terminate_at: |\n`,
      ["edge", "upstream", "agent", "null"],
    ],
    ["names of addresses", `${head("TLSEdge")}spec:\n  hostports:\n    - address: |\n`, ['"1.5"', "tcp-eu"]],
    [
      "fields to ignore",
      `${head("HTTPSEdge")}lifecycle:\n  ignore:\n    - |\n`,
      ["spec.tls_termination", "spec.tls_termination.enabled", "spec.tls_termination.min_version"],
    ],
    [
      "phases, and the file",
      `${head("TLSEdge")}spec:\n  traffic_policy:\n    value:\n      |\n`,
      ["on_tcp_connect", "on_http_request", "on_http_response", "on_event_stream_message", "file"],
    ],
    [
      "actions",
      `${head("TLSEdge")}spec:\n  traffic_policy:\n    value:\n      on_tcp_connect:\n        - actions:\n            - type: |\n`,
      knownActions,
    ],
    ["where a secret is", `${head("TLSCertificate")}spec:\n  private_key_pem:\n    |\n`, ["env", "file"]],
  ])("%s", async (_what, text, expected) => {
    expect(await labels("manifest/typing.yaml", text)).toEqual(expect.arrayContaining([...expected]));
    expect((await labels("manifest/typing.yaml", text)).length).toBeLessThanOrEqual(expected.length + 1);
  });

  it.each<readonly [string, string, readonly string[]]>([
    ["addresses to allow", "guards:\n  allow:\n    - |\n", addresses],
    ["addresses to adopt", "adopt:\n  |\n", addresses],
    ["effects of policies", "policies:\n  - effect: |\n", ["deny", "warn"]],
  ])("%s in a configuration", async (_what, text, expected) => {
    const found = await labels("config/edgewise.yaml", `apiVersion: edgewise/v1\nkind: Config\n${text}`);
    expect(found).toEqual(expected);
  });

  it("with text that can stand there", async () => {
    const text = "apiVersion: edgewise/v1\nkind: Config\nadopt:\n  |\n";
    const [first] = await server.completions(open(workspace, "config/edgewise.yaml", text));
    expect(first?.insertText).toBe("HTTPResponseBackend/maintenance: ");
    const start = await server.completions(open(workspace, "manifest/typing.yaml", "|"));
    expect(start.find(({ label }) => label === "apiVersion")?.insertText).toBe("apiVersion: ${1:edgewise/v1}");
    expect(start.find(({ label }) => label === "Manifest")?.insertText).toBe(
      "apiVersion: edgewise/v1\nkind: $1\nmetadata:\n  name: $2\nspec: $3",
    );
  });
});

describe.concurrent("yaml-language-server documents", () => {
  it.each<readonly [string, string, readonly string[]]>([
    ["a kind", "apiVersion: edgewise/v1\nki|nd: TLSEdge\n", ["#### Kind", "`TLSEdge`: Serves hostports over TLS"]],
    [
      "a field",
      `${head("TLSEdge")}spec:\n  host|ports: []\n`,
      ["#### Hostports", '["api.example.com:443",{"address":"tcp-eu"}]'],
    ],
    [
      "a phase",
      `${head("TLSEdge")}spec:\n  traffic_policy: {value: {on_tcp|_connect: []}}\n`,
      ["Rules for each new connection"],
    ],
  ])("%s", async (_what, text, expected) => {
    const found = await server.hover(open(workspace, "manifest/reading.yaml", text));
    for (const part of expected) expect(found).toContain(part);
  });

  it("a reference without the names of everything else", async () => {
    const text = `${head("TLSEdge")}spec:\n  backend: {backend: {na|me: teapot}}\n`;
    const found = await server.hover(open(workspace, "manifest/reading.yaml", text));
    expect(found).toContain("The name of an HTTPResponseBackend manifest.");
    expect(found).not.toContain("maintenance");
  });
});

// Not beside others: a stage ends with the test that began last.
describe("yaml-language-server finds nothing wrong with", () => {
  it("what export writes", async () => {
    const { behind, run, dir } = await stage();
    behind("POST", "/backends/http_response", { status_code: 200, body: "hi ${{ vars.X }}", description: "Hello" });
    behind("POST", "/reserved_addrs", { region: "eu", description: "tcp" });
    behind("POST", "/ip_restrictions", { type: "agent", enforced: false, ip_policy_ids: ["ipp_1", "ipp_2"] });
    const config = { client_secret: "hidden", metadata: "\\d ${conn.x}" };
    behind("POST", "/edges/tls", {
      hostports: ["a.example.com:443"],
      metadata: "free text",
      mutual_tls: { certificate_authority_ids: ["ca_1"] },
      traffic_policy: { value: JSON.stringify({ on_tcp_connect: [{ actions: [{ type: "oauth", config }] }] }) },
    });
    behind("POST", "/edges/tls", { hostports: ["b.example.com:443"], tls_termination: { terminate_at: "upstream" } });
    expect((await run("export", "--all", "--out-dir", "edge")).exit).toBe(0);
    const files = readdirSync(join(dir, "edge"));
    expect(files.length).toBe(4);
    for (const file of files) {
      expect(await problemsIn(`manifest/${file}`, readFileSync(join(dir, "edge", file), "utf8"))).toEqual([]);
    }
  });
});

it("yaml-language-server opens no connection", () => {
  expect(server.connections()).toBe("");
});
