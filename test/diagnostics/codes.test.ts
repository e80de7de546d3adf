import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Code, remedies, severityOf } from "../../src/diagnostics/codes.ts";

function diagnosticsDoc(): string {
  const entries = (Object.keys(remedies) as Code[]).toSorted();
  const section = (severity: "error" | "warning") =>
    entries.filter((code) => severityOf(code) === severity).map((code) => `| \`${code}\` | ${remedies[code]} |`);
  const head = ["| code | remedy |", "|---|---|"];
  return [
    "# Diagnostics",
    "",
    "All problems that `edgewise validate`, and every other command that reads manifests or the configuration, can report",
    "before it sends a request.",
    "",
    "- An error stops the command. A warning doesn't.",
    "- A problem's message says what is wrong, and often has a more specific remedy than this page.",
    "- The codes are stable. They are the rules of the SARIF output and the `code` of the JSON output.",
    "",
    "This page is generated; `UPDATE_GOLDEN=1 npx vitest run test/diagnostics/codes.test.ts` rewrites it.",
    "",
    "## Errors",
    "",
    ...head,
    ...section("error"),
    "",
    "## Warnings",
    "",
    ...head,
    ...section("warning"),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

const document = join(import.meta.dirname, "../../docs/diagnostics.md");

describe("codes", () => {
  it("are listed in docs/diagnostics.md", () => {
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(document, diagnosticsDoc());
    expect(readFileSync(document, "utf8")).toBe(diagnosticsDoc());
  });
});
