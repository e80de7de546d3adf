import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { plainEnvironment, startSandbox } from "../../../scripts/sandbox.mjs";
import { json, serve } from "../../api/support/server.ts";
import { root } from "../../repository/source-files.ts";
import { temporary } from "../../support/cli.ts";
import { type Job, recipeText } from "./recipes.ts";
import { runBash } from "./run-bash.ts";

it("the recipe for a key from Vault gives edgewise a key that it takes, masks it, and gives its token back", async () => {
  const job: Job = parse(recipeText("examples/ci/oidc/github-vault.yaml")).jobs.apply;
  expect(job).toMatchObject({ environment: "edgewise", permissions: { contents: "read", "id-token": "write" } });
  expect(JSON.stringify(job)).not.toContain("secrets.");
  const sandbox = await startSandbox();
  const identity = "e30.identity-of-the-job.c2ln";
  // GitHub's endpoint for identities, and a Vault.
  const stores = await serve(({ url, headers, body }, response) => {
    const token = headers["x-vault-token"];
    if (url.startsWith("/identity?") && headers.authorization === "Bearer request-token")
      return json(response, 200, { value: identity });
    if (url === "/v1/auth/jwt/login" && JSON.parse(body).jwt === identity)
      return json(response, 200, { auth: { client_token: "hvs.token" } });
    if (url === "/v1/secret/data/edgewise/apply" && token === "hvs.token")
      return json(response, 200, { data: { data: { api_key: sandbox.apiKey }, metadata: { version: 3 } } });
    json(response, url === "/v1/auth/token/revoke-self" && token === "hvs.token" ? 200 : 403, {});
  });
  onTestFinished(() => sandbox.stop());
  const folder = await temporary();
  const key = job.steps?.find(({ name }) => name === "Key");
  const script = `'${join(root, "examples/ci/oidc/oidc-key.mjs")}'`;
  const { status, text } = await runBash(
    `${String(key?.run).replace(".github/edgewise/oidc-key.mjs", script)}
    node '${join(root, "dist/edgewise.mjs")}' ping --base-url "$URL" --api-key-file "$RUNNER_TEMP/edgewise.key"`,
    {
      cwd: folder,
      env: {
        ...plainEnvironment(),
        RUNNER_TEMP: folder,
        GITHUB_ACTIONS: "true",
        ACTIONS_ID_TOKEN_REQUEST_URL: `${stores.baseUrl}/identity?api-version=2.0`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request-token",
        ...key?.env,
        VAULT_ADDR: stores.baseUrl,
        URL: sandbox.baseUrl,
        EDGEWISE_VERSION_HEADER: sandbox.env.EDGEWISE_VERSION_HEADER,
      },
    },
  );
  expect(status, text).toBe(0);
  expect(readFileSync(join(folder, "edgewise.key"), "utf8").trim()).toBe(sandbox.apiKey);
  expect(statSync(join(folder, "edgewise.key")).mode & 0o777).toBe(0o600);
  // Masked before anything else could print them, and printed nowhere else.
  expect(text).toContain(`::add-mask::${sandbox.apiKey}\n`);
  const shown = text.replaceAll(/^::add-mask::.*$/gm, "");
  for (const secret of [sandbox.apiKey, identity, "hvs.token"]) expect(shown).not.toContain(secret);
  expect(stores.seen.at(-1)).toMatchObject({ method: "POST", url: "/v1/auth/token/revoke-self" });
});
