import { dirname, resolve } from "node:path";
import { isObject } from "../core/json.js";
import { Secret, type SecretValue } from "../core/secret.js";
import type { FileTree } from "./file-tree.js";
import type { ManifestSecrets } from "./load-options.js";
import type { SpecContext } from "./load-run.js";
import type { ManifestProblem } from "./parsed-manifest.js";
import { isSameFile } from "./read-secret-file.js";

/** The secret of a field (null = none), or why it is refused. */
export type SecretFieldResult = { readonly secret: Secret | null } | Omit<ManifestProblem, "path">;

/** The name of an environment variable, as the schema has it. */
export const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/**
 * Wraps the value of a secret field: `{env}`, `{file}`, or, when allowed, the text itself. Files are read only when the
 * secret is needed. A source that is the API key is refused: a manifest could otherwise send the key anywhere.
 */
export function resolveSecretField(value: unknown, context: SpecContext): SecretFieldResult {
  if (value === null || value === undefined) return { secret: null };
  if (typeof value === "string") {
    if (context.run.options.allowInlineSecrets) return { secret: Secret.of(value, "the manifest") };
    return { code: "inline-secret", message: "a secret is written into the manifest itself" };
  }
  if (!isObject(value)) return { secret: null };
  const { env, file } = value;
  // The schema refuses it. It may be the secret itself, so nothing names it.
  if (typeof env === "string" && !variableName.test(env)) return { secret: null };
  const { secrets } = context.run.options;
  if (secrets !== undefined) {
    if (typeof env === "string") return fromStore("env", env, secrets);
    return typeof file === "string" ? fromStore("file", file, secrets) : { secret: null };
  }
  if (typeof env === "string") return fromEnvironment(env, context);
  if (typeof file === "string") return fromFile(file, context);
  return { secret: null };
}

/** Both forms name a secret of the store: no manifest reaches anything else. */
function fromStore(from: "env" | "file", name: string, store: ManifestSecrets): SecretFieldResult {
  if (name.toUpperCase() === "EDGEWISE_API_KEY") {
    return { code: "file-is-api-key", message: `${name} names the API key` };
  }
  const refusal = store.refusalOf(from, name);
  if (refusal !== null) return { code: "fleet-not-allowed", ...refusal };
  const secret = new Secret(`${from} ${name}`, () => {
    const found = store.read(from, name);
    return found.available ? filled(withoutLineEnd(found.text), name) : found;
  });
  return { secret };
}

/** An empty variable is unavailable, too: the service would refuse it in the middle of a run. */
function filled(text: string, name: string): SecretValue {
  return text === "" ? { available: false, reason: `"${name}": it is empty` } : { available: true, text };
}

function fromEnvironment(name: string, { run }: SpecContext): SecretFieldResult {
  const { env } = run.options;
  const text = Object.hasOwn(env, name) ? env[name] : undefined;
  if (name.toUpperCase() === "EDGEWISE_API_KEY" || (text !== undefined && run.holdsApiKey(text))) {
    return { code: "file-is-api-key", message: `the environment variable ${name} holds the API key` };
  }
  const source = `env ${name}`;
  if (text === undefined || text === "") {
    const reason = `the environment variable ${name} is ${text === "" ? "empty" : "not set"}`;
    return { secret: Secret.unavailable(source, reason) };
  }
  return { secret: Secret.of(text, source) };
}

function fromFile(path: string, { file, run }: SpecContext): SecretFieldResult {
  const { apiKeyFile, tree } = run.options;
  if (path.includes("\0"))
    return { code: "secret-source", message: `${JSON.stringify(path)} is not a valid file name` };
  const absolute = secretPath(tree, file, path);
  if (apiKeyFile !== null && isSameFile(absolute, apiKeyFile)) {
    return { code: "file-is-api-key", message: `"${path}" is the file that holds the API key` };
  }
  const writable = tree.secretAccess?.(absolute).error ?? null;
  if (writable !== null) return { code: "secret-file-writable", message: `"${path}" ${writable}` };
  const secret = new Secret(`file ${path}`, () => {
    const found = tree.readSecret(absolute, apiKeyFile);
    if (!found.available) return { available: false, reason: `"${path}": ${found.reason}` };
    if (run.holdsApiKey(found.text)) return { available: false, reason: `"${path}" holds the API key` };
    return filled(withoutLineEnd(found.text), path);
  });
  return { secret };
}

/** The absolute path of a secret file. @param manifest the manifest that names it, relative to the root */
export function secretPath({ root }: Pick<FileTree, "root">, manifest: string, written: string): string {
  return resolve(root, dirname(manifest), written);
}

/** Editors end files with a newline, which is not part of a password. PEM is kept as it is. */
function withoutLineEnd(text: string): string {
  return text.includes("-----BEGIN ") ? text : text.replace(/\r?\n$/u, "");
}
