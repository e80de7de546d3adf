import { describe, expect, it } from "vitest";
import { importsOf, sourceFiles, withoutComments } from "./source-files.ts";

/**
 * Which rooms the code of a room may use, besides its own and `core` (the files directly in src/).
 * It follows the data's way: manifest → plan ← live, plan → apply → report. Types may come from everywhere
 * but `commands`; they are erased and bind nothing. A room that is not listed may use what it likes.
 */
const mayUse: { readonly [room: string]: readonly string[] } = {
  core: [],
  text: [],
  generated: [],
  diagnostics: ["yaml"],
  yaml: [],
  kinds: [],
  schema: ["generated", "diagnostics", "kinds"],
  files: [],
  manifest: ["files", "yaml", "diagnostics", "schema", "kinds", "generated"],
  config: ["text", "files", "yaml", "diagnostics", "schema", "manifest", "kinds", "generated"],
  git: ["config", "manifest"],
  api: ["text", "kinds", "generated"],
  live: ["api", "kinds"],
  model: ["kinds"],
  plan: ["text", "kinds", "model"],
  apply: ["api", "files", "live", "plan", "kinds"],
  report: ["text", "kinds", "plan", "apply"],
  export: ["text", "kinds", "live"],
  init: [],
  sandbox: ["files", "model", "kinds"],
};

/** Rooms that are pure: no file, no network, no clock but what they are given. */
const pure = new Set(["text", "plan", "kinds", "model", "yaml", "diagnostics", "report"]);
const impure = /^(node:(fs|fs\/promises|http|https|net|tls|dns|child_process|process|timers.*|os|readline)|undici)$/;
/** Words that read the clock or throw dice. */
const impureGlobals =
  /\b(Date\.now\(|new Date\(\)|performance\.now\(|Math\.random\(|randomUUID\(|randomBytes\(|setTimeout\(|fetch\()/;

const files = sourceFiles();

describe("import direction", () => {
  it("finds imports of every form", () => {
    const text = `import type { A } from "./a.js";
import {
  b,
} from "../plan/b.js";
import "./side.js";
export { c } from "../api/c.js";
export type { D } from "../live/d.js";
const e = await import("../commands/e.js");
import { readFileSync } from "node:fs";
`;
    const found = importsOf({ path: "kinds/x.ts", text });
    expect(found.map(({ typeOnly, room, specifier }) => `${typeOnly ? "type " : ""}${room ?? specifier}`)).toEqual([
      "type kinds",
      "plan",
      "kinds",
      "api",
      "type live",
      "commands",
      "node:fs",
    ]);
  });

  it("lets code use only what lies before it on the data's way", () => {
    const wrong = files.flatMap((file) => {
      const allowed = mayUse[file.room];
      if (allowed === undefined || file.path === "cli.ts" || file.path === "index.ts") return [];
      return importsOf(file)
        .filter(({ typeOnly, room }) => !typeOnly && room !== null && room !== file.room && room !== "core")
        .filter(({ room }) => !allowed.includes(room ?? ""))
        .map(({ specifier }) => `${file.path} uses ${specifier}`);
    });
    expect(wrong).toEqual([]);
  });

  it("lets nothing use commands/, not even its types", () => {
    const wrong = files.flatMap((file) => {
      if (file.room === "commands" || file.path === "cli.ts") return [];
      return importsOf(file)
        .filter(({ room }) => room === "commands")
        .map(({ specifier }) => `${file.path} uses ${specifier}`);
    });
    expect(wrong).toEqual([]);
  });

  it("keeps the pure rooms pure", () => {
    const wrong = files
      .filter((file) => pure.has(file.room))
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

  it("keeps the process at the edges", () => {
    const wrong = files.flatMap((file) =>
      file.room === "commands" || file.path === "cli.ts"
        ? []
        : importsOf(file)
            .filter(({ specifier }) => specifier === "node:process")
            .map(({ specifier }) => `${file.path} uses ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe("generic code", () => {
  const names = "IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute";
  const asksForKind = new RegExp(`\\bkind\\s*[!=]==?\\s*"(${names})"|\\bcase\\s+"(${names})"`);

  // model/ is the service, which has endpoints of its own for each kind.
  const knowsKinds = new Set(["kinds", "model", "generated"]);

  it("never asks which kind it has before it", () => {
    const wrong = files
      .filter((file) => !knowsKinds.has(file.room))
      .flatMap((file) =>
        withoutComments(file.text)
          .split("\n")
          .filter((line) => asksForKind.test(line))
          .map((line) => `${file.path}: ${line.trim()}`),
      );
    expect(wrong).toEqual([]);
  });
});
