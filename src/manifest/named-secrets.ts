import type { Secret } from "../secret.js";
import type { Secrecy } from "./load-options.js";

/** How much of secret files is read for the sake of masking alone, in characters: thousands of private keys. */
const mostCharacters = 64 * 1024 * 1024;

/** The secrets that manifests name, made known as soon as they are named: a service may send back what it was sent once. */
export class NamedSecrets {
  #characters = 0;

  constructor(private readonly secrecy: Secrecy | undefined) {}

  /** Reads a secret where that is possible; where it is not, whoever needs it will say so. */
  learn(secret: Secret | null): void {
    if (secret === null || this.secrecy === undefined) return;
    // `env NAME` and `file PATH`: outputs say where a secret comes from.
    this.secrecy.name(secret.source);
    this.secrecy.name(secret.source.replace(/^(env|file) /u, ""));
    if (this.#characters > mostCharacters || secret.missing !== null) return;
    const text = secret.reveal();
    this.#characters += text.length;
    this.secrecy.add(text, secret.source === inManifest);
  }
}

/** The source of a secret that a manifest holds itself. */
export const inManifest = "the manifest";
