import { type DurationForm, parseDuration } from "../core/duration.js";
import { EdgewiseError } from "../core/errors.js";

/** Which requests a fault applies to. All selectors must match. */
interface FaultSelector {
  /** Empty = every method. */
  readonly methods: readonly string[];
  /** Path with `*` for any characters; null = every path. */
  readonly path: string | null;
  /** From 0 to 1, for each request that the other selectors match. */
  readonly probability: number;
  /** Applies at most so many times; null = always. */
  readonly count: number | null;
  /** Lets so many matching requests pass first. */
  readonly skip: number;
}

/**
 * How a response is broken: `status` and `html` replace it, `truncate` cuts it off, `reset` cuts the connection, `rate`
 * answers 429 to what exceeds a number of requests in a rolling window.
 */
export type FaultEnd =
  | { readonly of: "status"; readonly status: number; readonly html: boolean }
  | { readonly of: "reset" }
  | { readonly of: "truncate" }
  | { readonly of: "rate"; readonly rate: { readonly requests: number; readonly windowMs: number } };

/** One `--fault`; see docs/sandbox.md. */
export interface Fault {
  /** The text that it was parsed from. */
  readonly spec: string;
  readonly select: FaultSelector;
  readonly delayMs: number;
  /** Lists show the state before so many of the last writes; 0 = the current state. */
  readonly staleWrites: number;
  /** Reads show the state of so many milliseconds ago; 0 = the current state. */
  readonly lagMs: number;
  /** Null = the response is not broken. */
  readonly end: FaultEnd | null;
  /** Whether the request is carried out before its response is broken. */
  readonly after: boolean;
  /** Seconds; `auto` = until the window has room; null = no Retry-After header. */
  readonly retryAfter: number | "auto" | null;
}

const remedy =
  "Write comma-separated actions (status=503, reset=before|after, delay=200ms, stale, lag=3s, truncate, html, rate=120/min, " +
  "retry-after=2) and selectors (method=POST, path=/edges/tls*, probability=0.1, count=3, skip=2).";
const methods = ["GET", "POST", "PATCH", "PUT", "DELETE"];
const durations: DurationForm = { units: ["ms", "s", "m"], maxDigits: 7, range: { least: 1, most: 600_000 } };
const withoutValue = new Set(["stale", "truncate", "html"]);
const withValue = new Set(
  "status reset delay stale lag rate retry-after when method path probability count skip".split(" "),
);

/**
 * Parses the spec of a fault: `status=503,method=POST,count=2`.
 * @throws EdgewiseError `usage` that names the wrong part
 */
export function parseFault(spec: string): Fault {
  const parts = partsOf(spec);
  const error = (why: string): EdgewiseError => unusable(spec, why);
  const whole = (key: string, least: number, most: number, otherwise: number): number => {
    const text = parts.get(key) ?? String(otherwise);
    const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) throw error(`${key} must be a whole number from ${least} to ${most}`);
    return value;
  };
  /** Milliseconds; 0 when the part is missing. */
  const duration = (key: "delay" | "lag"): number => {
    const ms = parts.has(key) ? parseDuration(parts.get(key) ?? "", durations) : 0;
    if (ms === null) throw error(`${key} must be like 200ms or 2s, at most 10m`);
    return ms;
  };
  const status = (): FaultEnd => {
    const html = parts.has("html");
    const code = whole("status", html ? 200 : 400, 599, 502);
    if (code === 204 || code === 304) throw error(`a response of status ${code} has no body`);
    return { of: "status", status: code, html };
  };
  const rate = (): FaultEnd => {
    const [, digits, per] = /^(\d{1,6})\/(s|min)$/.exec(parts.get("rate") ?? "") ?? [];
    const requests = Number(digits ?? 0);
    if (requests === 0) throw error("rate must be like 120/min or 10/s");
    return { of: "rate", rate: { requests, windowMs: per === "s" ? 1000 : 60_000 } };
  };
  const ends = [
    ...(parts.has("status") || parts.has("html") ? [{ name: "status or html", read: status }] : []),
    ...(parts.has("reset") ? [{ name: "reset", read: (): FaultEnd => ({ of: "reset" }) }] : []),
    ...(parts.has("truncate") ? [{ name: "truncate", read: (): FaultEnd => ({ of: "truncate" }) }] : []),
    ...(parts.has("rate") ? [{ name: "rate", read: rate }] : []),
  ];
  if (ends.length > 1) throw error(`${ends.map(({ name }) => name).join(" and ")} can't both end one response`);
  const end = ends[0]?.read() ?? null;
  const [delayMs, lagMs] = [duration("delay"), duration("lag")];
  const staleWrites = parts.has("stale") ? whole("stale", 1, 10_000, 1) : 0;
  if (lagMs > 0 && staleWrites > 0) throw error("stale and lag can't both say how far reads are behind");
  if (end === null && delayMs === 0 && staleWrites === 0 && lagMs === 0)
    throw error("it selects requests but has no action");

  if (parts.has("when") && end?.of !== "status") throw error("when= belongs to status= and html");
  const timeKey = parts.has("reset") ? "reset" : "when";
  const time = parts.get(timeKey) ?? "before";
  if (time !== "before" && time !== "after") throw error(`${timeKey} must be before or after`);
  if (parts.has("retry-after") && end?.of !== "status" && end?.of !== "rate")
    throw error("retry-after= belongs to status= and rate=");
  const isAuto = parts.get("retry-after") === "auto" && end?.of === "rate";

  const named = parts.get("method")?.toUpperCase().split("|") ?? [];
  if (named.some((each) => !methods.includes(each)))
    throw error(`method must be one of ${methods.join(", ")}, or several joined by |`);
  const path = parts.get("path") ?? null;
  if (path !== null && !/^[/*]/.test(path)) throw error("path must begin with / or *");
  const chance = parts.get("probability") ?? "1";
  const probability = /^(\d+(\.\d+)?|\.\d+)$/.test(chance) ? Number(chance) : Number.NaN;
  if (!(probability > 0 && probability <= 1)) throw error("probability must be above 0 and at most 1");
  return {
    spec,
    select: {
      methods: named,
      path,
      probability,
      count: parts.has("count") ? whole("count", 1, 1_000_000, 0) : null,
      skip: parts.has("skip") ? whole("skip", 1, 1_000_000, 0) : 0,
    },
    delayMs,
    staleWrites,
    lagMs,
    end,
    after: end?.of === "truncate" || time === "after",
    retryAfter: isAuto ? "auto" : parts.has("retry-after") ? whole("retry-after", 0, 86_400, 0) : null,
  };
}

/** The comma-separated parts of a spec by their keys; null = the part has no value. */
function partsOf(spec: string): ReadonlyMap<string, string | null> {
  const values = new Map<string, string | null>();
  for (const part of spec.split(",")) {
    const equals = part.indexOf("=");
    const key = (equals < 0 ? part : part.slice(0, equals)).trim();
    const value = equals < 0 ? null : part.slice(equals + 1).trim();
    if (!withValue.has(key) && !withoutValue.has(key))
      throw unusable(spec, key === "" ? "a part is empty" : `"${key}" is neither an action nor a selector`);
    if (value === null && !withoutValue.has(key)) throw unusable(spec, `"${key}" needs a value, like ${key}=…`);
    if (value !== null && !withValue.has(key)) throw unusable(spec, `"${key}" takes no value`);
    if (values.has(key)) throw unusable(spec, `"${key}" is given twice`);
    values.set(key, value);
  }
  return values;
}

function unusable(spec: string, why: string): EdgewiseError {
  return new EdgewiseError("usage", `the fault "${spec}" can't be used: ${why}`, { remedy });
}
