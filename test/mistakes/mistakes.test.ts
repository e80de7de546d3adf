import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../src/commands/run.ts";
import { memoryIo } from "../commands/memory-io.ts";
import type { Stage } from "../commands/stage.ts";
import { normal, project } from "./project.ts";

async function expectSaid(at: Stage, line: string, words: readonly string[], exit = 1): Promise<void> {
  const ran = await at.run(...line.split(" "));
  expect({ line, exit: ran.exit, out: ran.out }).toEqual({ line, exit, out: "" });
  for (const each of words) expect(normal(ran.err, at)).toContain(each);
  expect(ran.err).not.toMatch(/this is a bug|\bundefined\b|\[object|hunter2|ak_2Y/u);
}

describe("mistakes on the command line", () => {
  it.each<readonly [line: string, ...words: readonly string[]]>([
    ["aplly", "unknown command 'aplly'", "Did you mean apply?"],
    ["--verbose plan", "unknown option '--verbose'"],
    ["plan --onyl A/b", "unknown option '--onyl'", "Did you mean --only?"],
    ["plan --api-key=hunter2", "unknown option '--api-key'"],
    ["plan -o markdwn", "Allowed choices are text, json, markdown"],
    ["plan edge/backend.yaml", "too many arguments", "`edgewise plan --help`"],
    ["plan --var token hunter2", "--var and --label take NAME=VALUE"],
    ["plan --only tlsedge/api", "An address is Kind/name, like "],
    ["plan --only HTTPResponseBackend/maintenence", "Did you mean HTTPResponseBackend/maintenance?"],
    ["plan -l team=payment", "The labels there are: team=payments."],
    ["plan --base nosuch", "DIR is not in a git work tree"],
    ["plan --base-url http://api.example.com", "is plain http to another machine"],
    ["plan --base-url https://me:hunter2@api.example.com", "contains a user or password"],
    ["plan --base-url http://127.0.0.1:1", "the connection was refused", "Check the base URL (http://127.0.0.1:1)"],
    ["plan --version-header Authorization", "that header carries credentials"],
    ["plan --version-header Other-Version", "live services use a branded name"],
    ["serve edgewise.yaml", "this is the configuration of one stack", "Name the fleet file"],
    ["apply", "there is no terminal on which to confirm the plan", "Give --auto-approve"],
    ["apply -y edge/backend.yaml", "it is not valid JSON", "give manifests with -f"],
  ])("%s", async (line, ...words) => expectSaid(await project(), line, words));

  it("are JSON lines with --log-format json", async () => {
    const io = memoryIo();
    expect(await run(["plan", "--json", "--log-format", "json"], io)).toBe(1);
    expect(JSON.parse(io.err())).toMatchObject({ level: "error", code: "usage", message: "unknown option '--json'" });
  });
});

describe("mistakes in the environment", () => {
  it.each<readonly [name: string, value: string | null, words: string]>([
    ["EDGEWISE_ENVIRONMENT", "", "EDGEWISE_ENVIRONMENT is set but empty"],
    ["EDGEWISE_CONFIG", "nosuch.yaml", "named by EDGEWISE_CONFIG, does not exist"],
    ["EDGEWISE_BASE_URL", null, "no API base URL is configured"],
    ["EDGEWISE_API_KEY", null, "there is no API key"],
    ["EDGEWISE_API_KEY", "Bearer hunter2", "has a blank"],
    ["EDGEWISE_API_KEY", "hunter2hunter2", "Check the API key (EDGEWISE_API_KEY or --api-key-file)"],
    ["HTTPS_PROXY", "hunter2", "HTTPS_PROXY is not an http or https URL"],
  ])("%s = %j", async (name, value, words) => {
    const at = await project();
    if (value === null) delete at.env[name];
    else at.env[name] = value;
    if (name === "HTTPS_PROXY") at.env["EDGEWISE_BASE_URL"] = "https://api.example.com";
    await expectSaid(at, "plan", [words]);
  });

  it("no configuration is there", async () => {
    const at = await project();
    await rm(join(at.dir, "edgewise.yaml"));
    await expectSaid(at, "validate", ["no manifests are configured", "`edgewise init` writes one"]);
  });

  it("an environment and an address that the configuration may not name, and a key file that others can write", async () => {
    const at = await project();
    await at.write("key", "key-of-the-stage\n");
    await chmod(join(at.dir, "key"), 0o666);
    await expectSaid(at, "plan --api-key-file key", ["Run `chmod 600 key`"]);
    const config = await at.read("edgewise.yaml");
    await at.write("edgewise.yaml", `${config}environments: {staging: {stack: staging}}\n`);
    await expectSaid(at, "plan -e stagin", ["Did you mean staging?"]);
    await at.write("edgewise.yaml", `${config}api: {baseUrl: "https://other.example"}\n`);
    await expectSaid(at, "plan", ["edgewise.yaml:5:16", "is another host than EDGEWISE_BASE_URL"]);
  });
});

describe("a file that is no plan to apply", () => {
  it.each([
    ["", 1, "it is not valid JSON"],
    ['{"format": "edgewise.plan/v1", "changes": [{"addr', 1, "it is not valid JSON"],
    ['{"format": "edgewise.result/v1"}', 4, 'its format is "edgewise.result/v1"'],
    ['{"format": "edgewise.plan/v2"}', 4, "its format is"],
  ] as const)("%j", async (text, exit, words) => {
    const at = await project();
    await at.write("p.json", text);
    await expectSaid(at, "apply p.json -y", [words], exit);
  });
});

describe("mistakes in manifests: what is said helps", () => {
  const edge = (spec: string) =>
    `apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: api, id: "edgtls_1"}\nspec:\n${spec}`;
  const hostports = '  hostports: ["api.example.com:443"]\n';
  const policy = `'{"on_tcp_connect": [{"actions": [{"type": "log"]}]}'`;

  it.each<readonly [said: string, text: string, from: string, to: string]>([
    [
      "Write it like",
      edge('  hostports: ["https://me:hunter2@api.example.com/"]\n'),
      "https://me:hunter2@api.example.com/",
      "api.example.com:443",
    ],
    [
      "or move it to where it belongs.",
      edge(
        `${hostports}  backend:\n    backend: {id: bkdhr_1}\n    ip_restriction:\n      ip_policies: [{id: ipp_1}]\n`,
      ),
      "    ip_restriction:\n      ip_policies",
      "  ip_restriction:\n    ip_policies",
    ],
    ["or correct the JSON.", edge(`${hostports}  traffic_policy:\n    value: ${policy}\n`), '"log"]', '"log"}]'],
    [
      'put it in quotes: "9007199254740993".',
      edge(hostports).replace('"edgtls_1"', "9007199254740993"),
      "9007199254740993",
      '"9007199254740993"',
    ],
  ])("%s", async (said, text, from, to) => {
    const at = await project();
    await at.write("edge/api.yaml", text);
    const wrong = await at.run("validate");
    expect(wrong.exit).toBe(1);
    expect(wrong.out).toContain(said);
    expect(wrong.out).not.toContain("hunter2");
    await at.write(
      "edge/api.yaml",
      text.replace(from, () => to),
    );
    expect(await at.run("validate")).toMatchObject({ exit: 0, out: expect.stringContaining("nothing is wrong") });
  });

  it("warns of an action that it does not know, which the service may have", async () => {
    const at = await project();
    const action = "{type: restrict-ip}";
    await at.write(
      "edge/api.yaml",
      edge(`${hostports}  traffic_policy: {value: {on_tcp_connect: [{actions: [${action}]}]}}\n`),
    );
    const { exit, out } = await at.run("validate");
    expect({ exit, out }).toEqual({
      exit: 0,
      out: expect.stringMatching(/\[policy-action\][^]*Did you mean restrict-ips\?/u),
    });
  });
});
