import { InvalidArgumentError } from "commander";
import { parseMaxDeletes } from "../../config/config.js";
import { didYouMean, suggest } from "../../diagnostics/suggest.js";
import { type DurationForm, parseDuration } from "../../core/duration.js";
import { plural } from "../../text/layout.js";
import { type ListedKind, addressExample, isAddress, kindNames, listedKinds } from "../../kinds/names.js";

/** Collects a repeated flag. */
export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

/** Collects a repeated flag that takes addresses. */
export function collectAddress(value: string, previous: readonly string[] | undefined): readonly string[] {
  if (!isAddress(value)) {
    const [kind = "", ...name] = value.split("/");
    const meant = suggest(kind, kindNames);
    const hint = meant === null ? "" : ` Did you mean ${[meant, ...name].join("/")}?`;
    throw new InvalidArgumentError(`An address is Kind/name, like ${addressExample}.${hint}`);
  }
  return collect(value, previous);
}

/** The same for `--only` and `pull`, where a name without its kind is left for when the addresses with that name are known. */
export function collectOnly(value: string, previous: readonly string[] | undefined): readonly string[] {
  return value.includes("/") || value === "" ? collectAddress(value, previous) : collect(value, previous);
}

/** Collects arguments that are listed kinds, in any case, as one or as many: `TLSEdge`, `tlsedges`, `tls-edge`. */
export function collectKind(value: string, previous: readonly ListedKind[] | undefined): readonly ListedKind[] {
  const asked = plainName(value);
  const kind = listedKinds.find((each) => [each, plural(each)].map(plainName).includes(asked));
  if (kind !== undefined) return [...(previous ?? []), kind];
  const named = value.slice(0, Math.max(value.indexOf("/"), 0));
  const near = named === "" ? didYouMean(value, listedKinds) : `Did you mean ${named}?`;
  const unlisted = kindNames.find((each) => plainName(each) === asked);
  const hint =
    unlisted !== undefined ? ` The service has no list of ${unlisted} resources.` : near === null ? "" : ` ${near}`;
  throw new InvalidArgumentError(`Allowed choices are ${listedKinds.join(", ")}.${hint}`);
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

/** Collects a repeated flag that takes `name=value`. */
export function collectPair(value: string, previous: readonly string[] | undefined): readonly string[] {
  if (value.indexOf("=") < 1) throw new InvalidArgumentError("Write it as name=value.");
  if (/^[^=]+==/u.test(value)) throw new InvalidArgumentError("Write it with one =, as name=value.");
  return collect(value, previous);
}

/** A parser for whole numbers within bounds, both included. */
export function wholeNumber(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least && number <= most)) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return number;
  };
}

/** `5` or `25%`, as text: checked here so that the error names the flag, parsed with the configuration. */
export function countOrPercent(value: string): string {
  if (parseMaxDeletes(value) === null) {
    throw new InvalidArgumentError("Use a number like 5, or a percentage of what the stack owns like 25%.");
  }
  return value;
}

/** The hash of a plan, as `edgewise plan --out` prints it. */
export function planHash(value: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(value))
    throw new InvalidArgumentError("Use sha256: and 64 hex digits, as `edgewise plan --out FILE` prints it.");
  return value;
}

const longSpans: DurationForm = { units: ["m", "h", "d", "w"], maxDigits: 6 };

/** `30d`, `12h`, `2w`, `90m` as milliseconds. */
export function duration(value: string): number {
  const ms = parseDuration(value, longSpans);
  if (ms === null) throw new InvalidArgumentError("Use a number and a unit, like 30d, 12h or 2w.");
  return ms;
}

const latencies: DurationForm = {
  units: ["ms", "s"],
  bareUnit: "ms",
  maxDigits: 6,
  range: { least: 0, most: 600_000 },
};

/** Milliseconds as a bare number, or with a unit: `50`, `50ms`, `2s`. At most ten minutes. */
export function latency(value: string): number {
  const ms = parseDuration(value, latencies);
  if (ms === null)
    throw new InvalidArgumentError(
      "Use a number of milliseconds like 50 or 50ms, or of seconds like 2s. The most is 10 minutes.",
    );
  return ms;
}

const waitTimes: DurationForm = {
  units: ["ms", "s", "m", "h"],
  fractions: true,
  range: { least: 0, most: 24 * 3_600_000 },
};

/** `10m`, `30s`, `0s` as milliseconds. At most a day. */
export function waitTime(value: string): number {
  const ms = parseDuration(value, waitTimes);
  if (ms === null)
    throw new InvalidArgumentError("Use a number and a unit, like 30s or 10m; 0s does not wait. The most is 24h.");
  return ms;
}
