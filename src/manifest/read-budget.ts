import type { Json } from "../core/json.js";
import { limits } from "../core/limits.js";

/** The limits that all manifests of a run share. */
type BudgetItem = "manifestFiles" | "manifestBytes" | "documents" | "contentBytes" | "substituted" | "secretCharacters";

const messages: { readonly [I in BudgetItem]: (limit: number) => string } = {
  manifestFiles: (limit) => `there are more than ${limit} manifest files`,
  manifestBytes: (limit) => `the manifests together have more than ${limit} bytes`,
  documents: (limit) => `the manifests together have more than ${limit} documents`,
  contentBytes: (limit) =>
    `the files that fields name with {file} together have more than ${limit} bytes, each counted as often as it is named`,
  substituted: (limit) => `variables put more than ${limit} characters into the manifests`,
  secretCharacters: (limit) => `the secrets that the manifests name have more than ${limit} characters together`,
};

/** Counts what a run has read, so that many small files can't add up to more than one large file may have. */
export class ReadBudget {
  readonly #spent: { [I in BudgetItem]: number } = {
    manifestFiles: 0,
    manifestBytes: 0,
    documents: 0,
    contentBytes: 0,
    substituted: 0,
    secretCharacters: 0,
  };
  readonly #sizes = new Map<object, number>();

  /** Adds to an amount. @returns the problem, in words, once it exceeds its limit; otherwise null */
  spend(item: BudgetItem, count: number): string | null {
    this.#spent[item] += count;
    return this.#spent[item] > limits[item] ? messages[item](limits[item]) : null;
  }

  /** {@link spend} for a variable's value that is put into a manifest, by its length as JSON. */
  spendVariable(value: Json): string | null {
    return this.spend("substituted", this.#sizeOf(value));
  }

  /** A large map may be used in a hundred thousand places: its size is computed once. */
  #sizeOf(value: Json): number {
    if (typeof value === "string") return value.length;
    if (typeof value !== "object" || value === null) return 1;
    const size = this.#sizes.get(value) ?? JSON.stringify(value).length;
    this.#sizes.set(value, size);
    return size;
  }
}
