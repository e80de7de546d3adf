import { resolve } from "node:path";
import { parseMaxDeletes } from "../../config/config.js";
import type { DocumentPath } from "../../core/document-path.js";
import type { FleetDocument } from "../../generated/fleet-types.js";
import type { FleetReport } from "./fleet-report.js";
import type { StackPolicy } from "./fleet.js";

/** The members that say how a stack is kept, of an entry or of `defaults`. */
export type PolicyMembers = NonNullable<FleetDocument["defaults"]>;

/** Where an entry's policy comes from. */
export interface PolicySource {
  /** The path of the entry in the file. */
  readonly path: DocumentPath;
  readonly own: PolicyMembers;
  readonly defaults: PolicyMembers;
  /** Absolute; paths are relative to it. */
  readonly directory: string;
}

/**
 * How a stack is kept: its entry beats `defaults`, which beat the built-in ones. The maps `apply` and `brake` are merged,
 * everything else is replaced; an entry's null takes away what `defaults` have.
 */
export function policyOf({ path, own, defaults, directory }: PolicySource, report: FleetReport): StackPolicy {
  /** Where a member stands, for problems. */
  const at = (member: keyof PolicyMembers, ...inside: DocumentPath): DocumentPath => [
    ...(own[member] === undefined ? ["defaults"] : path),
    member,
    ...inside,
  ];
  const windows = (chosen(own.windows, defaults.windows) ?? []).flatMap(
    (text, index) => report.window(at("windows", index), text) ?? [],
  );
  const suspend = chosen(own.suspend, defaults.suspend) ?? null;
  const approvers = chosen(own.approvers, defaults.approvers) ?? null;
  const brake = { ...defaults.brake, ...definedOf(own.brake ?? {}) };
  return {
    intervalMs: report.duration(at("interval"), chosen(own.interval, defaults.interval) ?? "10m", "7d"),
    apply: {
      commit: chosen(own.apply?.commit, defaults.apply?.commit) ?? "routing",
      drift: chosen(own.apply?.drift, defaults.apply?.drift) ?? "cosmetic",
    },
    windows,
    suspend:
      suspend === null
        ? null
        : { until: timeOf(suspend.until ?? null, at("suspend", "until"), report), reason: suspend.reason },
    approvers: approvers === null ? null : resolve(directory, approvers),
    brake: {
      stacks: parseMaxDeletes(brake.stacks ?? "20%") ?? { percent: 20 },
      deletesPerDay: brake.deletesPerDay ?? 10,
      writers: brake.writers ?? 3,
      release: brake.release ?? [],
    },
    deadlineMs: report.duration(at("deadline"), chosen(own.deadline, defaults.deadline) ?? "15m", "24h"),
  };
}

function chosen<T>(own: T | undefined, shared: T | undefined): T | undefined {
  return own === undefined ? shared : own;
}

/** The members that are given: an undefined one would hide that of `defaults`. */
function definedOf<T extends object>(members: T): Partial<T> {
  const given: Partial<T> = { ...members };
  for (const name in given) if (given[name] === undefined) delete given[name];
  return given;
}

/** Milliseconds since 1970. */
function timeOf(text: string | null, path: DocumentPath, report: FleetReport): number | null {
  if (text === null) return null;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  report.add(path, "out-of-range", `is no time that exists: ${JSON.stringify(text)}`, {
    remedy: "Write it like 2026-12-01T00:00:00Z.",
  });
  return null;
}
