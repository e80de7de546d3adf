import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diskTree } from "../../../src/manifest/disk-tree.ts";
import { loadManifests } from "../../../src/manifest/load-manifests.ts";
import { underFleet } from "../../../src/serve/fleet/fleet-line.ts";
import type { FleetAccount, FleetEntry, StackTarget } from "../../../src/serve/fleet/fleet.ts";
import { manifestPowers } from "../../../src/serve/fleet/claim-wishes.ts";
import type { GrantedSettings } from "../../../src/serve/account/pass-parts.ts";
import { stackPowers } from "../../../src/serve/fleet/stack-powers.ts";
import { stackSecrets } from "../../../src/serve/fleet/stack-secrets.ts";
import { folder } from "../../config/folder.ts";
import { accountWith, entryWith, targetOf } from "./fleet-data.ts";

const head = "apiVersion: edgewise/v1\nkind: Config\n";

function powers(config: string, changes: Partial<FleetEntry> = {}, account: Partial<FleetAccount> = {}) {
  const target = targetOf(entryWith({ config: { path: "team/edgewise.yaml" }, ...changes }));
  return stackPowers({ target, account: accountWith(account), text: head + config });
}

function settings(
  config: string,
  changes: Partial<FleetEntry> = {},
  account: Partial<FleetAccount> = {},
): GrantedSettings {
  const found = powers(config, changes, account);
  if ("problems" in found) throw new Error(found.problems.map(({ message }) => message).join("\n"));
  return found.settings;
}

/** What is refused: `file:line:column message → remedy`. */
function refused(
  config: string,
  changes: Partial<FleetEntry> = {},
  account: Partial<FleetAccount> = {},
): readonly string[] {
  const found = powers(config, changes, account);
  if ("settings" in found) throw new Error("nothing is refused");
  return found.problems.map(
    ({ file, line, column, message, remedy }) => `${file}:${line}:${column} ${message} → ${remedy ?? ""}`,
  );
}

function allowing(allow: Partial<FleetEntry["allow"]>): Partial<FleetEntry> {
  return { allow: { ...entryWith().allow, ...allow } };
}

describe("stackPowers", () => {
  it("lets no stack keep the account waiting for its lock", () => {
    expect(settings("stack: shop\nlock: {settle: 30s}\n").lock).toEqual({ wanted: true, settleMs: 30_000 });
    expect(refused("stack: shop\nlock: {settle: 24h}\n")).toEqual([
      expect.stringContaining("team/edgewise.yaml:4:16 lock.settle is longer than 30s"),
    ]);
  });

  it("gives the repository's wishes, with what the fleet alone says", () => {
    const config = "stack: shop\nmanifests: [edge/]\nvariables: {region: us, size: 3}\nlock: true\n";
    expect(settings(config, { variables: { region: "eu" }, secrets: "/run/secrets/prod" })).toEqual({
      marker: "shop",
      previousStacks: [],
      patterns: ["edge/"],
      variables: { region: "eu", size: 3 },
      adopt: {},
      guards: { maxDeletes: null, allow: [] },
      lock: { wanted: true, settleMs: 2000 },
      policies: [],
      moduleEndpoints: [],
      hints: expect.anything(),
    });
  });

  it("merges the fleet's environment over the configuration, and knows no other", () => {
    const config = "stack: shop\nenvironments:\n  prod: {stack: shop-prod, variables: {a: 1}}\n";
    expect(settings(config, { environment: "prod" })).toMatchObject({ marker: "shop-prod", variables: { a: 1 } });
    expect(settings(config).marker).toBe("shop");
    expect(refused(config, { environment: "pord" })).toEqual([
      'team/edgewise.yaml:4:1 the configuration has no environment "pord", which stacks.prod (fleet.yaml:8:3) names → Did you mean prod? It has prod.',
    ]);
    expect(refused("stack: shop\n", { environment: "prod" })).toEqual([
      expect.stringMatching(/ → It has none: leave out `environment` in stacks\.prod \(fleet\.yaml:8:3\), or add it /u),
    ]);
  });

  it("needs a marker from one of both", () => {
    expect(refused("")[0]).toContain("in stacks.prod (fleet.yaml:8:3)");
    expect(settings("", { stack: "edge-prod" }).marker).toBe("edge-prod");
  });

  it("takes the fleet's marker, whatever the configuration or its environment says", () => {
    const config = "stack: other\nenvironments: {prod: {stack: third}}\npreviousStacks: [edge-prod]\n";
    expect(settings(config, { stack: "edge-prod" })).toMatchObject({ marker: "edge-prod", previousStacks: [] });
    expect(settings(config, { stack: "edge-prod", environment: "prod" }).marker).toBe("edge-prod");
    // The configuration's own marker is a former one like any other then.
    expect(refused("stack: other\npreviousStacks: [other]\n", { stack: "edge-prod" })).toEqual([
      expect.stringContaining('previousStacks has "other"'),
    ]);
    const renamed = { stack: "edge-prod", ...allowing({ previousStacks: ["other"] }) };
    expect(settings("stack: other\npreviousStacks: [other]\n", renamed).previousStacks).toEqual(["other"]);
  });
});

/** A power that is not the repository's, and what the fleet file says to give it. */
interface Power {
  readonly config: string;
  readonly place: string;
  readonly says: string;
  /** The place in the fleet file that would allow it, and what to write. */
  readonly remedy: readonly string[];
  /** Null = nothing in the entry gives it. */
  readonly entry: Partial<FleetEntry> | null;
  readonly account?: Partial<FleetAccount>;
  readonly gives?: Partial<GrantedSettings>;
}

const line = "stacks.prod (fleet.yaml:8:3)";
const accountLine = "accounts.main (fleet.yaml:6:3)";

const all: { readonly [power: string]: Power } = {
  "another address of the service": {
    config: "stack: a\napi: {baseUrl: https://evil.example.com}\n",
    place: "4:16",
    says: "api.baseUrl is not https://api.example.com",
    remedy: [accountLine],
    entry: {},
    account: { baseUrl: "https://evil.example.com" },
  },
  "an address with a password, which is not shown": {
    config: 'stack: a\napi: {baseUrl: "https://u:p@api.example.com"}\n',
    place: "4:16",
    says: "api.baseUrl is not https://api.example.com",
    remedy: [accountLine],
    entry: null,
  },
  "another version header": {
    config: "stack: a\napi: {versionHeader: X-Version}\n",
    place: "4:22",
    says: "api.versionHeader is not Service-Version",
    remedy: [accountLine],
    entry: {},
    account: { versionHeader: "X-Version" },
  },
  "module endpoints": {
    config: "stack: a\napi: {moduleEndpoints: [backend]}\n",
    place: "4:24",
    says: "api.moduleEndpoints has backend",
    remedy: [accountLine],
    entry: {},
    account: { moduleEndpoints: ["backend", "ip_restriction"] },
    gives: { moduleEndpoints: ["backend", "ip_restriction"] },
  },
  "a rate limit": {
    config: "stack: a\napi: {requestsPerMinute: 9999}\n",
    place: "4:26",
    says: "api.requestsPerMinute is not what",
    remedy: [accountLine],
    entry: {},
    account: { requestsPerMinute: 9999 },
  },
  "a timeout": {
    config: "stack: a\napi: {timeout: 24h}\n",
    place: "4:16",
    says: "api.timeout is not",
    remedy: ["deadline", accountLine],
    entry: null,
  },

  "more deletes": {
    config: "stack: a\nguards: {maxDeletes: 100%}\n",
    place: "4:22",
    says: "guards.maxDeletes lets a plan delete more",
    remedy: [line, "allow: {guards: [maxDeletes]}"],
    entry: allowing({ guards: ["maxDeletes"] }),
    gives: { guards: { maxDeletes: { percent: 100 }, allow: [] } },
  },
  "lifted refusals": {
    config: "stack: a\nguards: {allow: [ReservedAddress/old]}\n",
    place: "4:17",
    says: "guards.allow lifts refusals (ReservedAddress/old)",
    remedy: [line, "allow: {guards: [allow]}"],
    entry: allowing({ guards: ["allow"] }),
    gives: { guards: { maxDeletes: null, allow: ["ReservedAddress/old"] } },
  },
  "an existing resource": {
    config: "stack: a\nadopt: {TLSEdge/api: edgtls_1}\n",
    place: "4:22",
    says: "adopt has edgtls_1",
    remedy: [line, "allow: {adopt: [edgtls_1]}"],
    entry: allowing({ adopt: ["edgtls_1"] }),
    gives: { adopt: { "TLSEdge/api": "edgtls_1" } },
  },
  "the resources of another stack": {
    config: "stack: a\npreviousStacks: [other]\n",
    place: "4:18",
    says: 'previousStacks has "other"',
    remedy: [line, 'allow: {previousStacks: ["other"]}'],
    entry: allowing({ previousStacks: ["other"] }),
    gives: { previousStacks: ["other"] },
  },
  "what an environment asks for": {
    config: "stack: a\nadopt: {TLSEdge/api: edgtls_1}\nenvironments: {prod: {adopt: {TLSEdge/api: edgtls_2}}}\n",
    place: "5:44",
    says: "adopt has edgtls_2",
    remedy: [line],
    entry: { environment: "prod", ...allowing({ adopt: ["edgtls_2"] }) },
    gives: { adopt: { "TLSEdge/api": "edgtls_2" } },
  },
};

describe("a power that is not the repository's", () => {
  it.each(Object.entries(all))("is refused, at its place and with the line of the fleet file: %s", (_name, power) => {
    const found = refused(power.config, { environment: power.entry?.environment ?? null });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`team/edgewise.yaml:${power.place} ${power.says}`);
    for (const words of power.remedy) expect(found[0]).toContain(words);
    expect(found[0]).not.toContain("u:p@");
  });

  const given = Object.entries(all).filter(([, { entry }]) => entry !== null);
  it.each(given)("is given where the fleet file gives it: %s", (_name, { config, entry, account, gives }) => {
    expect(settings(config, entry ?? {}, account)).toMatchObject(gives ?? {});
  });

  it("is no power when it asks for what holds anyway, or for less", () => {
    const api =
      "{baseUrl: https://api.example.com/, versionHeader: service-version, moduleEndpoints: [], timeout: 30s, settle: 30000ms, deadline: 30m}";
    expect(settings(`stack: a\napi: ${api}\nguards: {maxDeletes: 3, allow: []}\npreviousStacks: [a]\n`)).toMatchObject({
      guards: { maxDeletes: { count: 3 } },
      previousStacks: [],
    });
    expect(settings("stack: a\nguards: {maxDeletes: 25%}\n").guards.maxDeletes).toEqual({ percent: 25 });
    expect(refused("stack: a\nguards: {maxDeletes: 4}\n")).toHaveLength(1);
    expect(refused("stack: a\nguards: {maxDeletes: 26%}\n")).toHaveLength(1);
  });

  it("is told together with all others", () => {
    expect(
      refused("stack: a\napi: {timeout: 1h, settle: 1h}\nguards: {maxDeletes: 9, allow: [TLSEdge/a]}\n"),
    ).toHaveLength(4);
  });
});

const edge = (rest: string) =>
  `apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: a${rest}}\nspec: {hostports: [a.example.com:443]}\n`;
const certificate = (source: string) =>
  `apiVersion: edgewise/v1\nkind: TLSCertificate\nmetadata: {name: a}\nspec: {certificate_pem: {file: a.pem}, private_key_pem: ${source}}\n`;
const routeOf = (id: string) =>
  `apiVersion: edgewise/v1\nkind: HTTPSEdgeRoute\nmetadata: {name: r, id: edghtsrt_1}\nspec: {edge: {id: ${id}}, traffic_policy: {enabled: true, value: {on_http_request: []}}}\n`;

/** Loads manifests as serve does: errors, and why secrets are not there. */
async function load(
  files: { readonly [path: string]: string },
  changes: Partial<FleetEntry> = {},
  config = "stack: a\nmanifests: [m]\n",
) {
  const root = await folder({ "outside.yaml": edge(""), ...files });
  const target: StackTarget = targetOf(entryWith({ config: { path: "team/edgewise.yaml" }, ...changes }));
  const found = settings(config, changes);
  const loaded = await loadManifests({
    tree: diskTree(join(root, "team")),
    patterns: found.patterns,
    patternBase: join(root, "team"),
    variables: found.variables,
    env: {},
    secrets: stackSecrets(target, []),
    adopt: found.adopt,
    stack: found.marker,
    allowInlineSecrets: false,
    apiKeyFile: null,
    complete: true,
    deep: true,
  });
  const problems = [
    ...loaded.diagnostics.map((diagnostic) => underFleet(diagnostic, target)),
    ...manifestPowers(target, loaded.manifests),
  ];
  return problems.map(
    ({ code, file, line: at, message, remedy }) => `${code} ${file}:${at} ${message} → ${remedy ?? ""}`,
  );
}

describe("a manifest under serve", () => {
  it("adopts only what the fleet file names", async () => {
    const files = { "team/m/a.yaml": edge(", id: edgtls_1") };
    expect(await load(files)).toEqual([
      `fleet-not-allowed team/m/a.yaml:1 TLSEdge/a adopts edgtls_1, which ${line} does not allow → Remove it, or have the operator write \`allow: {adopt: [edgtls_1]}\` in ${line}.`,
    ]);
    expect(await load(files, allowing({ adopt: ["edgtls_1"] }))).toEqual([]);
    expect(await load({ "team/m/a.yaml": edge("") })).toEqual([]);
  });

  it("manages modules of only those HTTPS edges that the fleet file names, and of their routes", async () => {
    const https =
      "apiVersion: edgewise/v1\nkind: HTTPSEdge\nmetadata: {name: a, id: edghts_1}\nspec: {tls_termination: {min_version: '1.2'}}\n";
    const files = { "team/m/a.yaml": `${https}---\n${routeOf("edghts_1")}` };
    expect(await load(files)).toEqual([
      expect.stringContaining(
        `HTTPSEdge/a manages modules of edghts_1, which ${line} does not allow → Remove it, or have the operator write \`allow: {modulesOf: [edghts_1]}\``,
      ),
      expect.stringContaining("fleet-not-allowed team/m/a.yaml:6 HTTPSEdgeRoute/r manages modules of edghts_1"),
    ]);
    expect(await load(files, allowing({ modulesOf: ["edghts_1"] }))).toEqual([]);
    expect(
      await load({ "team/m/a.yaml": routeOf("edghts_2") }, allowing({ modulesOf: ["edghts_1", "edghtsrt_1"] })),
    ).toHaveLength(1);
    const adopted = "stack: a\nmanifests: [m]\nadopt: {HTTPSEdge/a: edghts_1}\n";
    const nameless = { "team/m/a.yaml": https.replace(", id: edghts_1", "") };
    expect(await load(nameless, {}, adopted)).toEqual([expect.stringContaining("manages modules of edghts_1")]);
    expect(await load(nameless, allowing({ modulesOf: ["edghts_1"] }), adopted)).toEqual([]);
  });

  it("sees no environment variable of the process, and is told what to write instead", async () => {
    process.env["EDGEWISE_VAR_REGION"] = "eu";
    try {
      const files = { "team/m/a.yaml": edge("").replace("a.example.com:443", '"${{ env.REGION }}.example.com:443"') };
      expect(await load(files)).toEqual([
        expect.stringMatching(/^variable-unset team\/m\/a\.yaml:4 .*stacks\.prod \(fleet\.yaml:8:3\)\.$/),
      ]);
    } finally {
      delete process.env["EDGEWISE_VAR_REGION"];
    }
    const files = { "team/m/a.yaml": edge("").replace("a.example.com:443", '"${{ vars.REGION }}.example.com:443"') };
    expect(await load(files, { variables: { REGION: "eu" } })).toEqual([]);
  });

  it("reads no file outside of the configuration's directory, by path, pattern or link", async () => {
    const outside = { "team/m/a.yaml": certificate("{env: KEY}").replace("file: a.pem", "file: ../../outside.yaml") };
    expect(await load(outside)).toContainEqual(
      expect.stringMatching(
        /^file-outside .*have `config` in stacks\.prod \(fleet\.yaml:8:3\) name a configuration further up\.$/,
      ),
    );
    const pattern = await load({ "team/m/a.yaml": edge("") }, {}, "stack: a\nmanifests: [../outside.yaml]\n");
    expect(pattern).toContainEqual(expect.stringContaining("file-outside"));
    const absolute = await load({ "team/m/a.yaml": edge("") }, {}, "stack: a\nmanifests: [/etc]\n");
    expect(absolute).toContainEqual(expect.stringContaining("file-outside"));
    const inside = await load(
      { "team/m/a.yaml": edge(""), "team/x/a.yaml": edge("") },
      {},
      "stack: a\nmanifests: [x/../x]\n",
    );
    expect(inside).toEqual([]);
  });

  it("gets secrets from its directory alone", async () => {
    const secrets = await folder({ KEY: "a secret\n", "a.key": "another secret\n", empty: "" });
    await mkdir(join(secrets, "sub"));
    await writeFile(join(secrets, "sub/x"), "x");
    const outside = await folder({ other: "of another tenant" });
    await symlink(join(outside, "other"), join(secrets, "link"));
    await symlink("KEY", join(secrets, "inner"));
    const pem = { "team/m/a.pem": "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n" };
    const why = async (source: string, changes: Partial<FleetEntry> = { secrets }) => {
      const found = await load(
        { ...pem, "team/m/a.yaml": certificate(source), "team/m/KEY": "of the repository" },
        changes,
      );
      return found.filter((text) => !text.startsWith("certificate") && !text.startsWith("private-key"));
    };
    for (const source of ["{env: KEY}", "{file: KEY}", "{file: a.key}", "{env: inner}"])
      expect(await why(source)).toEqual([]);
    const unavailable = (words: string) => [expect.stringContaining(words)];
    expect(await why("{env: HOME}")).toEqual(unavailable(`"HOME" in the directory of ${line}: there is no such file`));
    expect(await why("{file: link}")).toEqual(unavailable("leads out of the directory"));
    expect(await why("{file: empty}")).toEqual(unavailable("it is empty"));
    expect(await why("{file: sub}")).toEqual(unavailable("it is a directory"));
    for (const name of ["sub/x", "../other", `${secrets}/KEY`, "..", ".", ".hidden", "./KEY", "sub\\x"]) {
      expect(await why(`{file: ${JSON.stringify(name)}}`)).toEqual([
        expect.stringMatching(/^fleet-not-allowed .*is not the plain name of a file/),
      ]);
    }
    for (const source of ["{env: KEY}", "{file: KEY}", "{env: PATH}"])
      expect(await why(source, {})).toEqual([
        expect.stringMatching(
          /^fleet-not-allowed .*the stack sees no secrets.*`secrets: DIRECTORY` in stacks\.prod \(/,
        ),
      ]);
    expect(await why("{env: EDGEWISE_API_KEY}")).toEqual(unavailable("names the API key"));
    await chmod(join(secrets, "KEY"), 0o666);
    expect(await why("{env: KEY}")).toEqual(unavailable("can be written by every user"));
  });
});
