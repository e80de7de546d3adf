import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { plainEnvironment, startSandbox } from "../../../scripts/sandbox.mjs";
import { root } from "../../repository/source-files.ts";
import { type Job, type Strings, recipeText } from "./recipes.ts";
import { runBash } from "./run-bash.ts";

const audience = "https://vault.example.com";
const idToken = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;

/** GitHub's endpoint for identities, and a Vault whose role takes one audience and one subject. */
class Stores {
  readonly requests: string[] = [];
  readonly tokens = new Set<string>();
  key = "key-of-the-vault";
  readonly server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    request.on("end", () => {
      const url = new URL(request.url ?? "", "http://x");
      this.requests.push(`${request.method} ${url.pathname}`);
      const [status, body] = this.#answer(url, request.headers, text);
      response.writeHead(status).end(body === "" ? "" : JSON.stringify(body));
    });
  });

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  #answer(url: URL, headers: NodeJS.Dict<string | string[]>, text: string): readonly [number, unknown] {
    const token = String(headers["x-vault-token"]);
    switch (url.pathname) {
      case "/identity":
        if (headers["authorization"] !== "Bearer request-token") return [401, {}];
        return [
          200,
          { value: idToken({ aud: url.searchParams.get("audience"), sub: "repo:example/edge:environment:edgewise" }) },
        ];
      case "/v1/auth/jwt/login": {
        const { role, jwt } = JSON.parse(text);
        const { aud, sub } = JSON.parse(Buffer.from(jwt.split(".")[1], "base64url").toString());
        const fits = role === "edgewise-apply" && aud === audience && sub === "repo:example/edge:environment:edgewise";
        if (!fits) return [400, { errors: [`error validating token ${jwt}`] }];
        this.tokens.add("hvs.token");
        return [200, { auth: { client_token: "hvs.token" } }];
      }
      case "/v1/secret/data/edgewise/apply":
        if (!this.tokens.has(token)) return [403, { errors: ["permission denied"] }];
        return [200, { data: { data: { api_key: this.key }, metadata: { version: 3 } } }];
      case "/v1/auth/token/revoke-self":
        this.tokens.delete(token);
        return [204, ""];
      default:
        return [404, {}];
    }
  }
}

const stores = new Stores();
const script = join(root, "examples/ci/oidc/oidc-key.mjs");
let folder: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => stores.server.listen(0, "127.0.0.1", resolve));
});
beforeEach(() => {
  stores.requests.length = 0;
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), "edgewise-oidc-"));
});
afterAll(() => {
  stores.server.close();
  rmSync(folder, { recursive: true });
});

async function bash(run: string, more: Strings) {
  const env = { ...plainEnvironment(), RUNNER_TEMP: folder, ...more };
  const { status: code, text: log } = await runBash(run, { cwd: folder, env });
  return { code, log };
}

const github = (): Strings => ({
  GITHUB_ACTIONS: "true",
  ACTIONS_ID_TOKEN_REQUEST_URL: `${stores.url}/identity?api-version=2.0`,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request-token",
});
const vault = (): Strings => ({
  OIDC_AUDIENCE: audience,
  VAULT_ADDR: stores.url,
  VAULT_ROLE: "edgewise-apply",
  VAULT_SECRET: "secret/data/edgewise/apply",
});
const fetchKey = async (env: Strings) => bash(`node '${script}' vault key`, env);
const keyFile = () => join(folder, "key");

describe("oidc-key.mjs", () => {
  it("fetches the key for this job, masks it, and gives the token back", async () => {
    const { code, log } = await fetchKey({ ...github(), ...vault() });
    expect(code, log).toBe(0);
    expect(readFileSync(keyFile(), "utf8")).toBe("key-of-the-vault");
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    // Masked before anything else could print them, and printed nowhere else.
    expect(log.split("\n").filter((line) => line !== "" && !line.startsWith("::add-mask::"))).toEqual([]);
    expect(log).toContain("::add-mask::key-of-the-vault\n");
    expect(stores.tokens.size).toBe(0);
    expect(stores.requests.at(-1)).toBe("POST /v1/auth/token/revoke-self");
  });

  it("takes the identity that GitLab passes as a variable, and prints nothing there", async () => {
    const OIDC_TOKEN = idToken({ aud: audience, sub: "repo:example/edge:environment:edgewise" });
    expect(await fetchKey({ ...vault(), OIDC_TOKEN })).toEqual({ code: 0, log: "" });
    expect(readFileSync(keyFile(), "utf8")).toBe("key-of-the-vault");
  });

  it("gets nothing with the identity of another audience or role, and repeats no answer", async () => {
    for (const env of [{ OIDC_AUDIENCE: "https://other.example.com" }, { VAULT_ROLE: "admin" }]) {
      // oxlint-disable-next-line no-await-in-loop
      const { code, log } = await fetchKey({ ...github(), ...vault(), ...env });
      expect(code).toBe(1);
      expect(log).toContain("oidc-key: login to Vault: status 400");
      expect(log.replace(/^::add-mask::.*$/gm, "")).not.toContain("e30.");
      expect(existsSync(keyFile())).toBe(false);
    }
  });
});

describe("the recipes for keys from a secret store", () => {
  const job: Job = parse(recipeText("examples/ci/oidc/github-vault.yaml")).jobs.apply;

  it("ask for an identity, and for no secret of the repository", () => {
    expect(job).toMatchObject({ environment: "edgewise", permissions: { contents: "read", "id-token": "write" } });
    expect(JSON.stringify(job)).not.toContain("secrets.");
    const gitlab = parse(recipeText("examples/ci/oidc/gitlab-vault.yml"))[".apply"];
    expect(gitlab).toMatchObject({ environment: "edgewise", id_tokens: { OIDC_TOKEN: { aud: audience } } });
  });

  it("give edgewise a key that it takes", async () => {
    const sandbox = await startSandbox();
    try {
      stores.key = sandbox.apiKey;
      const key = job.steps?.find(({ name }) => name === "Key");
      const run = `${String(key?.run).replace(".github/edgewise/oidc-key.mjs", `'${script}'`)}
        node '${join(root, "dist/edgewise.mjs")}' ping --base-url "$URL" --api-key-file "$RUNNER_TEMP/edgewise.key"`;
      const env = { ...github(), ...key?.env, VAULT_ADDR: stores.url, URL: sandbox.baseUrl };
      const { code, log } = await bash(run, { ...env, EDGEWISE_VERSION_HEADER: sandbox.env.EDGEWISE_VERSION_HEADER });
      expect(code, log).toBe(0);
    } finally {
      stores.key = "key-of-the-vault";
      sandbox.stop();
    }
  });
});
