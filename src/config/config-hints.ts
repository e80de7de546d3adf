import type { ProblemPlace } from "../diagnostics/diagnostic.js";
import type { DocumentPath } from "../core/document-path.js";
import type { ConfigHints } from "../manifest/load-options.js";
import type { ConfigFile } from "./read-config-file.js";

/** What the text of a configuration tells about its values. Looked up only for messages about them. */
export class ConfigText implements ConfigHints {
  readonly #file: ConfigFile;
  readonly #environment: string | null;
  readonly #hasPatterns: boolean;

  /** @param hasPatterns whether the patterns come from this file, not from flags */
  constructor(file: ConfigFile, environment: string | null, hasPatterns: boolean) {
    this.#file = file;
    this.#environment = environment;
    this.#hasPatterns = hasPatterns;
  }

  patternPlace(index: number): { readonly place: ProblemPlace; readonly text: string } | null {
    if (!this.#hasPatterns) return null;
    const overlay = this.#environment === null ? undefined : this.#file.document.environments?.[this.#environment];
    const own = overlay?.manifests === undefined ? [] : ["environments", this.#environment ?? ""];
    const path: DocumentPath = [...own, "manifests", index];
    return this.#file.textAt(path);
  }

  environmentsWith(variable: string): readonly string[] {
    return Object.entries(this.#file.document.environments ?? {}).flatMap(([name, environment]) =>
      Object.hasOwn(environment?.variables ?? {}, variable) ? [name] : [],
    );
  }
}
