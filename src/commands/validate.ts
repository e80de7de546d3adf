import { cleanLine, renderDiagnosticsText, renderDiagnosticsJson } from "../report/diagnostics-report.js";
import { renderDiagnosticsGitlab, renderDiagnosticsSarif } from "../report/machine-reports.js";
import { commitLine } from "../report/report-view.js";
import { version } from "../core/version.js";
import { renderDiagnosticsGithub } from "../report/github-annotations.js";
import { policyDiagnostics } from "../policies/check-policies.js";
import { dirname } from "node:path";
import { type Config, ConfigProblems } from "../config/config.js";
import { findConfig } from "../config/find-config.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { diskTree } from "../manifest/disk-tree.js";
import { loadManifests } from "../manifest/load-manifests.js";
import type { Manifest } from "../manifest/manifest.js";
import type { ShownCommit } from "../plan/plan-format.js";
import { unconfigured } from "./support/command-context.js";
import { type LoadedSource, loadSource } from "./support/config-source.js";
import type { GuardedIo, Io } from "./support/io.js";
import { loadOptions } from "./support/load-desired.js";
import { isColored, pathPrefix, writeResult } from "./support/output.js";
import { addExamples, addSharedOptions, type CommonFlags, type DefineCommand } from "./support/command-options.js";

/** The outcome of a validation. */
interface Validation {
  readonly diagnostics: readonly Diagnostic[];
  /** Those that are valid by themselves. */
  readonly manifests: readonly Manifest[];
  /** Absolute; the files of the diagnostics are relative to it. */
  readonly root: string;
  /** The commit of `--ref`; null = the files on disk. */
  readonly shown: ShownCommit | null;
}

export const define: DefineCommand = (command, run) => {
  command.argument("[path...]", "check these manifests instead of those in the configuration, like -f");
  command.description(
    "Checks the configuration and manifests without contacting the service, and shows where each problem is. Exits 1 when there is an error.",
  );
  addSharedOptions(command, ["text", "json", "github", "sarif", "gitlab"], "config", "manifests", "ref", "service");
  addExamples(command, [
    ["edgewise validate", "everything that the configuration names"],
    ["edgewise validate edge/api.yaml", "one file, while editing it"],
    ["edgewise validate --ref v1.4", "a commit, before rolling back to it"],
    ["edgewise validate -o github", "annotate a pull request"],
    ["edgewise validate -o gitlab --output-file gl-code-quality.json", "for GitLab's code quality report"],
  ]);
  command.action((paths: readonly string[], flags: CommonFlags) => {
    const all = paths.length === 0 ? flags : { ...flags, file: [...(flags.file ?? []), ...paths] };
    return run(all, async (io) => validateCommand(all, io));
  });
};

/** `validate`: checks configuration, manifests and private keys, offline. Exits 1 when there is an error. */
export async function validateCommand(flags: CommonFlags, io: GuardedIo): Promise<number> {
  const found = await check(flags, io);
  await writeResult(await renderValidation(found, flags, io), flags, { ...io, root: found.root });
  return found.diagnostics.some(({ severity }) => severity === "error") ? 1 : 0;
}

async function check(flags: CommonFlags, io: GuardedIo): Promise<Validation> {
  const input = { cwd: io.cwd, env: io.env, flags };
  let source: LoadedSource;
  let shown: ShownCommit | null = null;
  try {
    source = await loadSource(flags, io, {
      offline: true,
      onCommit: (commit) => {
        shown = commit;
      },
    });
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    // The file of a commit need not be on disk.
    const root = shown === null ? dirname(findConfig(input) ?? io.cwd) : io.cwd;
    return { diagnostics: error.diagnostics, manifests: [], root, shown };
  }
  const { at, config } = source;
  if (config.patterns.length === 0) {
    throw unconfigured({ at, config, io }, "no manifests are configured, so there is nothing to check", {
      inFile: "`manifests: [DIRECTORY/]`",
      flags: "name the files: `edgewise validate FILE`",
    });
  }
  const { root, warnings } = config;
  const [{ diagnostics, manifests }, ofPolicies] = await Promise.all([
    loadManifests({ ...loadOptions(at?.tree ?? diskTree(root), config, flags, io), plansUnavailable: false }),
    mistakesInPolicies(config),
  ]);
  return { diagnostics: [...warnings, ...ofPolicies, ...diagnostics], manifests, root, shown };
}

/** The mistakes in the expressions of policies. Most configurations have no policies, and load nothing for them. */
async function mistakesInPolicies({ policies }: Pick<Config, "policies">): Promise<readonly Diagnostic[]> {
  return policies.length === 0 ? [] : policyDiagnostics(policies);
}

/** The diagnostics in the format that the flags ask for; with `--quiet` only errors. */
async function renderValidation(
  { diagnostics, manifests, root, shown: commit }: Validation,
  flags: CommonFlags,
  io: Io,
): Promise<string> {
  const shown = flags.quiet === true ? diagnostics.filter(({ severity }) => severity === "error") : diagnostics;
  switch (flags.output) {
    case "json":
      return renderDiagnosticsJson(shown, commit);
    case "github": {
      return renderDiagnosticsGithub(shown, await pathPrefix(root), commitLine(commit ?? {}));
    }
    case "sarif":
      return renderDiagnosticsSarif(shown, version, await pathPrefix(root), commit);
    case "gitlab": {
      return renderDiagnosticsGitlab(shown, await pathPrefix(root));
    }
    default: {
      const text = renderDiagnosticsText(shown, { color: isColored(flags, io) });
      const line = commitLine(commit ?? {});
      const heading = line === null ? "" : `${line}:\n`;
      if (text !== "" || flags.quiet === true) return text === "" ? "" : `${heading}${text}`;
      return `${heading}${cleanLine(manifests.length)}\n`;
    }
  }
}
