import { type DurationForm, parseDuration } from "../core/duration.js";
import { EdgewiseError } from "../core/errors.js";
import { matchesWildcards } from "../core/wildcards.js";

/** `rate`: 429 to what exceeds it in a rolling window. */
type FaultEnd =
  | Readonly<{ of: "status"; status: number; html: boolean }>
  | Readonly<{ of: "reset" | "truncate" }>
  | Readonly<{ of: "rate"; requests: number; windowMs: number }>;

export type Fault = Readonly<{
  spec: string;
  methods: readonly string[];
  path: string;
  probability: number;
  count: number;
  skip: number;
  delayMs: number;
  /** How old the state is that reads show. */
  lagMs: number;
  end: FaultEnd | null;
  /** Whether the request is carried out first. */
  after: boolean;
  /** In seconds; `auto` = until the window has room. */
  retryAfter: number | "auto" | null;
}>;

type Form<T> = readonly [read: (text: string) => T | null, must: string, bare?: T];

function whole(least: number, most: number): Form<number> {
  const read = (text: string): number | null =>
    /^\d{1,7}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : null;
  return [read, `a whole number from ${least} to ${most}`];
}

function oneOf<T extends string>(...values: readonly T[]): Form<T> {
  return [(text) => values.find((each) => each === text) ?? null, values.join(" or ")];
}

const methods = ["GET", "POST", "PATCH", "PUT", "DELETE"];
const durations: DurationForm = { units: ["ms", "s", "m"], maxDigits: 7, range: { least: 1, most: 600_000 } };
const duration: Form<number> = [(text) => parseDuration(text, durations), "like 200ms or 2s, at most 10m"];
const flag: Form<boolean> = [() => null, "given without a value", true];
const [readSeconds, seconds] = whole(0, 86_400);

function readRate(text: string) {
  const [, digits, per] = /^(\d{1,6})\/(s|min)$/.exec(text) ?? [];
  return Number(digits) > 0 ? { requests: Number(digits), windowMs: per === "s" ? 1000 : 60_000 } : null;
}

function readMethods(text: string): readonly string[] | null {
  const named = text.toUpperCase().split("|");
  return named.every((each) => methods.includes(each)) ? named : null;
}

function readProbability(text: string): number | null {
  const value = /^(\d+(\.\d+)?|\.\d+)$/.test(text) ? Number(text) : 0;
  return value > 0 && value <= 1 ? value : null;
}

const forms = {
  status: whole(200, 599),
  reset: oneOf("before", "after"),
  delay: duration,
  lag: duration,
  truncate: flag,
  html: flag,
  rate: [readRate, "like 120/min or 10/s"] as Form<NonNullable<ReturnType<typeof readRate>>>,
  "retry-after": [(text) => (text === "auto" ? text : readSeconds(text)), seconds] as Form<number | "auto">,
  when: oneOf("before", "after"),
  method: [readMethods, `one of ${methods.join(", ")}, or several joined by |`] as Form<readonly string[]>,
  path: [(text) => (/^[/*]/.test(text) ? text : null), "a path that begins with / or *"] as Form<string>,
  probability: [readProbability, "above 0 and at most 1"] as Form<number>,
  count: whole(1, 1_000_000),
  skip: whole(1, 1_000_000),
};
const formOf: ReadonlyMap<string, Form<unknown>> = new Map(Object.entries(forms));

type Parts = { readonly [K in keyof typeof forms]?: NonNullable<ReturnType<(typeof forms)[K][0]>> };

const remedy =
  "Write comma-separated actions (status=503, reset=before|after, delay=200ms, lag=3s, truncate, html, rate=120/min, " +
  "retry-after=2) and selectors (method=POST, path=/edges/tls*, probability=0.1, count=3, skip=2).";

/** @throws EdgewiseError `usage` that names the wrong part */
export function parseFault(spec: string): Fault {
  const error = (why: string): EdgewiseError =>
    new EdgewiseError("usage", `the fault "${spec}" can't be used: ${why}`, { remedy });
  const parts = readParts(spec, error);
  const { delay: delayMs = 0, html = false, lag: lagMs = 0, rate, reset, truncate, when } = parts;
  const { status = html ? 502 : undefined, "retry-after": retryAfter = null } = parts;
  const ends: readonly (FaultEnd | false)[] = [
    status !== undefined && { of: "status", status, html },
    reset !== undefined && { of: "reset" },
    truncate !== undefined && { of: "truncate" },
    rate !== undefined && { of: "rate", ...rate },
  ];
  const [end = null, other] = ends.filter((each) => each !== false);
  if (end !== null && other !== undefined) throw error(`${end.of} and ${other.of} can't both end one response`);
  if (status !== undefined && status < 400 && !html) throw error("status must be a whole number from 400 to 599");
  if (end === null && delayMs + lagMs === 0) throw error("it selects requests but has no action");
  if (when !== undefined && end?.of !== "status") throw error("when= belongs to status= and html");
  if (retryAfter !== null && end?.of !== "status" && end?.of !== "rate")
    throw error("retry-after= belongs to status= and rate=");
  if (retryAfter === "auto" && end?.of !== "rate") throw error(`retry-after must be ${seconds}`);
  const { count = Infinity, method = [], path = "*", probability = 1, skip = 0 } = parts;
  const after = truncate === true || (reset ?? when) === "after";
  return { spec, methods: method, path, probability, count, skip, delayMs, lagMs, end, after, retryAfter };
}

function readParts(spec: string, error: (why: string) => EdgewiseError): Parts {
  const parts = new Map<string, unknown>();
  for (const part of spec.split(",")) {
    const equals = part.indexOf("=");
    const key = (equals < 0 ? part : part.slice(0, equals)).trim();
    const form = formOf.get(key);
    if (form === undefined)
      throw error(key === "" ? "a part is empty" : `"${key}" is neither an action nor a selector`);
    const [read, must, bare] = form;
    const value = equals < 0 ? bare : read(part.slice(equals + 1).trim());
    if (value === undefined) throw error(`"${key}" needs a value, like ${key}=…`);
    if (value === null) throw error(`${key} must be ${must}`);
    if (parts.has(key)) throw error(`"${key}" is given twice`);
    parts.set(key, value);
  }
  // Each was read by the form of its key.
  return Object.fromEntries(parts) as Parts;
}

export type AppliedFaults = Pick<Fault, "delayMs" | "lagMs" | "after"> &
  Readonly<{
    specs: readonly string[];
    end: Exclude<FaultEnd, { readonly of: "rate" }> | null;
    retryAfter: number | null;
  }>;

/** Delays add up; of the faults that end a response, the first counts. */
export class FaultInjector {
  /** `times`: of the requests in a rate's window. */
  readonly #counters: { readonly fault: Fault; times: number[]; selected: number; applied: number }[];

  constructor(faults: readonly Fault[]) {
    this.#counters = faults.map((fault) => ({ fault, times: [], selected: 0, applied: 0 }));
  }

  get mostLag(): number {
    return Math.max(0, ...this.#counters.map(({ fault }) => fault.lagMs));
  }

  apply(method: string, path: string, now: number): AppliedFaults {
    const specs: string[] = [];
    let [delayMs, lagMs] = [0, 0];
    let ending: Pick<AppliedFaults, "end" | "after" | "retryAfter"> = { end: null, after: false, retryAfter: null };
    for (const counter of this.#counters) {
      const { fault } = counter;
      const { after, end, methods: wanted, retryAfter } = fault;
      // A later fault that would end it again doesn't count.
      if ((end !== null && ending.end !== null) || counter.applied >= fault.count) continue;
      if ((wanted.length > 0 && !wanted.includes(method)) || !matchesWildcards(fault.path, path)) continue;
      counter.selected += 1;
      if (counter.selected <= fault.skip || Math.random() >= fault.probability) continue;
      let room = 0;
      if (end?.of === "rate") {
        counter.times = counter.times.filter((time) => time > now - end.windowMs);
        const first = counter.times.at(-end.requests);
        if (first === undefined) {
          counter.times.push(now);
          continue;
        }
        room = first + end.windowMs - now;
      }
      counter.applied += 1;
      specs.push(fault.spec);
      delayMs += fault.delayMs;
      lagMs = Math.max(lagMs, fault.lagMs);
      if (end === null) continue;
      ending = {
        end: end.of === "rate" ? { of: "status", status: 429, html: false } : end,
        after,
        retryAfter: retryAfter === "auto" ? Math.ceil(room / 1000) : retryAfter,
      };
    }
    return { specs, delayMs, lagMs, ...ending };
  }
}
