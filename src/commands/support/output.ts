import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { type Result, countStatuses } from "../../apply/result.js";
import { EdgewiseError, misuse } from "../../core/errors.js";
import { parseJson } from "../../core/json.js";
import { safeJson } from "../../core/visible.js";
import { hasCode } from "../../files/file-errors.js";
import { NotReadable, decodeUtf8, readBounded } from "../../files/read-bounded.js";
import { standardStream } from "../../files/real-path.js";
import { type Workplace, checkWritable, writeFile } from "../../files/write-file.js";
import { worstOf } from "../../kinds/impact.js";
import type { Drift } from "../../plan/drift-findings.js";
import type { Plan } from "../../plan/plan-format.js";
import { shownPlan } from "../../plan/plan-secrets.js";
import { driftView } from "../../report/drift-view.js";
import { renderGithub } from "../../report/github-annotations.js";
import { renderJunit } from "../../report/junit-report.js";
import { renderPlansGitlab } from "../../report/machine-reports.js";
import { planView } from "../../report/plan-view.js";
import { renderHtml } from "../../report/report-html.js";
import { renderMarkdown } from "../../report/report-markdown.js";
import { type TextOptions, renderText } from "../../report/report-text.js";
import type { ReportView } from "../../report/report-view.js";
import { renderResultMarkdown, renderResultText } from "../../report/result-report.js";
import type { StackSummary } from "../../report/stacks-report.js";
import type { CommandIo } from "./command-io.js";

export async function writeResult(text: string, io: CommandIo): Promise<void> {
  const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  if (io.outputFile === undefined) return io.stdout(whole);
  await writeOutput(io.outputFile, whole, io);
}

export async function writeData(data: unknown, words: () => string, io: CommandIo): Promise<void> {
  await writeResult(io.format === "json" ? safeJson(data) : words(), io);
}

export type Findings = Readonly<{
  exit: number;
  root?: string;
  plan?: Plan;
  drift?: Drift;
  result?: Result;
  text?: string;
}>;

export function dataOf({ drift, plan, result }: Findings): Drift | Plan | Result | null {
  return result ?? drift ?? plan ?? null;
}

function viewOf({ drift, plan }: Findings): ReportView | null {
  if (drift !== undefined) return driftView(drift);
  return plan === undefined ? null : planView(plan);
}

/** Returns the exit code. A result whose file can't be written goes to stdout. */
export async function writeFindings(found: Findings, io: CommandIo, compact = false): Promise<number> {
  const { exit, result } = found;
  if (dataOf(found) === null) return exit;
  const text = renderFindings(found, io, { compact });
  try {
    await writeResult(text, io);
    return exit;
  } catch (error) {
    if (result === undefined || !(error instanceof EdgewiseError)) throw error;
    io.log.error(error.message, error.remedy, { code: error.code });
    io.stdout(text);
    return exit || (changesLive(result) ? 3 : 1);
  }
}

export function changesLive({ outcome }: Result): boolean {
  return outcome === "applied" || outcome === "partial";
}

type RenderOptions = Readonly<{
  compact?: boolean | undefined;
  maxChars?: number;
  next?: string | undefined;
}>;

export function renderFindings(
  found: Findings,
  io: CommandIo,
  { compact = false, maxChars, next }: RenderOptions = {},
): string {
  const { format = "text" } = io;
  const { plan, result, root = io.cwd, text = "" } = found;
  const view = viewOf(found);
  if (view === null) return text;
  if (format === "json") return safeJson(dataOf(found));
  if (result !== undefined && plan !== undefined)
    return format === "markdown"
      ? renderResultMarkdown(result, plan, next, maxChars)
      : renderResultText(result, plan, textStyle(io), next);
  if (format === "gitlab" && plan !== undefined) return renderPlansGitlab([plan]);
  switch (format) {
    case "markdown":
      return renderMarkdown(view, maxChars);
    case "html":
      return renderHtml(view);
    case "github":
      return renderGithub(view, pathPrefix(root));
    case "junit":
      return renderJunit(view, pathPrefix(root));
    default:
      return renderText(view, { ...textStyle(io), compact });
  }
}

export function summaryOf(found: Findings): StackSummary | null {
  const { plan, result } = found;
  const view = viewOf(found);
  if (result !== undefined && plan !== undefined) {
    const ended = Object.entries(countStatuses(result.operations)).filter(([, number]) => number > 0);
    const counts = [result.outcome, ...ended.map(([status, number]) => `${number} ${status}`)].join(", ");
    return { counts, impact: worstOf(plan.changes)?.impact ?? "none" };
  }
  if (view === null) return null;
  const refused = view.refusals.length === 0 ? [] : [`${view.refusals.length} refused`];
  return { counts: [...view.totals, ...refused].join(", ") || "nothing", impact: view.headline.impact };
}

export function maskedPlan(plan: Plan, { redactor }: CommandIo): Plan {
  return shownPlan(plan, (text) => redactor.redact(text));
}

export function isColored({ color, outputFile }: CommandIo): boolean {
  return color && outputFile === undefined;
}

export function textStyle(io: CommandIo): TextOptions {
  const width = io.columns === undefined ? {} : { width: Math.min(io.columns, 140) };
  return { color: isColored(io), ...width };
}

/** From the repository's root, as forges name files. */
export function pathPrefix(directory: string): string {
  for (let above = directory; ; above = dirname(above)) {
    if (existsSync(join(above, ".git"))) {
      const path = relative(above, directory).split(sep).join("/");
      return path === "" ? "" : `${path}/`;
    }
    if (dirname(above) === above) return "";
  }
}

/** Links in the working directory and below the configuration are not trusted. */
export function workplaceOf({ cwd, root }: Pick<CommandIo, "cwd" | "root">): Workplace {
  return { cwd, ...(root !== undefined && { root }) };
}

export async function checkOutput(io: CommandIo): Promise<void> {
  if (io.outputFile === undefined) return;
  await refuseManifest(io.outputFile, "", io.cwd);
  checkWritable(io.outputFile, workplaceOf(io));
}

/** Only its owner can read it. */
export async function writeOutput(file: string, text: string, io: CommandIo): Promise<void> {
  await refuseManifest(file, text, io.cwd);
  const stream = standardStream(file);
  if (stream !== null) return io[stream](text);
  await writeFile(file, text, workplaceOf(io), "private");
}

const manifest = /apiVersion["']?\s*:\s*["']?edgewise\//u;

/** Only an export may replace a manifest or the configuration. */
async function refuseManifest(file: string, text: string, cwd: string): Promise<void> {
  const path = resolve(cwd, file);
  if ((await stat(path).catch(() => null))?.isFile() !== true || manifest.test(text)) return;
  const before = await readFile(path, "utf8").catch(() => "");
  if (!manifest.test(before)) return;
  throw misuse(`${file} is a manifest or the configuration, and was not changed`, "Name another file for the result.");
}

export async function savePlan(plan: Plan, file: string, io: CommandIo): Promise<void> {
  await writeOutput(file, safeJson(plan), io);
  io.log.info(`The plan is saved in ${file} (${plan.hash}).`, { file, hash: plan.hash });
}

export async function readJsonFile(
  file: string,
  cwd: string,
  { deepest, most }: Readonly<{ most: number; deepest: number }>,
): Promise<{ readonly value: unknown } | Readonly<{ why: string; isMissing?: boolean }>> {
  try {
    const text = decodeUtf8(readBounded(resolve(cwd, file), { most, pipe: true }));
    const parsed = text === null ? { problem: "encoding" } : parseJson(text, deepest);
    if ("value" in parsed) return parsed;
    return { why: parsed.problem === "depth" ? "it is nested too deep" : "it is not valid JSON" };
  } catch (error) {
    if (error instanceof NotReadable) return { why: error.message };
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return { why: "there is no such file", isMissing: true };
    return { why: `it can't be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}
