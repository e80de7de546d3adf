import { policy } from "../kinds/codecs/policy.js";
import { clearTextsOf } from "../kinds/policy/clear-texts.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import type { Value } from "../kinds/value.js";
import { limits } from "../limits.js";
import type { Secret } from "../secret.js";
import type { SecretListener } from "./load-options.js";

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
export const inlineSource = "the manifest";
