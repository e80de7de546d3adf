import { limits } from "../core/limits.js";
import type { Redactor } from "../redact.js";
import type { Secret } from "../core/secret.js";
import type { LoadOptions } from "./load-options.js";

/** The source of a secret that is written into the manifest. */
export const inlineSource = "the manifest";

/** The API keys that are available here, to keep them out of requests. */
export class ApiKeys {
  #values: readonly string[] | undefined;

  constructor(private readonly options: Pick<LoadOptions, "env" | "apiKeyFile" | "tree">) {}

  /** Whether a text contains an API key. */
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

/** The secrets that manifests name, masked in foreign text from then on: a service may send back what it was sent once. */
export class NamedSecrets {
  readonly #known = new Set<string>();
  #characters = 0;

  constructor(private readonly redactor: Redactor | undefined) {}

  /**
   * Reads a secret if it is available; if not, whatever needs it reports that.
   * @returns the number of characters to add to the run's limit; none for a secret that was registered before
   */
  register(secret: Secret | null): number {
    if (secret === null || this.redactor === undefined) return 0;
    if (this.#characters > limits.secretCharacters || secret.missing !== null) return 0;
    const text = secret.reveal();
    if (this.#known.has(text)) return 0;
    this.#known.add(text);
    this.#characters += text.length;
    if (this.#characters <= limits.secretCharacters) this.redactor.addSecret(text);
    return text.length;
  }
}
