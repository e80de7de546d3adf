import { codes, isCode } from "../../../src/diagnostics/codes.ts";

/** docs/diagnostics.md: every code, what it means and what to do about it. */
export function diagnosticsDoc(): string {
  const entries = Object.keys(codes).filter(isCode).toSorted();
  const section = (severity: "error" | "warning") =>
    entries
      .filter((code) => codes[code].severity === severity)
      .flatMap((code) => [`### \`${code}\``, "", codes[code].description, "", `What to do: ${codes[code].remedy}`, ""]);
  return [
    "# Diagnostics",
    "",
    "What `edgewise validate`, and every command that reads manifests or the configuration, can find wrong before any",
    "request is made. The codes are stable: they are the rules of the SARIF output and the `code` of the JSON output.",
    "The message at hand often knows a better remedy than the one below. With an error nothing is planned; a warning",
    "stops nothing.",
    "",
    "This page is made from the source; `UPDATE_GOLDEN=1 npx vitest run test/diagnostics/codes.test.ts` writes it anew.",
    "",
    "## Errors",
    "",
    ...section("error"),
    "## Warnings",
    "",
    ...section("warning"),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}
