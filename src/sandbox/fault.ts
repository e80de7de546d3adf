import { EdgewiseError } from "../errors.js";

/** Which requests a fault strikes. All selectors must agree. */
interface FaultSelector {
  /** Empty = every method. */
  readonly methods: readonly string[];
  /** Path with `*` for any characters; null = every path. */
  readonly path: string | null;
  /** Of each request that the rest selects, 0–1. */
  readonly probability: number;
  /** Strikes at most so often; null = always. */
  readonly count: number | null;
  /** Lets so many selected requests pass first. */
  readonly skip: number;
}

/** A ceiling of requests in a rolling window; what exceeds it is answered with 429. */
export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

/** How an answer is spoilt; null = it is not. `status` and `html` are instead of the answer, `truncate` cuts it. */
export type FaultEnd =
  | { readonly of: "status"; readonly status: number; readonly html: boolean }
  | { readonly of: "reset" }
  | { readonly of: "truncate" }
  | { readonly of: "rate"; readonly rate: Rate };

/** One way of misbehaving: `--fault`, docs/sandbox.md. */
export interface Fault {
  /** The spec that it was read from. */
  readonly spec: string;
  readonly select: FaultSelector;
  readonly delayMs: number;
  /** Lists answer the state before so many of the last writes; 0 = the state now. */
  readonly staleWrites: number;
  readonly end: FaultEnd | null;
  /** Whether the request is carried out before its answer is spoilt. */
  readonly after: boolean;
  /** Seconds; `auto` = until the window has room; null = no Retry-After header. */
  readonly retryAfter: number | "auto" | null;
}

const remedy =
  "Write comma-separated actions (status=503, reset=before|after, delay=200ms, stale, truncate, html, rate=120/min, " +
  "retry-after=2) and selectors (method=POST, path=/edges/tls*, probability=0.1, count=3, skip=2).";
const methods = ["GET", "POST", "PATCH", "PUT", "DELETE"];

type Parts = ReadonlyMap<string, string | null>;

/**
 * Reads the spec of a fault: `status=503,method=POST,count=2`.
 * @throws EdgewiseError `usage` that says which part is wrong
 */
export function parseFault(spec: string): Fault {
  const parts = splitFault(spec);
  const end = readEnd(parts, spec);
  const delayMs = readDelay(parts.get("delay"), spec);
  const staleWrites = parts.has("stale") ? readWhole(parts.get("stale") ?? "1", "stale", 1, 10_000, spec) : 0;
  if (end === null && delayMs === 0 && staleWrites === 0)
    throw faultError(spec, "it says what to strike, but not what to do");
  const retryAfter = readRetryAfter(parts, end, spec);
  return {
    spec,
    select: {
      methods: readMethods(parts.get("method"), spec),
      path: readPath(parts.get("path"), spec),
      probability: readProbability(parts.get("probability"), spec),
      count: parts.has("count") ? readWhole(parts.get("count") ?? "", "count", 1, 1_000_000, spec) : null,
      skip: parts.has("skip") ? readWhole(parts.get("skip") ?? "", "skip", 1, 1_000_000, spec) : 0,
    },
    delayMs,
    staleWrites,
    end,
    after: readAfter(parts, end, spec),
    retryAfter,
  };
}

const withValue = new Set([
  "status",
  "reset",
  "delay",
  "stale",
  "rate",
  "retry-after",
  "when",
  "method",
  "path",
  "probability",
  "count",
  "skip",
]);
const withoutValue = new Set(["stale", "truncate", "html"]);

function splitFault(spec: string): Parts {
  const parts = new Map<string, string | null>();
  for (const part of spec.split(",")) {
    const equals = part.indexOf("=");
    const key = (equals < 0 ? part : part.slice(0, equals)).trim();
    const value = equals < 0 ? null : part.slice(equals + 1).trim();
    if (!withValue.has(key) && !withoutValue.has(key)) {
      throw faultError(spec, key === "" ? "a part is empty" : `"${key}" is neither an action nor a selector`);
    }
    if (value === null && !withoutValue.has(key)) throw faultError(spec, `"${key}" needs a value, like ${key}=…`);
    if (value !== null && !withValue.has(key)) throw faultError(spec, `"${key}" takes no value`);
    if (parts.has(key)) throw faultError(spec, `"${key}" stands in it twice`);
    parts.set(key, value);
  }
  return parts;
}

function readEnd(parts: Parts, spec: string): FaultEnd | null {
  const named = ["reset", "truncate", "rate"].filter((key) => parts.has(key));
  if (parts.has("status") || parts.has("html")) named.unshift("status or html");
  if (named.length > 1) throw faultError(spec, `${named.join(" and ")} can't both end one answer`);
  if (parts.has("reset")) return { of: "reset" };
  if (parts.has("truncate")) return { of: "truncate" };
  const rate = parts.get("rate");
  if (rate !== undefined) return { of: "rate", rate: readRate(rate ?? "", spec) };
  if (named.length === 0) return null;
  const html = parts.has("html");
  const text = parts.get("status") ?? "502";
  const status = readWhole(text, "status", html ? 200 : 400, 599, spec);
  if (status === 204 || status === 304) throw faultError(spec, `an answer of status ${status} has no body`);
  return { of: "status", status, html };
}

function readAfter(parts: Parts, end: FaultEnd | null, spec: string): boolean {
  const reset = parts.get("reset");
  if (parts.has("when") && end?.of !== "status") throw faultError(spec, "when= belongs to status= and html");
  if (end?.of === "truncate") return true;
  const key = reset === undefined ? "when" : "reset";
  const value = parts.get(key) ?? "before";
  if (value !== "before" && value !== "after") throw faultError(spec, `${key} must be before or after`);
  return value === "after";
}

function readRetryAfter(parts: Parts, end: FaultEnd | null, spec: string): number | "auto" | null {
  const text = parts.get("retry-after");
  if (text === undefined || text === null) return null;
  if (end?.of !== "status" && end?.of !== "rate") throw faultError(spec, "retry-after= belongs to status= and rate=");
  if (text === "auto" && end.of === "rate") return "auto";
  return readWhole(text, "retry-after", 0, 86_400, spec);
}

function readRate(text: string, spec: string): Rate {
  const match = /^(\d{1,6})\/(s|min)$/.exec(text);
  const requests = Number(match?.[1] ?? 0);
  if (match === null || requests === 0) throw faultError(spec, "rate must be like 120/min or 10/s");
  return { requests, windowMs: match[2] === "s" ? 1000 : 60_000 };
}

function readDelay(text: string | null | undefined, spec: string): number {
  if (text === undefined) return 0;
  const ms = durationMs(text ?? "");
  if (ms === null || ms === 0 || ms > 600_000) throw faultError(spec, "delay must be like 200ms or 2s, at most 10m");
  return ms;
}

function readMethods(text: string | null | undefined, spec: string): readonly string[] {
  if (text === undefined || text === null) return [];
  const named = text.toUpperCase().split("|");
  const odd = named.find((each) => !methods.includes(each));
  if (odd !== undefined) throw faultError(spec, `method must be of ${methods.join(", ")}, several joined by |`);
  return named;
}

function readPath(text: string | null | undefined, spec: string): string | null {
  if (text === undefined || text === null) return null;
  if (!/^[/*]/.test(text)) throw faultError(spec, "path must begin with / or *");
  return text;
}

function readProbability(text: string | null | undefined, spec: string): number {
  if (text === undefined || text === null) return 1;
  const value = /^(\d+(\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (!(value > 0 && value <= 1)) throw faultError(spec, "probability must be above 0 and at most 1");
  return value;
}

function readWhole(text: string, key: string, least: number, most: number, spec: string): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw faultError(spec, `${key} must be a whole number from ${least} to ${most}`);
  return value;
}

function faultError(spec: string, why: string): EdgewiseError {
  return new EdgewiseError("usage", `the fault "${spec}" can't be used: ${why}`, { remedy });
}

/** Milliseconds of `200ms`, `2s`, `1m`; null when the text is no such thing. */
function durationMs(text: string): number | null {
  const match = /^(\d{1,7})(ms|s|m)$/.exec(text);
  if (match === null) return null;
  return Number(match[1]) * (match[2] === "ms" ? 1 : match[2] === "s" ? 1000 : 60_000);
}
