import { dirname, resolve } from "node:path";
import type { Code } from "../diagnostics/codes.js";
import { type Value, isObject } from "../json.js";
import { clearTextsOf } from "../kinds/policy/find-secrets.js";
import { policy } from "../kinds/policy/policy-codec.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { limits } from "../limits.js";
import { Secret } from "../secret.js";
import type { LoadOptions, SecretListener } from "./load-options.js";
import { isSameFile } from "./read-secret-file.js";

/** What a secret field came to: its secret (null = none), or what is wrong with it. */
export type SecretFieldResult =
  | { readonly secret: Secret | null }
  | { readonly code: Code; readonly message: string; readonly remedy?: string };

/**
 * Wraps what a manifest says of a secret: `{env}`, `{file}`, or, when allowed, the text itself. Nothing is read yet,
 * except to make sure that it is not the API key, which a manifest could otherwise send anywhere.
 * @param file the manifest, relative to the root
 */
export function resolveSecretField(
  value: unknown,
  file: string,
  options: LoadOptions,
  apiKeys: ApiKeys,
): SecretFieldResult {
  if (value === null || value === undefined) return { secret: null };
  if (typeof value === "string") {
    if (options.allowInlineSecrets) return { secret: Secret.of(value, inlineSource) };
    return { code: "inline-secret", message: "a secret is written into the manifest itself" };
  }
  if (!isObject(value)) return { secret: null };
  const { env, file: path } = value;
  if (typeof env === "string") return fromEnvironment(env, options, apiKeys);
  if (typeof path === "string") return fromFile(path, file, options, apiKeys);
  return { secret: null };
}

function fromEnvironment(name: string, options: LoadOptions, apiKeys: ApiKeys): SecretFieldResult {
  const text = Object.hasOwn(options.env, name) ? options.env[name] : undefined;
  if (name.toUpperCase() === "EDGEWISE_API_KEY" || (text !== undefined && apiKeys.isIn(text))) {
    return { code: "file-is-api-key", message: `the environment variable ${name} holds the API key` };
  }
  const source = `env ${name}`;
  if (text === undefined || text === "") {
    return {
      secret: Secret.unavailable(source, `the environment variable ${name} is ${text === "" ? "empty" : "not set"}`),
    };
  }
  return { secret: Secret.of(text, source) };
}

function fromFile(path: string, file: string, options: LoadOptions, apiKeys: ApiKeys): SecretFieldResult {
  const { apiKeyFile, tree } = options;
  const absolute = secretPath(tree, file, path);
  if (path.includes("\0")) return { code: "secret-source", message: `${JSON.stringify(path)} is no file name` };
  if (apiKeyFile !== null && isSameFile(absolute, apiKeyFile)) {
    return { code: "file-is-api-key", message: `"${path}" is the file that holds the API key` };
  }
  const writable = tree.secretAccess?.(absolute).error ?? null;
  if (writable !== null) return { code: "secret-file-writable", message: `"${path}" ${writable}` };
  const secret = new Secret(`file ${path}`, () => {
    const found = tree.readSecret(absolute, apiKeyFile);
    if (!found.available) return { available: false, reason: `"${path}": ${found.reason}` };
    if (apiKeys.isIn(found.text)) return { available: false, reason: `"${path}" holds the API key` };
    return { available: true, text: withoutLineEnd(found.text) };
  });
  return { secret };
}

/** The absolute path of a secret file. @param manifest the manifest that names it, relative to the root */
export function secretPath({ root }: Pick<LoadOptions["tree"], "root">, manifest: string, written: string): string {
  return resolve(root, dirname(manifest), written);
}

/** Editors end files with a newline, which is no part of a password; PEM is kept as it is. */
function withoutLineEnd(text: string): string {
  return text.includes("-----BEGIN ") ? text : text.replace(/\r?\n$/u, "");
}

/** The API key's values as far as they are known here, to keep them out of requests. */
export class ApiKeys {
  #values: readonly string[] | undefined;

  constructor(private readonly options: Pick<LoadOptions, "env" | "apiKeyFile" | "tree">) {}

  /** Whether a text holds an API key. */
  isIn(text: string): boolean {
    this.#values ??= this.#find();
    return this.#values.some((key) => text.includes(key));
  }

  #find(): readonly string[] {
    const { apiKeyFile, env, tree } = this.options;
    const inFile = apiKeyFile === null ? null : tree.readSecret(apiKeyFile, null);
    const found = [env["EDGEWISE_API_KEY"] ?? "", inFile?.available === true ? inFile.text : ""];
    return found.map((key) => key.trim()).filter((key) => key.length >= 8);
  }
}

/** The secrets that manifests name, made known as soon as they are named: a service may send back what it was sent once. */
export class NamedSecrets {
  readonly #known = new Set<string>();
  #characters = 0;

  constructor(private readonly secrecy: SecretListener | undefined) {}

  /**
   * Reads a secret where that is possible; where it is not, whoever needs it will say so.
   * @returns how many characters are new in it: what is read and looked for in every output has its limit
   */
  register(secret: Secret | null): number {
    if (secret === null || this.secrecy === undefined) return 0;
    // `env NAME` and `file PATH`: outputs say where a secret comes from.
    this.secrecy.name(secret.source);
    this.secrecy.name(secret.source.replace(/^(env|file) /u, ""));
    if (this.#characters > limits.secretCharacters || secret.missing !== null) return 0;
    const text = secret.reveal();
    if (secret.source === inlineSource) {
      this.secrecy.add(text, true);
      return 0;
    }
    if (this.#known.has(text)) return 0;
    this.#known.add(text);
    const bytes = Buffer.byteLength(text);
    // What is not ASCII is looked for as bytes, too.
    const characters = text.length + (bytes === text.length ? 0 : bytes);
    this.#characters += characters;
    if (this.#characters <= limits.secretCharacters) this.secrecy.add(text, false);
    return characters;
  }

  /** Makes known what stands in a policy in clear at the places of secrets. */
  registerClearTexts(value: Value): void {
    if (this.secrecy === undefined || value === null) return;
    const normal = policy.fromManifest(value);
    if (!(normal instanceof SecretPolicy)) return;
    for (const text of clearTextsOf(normal)) this.secrecy.add(text, true);
  }
}

/** The source of a secret that a manifest holds itself. */
const inlineSource = "the manifest";
