import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stackFiles } from "../../../src/init/init-files.ts";
import { knownActions } from "../../../src/kinds/policy.ts";
import { kindNames } from "../../../src/kinds/names.ts";
import { editorSchemaTexts } from "../../../src/generated/editor-schemas.ts";
import { stage } from "../../commands/stage.ts";
import { root } from "../../repository/source-files.ts";
import { LanguageServer, type ShownDiagnostic, type OpenFile } from "./language-server.ts";
import { pathToFileURL } from "node:url";
import { parseAllDocuments } from "yaml";
import { isObject } from "../../../src/core/json.ts";

type Room = "manifest" | "config" | "fleet";

const rooms = Object.fromEntries(
  ["manifest", "config", "fleet", "traffic-policy"].map((room) => [
    `.edgewise/schemas/${room}.schema.json`,
    `${room}/**/*.yaml`,
  ]),
);

interface Written {
  readonly from: string;
  readonly room: Room;
  readonly text: string;
}

function roomOf(text: string): Room | null {
  const kinds = parseAllDocuments(text).flatMap((document) => {
    const value: unknown = document.errors.length > 0 ? null : document.toJS();
    return isObject(value) && String(value["apiVersion"]).includes("edgewise") ? [value["kind"]] : [];
  });
  if (kinds.length === 0) return null;
  if (kinds.every((kind) => kind === "Config")) return "config";
  if (kinds.every((kind) => kind === "Fleet")) return "fleet";
  return kinds.some((kind) => (kindNames as readonly unknown[]).includes(kind)) ? "manifest" : null;
}

function filesBelow(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => ending.test(path) && !path.includes("node_modules"))
    .toSorted();
}

function exampleFiles(): readonly Written[] {
  return filesBelow("examples", /\.ya?ml$/).flatMap((from) => {
    const text = readFileSync(join(root, from), "utf8");
    const room = roomOf(text);
    return room === null ? [] : [{ from, room, text }];
  });
}

function documentBlocks(): readonly Written[] {
  const pages = ["README.md", ...filesBelow("docs", /\.md$/), ...filesBelow("examples", /\.md$/)];
  return pages.flatMap((from) => {
    const blocks = [...readFileSync(join(root, from), "utf8").matchAll(/^```ya?ml\n(.*?)^```/gms)];
    return blocks.flatMap(([, text = ""], index) => {
      const room = roomOf(text);
      return room === null ? [] : [{ from: `${from} block ${index + 1}`, room, text: text.replaceAll("…", "x") }];
    });
  });
}

function open(workspace: string, path: string, text: string): OpenFile {
  return { uri: pathToFileURL(join(workspace, path)).href, text };
}

const workspace = mkdtempSync(join(tmpdir(), "edgewise-workspace-"));
let server: LanguageServer;

beforeAll(async () => {
  mkdirSync(join(workspace, ".edgewise/schemas"), { recursive: true });
  for (const [name, text] of Object.entries(editorSchemaTexts))
    writeFileSync(join(workspace, ".edgewise/schemas", name), text);
  server = await LanguageServer.start(workspace, rooms);
  // Its first diagnostics come after it has read its settings; completions asked for earlier know no schema.
  await server.diagnostics(open(workspace, "manifest/first.yaml", "kind: Nothing\n"));
});

afterAll(async () => {
  await server.stop();
  rmSync(workspace, { recursive: true });
});

const shown = (found: readonly ShownDiagnostic[]): readonly string[] =>
  found
    .toSorted((a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character)
    .map(({ message, range: { start } }) => `${start.line + 1}:${start.character + 1} ${message}`);

const problemsIn = async (path: string, text: string): Promise<readonly string[]> =>
  shown(await server.diagnostics(open(workspace, path, text)));

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
    for (const { path, text: written } of stackFiles("demo", ".edgewise/schemas")) {
      const text = path === "edgewise.yaml" ? written : written.replaceAll(/^# (?!yaml|An|`)/gmu, "");
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
});

describe.concurrent("yaml-language-server shows each mistake once, at its place, in words:", () => {
  it.each<readonly [string, string, readonly string[]]>([
    [
      "an unknown member",
      `${head("TLSEdge")}spec:\n  hostports: []\n  hostport: []\n`,
      ["7:3 Property hostport is not allowed."],
    ],
    ["an unknown kind", `${head("TLSEdg")}spec: {anything: 1}\n`, [`2:7 Must be one of ${kindNames.join(", ")}.`]],
    [
      "text around an expression for a typed value",
      `${head("HTTPResponseBackend")}spec: {status_code: "5\${{ vars.x }}"}\n`,
      ["5:21 Must be a whole number, or an expression such as ${{ vars.NAME }}."],
    ],
    [
      "a key in the manifest",
      `${head("TLSCertificate")}spec:\n  certificate_pem: {file: a.pem}\n  private_key_pem: "-----BEGIN"\n`,
      [
        "7:20 A secret belongs outside of the manifest: write {env: NAME} or {file: path}. Without --allow-inline-secrets this is an error.",
      ],
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
  it.each<readonly [string, string, readonly string[]]>([
    [
      "actions",
      `${head("TLSEdge")}spec:\n  traffic_policy:\n    value:\n      on_tcp_connect:\n        - actions:\n            - type: |\n`,
      knownActions,
    ],
  ])("%s", async (_what, text, expected) => {
    const found = await server.completions(open(workspace, "manifest/typing.yaml", text));
    expect(found.map(({ label }) => label)).toEqual(expect.arrayContaining([...expected]));
    expect(found.length).toBeLessThanOrEqual(expected.length + 1);
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
