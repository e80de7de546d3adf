import { posix } from "node:path";
import type { Config } from "../../config/config.js";
import { codes } from "../../diagnostics/codes.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { type Address, isAddress, kindOf, moduleKinds } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { Manifest } from "../../manifest/manifest.js";
import type { MaxDeletes } from "../../plan/options.js";
import { lineOf } from "./fleet-line.js";
import type { StackTarget } from "./fleet.js";
import type { Refusals } from "./refusals.js";

/**
 * What a configuration claims: former stacks, existing resources, and the right to relax guards. The fleet's entry must
 * allow each by name. Its marker is no claim where the entry has one: that one counts.
 */
export function refuseClaims({ entry }: Pick<StackTarget, "entry">, config: Config, refusals: Refusals): void {
  const line = lineOf(entry);
  const { allow } = entry;
  for (const [index, name] of config.previousStacks.entries()) {
    if (allow.previousStacks.includes(name)) continue;
    const message = `previousStacks has ${JSON.stringify(name)}, which ${line} does not allow: its resources belong to another stack`;
    refusals.add(["previousStacks", index], message, toAllow("previousStacks", JSON.stringify(name), line));
  }
  for (const [address, id] of Object.entries(config.adopt)) {
    // For modules it is the id of an edge, which the manifest claims: see `manifestPowers`.
    if (isModule(address) || allow.adopt.includes(id)) continue;
    const message = `adopt has ${id}, which ${line} does not allow`;
    refusals.add(["adopt", address], message, toAllow("adopt", id, line));
  }
  const { maxDeletes, allow: addresses } = config.guards;
  if (maxDeletes !== null && loosens(maxDeletes) && !allow.guards.includes("maxDeletes")) {
    const message = `guards.maxDeletes lets a plan delete more than the larger of 3 and 25%, which ${line} does not allow`;
    refusals.add(["guards", "maxDeletes"], message, toAllow("guards", "maxDeletes", line));
  }
  const [first] = addresses;
  if (first !== undefined && !allow.guards.includes("allow")) {
    const message = `guards.allow lifts refusals (${first}${addresses.length > 1 ? ", …" : ""}), which ${line} does not allow`;
    refusals.add(["guards", "allow"], message, toAllow("guards", "allow", line));
  }
  if (config.lock.wanted && config.lock.settleMs > longestSettleMs) {
    const message = `lock.settle is longer than 30s: all stacks of the account wait meanwhile, so ${line} does not allow it`;
    refusals.add(["lock", "settle"], message, "Write at most 30s, or leave it out: 2s is usual.");
  }
}

/** While one stack waits for its lock, no other of the account is written, and people with the CLI are kept out. */
const longestSettleMs = 30_000;

/** Whether a limit can let more pass than the built-in one, whatever the stack owns. */
function loosens(limit: MaxDeletes): boolean {
  return "count" in limit ? limit.count > 3 : limit.percent > 25;
}

function toAllow(member: string, what: string, line: string): string {
  return `Remove it, or have the operator write \`allow: {${member}: [${what}]}\` in ${line}.`;
}

function isModule(address: string): boolean {
  return isAddress(address) && (moduleKinds as readonly string[]).includes(kindOf(address));
}

/**
 * What manifests claim by id beyond what the fleet's entry allows: existing resources that they would adopt, and HTTPS
 * edges whose modules they would manage. Files of the diagnostics are relative to the source's top.
 */
export function manifestPowers(
  { config, entry }: Pick<StackTarget, "config" | "entry">,
  manifests: readonly Manifest[],
): readonly Diagnostic[] {
  const line = lineOf(entry);
  const directory = posix.dirname(config);
  return manifests.flatMap((manifest) => {
    const claim = claimOf(manifest);
    if (claim === null || entry.allow[claim.member].includes(claim.id)) return [];
    const { file, line: at, column = 1 } = manifest.source;
    const message = `${manifest.address} ${claim.what} ${claim.id}, which ${line} does not allow`;
    return [
      {
        severity: codes["fleet-not-allowed"].severity,
        code: "fleet-not-allowed",
        message,
        remedy: toAllow(claim.member, claim.id, line),
        file: posix.join(directory, file),
        line: at,
        column,
        address: manifest.address,
      },
    ];
  });
}

/** What a manifest claims by id; null = nothing. */
function claimOf({
  address,
  id,
  kind,
  spec,
}: Pick<Manifest, "address" | "id" | "kind" | "spec"> & { readonly address: Address }): {
  readonly member: "adopt" | "modulesOf";
  readonly id: string;
  readonly what: string;
} | null {
  if (!isModule(address)) return id === null ? null : { member: "adopt", id, what: "adopts" };
  const edge = kinds[kind].belongsTo === undefined ? id : kinds[kind].belongsTo(spec);
  return { member: "modulesOf", id: edge ?? "", what: "manages modules of" };
}
