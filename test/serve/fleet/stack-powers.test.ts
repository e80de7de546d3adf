import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeCertificate } from "../../../scripts/certificate.mjs";
import { Stage, type Written, backend } from "../support/stage.ts";

interface Tenant {
  readonly config?: string;
  readonly manifests?: { readonly [file: string]: string };
  readonly entry?: Written;
  readonly account?: Written;
}

const page = { "a.yaml": backend("sorry", "Back soon") };

async function refusalOf({ config, manifests = page, entry, account }: Tenant, stage = new Stage()): Promise<string> {
  stage.add("shop", manifests, entry, config);
  Object.assign(stage.file.accounts["main"] ?? {}, account);
  await stage.pass();
  const { message, state } = await stage.status("shop");
  if (state === "failed") expect(stage.service.writes).toEqual([]);
  return state === "failed" ? message : "";
}

interface Power {
  readonly config: string;
  readonly says: string;
  readonly remedy: readonly string[];
  readonly entry: Written | null;
  readonly account?: Written;
}

const line = /stacks\.shop \(fleet\.yaml:\d+:\d+\)/u;
const accountLine = /accounts\.main \(fleet\.yaml:\d+:\d+\)/u;

const all: { readonly [power: string]: Power } = {
  "another address of the service": {
    config: "api: {baseUrl: https://evil.example.com}\n",
    says: "5:16: api.baseUrl is not what",
    remedy: [accountLine.source],
    entry: null,
  },
  "an address with a password, which is not shown": {
    config: 'api: {baseUrl: "https://u:p@service.example"}\n',
    says: "5:16: api.baseUrl is not what",
    remedy: [accountLine.source],
    entry: null,
  },
  "another version header": {
    config: "api: {versionHeader: X-Version}\n",
    says: "5:22: api.versionHeader is not what",
    remedy: [accountLine.source],
    entry: {},
    account: { versionHeader: "X-Version" },
  },
  "module endpoints": {
    config: "api: {moduleEndpoints: [backend]}\n",
    says: "5:24: api.moduleEndpoints is not what",
    remedy: [accountLine.source],
    entry: {},
    account: { moduleEndpoints: ["backend", "ip_restriction"] },
  },
  "a rate limit": {
    config: "api: {requestsPerMinute: 9999}\n",
    says: "5:26: api.requestsPerMinute is not what",
    remedy: [accountLine.source],
    entry: {},
    account: { requestsPerMinute: 9999 },
  },
  "a timeout": {
    config: "api: {timeout: 24h}\n",
    says: "5:16: api.timeout is not what",
    remedy: [accountLine.source],
    entry: null,
  },
  "the account's lock for longer than others can wait": {
    config: "lock: {settle: 24h}\n",
    says: "5:16: lock.settle is longer than 30s",
    remedy: [],
    entry: null,
  },
  "more deletes": {
    config: "guards: {maxDeletes: 100%}\n",
    says: "5:22: guards.maxDeletes lets a plan delete more",
    remedy: [line.source, String.raw`allow: \{guards: \[maxDeletes\]\}`],
    entry: { allow: { guards: ["maxDeletes"] } },
  },
  "lifted refusals": {
    config: "guards: {allow: [HTTPResponseBackend/sorry]}\n",
    says: "5:17: guards.allow lifts refusals (HTTPResponseBackend/sorry)",
    remedy: [line.source, String.raw`allow: \{guards: \[allow\]\}`],
    entry: { allow: { guards: ["allow"] } },
  },
  "an existing resource": {
    config: "adopt: {HTTPResponseBackend/sorry: ID}\n",
    says: "5:36: adopt has bkdhr_",
    remedy: [line.source, String.raw`allow: \{adopt: \[bkdhr_\w+\]\}`],
    entry: { allow: { adopt: ["ID"] } },
  },
  "the resources of another stack": {
    config: "previousStacks: [other]\n",
    says: '5:18: previousStacks has "other"',
    remedy: [line.source, String.raw`allow: \{previousStacks: \["other"\]\}`],
    entry: { allow: { previousStacks: ["other"] } },
  },
  "what an environment asks for": {
    config: "environments: {prod: {adopt: {HTTPResponseBackend/sorry: ID}}}\n",
    says: "5:58: adopt has bkdhr_",
    remedy: [line.source],
    entry: { environment: "prod", allow: { adopt: ["ID"] } },
  },
};

function meaning(tenant: Tenant): readonly [Tenant, Stage] {
  const stage = new Stage();
  const { id } = stage.service.byHand("POST", "/backends/http_response", { description: "theirs", status_code: 503 });
  return [JSON.parse(JSON.stringify(tenant).replaceAll("ID", String(id))) as Tenant, stage];
}

describe("a power that is not the repository's", () => {
  it.each(Object.entries(all))("is refused, at its place and with the line of the fleet file: %s", async (_, power) => {
    const { config, entry } = power;
    const environment = entry?.["environment"];
    const tenant = { config, entry: environment === undefined ? {} : { environment } };
    const found = await refusalOf(...meaning(tenant));
    expect(found).toContain(`shop/edgewise.yaml:${power.says}`);
    for (const words of power.remedy) expect(found).toMatch(new RegExp(words, "u"));
    expect(found).not.toContain("u:p@");
  });

  const given = Object.entries(all).filter(([, { entry }]) => entry !== null);
  it.each(given)("is given where the fleet file gives it: %s", async (_name, { config, entry, account }) => {
    expect(await refusalOf(...meaning({ config, entry: entry ?? {}, account: account ?? {} }))).toBe("");
  });

  it("is no power when it asks for what holds anyway, or for less", async () => {
    const api = `{baseUrl: https://service.example/, versionHeader: service-version, moduleEndpoints: [], timeout: 30s}`;
    const config = `api: ${api}\nguards: {maxDeletes: 3, allow: []}\npreviousStacks: [shop]\n`;
    expect(await refusalOf({ config })).toBe("");
    expect(await refusalOf({ config: "guards: {maxDeletes: 4}\n" })).not.toBe("");
    expect(await refusalOf({ config: "guards: {maxDeletes: 26%}\n" })).not.toBe("");
  });
});

describe("the fleet file's own word", () => {
  it("is the marker, whatever the configuration or its environment says, and beats variables", async () => {
    const stage = new Stage();
    const entry = { stack: "edge-prod", environment: "prod", variables: { text: "of the fleet" } };
    const config = "variables: {text: own}\nenvironments: {prod: {stack: third}}\n";
    expect(await refusalOf({ config, entry, manifests: { "a.yaml": backend("a", "${{ vars.text }}") } }, stage)).toBe(
      "",
    );
    expect(stage.service.lists().HTTPResponseBackend).toMatchObject([
      { description: "of the fleet", metadata: expect.stringContaining('"edge-prod"') },
    ]);
    // The configuration's own marker is a former one like any other then.
    expect(await refusalOf({ config: "previousStacks: [shop]\n", entry: { stack: "x" } })).toContain('has "shop"');
  });

  it("names an environment that is there, and says which are when it is not", async () => {
    const config = "environments: {prod: {}}\n";
    expect(await refusalOf({ config, entry: { environment: "pord" } })).toMatch(
      /^shop\/edgewise\.yaml:5:15: the configuration has no environment "pord", which stacks\.shop .*It has prod/u,
    );
  });
});

const edge = (rest: string, host = "a.example.com"): string =>
  `apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: a${rest}}\nspec: {hostports: ["${host}:443"]}\n`;
const certificate = (source: string): string =>
  `apiVersion: edgewise/v1\nkind: TLSCertificate\nmetadata: {name: a}\nspec: {certificate_pem: {file: a.pem}, private_key_pem: ${source}}\n`;

describe("a manifest under serve", () => {
  it("adopts only what the fleet file names, and manages modules of only those HTTPS edges", async () => {
    const adopting = { "a.yaml": backend("sorry", "Stolen").replace("{name: sorry}", "{name: sorry, id: ID}") };
    expect(await refusalOf(...meaning({ manifests: adopting }))).toMatch(
      /^shop\/m\/a\.yaml:\d.*sorry adopts bkdhr_\w+, which stacks\.shop \(fleet\.yaml:\d+:\d+\) does not allow.*`allow: \{adopt: \[bkdhr_\w+\]\}`/u,
    );
    expect(await refusalOf(...meaning({ manifests: adopting, entry: { allow: { adopt: ["ID"] } } }))).toBe("");
    const https = `apiVersion: edgewise/v1\nkind: HTTPSEdge\nmetadata: {name: a, id: edghts_1}\nspec: {tls_termination: {min_version: '1.2'}}\n`;
    const route = `apiVersion: edgewise/v1\nkind: HTTPSEdgeRoute\nmetadata: {name: r, id: edghtsrt_1}\nspec: {edge: {id: edghts_1}, traffic_policy: {enabled: true, value: {on_http_request: []}}}\n`;
    for (const text of [https, route])
      expect(await refusalOf({ manifests: { "a.yaml": text } })).toMatch(
        /manages modules of edghts_1, which .*does not allow.*`allow: \{modulesOf: \[edghts_1\]\}`/u,
      );
    const allowed = await refusalOf({ manifests: { "a.yaml": route }, entry: { allow: { modulesOf: ["edghts_1"] } } });
    expect(allowed).not.toContain("does not allow");
    const others = { allow: { modulesOf: ["edghts_2", "edghtsrt_1"] } };
    expect(await refusalOf({ manifests: { "a.yaml": route }, entry: others })).toContain("does not allow");
  });

  it("sees no environment variable of the process, and is told what to write instead", async () => {
    process.env["EDGEWISE_VAR_REGION"] = "eu";
    const manifests = { "a.yaml": edge("", "${{ env.REGION }}.example.com") };
    expect(await refusalOf({ manifests })).toMatch(line);
    delete process.env["EDGEWISE_VAR_REGION"];
  });

  it("reads no file outside of the configuration's directory, by path or pattern", async () => {
    const outside = { "a.yaml": certificate("{env: KEY}").replace("file: a.pem", "file: ../../outside.yaml") };
    expect(await refusalOf({ manifests: outside })).toMatch(
      /^shop\/m\/a\.yaml:4:\d+: .*outside.*have `config` in stacks\.shop \(fleet\.yaml:\d+:\d+\) name a configuration further up/u,
    );
    for (const pattern of ["../outside.yaml", "/etc"]) {
      const stage = new Stage();
      stage.add("shop", page);
      stage.commit({
        "shop/edgewise.yaml": `apiVersion: edgewise/v1\nkind: Config\nstack: a\nmanifests: [${pattern}]\n`,
      });
      await stage.pass();
      expect(await stage.state("shop")).toBe("failed");
    }
  });

  it("gets secrets from its directory alone, and none of the operator's even there", async () => {
    const own = await makeCertificate(["a.example.com"]);
    const pem = { "a.pem": own.certificate, KEY: "of the repository" };
    const why = async (source: string, entry: Written = { secrets: "secrets" }): Promise<string> => {
      const stage = new Stage();
      for (const [name, text] of Object.entries({ KEY: own.key, empty: "", "sub/x": "x", open: "x" }))
        stage.write(`secrets/${name}`, text);
      stage.write("other/x", "of another tenant");
      symlinkSync(join(stage.directory, "other/x"), join(stage.directory, "secrets/link"));
      symlinkSync("KEY", join(stage.directory, "secrets/inner"));
      symlinkSync("../key", join(stage.directory, "secrets/main"));
      mkdirSync(join(stage.directory, "secrets/dir"));
      chmodSync(join(stage.directory, "secrets/open"), 0o666);
      await refusalOf({ manifests: { ...pem, "a.yaml": certificate(source) }, entry }, stage);
      const { message, state } = await stage.status("shop");
      return `${state}: ${message}`;
    };
    for (const source of ["{env: KEY}", "{file: KEY}", "{env: inner}"]) expect(await why(source)).toMatch(/^synced/u);
    const unreadable = /^waiting: .*needs a secret that can't be read here/u;
    for (const name of ["HOME", "link", "main", "empty", "dir", "open"])
      expect(await why(`{file: ${name}}`), name).toMatch(unreadable);
    expect(await why("{env: EDGEWISE_API_KEY}")).toContain("names the API key");
    for (const name of ["sub/x", "../other/x", "..", ".hidden", "./KEY", "sub\\x"])
      expect(await why(`{file: ${JSON.stringify(name)}}`), name).toContain("is not the plain name of a file");
    for (const source of ["{env: KEY}", "{file: KEY}", "{env: PATH}"])
      expect(await why(source, {})).toMatch(/the stack sees no secrets.*`secrets: DIRECTORY` in stacks\.shop \(/u);
    expect(await why("{file: key}", { secrets: "." })).toMatch(unreadable);
  });
});
