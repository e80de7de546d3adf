import { mkdir, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { type Git, type GitHost, findGit } from "../../git/git-program.js";
import { type ObjectReader, createObjectReader } from "../../git/object-reader.js";
import { type Repository, repositoryRun } from "../../git/run-git.js";
import type { FleetSource } from "../fleet/fleet.js";
import { cloneAt, cloneName, clonesOf, needsRepack, prepareClone, repack } from "./clone.js";
import { FetchProblem } from "./fetch-tip.js";
import { type Ends, runToEnd } from "./run-to-end.js";
import { type SourceAddress, sourceAddress } from "./source-address.js";
import { type CommitNeeds, openCommit } from "./source-commit.js";
import type { SourceCommit } from "./source-reader.js";

/** A clone, and what is read from it. */
export interface OpenClone {
  readonly name: string;
  readonly clone: Repository;
  readonly reader: ObjectReader;
  readonly commits: Map<string, Promise<SourceCommit>>;
}

/** The clones below a directory. One process uses it at a time. */
export interface CloneStore {
  /** Does something with a source's clone, which is created or repaired before; one at a time for each clone. */
  inTurn(source: FleetSource, address: SourceAddress, act: (opened: OpenClone) => Promise<void>): Promise<void>;
  /** @throws EdgewiseError `git` when the clone does not hold the commit */
  open(source: FleetSource, commit: string): Promise<SourceCommit>;
  /** Joins packs when there are many, and removes clones of addresses that the source has left. */
  tidy(source: FleetSource, current: OpenClone): Promise<void>;
  close(): Promise<void>;
}

export interface CloneStoreOptions extends Pick<CommitNeeds, "secretFiles"> {
  /** Absolute. */
  readonly directory: string;
  readonly host: GitHost;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly ends: Ends;
}

/** So many commits of one clone stay open: the one that is followed, and those that passes still use. */
const openCommits = 3;

/** So long a clone that a source has left stays, in milliseconds: passes may still read from it. */
const leftForMs = 3_600_000;

export function createCloneStore({ directory, host, now, ends, secretFiles }: CloneStoreOptions): CloneStore {
  const clones = new Map<string, OpenClone>();
  const usedAt = new Map<string, number>();
  const queues = new Map<string, Promise<unknown>>();
  /** Clones from which something could not be read. */
  const doubted = new Set<string>();
  let found: { readonly git: Git; readonly top: string } | null = null;

  const openClone = async (source: FleetSource, address: SourceAddress): Promise<OpenClone> => {
    if (found === null) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const top = await realpath(directory);
      found = { git: await findGit(host, top), top };
    }
    const name = cloneName(source.name, address);
    usedAt.set(name, now());
    const known = clones.get(name);
    if (known !== undefined) return known;
    const clone = cloneAt(join(found.top, name), found.git);
    const reader = noticing(createObjectReader(clone), () => doubted.add(name));
    const opened = { name, clone, reader, commits: new Map() };
    clones.set(name, opened);
    return opened;
  };

  const drop = async ({ name, clone, reader }: OpenClone): Promise<void> => {
    reader.close();
    clones.delete(name);
    usedAt.delete(name);
    await rm(clone.gitDir, { recursive: true, force: true });
  };

  return {
    inTurn(source, address, act) {
      const name = cloneName(source.name, address);
      const turn = (queues.get(name) ?? Promise.resolve()).then(async () => {
        const opened = await openClone(source, address);
        await prepareClone(opened.clone);
        try {
          // A fetch asks for no object that git believes to have.
          if (doubted.delete(name)) await assertWhole(opened.clone, ends);
          await act(opened);
        } catch (error) {
          if (!(error instanceof FetchProblem) || !error.inClone) throw error;
          // The clone is broken, and only a cache.
          await drop(opened);
          const again = await openClone(source, address);
          await prepareClone(again.clone);
          await act(again);
        }
      });
      queues.set(
        name,
        turn.catch(() => undefined),
      );
      return turn;
    },
    async open(source, commit) {
      const address = sourceAddress(source.git);
      if ("problem" in address) throw new EdgewiseError("git", `the source ${source.name}: ${address.problem}`);
      const { clone, commits, name, reader } = await openClone(source, address);
      const opened = commits.get(commit) ?? openCommit({ clone, reader, secretFiles }, commit);
      // The last one is the one that was used last.
      commits.delete(commit);
      commits.set(commit, opened);
      for (const oldest of [...commits.keys()].slice(0, -openCommits)) commits.delete(oldest);
      opened.catch((error: unknown) => {
        commits.delete(commit);
        if (!(error instanceof EdgewiseError) || error.code === "git") doubted.add(name);
      });
      return opened;
    },
    async tidy(source, current) {
      const { clone, name } = current;
      if (await needsRepack(clone.gitDir)) await runToEnd(repositoryRun(clone, repack), ends);
      const top = join(clone.gitDir, "..");
      const others = (await readdir(top)).filter((each) => each.startsWith(clonesOf(source.name)) && each !== name);
      for (const other of others) {
        if (now() - (usedAt.get(other) ?? 0) <= leftForMs) continue;
        const left = clones.get(other);
        if (left === undefined) await rm(join(top, other), { recursive: true, force: true });
        else await drop(left);
      }
    },
    async close() {
      for (const { reader } of clones.values()) reader.close();
      await Promise.all(queues.values());
    },
  };
}

/** A reader that tells when something can't be read. */
function noticing(reader: ObjectReader, notice: () => void): ObjectReader {
  return {
    ...reader,
    read: async (id) => {
      try {
        return await reader.read(id);
      } catch (error) {
        notice();
        throw error;
      }
    },
  };
}

/** @throws FetchProblem when something is missing in a clone, or damaged */
async function assertWhole(clone: Repository, ends: Ends): Promise<void> {
  const { ok, stderr, stopped } = await runToEnd(repositoryRun(clone, ["fsck", "--full", "--no-dangling"]), ends);
  if (!ok && stopped === null) throw new FetchProblem("unusable", `its clone is damaged: ${stderr}`, true);
}
