import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { root as repository } from "../../repository/source-files.ts";

export interface ContainerLayout {
  readonly files: ReadonlyMap<string, string>;
  /** The container that makes these directories in a volume, into which anybody may write. */
  readonly maker: {
    readonly command: readonly string[];
    readonly volume: string;
    readonly subPaths: readonly (readonly [subPath: string, mountPath: string])[];
  };
}

/** Who stands for the image's user here: ssh-keygen works only for users with a name, which that of the image has in the image alone. */
const user = 65_534;
const isRoot = process.getuid?.() === 0;

/** Lays the files of a container out below a directory, which stands for its root, together with the program of its image. */
export function layOut(top: string, { files, maker }: ContainerLayout): void {
  for (const directory of new Set([...files.keys()].map(dirname))) {
    // Kubernetes mounts files behind links.
    const hidden = "..2026_01_31_00_00_00.1234567890";
    mkdirSync(join(top, directory, hidden), { recursive: true });
    symlinkSync(hidden, join(top, directory, "..data"));
    for (const [path, text] of [...files].filter(([each]) => dirname(each) === directory)) {
      const name = path.slice(directory.length + 1);
      const file = join(top, directory, hidden, name);
      writeFileSync(file, text);
      chmodSync(file, 0o440);
      // It belongs to root and the pod's group.
      if (isRoot) chownSync(file, 0, user);
      symlinkSync(join("..data", name), join(top, directory, name));
    }
  }
  makeDirectories(top, maker);
  mkdirSync(join(top, "usr/local/lib"), { recursive: true });
  copyFileSync(join(repository, "dist/edgewise.mjs"), join(top, "usr/local/lib/edgewise.mjs"));
  chmodSync(top, 0o755);
}

function makeDirectories(top: string, { command, volume, subPaths }: ContainerLayout["maker"]): void {
  mkdirSync(join(top, volume), { recursive: true });
  chmodSync(join(top, volume), 0o2777);
  if (isRoot) chownSync(join(top, volume), 0, user);
  const [program = "", ...args] = command.map((word) => (word.startsWith("/") ? join(top, word) : word));
  execFileSync(program, args, isRoot ? { uid: user, gid: user } : {});
  for (const [subPath, mountPath] of subPaths) {
    mkdirSync(dirname(join(top, mountPath)), { recursive: true });
    renameSync(join(top, volume, subPath), join(top, mountPath));
  }
}

export interface Started {
  readonly lines: readonly { readonly [member: string]: unknown }[];
  readonly out: () => string;
  /** Resolves with the first line that has this event. Rejects when the program ends before. */
  readonly event: (name: string) => Promise<{ readonly [member: string]: unknown }>;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly ended: Promise<number | null>;
}

/** Starts what the image would: its entrypoint with these arguments, as its user, with paths below `top`. */
export function startContainer(top: string, args: readonly string[]): Started {
  const dockerfile = readFileSync(join(repository, "examples/serve/docker/Dockerfile"), "utf8");
  const entrypoint: readonly string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? "[]");
  const [program, ...words] = entrypoint.slice(entrypoint.indexOf("--") + 1);
  if (program !== "node") throw new Error(`the test can't run ${program}`);
  const inside = [...words, ...args].map((word) => (word.startsWith("/") ? join(top, word) : word));
  const child = spawn(process.execPath, inside, {
    cwd: "/",
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: join(top, "var/lib/edgewise"),
      TMPDIR: join(top, "tmp"),
    },
    stdio: ["ignore", "pipe", "pipe"],
    ...(isRoot ? { uid: user, gid: user } : {}),
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  const lines: { readonly [member: string]: unknown }[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stderr }).on("line", (line) => {
    // What Node says itself is no log.
    lines.push(line.startsWith("{") ? JSON.parse(line) : { line });
    for (const look of waiting) look();
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const event = (name: string) =>
    new Promise<{ readonly [member: string]: unknown }>((resolve, reject) => {
      const look = (): void => {
        const found = lines.find((line) => line["event"] === name);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void ended.then((code) => reject(new Error(`it ended with ${code} before ${name}: ${JSON.stringify(lines)}`)));
    });
  return { lines, out: () => out, event, signal: (name) => child.kill(name), ended };
}
