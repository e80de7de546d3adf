import { EdgewiseError } from "../core/errors.js";
import type { Fleet, FleetEntry, FleetSource, StackTarget } from "./fleet/fleet.js";
import type { FoundConfigs, ServeDeps, StackClaims } from "./serve-deps.js";
import type { ExpandedStack, SourceExpansion } from "./serve-state.js";
import type { SourceRecord } from "./records.js";
import type { SourceCommit } from "./git/source-reader.js";
import { directoryOf } from "./git/source-reader.js";

type DirectoryIds = Awaited<ReturnType<SourceCommit["directoryIds"]>>;

/** What the entries of a source stand for at a commit. */
export async function expandSource(
  fleet: Fleet,
  source: FleetSource,
  commit: SourceCommit,
  {
    record,
    previous,
    deps,
  }: {
    /** Says for which entries it was checked who signed the commit; the stacks of others are not looked at. */
    readonly record: SourceRecord | null;
    readonly previous: SourceExpansion | null;
    readonly deps: Pick<ServeDeps, "expand" | "readClaims">;
  },
): Promise<SourceExpansion> {
  const entries = fleet.entries.filter((entry) => entry.source === source.name);
  const found = await Promise.all(entries.map((entry) => findConfigs(entry, commit)));
  const { targets, problems } = deps.expand(found);
  const ids = await commit.directoryIds([...new Set(targets.map(({ config }) => directoryOf(config)))]);
  const stacks = new Map<string, ExpandedStack>();
  const why = new Map(problems.map(({ stack, message }) => [stack, message]));
  for (const target of targets) {
    if (!isChecked(target.entry, source, record)) {
      const message = `it is not looked at: who signed what it is made from is not checked. ${record?.problem?.message ?? ""}`;
      why.set(target.name, message.trim());
      const claims = { marker: target.stack, previousStacks: [] };
      stacks.set(target.name, { target, content: null, claims });
      continue;
    }
    const content = contentOf(target, ids);
    const known = previous?.stacks.get(target.name);
    const same = known !== undefined && content !== null && known.content === content && isSame(known.target, target);
    const claims = same ? known.claims : await claimsAt(target, commit, deps);
    stacks.set(target.name, { target, content, claims });
  }
  return { commit: commit.commit, stacks, problems: why };
}

export function configOf({ config }: FleetEntry): string {
  return "path" in config ? config.path : config.pattern;
}

/** Whether what a source follows may be used for an entry: nobody has to sign it, or that was checked. */
export function isChecked(entry: FleetEntry, { signedBy }: FleetSource, record: SourceRecord | null): boolean {
  const checked = record?.checked ?? null;
  return signedBy === null || (checked?.signedBy === signedBy && checked.configs.includes(configOf(entry)));
}

function isSame(one: StackTarget, other: StackTarget): boolean {
  return one.config === other.config && one.entry === other.entry;
}

/** Names everything that a commit holds for a target. */
export function contentOf(target: StackTarget, ids: DirectoryIds): string | null {
  const found = ids.get(directoryOf(target.config)) ?? null;
  return found === null || found.hasLinks ? null : found.id;
}

async function findConfigs(entry: FleetEntry, commit: SourceCommit): Promise<FoundConfigs> {
  if ("pattern" in entry.config) return { entry, configs: await commit.findConfigs(entry.config.pattern) };
  const { path } = entry.config;
  return { entry, configs: (await readConfig(path, commit)) === null ? [] : [{ path, match: null }] };
}

/** What a target claims. Its configuration is read only where it has a say. */
async function claimsAt(
  target: StackTarget,
  commit: SourceCommit,
  { readClaims }: Pick<ServeDeps, "readClaims">,
): Promise<StackClaims> {
  const { entry, stack } = target;
  if (stack !== null && entry.allow.previousStacks.length === 0) return { marker: stack, previousStacks: [] };
  const text = await readConfig(target.config, commit);
  const { marker = null, previousStacks = [] } = (text === null ? null : readClaims(target, text)) ?? {};
  return { marker: stack ?? marker, previousStacks };
}

/** A configuration's text; "" for one that can't be read: it is there, and its pass tells what is wrong with it. */
async function readConfig(path: string, commit: SourceCommit): Promise<string | null> {
  try {
    return await commit.readConfig(path);
  } catch (error) {
    if (error instanceof EdgewiseError && error.code === "config") return "";
    throw error;
  }
}
