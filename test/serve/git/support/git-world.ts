import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readSecretSource } from "../../../../src/serve/fleet/read-secret-source.ts";
import type { FleetSource } from "../../../../src/serve/fleet/fleet.ts";
import { type SourceReaderOptions, createSourceReader } from "../../../../src/serve/git/create-source-reader.ts";
import type { SourceReader } from "../../../../src/serve/git/source-reader.ts";

const identity = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
const quiet = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

/** After a commit with many files, git would go on in the background, in a directory that is being removed. */
const still = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "gc.auto", GIT_CONFIG_VALUE_0: "0" };

export function git(cwd: string, ...args: readonly string[]): string {
  const env = { ...process.env, ...identity, ...quiet, ...still };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

export interface GitWorld {
  readonly top: string;
  repository(name?: string): string;
  commit(repository: string, path: string, text?: string, ...args: readonly string[]): string;
  reader(options?: Partial<SourceReaderOptions>): SourceReader;
  source(repository: string, more?: Partial<FleetSource>): FleetSource;
  file(name: string, text: string): string;
  readonly state: string;
  end(): Promise<void>;
}

export const never = new AbortController().signal;

export function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // it is gone
  }
}

export function gitWorld(): GitWorld {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "edgewise-sources-")));
  const readers: SourceReader[] = [];
  const world: GitWorld = {
    top,
    state: join(top, "state"),
    repository(name = "repository") {
      const path = join(top, name);
      mkdirSync(path);
      git(path, "init", "-q", "-b", "main");
      world.commit(path, "edgewise.yaml", "apiVersion: edgewise/v1\n");
      return path;
    },
    commit(repository, path, text = path, ...args) {
      const file = join(repository, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      git(repository, "add", "-A");
      git(repository, "commit", "-q", "--allow-empty", "-m", path.slice(0, 20), ...args);
      return git(repository, "rev-parse", "HEAD");
    },
    reader(options = {}) {
      const reader = createSourceReader({
        directory: world.state,
        host: { env: process.env },
        now: Date.now,
        readSecret: async (source) =>
          readSecretSource(source, "the secret of credentials", { env: process.env }).reveal(),
        killGroup,
        ...options,
      });
      readers.push(reader);
      return reader;
    },
    source: (repository, more = {}) => ({
      name: "edge",
      git: repository,
      ref: "main",
      pin: null,
      accept: [],
      pollMs: 60_000,
      credentials: null,
      signedBy: null,
      hook: null,
      place: { file: "fleet.yaml", line: 1, column: 1 },
      ...more,
    }),
    file(name, text) {
      writeFileSync(join(top, name), text, { mode: 0o600 });
      return join(top, name);
    },
    async end() {
      await Promise.all(readers.map((reader) => reader.close()));
      rmSync(top, { recursive: true, force: true });
    },
  };
  return world;
}
