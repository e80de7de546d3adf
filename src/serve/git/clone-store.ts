import { mkdir, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Git, type GitHost, findGit } from "../../git/git-program.js";
import { type ObjectReader, createObjectReader } from "../../git/object-reader.js";
import { type Repository, repositoryRun } from "../../git/run-git.js";
import type { FleetSource } from "../fleet/fleet.js";
import { cloneAt, cloneName, clonesOf, needsRepack, prepareClone, repack } from "./clone.js";
import { FetchProblem, refused } from "./fetch-tip.js";
import { type Ends, runToEnd } from "./run-to-end.js";
import { sourceAddress } from "./source-address.js";
import { openCommit } from "./source-commit.js";
import type { SourceCommit } from "./source-reader.js";

export interface OpenClone {
  readonly name: string;
  readonly clone: Repository;
  readonly reader: ObjectReader;
  readonly commits: Map<string, Promise<SourceCommit>>;
}

export interface CloneStore {
  /** Works with a source's clone, made anew when missing or broken; one at a time for each clone. */
  inTurn(source: FleetSource, act: (opened: OpenClone) => Promise<void>): Promise<void>;
  open(source: FleetSource, commit: string): Promise<SourceCommit>;
  tidy(source: FleetSource, current: OpenClone): Promise<void>;
  close(): Promise<void>;
}

export interface CloneStoreOptions {
  readonly directory: string;
  readonly host: GitHost;
  readonly now: () => number;
  readonly ends: Ends;
}

/** So many commits of one clone stay open: the one that is followed, and those that passes still use. */
const openCommits = 3;
/** So long a clone that a source has left stays, in milliseconds: passes may still read from it. */
const leftForMs = 3_600_000;

export function createCloneStore({ directory, host, now, ends }: CloneStoreOptions): CloneStore {
  const clones = new Map<string, OpenClone>();
  const usedAt = new Map<string, number>();
  const queues = new Map<string, Promise<unknown>>();
  const broken = new Set<string>();
  let found: { readonly git: Git; readonly top: string } | null = null;

  const nameOf = ({ git, name }: FleetSource): string => {
    const address = sourceAddress(git);
    if ("problem" in address) throw refused(address);
    return cloneName(name, address);
  };

  const openClone = async (name: string): Promise<OpenClone> => {
    if (found === null) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const top = await realpath(directory);
      found = { git: await findGit(host, top), top };
    }
    usedAt.set(name, now());
    const known = clones.get(name);
    if (known !== undefined) return known;
    const clone = cloneAt(join(found.top, name), found.git);
    const reader = createObjectReader(clone);
    const read = (id: string): Promise<Uint8Array> =>
      reader.read(id).catch((error: unknown) => {
        broken.add(name);
        throw error;
      });
    const opened = { name, clone, reader: { ...reader, read }, commits: new Map() };
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
    inTurn(source, act) {
      const name = nameOf(source);
      const attempt = async (): Promise<void> => {
        // A fetch asks for no object that git believes to have, and a clone is only a cache.
        if (broken.delete(name)) await drop(await openClone(name));
        const opened = await openClone(name);
        await prepareClone(opened.clone);
        await act(opened);
      };
      const turn = (queues.get(name) ?? Promise.resolve()).then(() =>
        attempt().catch(async (error: unknown) => {
          if (!(error instanceof FetchProblem) || !error.inClone) throw error;
          broken.add(name);
          await attempt();
        }),
      );
      queues.set(
        name,
        turn.catch(() => undefined),
      );
      return turn;
    },
    async open(source, commit) {
      const { clone, commits, reader } = await openClone(nameOf(source));
      const opened = commits.get(commit) ?? openCommit({ clone, reader }, commit);
      // The last one is the one that was used last.
      commits.delete(commit);
      commits.set(commit, opened);
      for (const oldest of [...commits.keys()].slice(0, -openCommits)) commits.delete(oldest);
      opened.catch(() => commits.delete(commit));
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
