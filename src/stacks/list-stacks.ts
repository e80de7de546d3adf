import { posix, resolve, join } from "node:path";
import { type Config, ConfigProblems } from "../config/config.js";
import { configTarget } from "../config/find-config.js";
import { loadConfig } from "../config/load-config.js";
import { readConfigFile } from "../config/checked-file.js";
import { EdgewiseError } from "../core/errors.js";
import { createHash } from "node:crypto";
import { slug } from "../core/text.js";
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";

export type Stack = Readonly<{
  /** From the searched directory, with `/`. */
  config: string;
  directory: string;
  /** Null = the configuration without `-e`. */
  environment: string | null;
  /** Null = it comes from `--stack` or `EDGEWISE_STACK`. */
  stack: string | null;
  /** Null = it comes from `--base-url` or `EDGEWISE_BASE_URL`. */
  baseUrl: string | null;
  /** Letters, digits and dashes, different for each stack. */
  slug: string;
  changed?: readonly string[];
}>;

export interface BrokenStack extends Pick<Stack, "config" | "environment"> {
  readonly error: EdgewiseError;
}

export type FoundStacks = Readonly<{
  stacks: readonly Stack[];
  broken: readonly BrokenStack[];
}>;

type Unnamed = Omit<Stack, "slug">;

/** By the files alone, without flags and variables. */
export async function listStacks(cwd: string): Promise<FoundStacks> {
  const stacks: Unnamed[] = [];
  const broken: BrokenStack[] = [];
  for (const config of await findConfigurations(cwd)) stacks.push(...(await stacksIn(config, cwd, broken)));
  return { stacks: withSlugs(stacks), broken };
}

/** `text`: that of the past. */
export async function configOf(
  cwd: string,
  { config, environment }: Pick<Stack, "config" | "environment">,
  text?: string,
): Promise<Config> {
  const file = resolve(cwd, config);
  const flags = { config: file, allowInsecureHttp: true, ...(environment !== null && { environment }) };
  return loadConfig({ cwd, env: {}, flags, ...(text === undefined ? {} : { committed: { file, text } }) });
}

/** Without the bare configuration where it lacks what its environments have, or is the same stack as one of them. */
export async function stacksOf<S extends Pick<Stack, "stack" | "baseUrl">>(
  named: readonly string[],
  load: (environment: string | null) => Promise<S | null>,
): Promise<readonly S[]> {
  const loaded: (S | null)[] = [];
  for (const name of named) loaded.push(await load(name));
  const environments = loaded.filter((each) => each !== null);
  const bare = await load(null);
  if (bare === null) return environments;
  const { baseUrl, stack } = bare;
  const isOwn =
    stack !== null &&
    (baseUrl !== null || environments.some((each) => each.baseUrl === null)) &&
    !environments.some((each) => each.stack === stack && each.baseUrl === baseUrl);
  return isOwn || named.length === 0 ? [bare, ...environments] : environments;
}

async function stacksIn(config: string, cwd: string, broken: BrokenStack[]): Promise<readonly Unnamed[]> {
  const attempt = async <T>(environment: string | null, reports: boolean, work: () => Promise<T>): Promise<T | null> =>
    work().catch((error: unknown) => {
      if (!(error instanceof EdgewiseError)) throw error;
      if (reports) broken.push({ config, environment, error: withWholePath(error, config) });
      return null;
    });
  const file = resolve(cwd, config);
  const read = await attempt(null, true, async () => readConfigFile(file, configTarget(file, cwd, true)));
  if (read === null) return [];
  const named = Object.keys(read.document.environments ?? {});
  return stacksOf(named, async (environment) =>
    // What is wrong with the bare configuration is wrong with an environment too, or set right there.
    attempt(environment, environment !== null || named.length === 0, async () => {
      const { api, stack } = await configOf(cwd, { config, environment });
      return { config, directory: posix.dirname(config), environment, stack, baseUrl: api.baseUrl };
    }),
  );
}

function withWholePath(error: EdgewiseError, config: string): EdgewiseError {
  if (!(error instanceof ConfigProblems)) return error;
  const diagnostics = error.diagnostics.map((diagnostic) => ({ ...diagnostic, file: config }));
  return new ConfigProblems(config, diagnostics);
}

/** A checksum tells equal ones apart. */
function withSlugs(stacks: readonly Unnamed[]): readonly Stack[] {
  const plain = stacks.map(plainSlug);
  return stacks.map((each, index) => {
    const own = plain[index] ?? "";
    if (plain.filter((other) => other === own).length === 1) return { ...each, slug: own };
    const exact = JSON.stringify([each.config, each.environment]);
    const checksum = createHash("sha256").update(exact).digest("hex").slice(0, 8);
    return { ...each, slug: `${own}-${checksum}` };
  });
}

function plainSlug({ directory, environment, stack }: Unnamed): string {
  const parts = [directory === "." ? (environment === null ? stack : null) : directory, environment];
  const text = parts.filter((part) => part !== null).join("-");
  // Two dots in a row, and a `.lock` at the end, are no branches.
  return (slug(text) ?? "stack").replaceAll(/[._-]+/gu, "-");
}

export const configName = "edgewise.yaml";

/** Not below links, hidden names, `node_modules` and other repositories, which another pipeline is for. */
async function findConfigurations(start: string): Promise<readonly string[]> {
  const found: string[] = [];
  const pending = [""];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const entries = await entriesOf(start, directory);
    if (directory !== "" && entries.some(({ name }) => name === ".git")) continue;
    for (const entry of entries) {
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (entry.isDirectory() && isEntered(entry.name)) pending.push(path);
      else if (entry.name === configName && !entry.isDirectory()) found.push(path);
    }
  }
  return found.sort();
}

export function isEntered(name: string): boolean {
  return !name.startsWith(".") && name !== "node_modules";
}

async function entriesOf(start: string, directory: string): Promise<readonly Dirent[]> {
  const path = join(start, directory);
  return readdir(path, { withFileTypes: true }).catch((cause: unknown) => {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new EdgewiseError("io", `the directory ${path} can't be searched for configurations (${code})`, {
      remedy: "Make it readable, or run this elsewhere.",
      cause,
    });
  });
}
