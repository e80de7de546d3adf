import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { cli, plainEnvironment, root } from "../../scripts/sandbox.mjs";

/** A Git repository with a configuration, as a team would have one, and a PATH on which `edgewise` is found. */
export interface Configuration {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  /** Writes a file and commits it. */
  commit(path: string, text: string | null): void;
  /** Moves `origin/main` to the branch. */
  pushMain(): void;
  /** What a checkout of the whole history knows of another branch. */
  fetched(branch: string, commit: string): void;
  remove(): void;
}

/** The quickstart without its certificate, in an environment called `prod`. */
export function makeConfiguration(): Configuration {
  const base = mkdtempSync(join(tmpdir(), "edgewise-ci-"));
  const directory = join(base, "repository");
  cpSync(join(root, "examples/quickstart"), directory, { recursive: true });
  for (const file of ["edge/www.pem", "edge/www-certificate.yaml"]) rmSync(join(directory, file));
  writeFileSync(
    join(directory, "edgewise.yaml"),
    "apiVersion: edgewise/v1\nkind: Config\nmanifests: [edge/]\nenvironments:\n  prod: {stack: edge-prod}\n",
  );
  mkdirSync(join(base, "bin"));
  const shim = `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`;
  writeFileSync(join(base, "bin", "edgewise"), shim, { mode: 0o755 });
  const plain = plainEnvironment();
  const env = { ...plain, PATH: [join(base, "bin"), plain["PATH"]].join(delimiter), NO_COLOR: "1" };

  const git = (...args: readonly string[]) => {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
    const { status, stderr } = spawnSync("git", [...identity, ...args], { cwd: directory, encoding: "utf8", env });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  };
  const commitAll = (message: string) => {
    git("add", "--all");
    git("commit", "--quiet", "--message", message);
  };
  git("init", "--quiet", "--initial-branch", "main");
  writeFileSync(
    join(directory, ".gitignore"),
    "edgewise.plan\n*.md\n*.txt\n.output\n.summary\njournal.jsonl\n*.html\n*.json\n*.xml\n",
  );
  commitAll("Begin");
  const pushMain = () => git("update-ref", "refs/remotes/origin/main", "HEAD");
  pushMain();

  return {
    directory,
    env,
    commit: (path, text) => {
      if (text === null) rmSync(join(directory, path));
      else writeFileSync(join(directory, path), text);
      commitAll(`Change ${path}`);
    },
    pushMain,
    fetched: (branch, commit) => git("update-ref", `refs/remotes/origin/${branch}`, commit),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}
