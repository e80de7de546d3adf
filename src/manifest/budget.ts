import { limits } from "../limits.js";

/** What all manifests of a run share: the names of their limits. */
export type BudgetItem =
  | "manifestFiles"
  | "manifestBytes"
  | "documents"
  | "contentBytes"
  | "substituted"
  | "secretCharacters";

const excessMessages: { readonly [A in BudgetItem]: (limit: number) => string } = {
  manifestFiles: (limit) => `there are more than ${limit} manifest files`,
  manifestBytes: (limit) => `the manifests together have more than ${limit} bytes`,
  documents: (limit) => `the manifests together have more than ${limit} documents`,
  contentBytes: (limit) =>
    `the files that fields name with {file} together have more than ${limit} bytes, each counted as often as it is named`,
  substituted: (limit) => `variables put more than ${limit} characters into the manifests`,
  secretCharacters: (limit) => `the secrets that the manifests name have more than ${limit} characters together`,
};

/** Counts what a run has read, so that many small files can't do what one large file may not. */
export class ReadBudget {
  readonly #spent: { [A in BudgetItem]: number } = {
    manifestFiles: 0,
    manifestBytes: 0,
    documents: 0,
    contentBytes: 0,
    substituted: 0,
    secretCharacters: 0,
  };

  /** Adds to an amount. @returns what is wrong once it is past its limit, else null */
  spend(amount: BudgetItem, count: number): string | null {
    this.#spent[amount] += count;
    return this.#spent[amount] > limits[amount] ? excessMessages[amount](limits[amount]) : null;
  }
}
