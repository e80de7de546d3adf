import { dirname, resolve } from "node:path";
import { type Config, ConfigProblems } from "../config/config.js";
import { findConfig } from "../config/find-config.js";
import { loadConfig } from "../config/load-config.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { EdgewiseError } from "../errors.js";
import { diskTree } from "../manifest/disk-tree.js";
import { loadManifests } from "../manifest/load-manifests.js";
import { count } from "../text/layout.js";
import type { CommonFlags } from "./support/flags.js";
import { type GuardedIo, type Io, guarded } from "./support/io.js";
import { pathPrefix, writeResult } from "./support/output.js";

/** What was checked. */
export interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  /** How many manifests are sound. */
  readonly manifests: number;
  /** Absolute; what the files of the diagnostics are relative to. */
  readonly root: string;
}

/** `validate`: checks configuration and manifests offline, private keys too. Exit code 1 when there is an error. */
export async function validateCommand(flags: CommonFlags, plain: Io): Promise<number> {
  const io = guarded(plain);
  const checked = await check(flags, io);
  io.redactor.reveal(checked.diagnostics);
  await writeResult(await renderChecked(checked, flags, io), flags, { ...io, root: checked.root });
  return checked.diagnostics.some(({ severity }) => severity === "error") ? 1 : 0;
}

async function check(flags: CommonFlags, io: GuardedIo): Promise<Checked> {
  const input = { cwd: io.cwd, env: io.env, flags };
  let config: Config;
  try {
    config = await loadConfig(input);
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    return { diagnostics: error.diagnostics, manifests: 0, root: dirname((await findConfig(input)) ?? io.cwd) };
  }
  if (config.patterns.length === 0) {
    throw new EdgewiseError("config", "no manifests are named, so there is nothing to check", {
      remedy: `Name them under \`manifests\` in ${config.file ?? "edgewise.yaml"}, or with -f.`,
    });
  }
  const { adopt, fromFlags, patternBase, patterns, root, stack, untyped, variables, warnings } = config;
  const { diagnostics, manifests } = await loadManifests({
    tree: diskTree(root),
    patterns,
    patternBase,
    variables,
    untyped,
    env: io.env,
    adopt,
    stack,
    allowInlineSecrets: flags.allowInlineSecrets === true,
    apiKeyFile: flags.apiKeyFile === undefined ? null : resolve(io.cwd, flags.apiKeyFile),
    complete: !fromFlags,
    deep: true,
    now: io.now(),
    secrecy: io.redactor,
  });
  return { diagnostics: [...warnings, ...diagnostics], manifests: manifests.length, root };
}

/** What `validate` found, in the format that the flags ask for; with `--quiet` errors alone. */
export async function renderChecked(
  { diagnostics, manifests, root }: Checked,
  flags: CommonFlags,
  io: Io,
): Promise<string> {
  const shown = flags.quiet === true ? diagnostics.filter(({ severity }) => severity === "error") : diagnostics;
  switch (flags.output) {
    case "json":
      return (await import("../report/json-reports.js")).renderDiagnosticsJson(shown);
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
