import { matchesWildcards } from "../../core/wildcards.js";
import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { limits } from "../../core/limits.js";
import { readBounded } from "../../files/read-bounded.js";
import { trustedProgram } from "../../git/git-program.js";
import { sizesOf } from "../../git/object-reader.js";
import { repositoryRun, runGit } from "../../git/run-git.js";
import { type FetchBounds, type FetchNeeds, FetchProblem, runToEnd, tooLarge } from "./fetch-tip.js";

export interface SignatureChecker {
  readonly clone: FetchNeeds["clone"];
  readonly bounds: FetchBounds;
  readonly keygen: string;
}

export async function signatureChecker({ clone }: FetchNeeds, bounds: FetchBounds): Promise<SignatureChecker> {
  const keygen = await trustedProgram(clone.git, "ssh-keygen", clone.gitDir);
  if (keygen !== null) return { clone, bounds, keygen };
  throw new FetchProblem("unusable", "ssh-keygen is needed to check signatures, and is not on the PATH");
}

export interface SignedCommit {
  readonly commit: string;
  /** Null = none of the allowed signers. */
  readonly signer: string | null;
  readonly key: string | null;
  readonly emails: readonly string[];
}

const commitsAtOnce = 100;

/** A key's times of validity count when the commit was made. */
export async function signedCommits(
  { bounds, clone, keygen }: SignatureChecker,
  commits: readonly string[],
  signers: string,
): Promise<readonly SignedCommit[]> {
  const large = (await sizesOf(clone, commits)).findIndex((size) => size > limits.commitBytes);
  if (large !== -1) throw new FetchProblem("too-large", tooLarge((commits[large] ?? "").slice(0, 12)));
  // Git checks ssh's signatures against the file, and runs nothing else.
  const settings = [
    "gpg.format=ssh",
    `gpg.ssh.allowedSignersFile=${signers}`,
    `gpg.ssh.program=${keygen}`,
    "gpg.ssh.revocationFile=",
    "gpg.ssh.defaultKeyCommand=",
    "gpg.minTrustLevel=fully",
    "gpg.openpgp.program=false",
    "gpg.x509.program=false",
  ].flatMap((setting) => ["-c", setting]);
  const format = ["%H", "%G?", "%GK", "%GS", "%ae", "%ce"].join("%x00");
  const found: SignedCommit[] = [];
  for (let from = 0; from < commits.length; from += commitsAtOnce) {
    const some = commits.slice(from, from + commitsAtOnce);
    const run = repositoryRun(clone, [...settings, "log", "--no-walk", `--format=${format}`, ...some, "--"]);
    // Git hands the signature to ssh-keygen in a file, and a container may have no other place for one.
    const environment = { ...run.environment, TMPDIR: clone.gitDir };
    const { ok, stdout, stopped } = await runToEnd({ ...run, environment }, bounds);
    if (stopped !== null) throw new FetchProblem("unreachable", "checking signatures was stopped");
    const lines = stdout.toString("utf8").split("\n").slice(0, -1);
    if (!ok || lines.length !== some.length)
      throw new FetchProblem("unusable", `the signatures of the commits up to ${some[0] ?? ""} can't be checked`);
    for (const line of lines) {
      const [commit = "", status = "", key = "", signer = "", ...emails] = line.split("\0");
      // `G`: a good signature of an allowed signer; `U`: of somebody else.
      const isSigned = status === "G" || status === "U";
      found.push({ commit, signer: status === "G" ? signer : null, key: isSigned ? key : null, emails });
    }
  }
  return found;
}

const signatureBegins = Buffer.from("-----BEGIN SSH SIGNATURE-----");

/**
 * The key with which somebody signed a tag (`SHA256:…`), when it is theirs in the file and valid by the clock of this
 * machine: the date in a tag is whatever the signer wrote.
 */
export async function tagKey(
  { bounds, clone, keygen }: SignatureChecker,
  object: string,
  { signers, principal }: { readonly signers: string; readonly principal: string },
): Promise<string | null> {
  const content = (await runGit(clone, ["cat-file", "tag", object])).stdout;
  const end = content.indexOf(signatureBegins);
  if (end === -1) return null;
  const signature = join(clone.gitDir, "approver-signature");
  await writeFile(signature, content.subarray(end), { mode: 0o600 });
  const args = ["-Y", "verify", "-n", "git", "-f", signers, "-I", principal, "-s", signature];
  const { deadline: timeout, signal } = bounds;
  const options = { cwd: clone.gitDir, env: clone.git.environment, timeout, signal, windowsHide: true };
  const said = await new Promise<string>((resolve) => {
    const child = execFile(keygen, args, options, (error, stdout) => resolve(error === null ? stdout : ""));
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(content.subarray(0, end));
  });
  if (signal.aborted) throw new FetchProblem("unreachable", "checking the signature was stopped");
  // `Good "git" signature for ann@example.com with ED25519 key SHA256:…`
  const start = `Good "git" signature for ${principal} with `;
  const good = said.split("\n").find((line) => line.startsWith(start));
  return good === undefined ? null : (good.split(" ").at(-1) ?? null);
}

export interface AllowedSigner {
  readonly principals: readonly string[];
  readonly key: string;
}

const mostBytes = 1024 * 1024;

/** Lines that are not understood allow nothing. */
export async function readSigners(path: string): Promise<readonly AllowedSigner[]> {
  let text: string;
  try {
    text = readBounded(path, { most: mostBytes }).toString("utf8");
  } catch (cause) {
    throw new EdgewiseError("io", `the allowed signers in ${path} can't be read`, { cause });
  }
  return text.split(/\r?\n/u).flatMap((line): AllowedSigner[] => {
    const [, quoted, plain, rest = ""] = /^(?:"([^"]*)"|([^\s"#]\S*))\s(.+)$/u.exec(line.trim()) ?? [];
    // No option's value is taken for a key.
    const options = rest.replaceAll(/"[^"]*"/gu, (value) => "_".repeat(value.length));
    const [, key] = /(?:^|\s)(?:sk-)?(?:ssh|ecdsa)-[\w@.-]+\s+([A-Za-z0-9+/=]+)/u.exec(options) ?? [];
    if (key === undefined) return [];
    const digest = createHash("sha256").update(Buffer.from(key, "base64")).digest("base64").replaceAll("=", "");
    return [{ principals: (quoted ?? plain ?? "").split(","), key: `SHA256:${digest}` }];
  });
}

const mostNames = 200;

export function literalPrincipals(signers: readonly AllowedSigner[]): readonly string[] | null {
  const all = [...new Set(signers.flatMap(({ principals }) => principals))];
  const names = all.filter((name) => /^[\w.+@%=-]+$/u.test(name));
  return all.some((name) => /[*?!]/u.test(name)) || names.length > mostNames ? null : names;
}

export function keysOf(signers: readonly AllowedSigner[], principal: string): ReadonlySet<string> {
  const isMatch = (pattern: string): boolean => matchesWildcards(pattern, principal, "?");
  // A negated pattern that matches excludes, as OpenSSH has it.
  const own = signers.filter(
    ({ principals }) =>
      principals.some((one) => !one.startsWith("!") && isMatch(one)) &&
      !principals.some((one) => one.startsWith("!") && isMatch(one.slice(1))),
  );
  return new Set(own.map(({ key }) => key));
}
