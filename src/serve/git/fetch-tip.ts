import { EdgewiseError } from "../../core/errors.js";
import { sizesOf } from "../../git/object-reader.js";
import { linesOf, repositoryRun, runGit } from "../../git/run-git.js";
import { limits } from "../../core/limits.js";
import { Redactor, cleanText } from "../../redact.js";
import type { SourceProblem } from "../records.js";
import { packedBytes } from "./clone.js";
import { type FetchNeeds, fetchArguments, fetchEnvironment } from "./fetch-environment.js";
import { type EndedRun, type Ends, runToEnd } from "./run-to-end.js";
import { type Refusal, fullRefs } from "./source-address.js";

export class FetchProblem extends Error {
  override readonly name = "FetchProblem";

  constructor(
    readonly code: SourceProblem["code"],
    message: string,
    /** Whether the clone itself may be broken: a new one may help. */
    readonly inClone = false,
  ) {
    super(message);
  }
}

export function tooLarge(what: string): string {
  return `${what} is a commit or tag of more than ${limits.commitBytes / 1024 / 1024} MiB without its files`;
}

export interface FetchBounds extends Omit<Ends, "isTooLarge"> {
  readonly maxBytes: number;
}

/** Fetches a branch or a tag, with its history and nothing else. */
export async function fetchTip(needs: FetchNeeds, ref: string, bounds: FetchBounds): Promise<string> {
  const candidates = fullRefs(ref);
  if ("problem" in candidates) throw refused(candidates);
  const found: string[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const own = `refs/edgewise/tip/${index}`;
    if (await fetchInto(needs, `+${candidate}:${own}`, bounds)) found.push(own);
  }
  const [tip, other] = found;
  if (tip === undefined) throw new FetchProblem("missing", `${needs.address.url} has no branch or tag "${ref}"`);
  if (other !== undefined) {
    const why = `"${ref}" is both a branch and a tag of ${needs.address.url}`;
    throw new FetchProblem("unusable", `${why}; write ${candidates.join(" or ")} in \`ref\``);
  }
  const [size] = await sizesOf(needs.clone, [tip]);
  if (size !== undefined && size > limits.commitBytes) throw new FetchProblem("too-large", tooLarge(ref));
  const commit = await commitAt(needs, tip);
  if (commit === null) throw new FetchProblem("unusable", `"${ref}" is a tag of something that is not a commit`);
  return commit;
}

/** Makes sure that a commit is there, wherever in the history it is. */
export async function fetchCommit(needs: FetchNeeds, commit: string, bounds: FetchBounds): Promise<boolean> {
  const own = "refs/edgewise/pin";
  if ((await commitAt(needs, commit)) === null && !(await fetchInto(needs, `+${commit}:${own}`, bounds))) return false;
  // A ref of its own keeps it when packs are joined.
  return (await runGit(needs.clone, ["update-ref", own, commit])).ok && (await commitAt(needs, commit)) === commit;
}

async function commitAt({ clone }: FetchNeeds, revision: string): Promise<string | null> {
  const answer = await runGit(clone, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]);
  return answer.ok ? (linesOf(answer)[0] ?? null) : null;
}

export async function fetchRefs(needs: FetchNeeds, refspecs: readonly string[], bounds: FetchBounds): Promise<void> {
  if (!(await fetchInto(needs, refspecs, bounds)))
    throw new FetchProblem("missing", `a ref of ${needs.address.url} is gone`);
}

async function fetchInto(
  needs: FetchNeeds,
  refspecs: string | readonly string[],
  bounds: FetchBounds,
): Promise<boolean> {
  const { clone } = needs;
  const environment = await fetchEnvironment(needs);
  const before = await packedBytes(clone.gitDir);
  const answer = await runToEnd(
    { ...repositoryRun(clone, fetchArguments(needs, [refspecs].flat())), environment },
    { ...bounds, isTooLarge: async () => (await packedBytes(clone.gitDir)) - before > bounds.maxBytes },
  );
  if (answer.ok) return true;
  // What the remote says stands after `remote: `: it can't choose what its answer means.
  const own = answer.stderr.replaceAll(/^remote: .*$/gmu, "");
  if (answer.stopped === null && /couldn't find remote ref|not our ref/u.test(own)) return false;
  const problem = failed(needs, answer, { own, bounds });
  if (answer.stopped !== null || problem.inClone || (await isSound(clone))) throw problem;
  throw new FetchProblem("unusable", problem.message, true);
}

async function isSound(clone: FetchNeeds["clone"]): Promise<boolean> {
  return (await runGit(clone, ["rev-list", "--max-count=1", "--all"])).ok;
}

interface Failure {
  readonly own: string;
  readonly bounds: FetchBounds;
}

function failed(needs: FetchNeeds, answer: EndedRun, { own, bounds }: Failure): FetchProblem {
  const { url } = needs.address;
  if (answer.stopped === "deadline")
    return new FetchProblem("unreachable", `fetching ${url} took longer than ${bounds.deadline / 1000} s`);
  if (answer.stopped === "too-large")
    return new FetchProblem("too-large", `${url} sends more than ${bounds.maxBytes / 1024 / 1024} MiB at once`);
  if (answer.stopped === "aborted") return new FetchProblem("unreachable", `fetching ${url} was stopped`);
  if (/^(?:fatal|error): attempting to allocate \d+ over limit/mu.test(own)) {
    const most = `${limits.gitAllocationBytes / 1024 / 1024} MiB`;
    return new FetchProblem("too-large", `${url} sends a commit, tag, tree or delta of more than ${most}`);
  }
  const said = withoutSecrets(answer.stderr, needs.credentials);
  const message = `git can't fetch ${url}: ${said}`;
  if (/' not found|does not appear to be a git repository/u.test(own)) return new FetchProblem("missing", message);
  if (/returned error: 30\d/u.test(own))
    return new FetchProblem("unreachable", `${message}. It redirects: name the address that it leads to`);
  const inClone =
    /corrupt|bad object|object file|inflate|does not match index|send all necessary objects|unresolved delta|broken|missing (?:blob|tree|commit)|not a git repository|unable to read/iu;
  if (inClone.test(own)) return new FetchProblem("unusable", message, true);
  return new FetchProblem(
    /fsck|index-pack|unpack|mismatched algorithms/u.test(own) ? "unusable" : "unreachable",
    message,
  );
}

function withoutSecrets(text: string, credentials: string | null): string {
  const redactor = new Redactor();
  for (const secret of credentials === null ? [] : [credentials, credentials.replace(/^[^:]*:/u, "")])
    redactor.addSecret(secret);
  return cleanText(text.replaceAll(/^hint: .*$/gmu, ""), redactor, 500);
}

export function refused({ problem }: Refusal): FetchProblem {
  return new FetchProblem("unusable", problem);
}

export function asProblem(error: unknown): FetchProblem {
  if (error instanceof FetchProblem) return error;
  if (error instanceof EdgewiseError) {
    const { message, remedy } = error;
    return new FetchProblem("unusable", remedy === null ? message : `${message}. ${remedy}`);
  }
  if (error instanceof Error && "code" in error) return new FetchProblem("unusable", error.message);
  throw error;
}
