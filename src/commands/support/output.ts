import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { misuse } from "../../core/errors.js";
import { parseJson } from "../../core/parse-json.js";
import { safeJson } from "../../core/visible.js";
import { hasCode } from "../../files/file-errors.js";
import { NotReadable, decodeUtf8, readBounded } from "../../files/read-bounded.js";
import { standardStream } from "../../files/real-path.js";
import { type Workplace, checkWritable, writeFile } from "../../files/write-file.js";
import type { Plan } from "../../plan/plan-format.js";
import { shownPlan } from "../../plan/plan-secrets.js";
import { renderGithub } from "../../report/github-annotations.js";
import { renderJunit } from "../../report/junit-report.js";
import { renderPlansGitlab } from "../../report/machine-reports.js";
import { planView } from "../../report/plan-view.js";
import { renderHtml } from "../../report/report-html.js";
import { renderMarkdown } from "../../report/report-markdown.js";
import { type TextOptions, renderText } from "../../report/report-text.js";
import type { ReportView } from "../../report/report-view.js";
import type { CommandIo } from "./command-io.js";

export async function writeResult(text: string, io: CommandIo): Promise<void> {
  const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  if (io.outputFile === undefined) return io.stdout(whole);
  await writeOutput(io.outputFile, whole, io);
}

/** As JSON with `-o json`, else in words. */
export async function writeData(data: unknown, words: () => string | Promise<string>, io: CommandIo): Promise<void> {
  await writeResult(io.format === "json" ? safeJson(data) : await words(), io);
}

export async function writePlan(plan: Plan, compact: boolean, io: CommandIo): Promise<void> {
  await writeResult(await renderPlan(maskedPlan(plan, io), compact, io), io);
}

export function maskedPlan(plan: Plan, { redactor }: CommandIo): Plan {
  return shownPlan(plan, (text) => redactor.redact(text));
}

export async function renderPlan(plan: Plan, compact: boolean, io: CommandIo): Promise<string> {
  if (io.format === "json") return safeJson(plan);
  if (io.format === "gitlab") return renderPlansGitlab([plan]);
  return renderView(planView(plan, compact && (io.format ?? "text") === "text"), io, compact);
}

export async function renderView(view: ReportView, io: CommandIo, compact = false): Promise<string> {
  const root = io.root ?? io.cwd;
  const counts = [...view.totals, { count: view.refusals.length, label: "refused" }]
    .filter(({ count }) => count > 0)
    .map(({ count, label }) => `${count} ${label}`);
  io.summarize?.({ counts: counts.join(", ") || "nothing", impact: view.headline.impact });
  switch (io.format) {
    case "markdown":
      return renderMarkdown(view);
    case "html":
      return renderHtml(view);
    case "github":
      return renderGithub(view, await pathPrefix(root));
    case "junit":
      return renderJunit(view, await pathPrefix(root));
    default:
      return renderText(view, { ...textStyle(io), compact });
  }
}

export function isColored({ color, outputFile }: CommandIo): boolean {
  return color && outputFile === undefined;
}

export function textStyle(io: CommandIo): TextOptions {
  const width = io.columns === undefined ? {} : { width: Math.min(io.columns, 140) };
  return { color: isColored(io), verbose: io.verbose, ...width };
}

/** The path from the repository's root to a directory, ending in `/` unless it is "": forges name files from there. */
export async function pathPrefix(directory: string): Promise<string> {
  for (let above = directory; ; above = dirname(above)) {
    if (await exists(join(above, ".git"))) {
      const path = relative(above, directory).split(sep).join("/");
      return path === "" ? "" : `${path}/`;
    }
    if (dirname(above) === above) return "";
  }
}

/** Where a command writes files: links in the working directory and below the configuration are not trusted. */
export function workplaceOf({ cwd, root }: Pick<CommandIo, "cwd" | "root">): Workplace {
  return { cwd, ...(root === undefined ? {} : { root }) };
}

export async function checkOutput(io: CommandIo): Promise<void> {
  if (io.outputFile === undefined) return;
  await refuseManifest(io.outputFile, "", io.cwd);
  checkWritable(io.outputFile, workplaceOf(io));
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** To a file that only its owner can read: a plan or report reveals a lot about an account. */
export async function writeOutput(file: string, text: string, io: CommandIo): Promise<void> {
  const stream = standardStream(file);
  if (stream !== null) return io[stream](text);
  await refuseManifest(file, text, io.cwd);
  await writeFile(file, text, workplaceOf(io), "private");
}

const manifest = /apiVersion["']?\s*:\s*["']?edgewise\//u;

/** Only what is a manifest itself, as an export is, may replace a manifest or the configuration. */
async function refuseManifest(file: string, text: string, cwd: string): Promise<void> {
  const path = resolve(cwd, file);
  if ((await stat(path).catch(() => null))?.isFile() !== true || manifest.test(text)) return;
  const before = await readFile(path, "utf8").catch(() => "");
  if (!manifest.test(before)) return;
  throw misuse(`${file} is a manifest or the configuration, and was not changed`, "Name another file for the result.");
}

export async function savePlan(plan: Plan, file: string, io: CommandIo): Promise<void> {
  const saved = maskedPlan(plan, io);
  await writeOutput(file, safeJson(saved), io);
  io.log.info(`The plan is saved in ${file} (${saved.hash}).`, { file, hash: saved.hash });
}

export async function readJsonFile(
  file: string,
  cwd: string,
  { deepest, most }: { readonly most: number; readonly deepest: number },
): Promise<{ readonly value: unknown } | { readonly why: string; readonly isMissing?: boolean }> {
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
