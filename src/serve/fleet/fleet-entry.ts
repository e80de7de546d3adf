import { resolve } from "node:path";
import type { DocumentPath } from "../../core/document-path.js";
import type { Entry, FleetDocument } from "../../generated/fleet-types.js";
import type { Json } from "../../core/json.js";
import { policyOf } from "./fleet-policy.js";
import type { FleetReport } from "./fleet-report.js";
import type { FleetEntry } from "./fleet.js";

/** What an entry is read with. */
export interface EntrySurroundings {
  readonly document: FleetDocument;
  /** Absolute; paths are relative to it. */
  readonly directory: string;
  readonly report: FleetReport;
}

/** One entry below `stacks:`. What is wrong with it is reported; then what it gives is not used. */
export function entryOf(name: string, entry: Entry, { document, directory, report }: EntrySurroundings): FleetEntry {
  const path: DocumentPath = ["stacks", name];
  report.checkName([...path, "source"], entry.source, Object.keys(document.sources));
  report.checkName([...path, "account"], entry.account, Object.keys(document.accounts));
  const { stack = null, secrets = null } = entry;
  const config = configOf(entry, path, report);
  if ("path" in config) {
    for (const member of ["stack", "secrets"] as const) {
      if (entry[member]?.includes("*") !== true) continue;
      report.add([...path, member], "fleet-path", "has a *, which only stands for something with `configs`");
    }
  }
  const { allow } = entry;
  return {
    name,
    source: entry.source,
    config,
    environment: entry.environment ?? null,
    account: entry.account,
    stack,
    secrets: secrets === null ? null : resolve(directory, secrets),
    variables: variablesOf(entry),
    allow: {
      previousStacks: allow?.previousStacks ?? [],
      adopt: allow?.adopt ?? [],
      modulesOf: allow?.modulesOf ?? [],
      guards: allow?.guards ?? [],
    },
    policy: policyOf({ path, own: entry, defaults: document.defaults ?? {}, directory }, report),
    place: report.placeOf(path),
  };
}

function configOf({ config, configs }: Entry, path: DocumentPath, report: FleetReport): FleetEntry["config"] {
  const pattern = configs ?? null;
  if (pattern === null) return { path: pathInSource(config ?? "edgewise.yaml", [...path, "config"], report) };
  if ((config ?? null) !== null) {
    report.add([...path, "configs"], "choose-one", "stands beside config: an entry has one of them", { at: "key" });
  }
  const place = [...path, "configs"];
  const stars = pattern.split("*").length - 1;
  if (stars !== 1) {
    report.add(place, "fleet-path", `has ${stars === 0 ? "no *" : `${stars} times *`}, but must have exactly one`, {
      remedy: "Write * for the one part that differs, like tenants/*/edgewise.yaml.",
    });
  }
  return { pattern: pathInSource(pattern, place, report) };
}

/** A path of a source, without `./`. It may not lead out of the source, or to anything hidden. */
function pathInSource(text: string, place: DocumentPath, report: FleetReport): string {
  const path = text.replace(/^(\.\/+)+/u, "");
  const parts = path.split("/");
  const problem = path.startsWith("/")
    ? "is absolute"
    : /[\p{Cc}\\]/u.test(path)
      ? "contains a backslash or a control character"
      : parts.some((part) => part === "" || part === "..")
        ? "leads out of the source, or has an empty part"
        : parts.some((part) => part.startsWith("."))
          ? "has a part that begins with a dot; such files are never read"
          : null;
  if (problem !== null) report.add(place, "fleet-path", problem);
  return path;
}

/** Values that were parsed from YAML are JSON. */
function variablesOf({ variables }: Entry): { readonly [name: string]: Json } {
  return (variables ?? {}) as { readonly [name: string]: Json };
}
