import { posix, resolve } from "node:path";
import { ConfigProblems } from "../config/config.js";
import { configTarget } from "../config/find-config.js";
import { loadConfig } from "../config/load-config.js";
import { readConfigFile } from "../config/read-config-file.js";
import { EdgewiseError } from "../core/errors.js";
import { createHash } from "node:crypto";
import { slug } from "../core/text.js";
import { findConfigurations } from "./find-configurations.js";

/** A configuration, or one of its environments: what one run of edgewise plans. */
export interface Stack {
  /** The configuration, relative to the directory that was searched, with `/`. */
  readonly config: string;
  /** Its directory; `.` is the one that was searched. */
  readonly directory: string;
  /** Null = the configuration without `-e`. */
  readonly environment: string | null;
  /** Null = it comes from `--stack` or `EDGEWISE_STACK`. */
  readonly stack: string | null;
  /** Null = it comes from `--base-url` or `EDGEWISE_BASE_URL`. */
  readonly baseUrl: string | null;
  /** Lower case letters, digits and dashes; different for each stack. */
  readonly slug: string;
}

/** A configuration, or one of its environments, that can't be used. */
export interface BrokenStack extends Pick<Stack, "config" | "environment"> {
  readonly error: EdgewiseError;
}

export interface FoundStacks {
  readonly stacks: readonly Stack[];
  readonly broken: readonly BrokenStack[];
}

type Unnamed = Omit<Stack, "slug">;

/**
 * Every stack below a directory, sorted by configuration, then in the order of its environments. What the files say
 * counts, and no flag or variable.
 * @param cwd absolute
 */
export async function listStacks(cwd: string): Promise<FoundStacks> {
  const stacks: Unnamed[] = [];
  const broken: BrokenStack[] = [];
  for (const config of await findConfigurations(cwd)) {
    const found = await stacksOf(config, cwd);
    stacks.push(...found.stacks);
    broken.push(...found.broken);
  }
  return { stacks: withSlugs(stacks), broken };
}

/** The stacks of one configuration. */
async function stacksOf(
  config: string,
  cwd: string,
): Promise<{ readonly stacks: readonly Unnamed[]; readonly broken: readonly BrokenStack[] }> {
  const broken: BrokenStack[] = [];
  const attempt = async <T>(environment: string | null, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EdgewiseError)) throw error;
      broken.push({ config, environment, error: withWholePath(error, config) });
      return null;
    }
  };
  const file = resolve(cwd, config);
  const read = await attempt(null, async () => readConfigFile(file, configTarget(file, cwd, true)));
  if (read === null) return { stacks: [], broken };

  const names = Object.keys(read.document.environments ?? {});
  const load = async (environment: string | null): Promise<Unnamed | null> =>
    attempt(environment, async () => {
      const flags = { config: file, allowInsecureHttp: true, ...(environment === null ? {} : { environment }) };
      const { stack, api } = await loadConfig({ cwd, env: {}, flags });
      return { config, directory: posix.dirname(config), environment, stack, baseUrl: api.baseUrl };
    });
  const environments: Unnamed[] = [];
  for (const name of names) environments.push(...present(await load(name)));
  if (names.length === 0) return { stacks: present(await load(null)), broken };
  // What is wrong with the bare configuration is wrong with an environment too, or set right there.
  const reported = broken.length;
  const bare = await load(null);
  broken.length = reported;
  const counts = bare !== null && isStackOfItsOwn(bare, environments);
  return { stacks: counts ? [bare, ...environments] : environments, broken };
}

/**
 * Whether a configuration that has environments is also run without one. Not when it lacks what its environments have (a
 * stack, an address), and not when one of them is the same stack at the same address.
 */
export function isStackOfItsOwn(
  bare: Pick<Unnamed, "stack" | "baseUrl">,
  environments: readonly Pick<Unnamed, "stack" | "baseUrl">[],
): boolean {
  if (bare.stack === null) return false;
  if (bare.baseUrl === null && environments.every(({ baseUrl }) => baseUrl !== null)) return false;
  return !environments.some(({ stack, baseUrl }) => stack === bare.stack && baseUrl === bare.baseUrl);
}

/** Diagnostics name the file from the configuration's own directory; here there are many of them. */
function withWholePath(error: EdgewiseError, config: string): EdgewiseError {
  if (!(error instanceof ConfigProblems)) return error;
  return new ConfigProblems(
    config,
    error.diagnostics.map((diagnostic) => ({ ...diagnostic, file: config })),
  );
}

/**
 * Slugs are made of the directory and the environment, which no other stack shares; a configuration in the searched
 * directory has its stack's name instead of a directory. Where two become the same, a checksum tells them apart.
 */
function withSlugs(stacks: readonly Unnamed[]): readonly Stack[] {
  const plain = stacks.map((each) => plainSlug(each));
  const counts = new Map<string, number>();
  for (const own of plain) counts.set(own, (counts.get(own) ?? 0) + 1);
  return stacks.map((each, index) => {
    const own = plain[index] ?? "";
    if (counts.get(own) === 1) return { ...each, slug: own };
    const exact = JSON.stringify([each.config, each.environment]);
    const checksum = createHash("sha256").update(exact).digest("hex").slice(0, 8);
    return { ...each, slug: `${own}-${checksum}` };
  });
}

function plainSlug({ directory, environment, stack }: Unnamed): string {
  const parts = [directory === "." ? (environment === null ? stack : null) : directory, environment];
  const text = parts.filter((part) => part !== null).join("-");
  // Two dots in a row, and names that end in .lock, are no branches.
  return (slug(text) ?? "stack").replaceAll(/[._-]+/gu, "-");
}

function present<T>(value: T | null): readonly T[] {
  return value === null ? [] : [value];
}
