import { InvalidArgumentError } from "commander";
import { parseMaxDeletes } from "../../config/config.js";
import { type DurationForm, parseDuration } from "../../core/duration.js";
import { EdgewiseError } from "../../core/errors.js";
import { didYouMean, suggest } from "../../diagnostics/suggest.js";
import { type ListedKind, addressExample, isAddress, kindNames, listedKinds } from "../../kinds/names.js";
import { plural } from "../../core/text.js";

export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

export function collectAddress(value: string, previous: readonly string[] | undefined): readonly string[] {
  if (isAddress(value)) return collect(value, previous);
  const [kind = "", ...name] = value.split("/");
  const meant = suggest(kind, kindNames);
  const hint = meant === null ? "" : ` Did you mean ${[meant, ...name].join("/")}?`;
  throw new InvalidArgumentError(`An address is Kind/name, like ${addressExample}.${hint}`);
}

/** The same for `--only` and `pull`: a name without its kind is refused once the manifests are known, which suggest one. */
export function collectOnly(value: string, previous: readonly string[] | undefined): readonly string[] {
  return value.includes("/") || value === "" ? collectAddress(value, previous) : collect(value, previous);
}

/** Collects arguments that are listed kinds, in any case, as one or as many: `TLSEdge`, `tlsedges`, `tls-edge`. */
export function collectKind(value: string, previous: readonly ListedKind[] | undefined): readonly ListedKind[] {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, "");
  const kind = listedKinds.find((each) => [each, plural(each)].map(plain).includes(plain(value)));
  if (kind !== undefined) return [...(previous ?? []), kind];
  const hint = didYouMean(value, listedKinds);
  throw new InvalidArgumentError(
    `Allowed choices are ${listedKinds.join(", ")}.${hint === null ? "" : ` ${hint}`} The service lists no other kinds.`,
  );
}

/** Collects a repeated flag that takes `name=value`. The value may be confidential, so no error quotes it. */
export function collectPair(value: string, previous: readonly string[] | undefined): readonly string[] {
  if (/^[^=]+=(?!=)/u.test(value)) return collect(value, previous);
  throw new EdgewiseError("usage", "--var and --label take NAME=VALUE", {
    remedy: "Write a name, one = and the value.",
  });
}

export function wholeNumber(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** `5` or `25%`, as text: the configuration parses it. */
export function countOrPercent(value: string): string {
  if (parseMaxDeletes(value) !== null) return value;
  throw new InvalidArgumentError("Use a number like 5, or a percentage of what the stack owns like 25%.");
}

export function planHash(value: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(value)) return value;
  throw new InvalidArgumentError("Use sha256: and 64 hex digits, as `edgewise plan --out FILE` prints it.");
}

/** `30d`, `12h`, `2w`, `90m` as milliseconds. */
export const duration = durationParser(
  { units: ["m", "h", "d", "w"], maxDigits: 6 },
  "Use a number and a unit, like 30d, 12h or 2w.",
);

/** Milliseconds as a bare number, or with a unit: `50`, `50ms`, `2s`. At most ten minutes. */
export const latency = durationParser(
  { units: ["ms", "s"], bareUnit: "ms", maxDigits: 6, range: { least: 0, most: 600_000 } },
  "Use a number of milliseconds like 50 or 50ms, or of seconds like 2s. The most is 10 minutes.",
);

/** `10m`, `30s`, `0s` as milliseconds. At most a day. */
export const waitTime = durationParser(
  { units: ["ms", "s", "m", "h"], fractions: true, range: { least: 0, most: 24 * 3_600_000 } },
  "Use a number and a unit, like 30s or 10m; 0s does not wait. The most is 24h.",
);

function durationParser(form: DurationForm, remedy: string): (value: string) => number {
  return (value) => {
    const ms = parseDuration(value, form);
    if (ms === null) throw new InvalidArgumentError(remedy);
    return ms;
  };
}
