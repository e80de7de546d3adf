import type { Spelt } from "./spellings.js";

/** Where a secret has its place: somewhere that is not public, in a manifest itself, or it is the API key. */
export type SecretStanding = "elsewhere" | "manifest" | "key";

/**
 * What a public text is: manifests as they are written, perhaps with secrets in them; what they say besides; or words
 * that must be readable, which tell nothing of a secret as a whole.
 */
export type Publicity = "written" | "shown" | "words";

const strictness: readonly SecretStanding[] = ["elsewhere", "manifest", "key"];

/**
 * A secret as a whole. One that everybody can read beside the places of secrets is none; to hide it would only hide
 * what a manifest says. The API key is always hidden.
 */
export class WholeSecret implements Spelt {
  #standing: SecretStanding;
  #opened: Publicity | null = null;

  constructor(
    readonly text: string,
    standing: SecretStanding,
  ) {
    this.#standing = standing;
  }

  get standing(): SecretStanding {
    return this.#standing;
  }

  get hidden(): boolean {
    if (this.#standing === "key") return true;
    return this.#standing === "manifest" ? this.#opened !== "shown" : this.#opened === null;
  }

  /** Takes note of another place of it. @returns whether that changes anything */
  alsoIn(standing: SecretStanding): boolean {
    if (strictness.indexOf(standing) <= strictness.indexOf(this.#standing)) return false;
    this.#standing = standing;
    return true;
  }

  /** Takes note that it stands in a public text. */
  open(publicity: Publicity): void {
    if (publicity !== "words" && this.#opened !== "shown") this.#opened = publicity;
  }
}
