import { isIPv4 } from "node:net";
import { isAbsolute, resolve } from "node:path";
import { schemaCodes } from "../diagnostics/codes.js";
import type { DocumentPath } from "../core/document-path.js";
import { type DurationForm, parseDuration } from "../core/duration.js";
import { isInside } from "../files/real-path.js";
import { configDefaults } from "../generated/config-defaults.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { withoutSlashes } from "../core/text.js";
import { versionHeaderProblem } from "../core/version-header.js";
import type { ApiConfig, ConfigInput } from "./config.js";
import type { ConfigFile } from "./read-config-file.js";
import { badSetting, setting } from "./setting.js";

type ApiMembers = NonNullable<ConfigDocument["api"]>;

/** Where the members come from, to find the place of a problem. */
interface ApiSource {
  readonly file: ConfigFile;
  readonly environment: string | null;
}

/** What the members depend on besides the file. */
type ApiInput = Pick<ConfigInput, "env" | "flags" | "offline">;

/**
 * Where the service is and how to call it.
 * @param members `api` of the configuration, merged with the environment's
 * @param root the configuration's directory, absolute
 * @throws ConfigProblems or EdgewiseError for unusable values
 */
export function apiConfig(
  input: ApiInput,
  members: ApiMembers,
  root: string,
  file: ConfigFile | null,
  environment: string | null,
): ApiConfig {
  const source = file === null ? null : { file, environment };
  return {
    ...baseUrlOf(input, members, source),
    versionHeader: versionHeaderOf(input, members, source),
    requestsPerMinute: members.requestsPerMinute ?? null,
    timeoutMs: durationOf("timeout", members, source),
    deadlineMs: durationOf("deadline", members, source),
    settleMs: durationOf("settle", members, source),
    moduleEndpoints: members.moduleEndpoints ?? [],
    pageCache: pageCacheOf(members.pageCache ?? null, root, source),
  };
}

/**
 * `--base-url` wins. Otherwise a file whose origin differs from that of `EDGEWISE_BASE_URL` is refused, because whoever
 * can change the file could have the API key sent elsewhere.
 */
function baseUrlOf(
  { env, flags, offline }: ApiInput,
  members: ApiMembers,
  source: ApiSource | null,
): Pick<ApiConfig, "baseUrl" | "baseUrlFrom"> {
  const insecure = flags.allowInsecureHttp === true;
  const given = setting(flags.baseUrl, "--base-url", env, "EDGEWISE_BASE_URL");
  const checked = given === null ? null : checkBaseUrl(given.value, insecure);
  if (given !== null && checked !== null && "problem" in checked)
    throw badSetting(given, checked.problem, checked.remedy);
  if (given?.from === "flag" && checked !== null && "url" in checked) {
    return { baseUrl: checked.url, baseUrlFrom: () => given.name };
  }

  const text = members.baseUrl ?? null;
  const fromFile = text === null ? null : checkBaseUrl(text, insecure);
  if (fromFile !== null && source !== null) {
    if ("problem" in fromFile) throw problemAt(source, "baseUrl", { code: "bad-base-url", ...fromFile });
    if (offline !== true && checked !== null && "url" in checked && checked.origin !== fromFile.origin) {
      const { remedy } = schemaCodes["base-url-elsewhere"];
      const problem = `is a different host than EDGEWISE_BASE_URL (${checked.origin}): a change to this file must not send the API key elsewhere`;
      throw problemAt(source, "baseUrl", { code: "base-url-elsewhere", problem, remedy });
    }
  }
  const usable = checked ?? fromFile;
  if (usable === null || !("url" in usable)) return { baseUrl: null, baseUrlFrom: () => null };
  return {
    baseUrl: usable.url,
    baseUrlFrom: () => given?.name ?? (source === null ? null : placeOf(source, "baseUrl")),
  };
}

/** Where a member of `api` is written: in the environment when that sets it. */
function placeOf(source: ApiSource, member: keyof ApiMembers): string {
  const { environment, file } = source;
  const path = pathOf(source, member);
  const of = path.length > 2 && environment !== null ? ` of environment ${environment}` : "";
  return `api.${member}${of} in ${file.name}:${file.lineOf(path)}`;
}

function pathOf({ environment, file }: ApiSource, member: keyof ApiMembers): DocumentPath {
  const overlay = environment === null ? undefined : file.document.environments?.[environment]?.api;
  const inOverlay = environment !== null && Object.hasOwn(overlay ?? {}, member);
  return inOverlay ? ["environments", environment, "api", member] : ["api", member];
}

function versionHeaderOf({ env, flags }: ApiInput, members: ApiMembers, source: ApiSource | null): string {
  const given = setting(flags.versionHeader, "--version-header", env, "EDGEWISE_VERSION_HEADER");
  const name = given?.value ?? members.versionHeader ?? configDefaults.api.versionHeader;
  const problem = versionHeaderProblem(name);
  if (problem === null) return name;
  const { remedy } = schemaCodes["bad-version-header"];
  if (given !== null) throw badSetting(given, problem, remedy);
  throw problemAt(source, "versionHeader", { code: "bad-version-header", problem, remedy });
}

/** It is written to, and whoever changes the configuration must not choose a file elsewhere, or in `.git`. */
function pageCacheOf(path: string | null, root: string, source: ApiSource | null): string | null {
  if (path === null) return null;
  const hidden = path.split(/[\\/]/u).some((part) => part.startsWith("."));
  const file = resolve(root, path);
  if (!hidden && !isAbsolute(path) && isInside(root, file) && file !== root) return file;
  throw problemAt(source, "pageCache", {
    code: "bad-page-cache",
    problem:
      "must be a relative path to a file inside the configuration's directory, without a part that begins with a dot",
    remedy: schemaCodes["bad-page-cache"].remedy,
  });
}

/** Timers can't wait longer than 2³¹ − 1 ms, almost 25 days; one day is plenty. */
export const waits: DurationForm = {
  units: ["ms", "s", "m", "h"],
  fractions: true,
  range: { least: 1, most: 24 * 3_600_000 },
};

function durationOf(member: "timeout" | "deadline" | "settle", members: ApiMembers, source: ApiSource | null): number {
  const text = members[member] ?? null;
  const ms = text === null ? configDefaults.api[member] : parseDuration(text, waits);
  if (ms !== null) return ms;
  throw problemAt(source, member, {
    code: "out-of-range",
    problem: "must be longer than 0 and at most 24h",
    remedy: "Use a duration in this range.",
  });
}

/** What is wrong with a member of `api`. */
interface MemberProblem {
  readonly code: "bad-base-url" | "base-url-elsewhere" | "bad-version-header" | "bad-page-cache" | "out-of-range";
  /** Continues `api.<member>`. */
  readonly problem: string;
  readonly remedy: string;
}

/** The error for a member of `api`, at its place in the file: in the environment when that sets it. */
function problemAt(
  source: ApiSource | null,
  member: keyof ApiMembers,
  { code, problem, remedy }: MemberProblem,
): Error {
  const message = `api.${member} ${problem}`;
  // Without a file there are only defaults, which are valid.
  if (source === null) return new RangeError(message);
  return source.file.problem(pathOf(source, member), code, message, remedy);
}

/** A usable base URL, or what is wrong with it. Messages never quote the URL: it may contain a password. */
export type CheckedBaseUrl =
  | { readonly url: string; readonly origin: string }
  | { readonly problem: string; readonly remedy: string };

/**
 * Checks that a base URL is https, or http on loopback (anywhere with `allowInsecureHttp`), and has no user, query or
 * fragment, because requests append their paths. Removes slashes at the end.
 */
export function checkBaseUrl(text: string, allowInsecureHttp: boolean): CheckedBaseUrl {
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text)) {
    return { problem: "is not an http or https URL", remedy: "Write it like https://api.example.com." };
  }
  const url = new URL(text);
  // Parsing drops an empty user or query, so the text is checked too.
  const authority = text.split("/")[2] ?? "";
  if (url.username !== "" || url.password !== "" || authority.includes("@")) {
    return { problem: "contains a user or password", remedy: "Remove it: the API key goes into EDGEWISE_API_KEY." };
  }
  if (text.includes("?") || text.includes("#")) {
    return { problem: "has a query or fragment", remedy: "Remove everything from ? or # on." };
  }
  if (/[\s\\]/.test(text)) return { problem: "contains a blank or backslash", remedy: "Remove it." };
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowInsecureHttp) {
    return {
      problem: "is plain http to another machine, which would send the API key unencrypted",
      remedy: "Use https, or give --allow-insecure-http if you must.",
    };
  }
  return { url: withoutSlashes(url.origin + url.pathname), origin: url.origin };
}

/** Whether a host is this machine: a name or an address, IPv6 with or without brackets. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (host === "localhost" || host === "::1" || host === "::ffff:127.0.0.1") return true;
  return isIPv4(host) && host.startsWith("127.");
}
