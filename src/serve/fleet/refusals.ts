import type { ConfigFile } from "../../config/read-config-file.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { type DocumentPath, valueAt } from "../../core/document-path.js";

/** Collects what a repository's configuration asks for and does not get, at its places. */
export class Refusals {
  readonly #found: Diagnostic[] = [];

  constructor(
    readonly file: ConfigFile,
    private readonly environment: string | null,
  ) {}

  get found(): readonly Diagnostic[] {
    return this.#found;
  }

  /** @param path as if there were no environments: when the environment sets it, it is shown there */
  add(path: DocumentPath, message: string, remedy: string): void {
    this.#found.push(...this.file.problem(this.#placeOf(path), "fleet-not-allowed", message, remedy).diagnostics);
  }

  /** The value of a member of `api`, from the environment when that sets it; undefined = it is not there, or null. */
  valueOf(path: DocumentPath): unknown {
    return valueAt(this.file.document, this.#placeOf(path)) ?? undefined;
  }

  #placeOf(path: DocumentPath): DocumentPath {
    if (this.environment === null) return path;
    const inEnvironment = ["environments", this.environment, ...path];
    return valueAt(this.file.document, inEnvironment) === undefined ? path : inEnvironment;
  }
}
