import { dirname, resolve } from "node:path";
import { isObject } from "../core/json.js";
import { Secret, type SecretValue } from "../core/secret.js";
import type { FileTree } from "./file-tree.js";
import type { ManifestSecrets } from "./load-options.js";
import type { SpecContext } from "./load-run.js";
import type { ManifestProblem } from "./parsed-manifest.js";

/** Why a secret is refused. */
type Refusal = Omit<ManifestProblem, "path">;

/** The name of an environment variable, as the schema has it. */
export const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/**
 * Wraps the value of a secret field: `{env}`, `{file}`, or, when allowed, the text itself. Files are read only when the
 * secret is needed. Null for none, and for what the schema refuses, of which nothing is named: it may be the secret.
 */
export function resolveSecret(value: unknown, context: SpecContext): Secret | Refusal | null {
  const { allowInlineSecrets, secrets } = context.run.options;
  if (typeof value === "string") {
    if (allowInlineSecrets) return Secret.of(value, "the manifest");
    return { code: "inline-secret", message: "a secret is written into the manifest itself" };
  }
  if (!isObject(value)) return null;
  const { env, file } = value;
  if (typeof env === "string") {
    if (!variableName.test(env)) return null;
    return secrets === undefined ? fromEnvironment(env, context) : fromStore("env", env, secrets);
  }
  if (typeof file !== "string") return null;
  return secrets === undefined ? fromFile(file, context) : fromStore("file", file, secrets);
}

/** Whether a name is that of the variable that holds the API key, which a manifest could otherwise send anywhere. */
function isApiKeyName(name: string): boolean {
  return name.toUpperCase() === "EDGEWISE_API_KEY";
}

/** Both forms name a secret of the store: no manifest reaches anything else. */
function fromStore(from: "env" | "file", name: string, store: ManifestSecrets): Secret | Refusal {
  if (isApiKeyName(name)) return { code: "file-is-api-key", message: `${name} names the API key` };
  const refusal = store.refusalOf(from, name);
  if (refusal !== null) return { code: "fleet-not-allowed", ...refusal };
  return new Secret(`${from} ${name}`, () => {
    const found = store.read(from, name);
    return found.available ? filled(found.text, name) : found;
  });
}

function fromEnvironment(name: string, { run }: SpecContext): Secret | Refusal {
  const { env } = run.options;
  const text = Object.hasOwn(env, name) ? env[name] : undefined;
  if (isApiKeyName(name) || (text !== undefined && run.holdsApiKey(text)))
    return { code: "file-is-api-key", message: `the environment variable ${name} holds the API key` };
  const source = `env ${name}`;
  if (text !== undefined && text !== "") return Secret.of(text, source);
  return Secret.unavailable(source, `the environment variable ${name} is ${text === "" ? "empty" : "not set"}`);
}

function fromFile(path: string, { file, run }: SpecContext): Secret | Refusal {
  const { tree } = run.options;
  if (path.includes("\0"))
    return { code: "secret-source", message: `${JSON.stringify(path)} is not a valid file name` };
  const absolute = secretPath(tree, file, path);
  if (run.isApiKeyFile(absolute))
    return { code: "file-is-api-key", message: `"${path}" is the file that holds the API key` };
  const writable = tree.secretAccess?.(absolute).error ?? null;
  if (writable !== null) return { code: "secret-file-writable", message: `"${path}" ${writable}` };
  return new Secret(`file ${path}`, () => {
    const found = tree.readSecret(absolute);
    if (!found.available) return { available: false, reason: `"${path}": ${found.reason}` };
    if (run.holdsApiKey(found.text)) return { available: false, reason: `"${path}" holds the API key` };
    return filled(found.text, path);
  });
}

/** The absolute path of a secret file. @param manifest the manifest that names it, relative to the root */
export function secretPath({ root }: Pick<FileTree, "root">, manifest: string, written: string): string {
  return resolve(root, dirname(manifest), written);
}

/** A secret without the newline that editors put at its end; PEM is kept. The service would refuse an empty one. */
function filled(read: string, name: string): SecretValue {
  const text = read.includes("-----BEGIN ") ? read : read.replace(/\r?\n$/u, "");
  return text === "" ? { available: false, reason: `"${name}": it is empty` } : { available: true, text };
}
