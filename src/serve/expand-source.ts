import { EdgewiseError } from "../core/errors.js";
import { targetOfMatch } from "./fleet/expand-entries.js";
import { type Fleet, type FleetEntry, type FleetSource, type StackTarget, isPattern, targetOf } from "./fleet/fleet.js";
import { grantSettings } from "./fleet/stack-powers.js";
import { type SourceCommit, directoryOf } from "./git/source-reader.js";
import type { SourceRecord } from "./records.js";
import type { SourceExpansion, StackClaims } from "./serve-state.js";

/**
 * What the entries of a source stand for at a commit. Configurations are read only where their directory is not what it
 * was at the previous commit: a push to one of ten thousand directories reads one.
 */
export async function expandSource(
  fleet: Fleet,
  source: FleetSource,
  commit: SourceCommit,
  { record, previous }: { readonly record: SourceRecord | null; readonly previous: SourceExpansion | null },
): Promise<SourceExpansion> {
  const found: { readonly target: StackTarget; readonly problem: string | null }[] = [];
  for (const entry of fleet.entries.filter((one) => one.source === source.name)) {
    const unsigned = isChecked(entry, source, record)
      ? null
      : `it is not looked at: who signed what it is made from is not checked. ${record?.problem?.message ?? ""}`.trim();
    if (isPattern(entry))
      for (const match of await commit.findConfigs(entry.config)) {
        const { problem, target } = targetOfMatch(entry, match);
        found.push({ target, problem: problem ?? unsigned });
      }
    else if ((await readConfig(entry.config, commit)) !== null)
      found.push({ target: targetOf(entry), problem: unsigned });
  }
  const ids = await commit.directoryIds([...new Set(found.map(({ target }) => directoryOf(target.config)))]);
  const expansion = { commit: commit.commit, stacks: new Map(), problems: new Map<string, string>() };
  for (const { problem, target } of found) {
    const { name } = target;
    if (problem !== null) {
      expansion.problems.set(name, problem);
      expansion.stacks.set(name, { target, content: null, claims: { marker: target.stack, previousStacks: [] } });
      continue;
    }
    const content = contentOf(target, ids);
    const known = previous?.stacks.get(name);
    const isSame =
      content !== null &&
      known?.content === content &&
      known.target.config === target.config &&
      known.target.entry === target.entry;
    const claims = isSame ? known.claims : await claimsAt(target, commit, fleet);
    expansion.stacks.set(name, { target, content, claims });
  }
  return expansion;
}

/** Whether what a source follows may be used for an entry: nobody has to sign it, or that was checked. */
export function isChecked(entry: FleetEntry, { signedBy }: FleetSource, record: SourceRecord | null): boolean {
  const checked = record?.checked ?? null;
  return signedBy === null || (checked?.signedBy === signedBy && checked.configs.includes(entry.config));
}

/**
 * Names everything that a commit holds for a target. Null = one id can't: a link below the directory may lead out of it, to
 * what changes without it.
 */
export function contentOf(target: StackTarget, ids: Awaited<ReturnType<SourceCommit["directoryIds"]>>): string | null {
  const found = ids.get(directoryOf(target.config)) ?? null;
  return found === null || found.hasLinks ? null : found.id;
}

/** What a target claims. Its configuration is read only where it has a say. */
async function claimsAt(target: StackTarget, commit: SourceCommit, { accounts }: Fleet): Promise<StackClaims> {
  const { entry, stack } = target;
  if (stack !== null && entry.allow.previousStacks.length === 0) return { marker: stack, previousStacks: [] };
  const text = await readConfig(target.config, commit);
  const account = accounts.get(entry.account);
  const granted = text === null || account === undefined ? null : grantSettings({ target, account, text });
  const { marker, previousStacks } =
    granted !== null && "settings" in granted ? granted.settings : { marker: null, previousStacks: [] };
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
