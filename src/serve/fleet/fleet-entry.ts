import { resolve } from "node:path";
import { type ConfigProblems, parseMaxDeletes } from "../../config/config.js";
import { type DocumentPath, showPath } from "../../core/document-path.js";
import type { Json } from "../../core/json.js";
import type { Entry, FleetDocument } from "../../generated/fleet-types.js";
import type { FleetEntry, FleetPlace, StackPolicy } from "./fleet.js";
import type { CheckedFile, ProblemAt } from "../../config/checked-file.js";
import { type Code, codes } from "../../diagnostics/codes.js";
import { didYouMean } from "../../diagnostics/suggest.js";
import { type DurationForm, parseDuration } from "../../core/duration.js";
import { type Window, parseWindow } from "../decide/windows.js";

interface EntrySurroundings {
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

export class FleetReport {
  readonly #found = new Map<string, ProblemAt>();
  readonly #windows = new Map<string, Window>();

  constructor(
    readonly file: string,
    private readonly checked: CheckedFile,
  ) {}

  add(
    path: DocumentPath,
    code: Code,
    message: string,
    more: { readonly remedy?: string | null; readonly at?: "key" } = {},
  ): void {
    const whole = `${showPath(path)} ${message}`;
    const problem = { path, code, message: whole, ...more, remedy: more.remedy ?? codes[code].remedy };
    this.#found.set(JSON.stringify([path, whole]), problem);
  }

  checkName(path: DocumentPath, name: string, known: readonly string[]): void {
    if (known.includes(name)) return;
    const has = known.length === 0 ? "The file has none." : `The file has ${known.join(", ")}.`;
    const meant = didYouMean(name, known);
    this.add(path, "fleet-name-unknown", `is ${JSON.stringify(name)}, which the file does not have`, {
      remedy: meant === null ? has : `${meant} ${has}`,
    });
  }

  duration(path: DocumentPath, text: string, most: string): number {
    const mostMs = parseDuration(most, form) ?? 0;
    const ms = parseDuration(text, form);
    if (ms !== null && ms >= 1 && ms <= mostMs) return ms;
    this.add(path, "out-of-range", `must be longer than 0 and at most ${most}, not ${JSON.stringify(text)}`);
    return 1;
  }

  window(path: DocumentPath, text: string): Window | null {
    const window = this.#windows.get(text) ?? parseWindow(text);
    if ("problem" in window) {
      this.add(path, "fleet-window", `can't be used: ${window.problem}`);
      return null;
    }
    this.#windows.set(text, window);
    return window;
  }

  time(path: DocumentPath, text: string | null): number | null {
    const time = text === null ? null : Date.parse(text);
    if (time === null || !Number.isNaN(time)) return time;
    const remedy = "Write it like 2026-12-01T00:00:00Z.";
    this.add(path, "out-of-range", `is no time that exists: ${JSON.stringify(text)}`, { remedy });
    return null;
  }

  placeOf(path: DocumentPath): FleetPlace {
    return { file: this.file, ...this.checked.placeOf(path) };
  }

  get error(): ConfigProblems | null {
    return this.#found.size === 0 ? null : this.checked.problems([...this.#found.values()]);
  }
}

const form: DurationForm = { units: ["ms", "s", "m", "h", "d"], fractions: true };
