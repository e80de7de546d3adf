// Belongs to .github/edgewise/ or .gitlab/. Fetches the API key from a secret store for one job, with the identity that the
// CI system gives to that job (OIDC), so that no key is kept in the CI system.
//   node oidc-key.mjs vault FILE   writes the key that HashiCorp Vault (or OpenBao) holds into FILE
//   node oidc-key.mjs token FILE   writes the identity itself into FILE, for the program of another store
// Of the environment it reads:
//   OIDC_AUDIENCE     whom the identity is for; the store must accept this audience only
//   OIDC_TOKEN        the identity, on systems that pass it as a variable (GitLab: id_tokens). On GitHub it is asked for:
//                     the job needs the permission id-token: write
//   VAULT_ADDR        https://vault.example.com:8200; http on this machine only
//   VAULT_ROLE        the role of the JWT auth method, which says who may read what
//   VAULT_AUTH_PATH   where that auth method is mounted (default: jwt)
//   VAULT_SECRET      the path of the secret, such as secret/data/edgewise/prod (version 2 of the key-value store)
//   VAULT_FIELD       its member (default: api_key)
//   VAULT_NAMESPACE   where there are namespaces
// FILE is readable by this user only, and must not exist. Nothing secret is printed, but for the line that makes GitHub
// mask the key.
import { writeFileSync } from "node:fs";

const { env } = process;
const mostCharacters = 64 * 1024;

/** A request that follows no redirect, as it carries a secret. Errors name the step, and repeat no answer. */
async function ask(what, url, options) {
  const response = await fetch(url, { ...options, redirect: "error", signal: AbortSignal.timeout(15_000) }).catch(
    () => null,
  );
  if (response === null) throw new Error(`${what}: no answer`);
  const text = await response.text().catch(() => "");
  if (!response.ok) throw new Error(`${what}: status ${response.status}`);
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${what}: the answer is not JSON`);
  }
}

function need(name) {
  const value = env[name] ?? "";
  if (value === "") throw new Error(`set ${name}`);
  return value;
}

function address(name) {
  const text = need(name);
  const url = URL.canParse(text) ? new URL(text) : null;
  const local = url?.protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  if (url?.protocol !== "https:" && !local) throw new Error(`${name} must be an https address`);
  return url.href.replace(/\/$/, "");
}

/** A path below /v1/, which leads nowhere else. */
function pathOf(name, fallback) {
  const path = env[name] || fallback || need(name);
  if (!/^[\w-]+(?:[./][\w-]+)*$/.test(path)) throw new Error(`${name} must be a path such as secret/data/edgewise`);
  return path;
}

/** A secret on one line, as a header and a file take it. */
function secret(what, value) {
  const fits = typeof value === "string" && value.length <= mostCharacters && /^[\x21-\x7e]+$/.test(value);
  if (!fits) throw new Error(`${what}: the answer has no such text`);
  return value;
}

/** The runner decodes %25 and the like in a command: it would mask something else. */
function mask(value) {
  if (env.GITHUB_ACTIONS === "true") console.log(`::add-mask::${value.replaceAll("%", "%25")}`);
  return value;
}

/** The identity of this job. */
async function identity() {
  if (env.OIDC_TOKEN) return secret("OIDC_TOKEN", env.OIDC_TOKEN);
  const audience = encodeURIComponent(need("OIDC_AUDIENCE"));
  if (!env.ACTIONS_ID_TOKEN_REQUEST_URL)
    throw new Error("the job has no identity: on GitHub, it needs the permission id-token: write");
  const url = `${address("ACTIONS_ID_TOKEN_REQUEST_URL")}&audience=${audience}`;
  const headers = { authorization: `Bearer ${need("ACTIONS_ID_TOKEN_REQUEST_TOKEN")}` };
  return mask(secret("identity", (await ask("identity", url, { headers }))?.value));
}

async function fromVault() {
  const vault = `${address("VAULT_ADDR")}/v1`;
  const [auth, path, field] = [pathOf("VAULT_AUTH_PATH", "jwt"), pathOf("VAULT_SECRET"), env.VAULT_FIELD || "api_key"];
  const common = {
    "content-type": "application/json",
    "x-vault-request": "true",
    ...(env.VAULT_NAMESPACE ? { "x-vault-namespace": env.VAULT_NAMESPACE } : {}),
  };
  const body = JSON.stringify({ role: need("VAULT_ROLE"), jwt: await identity() });
  const login = await ask("login to Vault", `${vault}/auth/${auth}/login`, { method: "POST", headers: common, body });
  const headers = { ...common, "x-vault-token": mask(secret("login to Vault", login?.auth?.client_token)) };
  try {
    const found = (await ask("secret in Vault", `${vault}/${path}`, { headers }))?.data;
    // Version 2 has the members one level deeper, beside their metadata.
    const members = found?.metadata !== undefined && typeof found.data === "object" ? found.data : found;
    return mask(secret("secret in Vault", Object.hasOwn(members ?? {}, field) ? members[field] : undefined));
  } finally {
    // The token has done its work. When it can't be revoked, it ends by itself.
    await ask("revoke", `${vault}/auth/token/revoke-self`, { method: "POST", headers }).catch(() => {});
  }
}

const [, , store = "", file = ""] = process.argv;
const stores = { vault: fromVault, token: identity };
try {
  if (!Object.hasOwn(stores, store) || file === "") throw new Error("give vault FILE or token FILE");
  writeFileSync(file, await stores[store](), { mode: 0o600, flag: "wx" });
} catch (error) {
  console.error(`oidc-key: ${error?.code === "EEXIST" ? "the file exists already" : String(error?.message ?? error)}`);
  process.exitCode = 1;
}
