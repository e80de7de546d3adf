import { once } from "node:events";
import { lstat, mkdir, readdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../core/limits.js";
import { isInside } from "../../files/real-path.js";
import { repositoryToRead } from "../../git/find-repository.js";
import {
  type Git,
  type GitHost,
  type Repository,
  findGit,
  gitFailure,
  repositoryRun,
  runGit,
  startGit,
} from "../../git/run-git.js";
import { type ObjectReader, GitCommit, createObjectReader } from "../../git/git-commit.js";
import type { FleetSource, SecretSource } from "../fleet/fleet.js";
import type { SourceRecord } from "../records.js";
import { approvalRefs, listRefs, readApprovalTags } from "./approval-tags.js";
import { checkDescent, checkSigned } from "./check-tip.js";
import {
  type Remote,
  FetchProblem,
  asProblem,
  fetchCommit,
  fetchTip,
  packFiles,
  refused,
  runToEnd,
} from "./fetch-tip.js";
import { type SourceAddress, sourceAddress } from "./source-address.js";
import type { ApprovalReader, SourceCommit, SourceReader } from "./source-reader.js";
import { createHash } from "node:crypto";
import { EdgewiseError } from "../../core/errors.js";
import { configAt, gitTree } from "../../git/git-tree.js";

export type SourceReaderOptions = Readonly<{
  directory: string;
  host: GitHost;
  now: () => number;
  readSecret: (source: SecretSource) => Promise<string>;
  killGroup: (leader: number) => void;
  deadline?: number;
  maxBytes?: number;
}>;

type OpenClone = Readonly<{
  clone: Repository;
  reader: ObjectReader;
  commits: Map<string, Promise<SourceCommit>>;
}> & { turn: Promise<unknown> };

const briefMs = 60_000;
const mostListed = 200;
const openCommits = 3;

/** Reads sources by bare clones, which are only a cache. */
export function createSourceReader(options: SourceReaderOptions): SourceReader & ApprovalReader {
  const { directory, host, now, killGroup } = options;
  const { deadline = 600_000, maxBytes = limits.fetchBytes } = options;
  const closing = new AbortController();
  const clones = new Map<string, OpenClone>();
  let place: Readonly<{ git: Git; top: string }> | null = null;

  const openClone = async (source: FleetSource): Promise<OpenClone> => {
    const address = addressOf(source);
    if (place === null) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const top = await realpath(directory);
      place = { git: await findGit(host, top), top };
    }
    const shown = source.name.replaceAll(/[^\w.-]/gu, "_").slice(0, 60);
    const name = `${shown}-${digest(source.name).slice(0, 8)}-${digest(address.url)}`;
    const clone = cloneAt(join(place.top, name), place.git);
    const opened = clones.get(name) ?? {
      clone,
      reader: createObjectReader(clone),
      commits: new Map(),
      turn: Promise.resolve(),
    };
    clones.set(name, opened);
    return opened;
  };

  const inTurn = async <T>(
    source: FleetSource,
    signal: AbortSignal,
    act: (remote: Remote) => Promise<T>,
  ): Promise<T> => {
    const opened = await openClone(source);
    const { clone } = opened;
    const turn = opened.turn.then(async () => {
      await prepareClone(clone);
      const named = addressOf(source);
      const credentials = source.credentials && (await options.readSecret(source.credentials)).trim();
      const address = named.protocol === "file" ? await checkLocalSource(named, host) : named;
      const ends = { deadline, killGroup, maxBytes, signal: AbortSignal.any([signal, closing.signal]) };
      return act({ clone, address, host, credentials, ...ends });
    });
    opened.turn = turn.catch(() => undefined);
    return turn;
  };

  const briefly = async <T>(
    source: FleetSource,
    signal: AbortSignal,
    act: (remote: Remote) => Promise<T>,
  ): Promise<T> => {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(briefMs), closing.signal]);
    const end = ended.aborted ? Promise.resolve() : once(ended, "abort");
    const late = end.then(() => {
      throw new FetchProblem("unreachable", `${source.name} did not answer in time`);
    });
    return Promise.race([late, inTurn(source, ended, act)]);
  };

  const open = async (source: FleetSource, commit: string): Promise<SourceCommit> => {
    const { clone, commits, reader } = await openClone(source);
    const opened = commits.get(commit) ?? openCommit(clone, reader, commit);
    commits.delete(commit);
    commits.set(commit, opened);
    for (const oldest of [...commits.keys()].slice(0, -openCommits)) commits.delete(oldest);
    opened.catch(() => commits.delete(commit));
    return opened;
  };

  return {
    open,
    async listApprovals(source, waiting, signal) {
      const some = waiting.slice(0, mostListed).map((one) => ({ ...one, prefix: approvalRefs(one) }));
      const patterns = some.map(({ prefix }) => `${prefix}*`);
      const found = new Map<string, string>();
      try {
        const listed = await briefly(source, signal, (remote) => listRefs(remote, patterns));
        for (const { prefix, stack } of some) {
          const own = listed.filter(({ ref }) => ref.startsWith(prefix));
          if (own.length > 0) found.set(stack, own.map(({ object, ref }) => `${ref} ${object}`).join("\n"));
        }
      } catch (error) {
        asProblem(error);
      }
      return found;
    },
    async readApprovals(source, question, signal) {
      try {
        return await briefly(source, signal, (remote) => readApprovalTags(remote, question, source.signedBy));
      } catch (error) {
        return { approvals: [], problems: [`approvals can't be read: ${asProblem(error).message}`] };
      }
    },
    async fetch(source, before, signal, configs = ["edgewise.yaml"]) {
      const { name, pin, ref, signedBy } = source;
      const origin = digest(`${source.git}\n${ref}`);
      const own = before !== null && (before.origin ?? origin) === origin ? before : null;
      const { checked = null, fetchedAt = null, followed = null, tip = null } = own ?? {};
      let known: Omit<SourceRecord, "problem"> = { name, origin, followed, tip, fetchedAt, checked };
      try {
        await inTurn(source, signal, async (remote) => {
          const { address, clone } = remote;
          const began = now();
          const fetched = await fetchTip(remote, ref);
          known = { ...known, tip: fetched, fetchedAt: began };
          if (pin === null) await checkDescent(clone, followed, fetched, source);
          else if (!(await fetchCommit(remote, pin)))
            throw new FetchProblem("missing", `${address.url} has no commit ${pin}, which \`pin\` names`);
          const next = pin ?? fetched;
          const files = await open(source, next);
          if (signedBy !== null) await checkSigned({ source, configs, remote, known, files, signedBy });
          // Passes may still read it when the branch is rewritten.
          await runGit(clone, ["update-ref", "refs/edgewise/followed", next]);
          known = { ...known, followed: next, checked: signedBy === null ? null : { signedBy, configs } };
          if ((await packFiles(clone.gitDir)).filter((file) => file.endsWith(".pack")).length > mostPacks)
            await runToEnd(repositoryRun(clone, repack), remote);
        });
        return { ...known, problem: null };
      } catch (error) {
        const { code, message } = asProblem(error);
        const since = before?.problem?.code === code ? before.problem.since : now();
        return { ...known, problem: { code, message, since } };
      }
    },
    async close() {
      closing.abort();
      for (const { reader } of clones.values()) reader.close();
      await Promise.all(Array.from(clones.values(), ({ turn }) => turn));
    },
  };
}

function addressOf({ git }: FleetSource): SourceAddress {
  const address = sourceAddress(git);
  if ("problem" in address) throw refused(address);
  return address;
}

/** Objects of another repository may not be meant for it. */
async function checkLocalSource(address: SourceAddress, host: GitHost): Promise<SourceAddress> {
  const directory = await repositoryToRead(address.url, host);
  if (directory === null) throw new FetchProblem("missing", `there is no git repository at ${address.url}`);
  const objects = join(directory, "objects");
  for (const part of [objects, join(objects, "pack"), join(objects, "info")]) {
    const real = await realpath(part).catch(() => null);
    if (real !== null && !isInside(directory, real))
      throw new FetchProblem("unusable", `${part} leads out of the repository, to ${real}`);
  }
  const alternates = join(objects, "info", "alternates");
  if ((await lstat(alternates).catch(() => null)) !== null) {
    const remedy = "run `git repack -ad` in it and remove that file";
    throw new FetchProblem("unusable", `${alternates} borrows objects of another repository; ${remedy}`);
  }
  return { ...address, url: directory };
}

const mostPacks = 30;

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function cloneAt(directory: string, git: Git): Repository {
  return { git, gitDir: directory, workTree: join(directory, "files") };
}

/** Creates an empty clone, or removes what a killed git left behind. */
async function prepareClone(clone: Repository): Promise<void> {
  const { gitDir } = clone;
  const names = await readdir(gitDir, { recursive: true }).catch(() => null);
  if (names !== null) {
    const left = names.filter((name) => /\.(?:lock|keep)$|(?:^|\/)(?:\.?tmp[-_]|incoming|\.git_)[^/]*$/u.test(name));
    await Promise.all(left.map((name) => rm(join(gitDir, name), { recursive: true, force: true })));
    return;
  }
  const unfinished = `${gitDir}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const { git } = clone;
  const args = ["init", "--quiet", "--bare", "--template=", "--initial-branch=none", unfinished];
  const answer = await startGit({ git, cwd: unfinished, environment: git.environment, args });
  if (!answer.ok) throw gitFailure(`create ${gitDir}`, answer);
  await mkdir(cloneAt(unfinished, git).workTree);
  await rename(unfinished, gitDir);
}

const repack = "-c pack.threads=1 -c pack.windowMemory=64m -c repack.writeBitmaps=false repack -adq".split(" ");

async function openCommit(clone: Repository, reader: ObjectReader, commit: string): Promise<SourceCommit> {
  const held = new GitCommit(clone, commit, reader, limits.commitEntries);
  const content = new TextDecoder("latin1").decode((await reader.read(commit)).subarray(0, 100));
  const top = /^tree ([0-9a-f]{40,64})\n/u.exec(content)?.[1];
  if (top === undefined) throw new EdgewiseError("git", `${commit} is not a commit`);
  await held.list([""]);
  const ids = new Map([...held.directories, ["", top]]);
  const withLinks = new Set<string>();
  for (const [path, { kind }] of held.entries) {
    if (kind !== "link") continue;
    for (let at = path.lastIndexOf("/"); at !== -1; at = path.lastIndexOf("/", at - 1))
      withLinks.add(path.slice(0, at));
    withLinks.add("");
  }
  return {
    commit,
    findConfigs: async (pattern) => findMatches(held, pattern),
    readConfig: (path) => configAt(held, join(clone.workTree, path)),
    async directoryIds(directories) {
      return new Map(
        directories.flatMap((directory) => {
          const id = ids.get(directory);
          return id === undefined ? [] : [[directory, { id, hasLinks: withLinks.has(directory) }]];
        }),
      );
    },
    tree: (directory) => gitTree(held, join(clone.workTree, directory)),
  };
}

/** The `*` is a shell's. */
function findMatches(commit: GitCommit, pattern: string): readonly Readonly<{ path: string; match: string }>[] {
  const [before = "", after = ""] = pattern.split("*");
  return commit.startingWith(before).flatMap((path) => {
    const match = path.slice(before.length, path.length - after.length);
    const isHidden = match.startsWith(".") && /(?:^|\/)$/u.test(before);
    if (!path.endsWith(after) || match === "" || match.includes("/") || isHidden) return [];
    const entry = commit.entries.get(path);
    return entry === undefined || entry.kind === "submodule" || !entry.named ? [] : [{ path, match }];
  });
}
