import { createHash } from "node:crypto";
import { EdgewiseError } from "../../../src/core/errors.ts";
import { FileProblem, type FileTree } from "../../../src/manifest/file-tree.ts";
import type { FleetSource } from "../../../src/serve/fleet/fleet.ts";
import type { SourceProblem, SourceRecord } from "../../../src/serve/records.ts";
import type { SourceCommit, SourceReader } from "../../../src/serve/git/source-reader.ts";

export interface CommitFiles {
  readonly [path: string]: string;
}

interface Kept {
  readonly files: CommitFiles;
  readonly parent: string | null;
}

export class MemorySources implements SourceReader {
  readonly #now: () => number;
  readonly #commits = new Map<string, Kept>();
  readonly #tips = new Map<string, string>();
  readonly #broken = new Map<string, string>();
  readonly fetches = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  push(source: string, files: CommitFiles): string {
    return this.#put(source, files, this.#tips.get(source) ?? null);
  }

  /** Some files of the tip change; null = removed. */
  edit(source: string, changes: { readonly [path: string]: string | null }): string {
    const now: CommitFiles = this.#commits.get(this.#tips.get(source) ?? "")?.files ?? {};
    const all = Object.entries({ ...now, ...changes });
    return this.push(source, Object.fromEntries(all.flatMap(([path, text]) => (text === null ? [] : [[path, text]]))));
  }

  /** A force push: the new tip has no history in common with the old one. */
  rewind(source: string, files: CommitFiles): string {
    return this.#put(source, files, null);
  }

  break(source: string, message: string | null): void {
    if (message === null) this.#broken.delete(source);
    else this.#broken.set(source, message);
  }

  async fetch(source: FleetSource, before: SourceRecord | null, _signal: AbortSignal): Promise<SourceRecord> {
    const { name, pin, accept } = source;
    this.fetches.set(name, (this.fetches.get(name) ?? 0) + 1);
    const followed = before?.followed ?? null;
    const broken = this.#broken.get(name);
    const record = { name, followed, tip: before?.tip ?? null, fetchedAt: before?.fetchedAt ?? null };
    if (broken !== undefined) return { ...record, problem: this.#problem("unreachable", broken, before) };
    const tip = this.#tips.get(name) ?? null;
    const fetched = { name, tip, fetchedAt: this.#now() };
    if (tip === null)
      return { ...fetched, followed, problem: this.#problem("missing", `${source.ref} is not there`, before) };
    const wanted = pin ?? tip;
    if (followed !== null && pin === null && !accept.includes(wanted) && !this.#descends(wanted, followed))
      return { ...fetched, followed, problem: this.#problem("rewound", `${tip} does not descend`, before) };
    return { ...fetched, followed: wanted, problem: null };
  }

  async open(source: FleetSource, commit: string): Promise<SourceCommit> {
    const kept = this.#commits.get(commit);
    if (kept === undefined) throw new EdgewiseError("git", `${source.name} has no commit ${commit}`);
    return new MemoryCommit(commit, kept.files);
  }

  async close(): Promise<void> {}

  #put(source: string, files: CommitFiles, parent: string | null): string {
    const commit = idOf([source, String(this.#commits.size), JSON.stringify(files), parent ?? ""]);
    this.#commits.set(commit, { files, parent });
    this.#tips.set(source, commit);
    return commit;
  }

  #descends(commit: string, from: string): boolean {
    for (let one: string | null = commit; one !== null; one = this.#commits.get(one)?.parent ?? null)
      if (one === from) return true;
    return false;
  }

  #problem(code: SourceProblem["code"], message: string, before: SourceRecord | null): SourceProblem {
    const since = before?.problem?.code === code ? before.problem.since : this.#now();
    return { code, message, since };
  }
}

class MemoryCommit implements SourceCommit {
  readonly #files: CommitFiles;

  constructor(
    readonly commit: string,
    files: CommitFiles,
  ) {
    this.#files = files;
  }

  async findConfigs(pattern: string): Promise<readonly { readonly path: string; readonly match: string }[]> {
    const [before = "", after = ""] = pattern.split("*");
    return Object.keys(this.#files)
      .filter((path) => path.startsWith(before) && path.endsWith(after) && path.length > before.length + after.length)
      .map((path) => ({ path, match: path.slice(before.length, path.length - after.length) }))
      .filter(({ match }) => !match.includes("/"))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  async readConfig(path: string): Promise<string | null> {
    return this.#files[path] ?? null;
  }

  async directoryIds(
    directories: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly hasLinks: boolean }>> {
    return new Map(
      directories.flatMap((directory) => {
        const inside = this.#below(directory);
        return inside.length === 0 ? [] : [[directory, { id: idOf(inside.flat()), hasLinks: false }] as const];
      }),
    );
  }

  async tree(directory: string): Promise<FileTree> {
    const files = new Map(this.#below(directory));
    const sorted = [...files.keys()].toSorted();
    const inside = (path: string): readonly string[] =>
      path === "" ? sorted : sorted.filter((one) => one.startsWith(`${path}/`));
    return {
      root: directory === "" ? "/source" : `/source/${directory}`,
      stat: async (path) => (files.has(path) ? "file" : inside(path).length > 0 ? "directory" : null),
      list: async (path) => inside(path),
      identity: async (path) => path,
      read: async (path) => {
        const text = files.get(path);
        if (text === undefined) throw new FileProblem("file-missing", `there is no file "${path}"`);
        return Buffer.from(text);
      },
      readSecret: () => ({ available: false, reason: "there is no such file" }),
    };
  }

  #below(directory: string): readonly (readonly [path: string, text: string])[] {
    const start = directory === "" ? "" : `${directory}/`;
    return Object.entries(this.#files)
      .filter(([path]) => path.startsWith(start))
      .map(([path, text]) => [path.slice(start.length), text] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  }
}

function idOf(parts: readonly string[]): string {
  return createHash("sha1").update(JSON.stringify(parts)).digest("hex");
}
