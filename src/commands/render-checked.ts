import { count } from "../report/layout.js";
import type { CommonFlags } from "./flags.js";
import type { Io } from "./io.js";
import { pathPrefix } from "./path-prefix.js";
import type { Checked } from "./validate.js";

/** What `validate` found, in the format that the flags ask for; with `--quiet` errors alone. */
export async function renderChecked(
  { diagnostics, manifests, root }: Checked,
  flags: CommonFlags,
  io: Io,
): Promise<string> {
  const shown = flags.quiet === true ? diagnostics.filter(({ severity }) => severity === "error") : diagnostics;
  switch (flags.output) {
    case "json":
      return (await import("../report/safe-json.js")).renderDiagnosticsJson(shown);
    case "github": {
      const { renderDiagnosticsGithub } = await import("../report/github-annotations.js");
      return renderDiagnosticsGithub(shown, { pathPrefix: await pathPrefix(root) });
    }
    case "sarif": {
      const [{ renderDiagnosticsSarif }, { codes }, { version }] = await Promise.all([
        import("../report/sarif.js"),
        import("../diagnostics/codes.js"),
        import("../version.js"),
      ]);
      return renderDiagnosticsSarif(shown, { toolVersion: version, rules: codes, pathPrefix: await pathPrefix(root) });
    }
    default: {
      const { renderDiagnosticsText } = await import("../report/diagnostics-text.js");
      const text = renderDiagnosticsText(shown, { color: io.color && flags.outputFile === undefined });
      if (text !== "" || flags.quiet === true) return text;
      return `${count(manifests, "manifest")} checked: nothing is wrong.\n`;
    }
  }
}
