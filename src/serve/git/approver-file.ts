import { createHash } from "node:crypto";
import { EdgewiseError } from "../../core/errors.js";
import { readBounded } from "../../files/read-bounded.js";

/** A file of allowed signers, in the format of ssh-keygen: one line for each key. */
export interface ApproverFile {
  readonly lines: readonly SignerLine[];
}

interface SignerLine {
  /** Patterns of principals: `ann@example.com`, `*@example.com`, `!eve@example.com`. */
  readonly principals: readonly string[];
  /** `namespaces="git",valid-before="…"`; empty = none. */
  readonly options: string;
  /** `ssh-ed25519 AAAA…` */
  readonly key: string;
}

const mostBytes = 1024 * 1024;

/** @throws EdgewiseError `io` when it can't be read */
export async function readApproverFile(path: string): Promise<ApproverFile> {
  try {
    return parseApprovers((await readBounded(path, { most: mostBytes })).toString("utf8"));
  } catch (cause) {
    throw new EdgewiseError("io", `the allowed signers in ${path} can't be read`, { cause });
  }
}

/** Lines that are not understood are left out: they allow nothing. */
export function parseApprovers(text: string): ApproverFile {
  const lines = text.split(/\r?\n/u).flatMap((line): SignerLine[] => {
    const match = /^(?:"([^"]*)"|([^\s"#]\S*))\s(.+)$/u.exec(line.trim());
    if (match === null) return [];
    const [, quoted, plain, rest = ""] = match;
    const key = /(?:^|\s)((?:sk-)?(?:ssh|ecdsa)-[\w@.-]+\s+[A-Za-z0-9+/=]+)/u.exec(withoutQuoted(rest));
    if (key === null) return [];
    const options = rest.slice(0, key.index + (key[0].length - (key[1] ?? "").length)).trim();
    return [{ principals: (quoted ?? plain ?? "").split(","), options, key: key[1] ?? "" }];
  });
  return { lines };
}

/** Texts in quotation marks blanked, so that no option's value is taken for a key. */
function withoutQuoted(text: string): string {
  return text.replaceAll(/"[^"]*"/gu, (quoted) => "_".repeat(quoted.length));
}

/** All principals of a file, when none of them is a pattern; else null. */
export function literalPrincipals({ lines }: ApproverFile): readonly string[] | null {
  const all = new Set(lines.flatMap(({ principals }) => principals));
  const names = [...all].filter((name) => /^[\w.+@%=-]+$/u.test(name));
  return [...all].some((name) => /[*?!]/u.test(name)) || names.length > mostNames ? null : names;
}

/** More people than this are asked for by a pattern. */
const mostNames = 200;

/**
 * The same file for one principal alone, which it names literally; null when that has no key in it. A signature that is
 * good by this file is that principal's.
 */
export function signersFor({ lines }: ApproverFile, principal: string): string | null {
  const own = lines.filter((line) => isListed(principal, line.principals));
  if (own.length === 0) return null;
  return own
    .map(({ key, options }) => `${[`"${principal}"`, options, key].filter((part) => part !== "").join(" ")}\n`)
    .join("");
}

/** The fingerprints of all keys of a principal, whatever they may be used for and whenever: who signed, not whether it counts. */
export function everyKeyOf(files: readonly ApproverFile[], principal: string): ReadonlySet<string> {
  const own = files.flatMap(({ lines }) => lines.filter((line) => isListed(principal, line.principals)));
  return new Set(own.map(({ key }) => fingerprintOf(key)));
}

/** As git tells it. @param key `ssh-ed25519 AAAA…` */
function fingerprintOf(key: string): string {
  const digest = createHash("sha256").update(Buffer.from(key.split(/\s+/u)[1] ?? "", "base64"));
  return `SHA256:${digest.digest("base64").replaceAll("=", "")}`;
}

/** One pattern that matches is enough, unless a negated one matches, too: as OpenSSH has it. */
function isListed(principal: string, patterns: readonly string[]): boolean {
  if (patterns.some((pattern) => pattern.startsWith("!") && matches(principal, pattern.slice(1)))) return false;
  return patterns.some((pattern) => !pattern.startsWith("!") && matches(principal, pattern));
}

function matches(text: string, pattern: string): boolean {
  let [at, from, star, mark] = [0, 0, -1, 0];
  while (at < text.length) {
    if (pattern[from] === "*") {
      star = from;
      from += 1;
      mark = at;
    } else if (from < pattern.length && (pattern[from] === "?" || pattern[from] === text[at])) {
      from += 1;
      at += 1;
    } else if (star === -1) return false;
    else {
      from = star + 1;
      mark += 1;
      at = mark;
    }
  }
  return /^\**$/u.test(pattern.slice(from));
}
