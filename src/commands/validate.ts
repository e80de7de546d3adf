import { dirname } from "node:path";
import { ConfigProblems } from "../config/config.js";
import { findConfig } from "../config/find-config.js";
import { version } from "../core/version.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { loadManifests } from "../manifest/load-manifests.js";
import type { ShownCommit } from "../plan/plan-format.js";
import { policyDiagnostics } from "../policies/judge-plan.js";
import { cleanLine, renderDiagnosticsJson, renderDiagnosticsText } from "../report/diagnostics-report.js";
import { renderDiagnosticsGithub } from "../report/github-annotations.js";
import { renderDiagnosticsGitlab, renderDiagnosticsSarif } from "../report/machine-reports.js";
import { commitLine } from "../report/report-view.js";
import { loadOptions, loadSource, requireManifests } from "./support/command-context.js";
import type { CommandIo } from "./support/command-io.js";
import { type Flags, type DefineCommand } from "./support/command-options.js";
import { type Findings, isColored, pathPrefix, writeResult } from "./support/output.js";

type Validation = Readonly<{
  diagnostics: readonly Diagnostic[];
  valid: number;
  root: string;
  shown: ShownCommit | null;
}>;

export const define: DefineCommand = (command, run) =>
  command
    .argument("[path...]", "check these manifests, like -f")
    .description("Shows where each problem is, and exits 1 when there is an error.")
    .shared(["text", "json", "github", "sarif", "gitlab"], "config manifests ref service")
    .examples([
      ["edgewise validate edge/api.yaml", "one file, while editing it"],
      ["edgewise validate --ref v1.4", "a commit, before rolling back to it"],
      ["edgewise validate -o gitlab --output-file gl-code-quality.json", "for GitLab's code quality report"],
    ])
    .action(run(validateCommand));

export async function validateCommand(io: CommandIo, paths: readonly string[], flags: Flags): Promise<number> {
  const own = paths.length === 0 ? flags : { ...flags, file: [...(flags.file ?? []), ...paths] };
  const { exit, root = io.cwd, text } = await validateStack(io, own);
  await writeResult(text, { ...io, root });
  return exit;
}

/** @param onDiagnostics gets them with paths from the repository's root */
export async function validateStack(
  io: CommandIo,
  flags: Flags,
  onDiagnostics?: (found: readonly Diagnostic[]) => void,
): Promise<Findings & { readonly text: string }> {
  const found = await check(flags, io);
  const { diagnostics, root } = found;
  const prefix = pathPrefix(root);
  onDiagnostics?.(diagnostics.map((each) => ({ ...each, file: prefix + each.file })));
  const exit = diagnostics.some(({ severity }) => severity === "error") ? 1 : 0;
  return { exit, root, text: renderValidation(found, prefix, io) };
}

async function check(flags: Flags, io: CommandIo): Promise<Validation> {
  let shown: ShownCommit | null = null;
  const onCommit = (commit: ShownCommit) => void (shown = commit);
  const source = await loadSource(flags, io, true, onCommit).catch((error: unknown) => {
    if (error instanceof ConfigProblems) return error;
    throw error;
  });
  if (source instanceof ConfigProblems) {
    // The file of a commit need not be on disk.
    const root = shown === null ? dirname(findConfig({ cwd: io.cwd, env: io.env, flags }) ?? io.cwd) : io.cwd;
    return { diagnostics: source.diagnostics, valid: 0, root, shown };
  }
  const { policies, root } = source.config;
  const context = { ...source, flags, io };
  requireManifests(context, "name the files: `edgewise validate FILE`");
  const [{ diagnostics, manifests }, ofPolicies] = await Promise.all([
    loadManifests({ ...loadOptions(context), plansUnavailable: false }),
    policies.length === 0 ? [] : policyDiagnostics(policies),
  ]);
  return { diagnostics: [...ofPolicies, ...diagnostics], valid: manifests.length, root, shown };
}

function renderValidation({ diagnostics, shown: commit, valid }: Validation, prefix: string, io: CommandIo) {
  const { quiet } = io.log;
  const shown = quiet ? diagnostics.filter(({ severity }) => severity === "error") : diagnostics;
  switch (io.format) {
    case "json":
      return renderDiagnosticsJson(shown, commit);
    case "github":
      return renderDiagnosticsGithub(shown, prefix, commitLine(commit ?? {}));
    case "sarif":
      return renderDiagnosticsSarif(shown, version, prefix, commit);
    case "gitlab":
      return renderDiagnosticsGitlab(shown, prefix);
    default: {
      const text = renderDiagnosticsText(shown, { color: isColored(io) });
      if (text === "" && quiet) return "";
      const line = commitLine(commit ?? {});
      return `${line && `${line}:\n`}${text === "" ? `${cleanLine(valid)}\n` : text}`;
    }
  }
}
