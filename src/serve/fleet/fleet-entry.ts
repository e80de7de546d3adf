import { resolve } from "node:path";
import { parseMaxDeletes } from "../../config/config.js";
import type { DocumentPath } from "../../core/document-path.js";
import type { Json } from "../../core/json.js";
import type { Entry, FleetDocument } from "../../generated/fleet-types.js";
import type { FleetReport } from "./fleet-report.js";
import type { FleetEntry, StackPolicy } from "./fleet.js";

export interface EntrySurroundings {
  readonly document: FleetDocument;
  readonly directory: string;
  readonly report: FleetReport;
}

export function entryOf(name: string, entry: Entry, surroundings: EntrySurroundings): FleetEntry {
  const { document, directory, report } = surroundings;
  const path: DocumentPath = ["stacks", name];
  report.checkName([...path, "source"], entry.source, Object.keys(document.sources));
  report.checkName([...path, "account"], entry.account, Object.keys(document.accounts));
  const { allow, environment = null, secrets = null, stack = null, variables } = entry;
  const config = configOf(entry, path, report);
  for (const member of ["config", "stack", "secrets"] as const)
    if ((entry.configs ?? null) === null && entry[member]?.includes("*") === true)
      report.add([...path, member], "fleet-path", "has a *, which only stands for something with `configs`");
  return {
    name,
    source: entry.source,
    config,
    environment,
    account: entry.account,
    stack,
    secrets: secrets === null ? null : resolve(directory, secrets),
    // Values that were parsed from YAML are JSON.
    variables: (variables ?? {}) as { readonly [name: string]: Json },
    allow: {
      previousStacks: allow?.previousStacks ?? [],
      adopt: allow?.adopt ?? [],
      modulesOf: allow?.modulesOf ?? [],
      guards: allow?.guards ?? [],
    },
    policy: policyOf(path, entry, surroundings),
    place: report.placeOf(path),
  };
}

function configOf({ config, configs }: Entry, path: DocumentPath, report: FleetReport): string {
  const pattern = configs ?? null;
  if (pattern === null) return pathInSource(config ?? "edgewise.yaml", [...path, "config"], report);
  const place = [...path, "configs"];
  if ((config ?? null) !== null)
    report.add(place, "choose-one", "stands beside config: an entry has one of them", { at: "key" });
  const stars = pattern.split("*").length - 1;
  if (stars !== 1)
    report.add(place, "fleet-path", `has ${stars === 0 ? "no *" : `${stars} times *`}, but must have exactly one`, {
      remedy: "Write * for the one part that differs, like tenants/*/edgewise.yaml.",
    });
  return pathInSource(pattern, place, report);
}

/** A path of a source, without `./`. It may not lead out of the source, or to anything hidden. */
function pathInSource(text: string, place: DocumentPath, report: FleetReport): string {
  const path = text.replace(/^(\.\/+)+/u, "");
  const parts = path.split("/");
  if (path.startsWith("/")) report.add(place, "fleet-path", "is absolute");
  else if (/[\p{Cc}\\]/u.test(path)) report.add(place, "fleet-path", "contains a backslash or a control character");
  else if (parts.some((part) => part === "" || part === ".."))
    report.add(place, "fleet-path", "leads out of the source, or has an empty part");
  else if (parts.some((part) => part.startsWith(".")))
    report.add(place, "fleet-path", "has a part that begins with a dot; such files are never read");
  return path;
}

type PolicyMembers = NonNullable<FleetDocument["defaults"]>;

/** How a stack is kept: its entry beats `defaults`, which beat the built-in ones. */
export function policyOf(
  path: DocumentPath,
  own: PolicyMembers,
  { directory, document, report }: EntrySurroundings,
): StackPolicy {
  const defaults = document.defaults ?? {};
  const at = (member: keyof PolicyMembers, ...inside: DocumentPath): DocumentPath => [
    ...(own[member] === undefined ? ["defaults"] : path),
    member,
    ...inside,
  ];
  const windows = chosen(own.windows, defaults.windows) ?? [];
  const suspend = chosen(own.suspend, defaults.suspend) ?? null;
  const approvers = chosen(own.approvers, defaults.approvers) ?? null;
  const [brake, shared] = [own.brake ?? {}, defaults.brake ?? {}];
  return {
    intervalMs: report.duration(at("interval"), chosen(own.interval, defaults.interval) ?? "10m", "7d"),
    apply: {
      commit: chosen(own.apply?.commit, defaults.apply?.commit) ?? "routing",
      drift: chosen(own.apply?.drift, defaults.apply?.drift) ?? "cosmetic",
    },
    windows: windows.flatMap((text, index) => report.window(at("windows", index), text) ?? []),
    suspend:
      suspend === null
        ? null
        : { until: report.time(at("suspend", "until"), suspend.until ?? null), reason: suspend.reason },
    approvers: approvers === null ? null : resolve(directory, approvers),
    brake: {
      stacks: parseMaxDeletes(chosen(brake.stacks, shared.stacks) ?? "20%") ?? { percent: 20 },
      deletesPerDay: chosen(brake.deletesPerDay, shared.deletesPerDay) ?? 10,
      writers: chosen(brake.writers, shared.writers) ?? 3,
      release: chosen(brake.release, shared.release) ?? [],
    },
    deadlineMs: report.duration(at("deadline"), chosen(own.deadline, defaults.deadline) ?? "15m", "24h"),
  };
}

function chosen<T>(own: T | undefined, shared: T | undefined): T | undefined {
  return own === undefined ? shared : own;
}
