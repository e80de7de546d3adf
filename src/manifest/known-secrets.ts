import type { Value } from "../json.js";
import { clearTextsOf } from "../kinds/policy/find-secrets.js";
import { policy } from "../kinds/policy/policy-codec.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { limits } from "../limits.js";
import type { Secret } from "../secret.js";
import type { LoadOptions, SecretListener } from "./load-options.js";

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

/** The secrets that manifests name, masked in all outputs from then on: a service may send back what it was sent once. */
export class NamedSecrets {
  readonly #known = new Set<string>();
  #characters = 0;

  constructor(private readonly secrecy: SecretListener | undefined) {}

  /**
   * Reads a secret if it is available; if not, whatever needs it reports that.
   * @returns the number of characters to add to the run's limit; none for a secret that was registered before
   */
  register(secret: Secret | null): number {
    if (secret === null || this.secrecy === undefined) return 0;
    // Outputs name the sources of secrets (`env NAME`, `file PATH`), so those must not be masked.
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
    // Outputs are searched for other than ASCII secrets in both forms: as characters and as bytes.
    const characters = text.length + (bytes === text.length ? 0 : bytes);
    this.#characters += characters;
    if (this.#characters <= limits.secretCharacters) this.secrecy.add(text, false);
    return characters;
  }

  /** Registers the plain texts in the places of a policy where secrets belong. */
  registerClearTexts(value: Value): void {
    if (this.secrecy === undefined || value === null) return;
    const normal = policy.fromManifest(value);
    if (!(normal instanceof SecretPolicy)) return;
    for (const text of clearTextsOf(normal)) this.secrecy.add(text, true);
  }
}
