import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { kindSlugs } from "../../src/generated/kind-names.ts";
import { kindNames } from "../../src/kinds/names.ts";
import { type SourceFile, importsOf, sourceFiles, withoutComments } from "./source-files.ts";

/**
 * Which folders the code of a folder may use, besides its own and `core` (with the files directly in src/).
 * It follows the data's way: manifest → plan ← live, plan → apply → report. Types may come from everywhere
 * but `commands`; they are erased and bind nothing. A folder that is not listed may use what it likes.
 */
const mayUse: { readonly [folder: string]: readonly string[] } = {
  core: [],
  // Generated code lists the models of resources by kind.
  generated: ["model"],
  diagnostics: ["yaml"],
  yaml: [],
  kinds: ["generated"],
  schema: ["generated", "diagnostics", "kinds"],
  files: [],
  manifest: ["files", "yaml", "diagnostics", "schema", "kinds", "generated"],
  config: ["files", "yaml", "diagnostics", "schema", "manifest", "kinds", "generated"],
  git: ["files", "diagnostics", "config", "manifest"],
  stacks: ["files", "config", "manifest", "git"],
  redact: ["generated"],
  api: ["kinds", "redact"],
  live: ["api", "kinds"],
  lock: ["api", "kinds"],
  model: ["kinds", "generated"],
  plan: ["diagnostics", "kinds", "model"],
  // Policies judge a plan before it is shown or applied; their mistakes are mistakes of the configuration.
  policies: ["diagnostics", "schema", "kinds", "config", "plan"],
  apply: ["api", "files", "live", "plan", "kinds", "generated"],
  report: ["diagnostics", "kinds", "plan", "apply"],
  export: ["yaml", "diagnostics", "kinds", "manifest", "live", "plan"],
  // Live values become edits of manifests: what plan/ found, in the form in which export/ writes it.
  pull: ["text", "yaml", "diagnostics", "kinds", "export"],
  init: ["text", "files", "generated"],
  sandbox: ["files", "model", "kinds"],
  serve: [
    "files",
    "yaml",
    "diagnostics",
    "schema",
    "kinds",
    "config",
    "manifest",
    "git",
    "stacks",
    "api",
    "live",
    "lock",
    "plan",
    "policies",
    "apply",
    "report",
    "redact",
    "generated",
  ],
};

/** Rooms that are pure: no file, no network, no clock but what they are given. */
const pure = new Set(["plan", "kinds", "model", "yaml", "diagnostics", "report", "pull"]);
const impure = /^(node:(fs|fs\/promises|http|https|net|tls|dns|child_process|process|timers.*|os|readline)|undici)$/;
const impureGlobals =
  /\b(Date\.now\(|new Date\(\)|performance\.now\(|Math\.random\(|randomUUID\(|randomBytes\(|setTimeout\(|fetch\()/;

const files = sourceFiles();

describe("import direction", () => {
  it("lets code use only what lies before it on the data's way", () => {
    const wrong = files.flatMap((file) => {
      const allowed = mayUse[file.folder];
      if (allowed === undefined || file.path === "cli.ts" || file.path === "index.ts") return [];
      return importsOf(file)
        .filter(({ typeOnly, folder }) => !typeOnly && folder !== null && folder !== file.folder && folder !== "core")
        .filter(({ folder }) => !allowed.includes(folder ?? ""))
        .map(({ specifier }) => `${file.path} uses ${specifier}`);
    });
    expect(wrong).toEqual([]);
  });

  it("lets nothing use commands/, not even its types", () => {
    const wrong = files.flatMap((file) => {
      if (file.folder === "commands" || file.path === "cli.ts") return [];
      return importsOf(file)
        .filter(({ folder }) => folder === "commands")
        .map(({ specifier }) => `${file.path} uses ${specifier}`);
    });
    expect(wrong).toEqual([]);
  });

  it("keeps the pure folders pure", () => {
    const wrong = files
      .filter((file) => pure.has(file.folder) || file.path.startsWith("serve/decide/"))
      .flatMap((file) => [
        ...importsOf(file)
          .filter(({ specifier, typeOnly }) => !typeOnly && impure.test(specifier))
          .map(({ specifier }) => `${file.path} uses ${specifier}`),
        ...[...withoutComments(file.text).matchAll(new RegExp(impureGlobals, "g"))].map(
          (match) => `${file.path}: ${match[0]}`,
        ),
      ]);
    expect(wrong).toEqual([]);
  });
});

describe("generic code", () => {
  const kindName = new RegExp(`\\b(?:${kindNames.join("|")})\\b`, "g");

  const aboutKinds = /^(kinds|generated|model\/resources)\//;

  const examples: { readonly [path: string]: string } = {
    "commands/apply.ts": "examples in its help",
    "commands/export.ts": "examples in its help",
    "commands/plan.ts": "examples in its help",
    "commands/pull.ts": "examples in its help",
    "commands/schema.ts": "examples in its help",
    "init/init-files.ts": "the manifests that init writes",
  };

  function kindsIn({ path, text }: SourceFile): readonly string[] {
    const code = withoutComments(text);
    return [...code.matchAll(kindName)].map(([name]) => `${path} names ${name}`);
  }

  it("names no kind, in whatever form", () => {
    const wrong = files.filter(({ path }) => !aboutKinds.test(path) && !(path in examples)).flatMap(kindsIn);
    expect(wrong).toEqual([]);
  });

  function filesOfKindsIn(file: SourceFile): readonly string[] {
    const slugs = Object.values(kindSlugs);
    const declarations = importsOf(file)
      .map(({ specifier }) => posix.join(posix.dirname(file.path), specifier))
      .filter((path) => slugs.some((slug) => path === `kinds/${slug}.js`));
    const texts = [...withoutComments(file.text).matchAll(/["'`]([a-z-]+)["'`]/g)].map(([, text = ""]) => text);
    return [...declarations, ...texts.filter((text) => slugs.includes(text))].map(
      (found) => `${file.path} has ${found}`,
    );
  }

  it("imports no declaration of a kind, and knows no slug", () => {
    expect(files.filter(({ path }) => !aboutKinds.test(path)).flatMap(filesOfKindsIn)).toEqual([]);
  });
});
