import { Problems } from "../diagnostics/problems.js";
import { FileCache } from "./file-cache.js";
import { ApiKeys, NamedSecrets } from "./known-secrets.js";
import type { LoadOptions } from "./load-options.js";
import type { ReportProblem } from "./parsed-manifest.js";
import { ReadBudget } from "./read-budget.js";

/** What all files and documents of one load share. */
export class LoadRun {
  readonly problems = new Problems();
  /** The text of every file that may have a problem, for excerpts. */
  readonly texts = new Map<string, string>();
  readonly budget = new ReadBudget();
  readonly apiKeys: ApiKeys;
  readonly secrets: NamedSecrets;
  readonly files: FileCache;
  /** How many files that manifests name were not there. */
  missingFiles = 0;

  constructor(readonly options: LoadOptions) {
    const { apiKeyFile, redactor, tree } = options;
    this.apiKeys = new ApiKeys(options);
    this.secrets = new NamedSecrets(redactor);
    this.files = new FileCache({
      tree,
      apiKeyFile,
      holdsApiKey: (text) => this.apiKeys.isIn(text),
    });
  }

  /** Keeps the texts of the files that manifests name, when problems in them are to be shown. */
  async keepTexts(): Promise<void> {
    for (const file of this.problems.files) {
      if (this.texts.has(file) || !this.files.isContent(file)) continue;
      const read = await this.files.text(file);
      this.texts.set(file, "text" in read ? read.text : "");
    }
  }
}

/** The manifest whose spec is being resolved. */
export interface SpecContext {
  readonly run: LoadRun;
  /** The manifest's file, relative to the root. */
  readonly file: string;
  readonly report: ReportProblem;
}
