import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  chownSync,
  copyFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startSandbox } from "../../../scripts/sandbox.mjs";
import { type GitServer, gitServer } from "../../serve/git/support/git-server.ts";
import { type GitWorld, git, gitWorld } from "../../serve/git/support/git-world.ts";
import { container, directories, mountedFiles, mounts } from "./serve-deployment.ts";
import { createInterface } from "node:readline";
import { root as repository } from "../../repository/source-files.ts";

interface ContainerLayout {
  readonly files: ReadonlyMap<string, string>;
  readonly maker: {
    readonly command: readonly string[];
    readonly volume: string;
    readonly subPaths: readonly (readonly [subPath: string, mountPath: string])[];
  };
}

/** Who stands for the image's user here: ssh-keygen works only for users with a name, which that of the image has in the image alone. */
const user = 65_534;
const isRoot = process.getuid?.() === 0;

function layOut(top: string, { files, maker }: ContainerLayout): void {
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

interface Started {
  readonly lines: readonly { readonly [member: string]: unknown }[];
  readonly out: () => string;
  readonly event: (name: string) => Promise<{ readonly [member: string]: unknown }>;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly ended: Promise<number | null>;
}

function startContainer(top: string, args: readonly string[]): Started {
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

const layout: ContainerLayout = {
  files: mountedFiles,
  maker: {
    command: directories.command,
    volume: directories.volumeMounts[0].mountPath,
    subPaths: mounts.flatMap(({ subPath, mountPath }) => (subPath === "" ? [] : [[subPath, mountPath] as const])),
  },
};

const gitToken = "git-token-of-the-test";
const httpToken = "http-token-of-the-test";
const files: { readonly [path: string]: string } = {
  "edge/edgewise.yaml":
    "apiVersion: edgewise/v1\nkind: Config\nstack: edge-prod\nmanifests: [page.yaml]\nenvironments: {prod: {}}\n",
  "edge/page.yaml": page("prod", '"Back soon."'),
  "tenants/acme/edgewise.yaml": "apiVersion: edgewise/v1\nkind: Config\nstack: any\nmanifests: [page.yaml]\n",
  "tenants/acme/page.yaml": page("acme", '"Closed."'),
};

function page(name: string, body: string): string {
  return `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: ${name}}\nspec: {status_code: 503, body: ${body}}\n`;
}

let world: GitWorld;
let server: GitServer;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let signers: string;

beforeAll(async () => {
  world = gitWorld();
  chmodSync(world.top, 0o711); // for the image's user
  const repository = world.repository();
  const key = join(world.top, "ann");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "ann", "-f", key], { stdio: "ignore" });
  signers = `ann@example.com ${readFileSync(`${key}.pub`, "utf8")}`;
  git(repository, "config", "gpg.format", "ssh");
  git(repository, "config", "user.signingKey", key);
  for (const [path, text] of Object.entries(files)) world.commit(repository, path, text, "-S");
  mkdirSync(join(world.top, "served/platform"), { recursive: true });
  git(world.top, "clone", "-q", "--bare", repository, "served/platform/edge.git");
  server = await gitServer(join(world.top, "served"), {
    answer: (request, response) => {
      const [, given = ""] = request.headers.authorization?.split("Basic ") ?? [];
      if (Buffer.from(given, "base64").toString().endsWith(`:${gitToken}`)) return false;
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return true;
    },
  });
  sandbox = await startSandbox(["--version-header", "Service-Version"]);
});
afterAll(async () => {
  sandbox.stop();
  await server.end();
  await world.end();
});

function prepared(): string {
  const top = join(world.top, `container-${Math.random().toString(36).slice(2)}`);
  mkdirSync(top);
  const values: { readonly [name: string]: string } = {
    main: sandbox.apiKey,
    "git-token": `${gitToken}\n`,
    hook: "hook-of-the-test",
    "hook-url": "http://127.0.0.1:9/hook-of-the-test",
    "http-token": `${httpToken}\n`,
    pgpass: "*:*:edgewise:edgewise:password-of-the-test\n",
    "ca.crt": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
    allowed_signers: signers,
    approvers: signers,
  };
  const texts = [...layout.files].map(([path, text]): [string, string] => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (name !== "fleet.yaml") return [path, values[name] ?? text];
    const own = text
      .replaceAll("https://git.example.com/", server.url)
      .replaceAll("https://api.example.com", sandbox.baseUrl)
      .replaceAll("/run/edgewise/", `${top}/run/edgewise/`);
    return [path, own];
  });
  layOut(top, { ...layout, files: new Map(texts) });
  return top;
}

/** The arguments as they are, but for the address: a test listens on loopback alone. */
const onLoopback = (args: readonly string[]) => args.map((word) => (word === "0.0.0.0:7070" ? "127.0.0.1:0" : word));

async function until(status: number, url: string): Promise<Response> {
  for (;;) {
    const response = await fetch(url);
    if (response.status === status) return response;
    await response.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe("the command line of examples/serve/kubernetes/deployment.yaml", () => {
  it("is valid with its fleet file, its files and its user, and reaches everything", async () => {
    const { ended, out, lines } = startContainer(prepared(), [...onLoopback(container.args), "--check"]);
    expect(await ended, JSON.stringify(lines)).toBe(0);
    expect(out()).toBe("1 source, 1 account and 2 stacks checked: all is well\n");
    expect(lines).toEqual([]);
  });

  it("serves what probes, Prometheus and people ask for, and ends when it is told to", async () => {
    const top = prepared();
    const running = startContainer(top, onLoopback(container.args));
    const url = String((await running.event("serve-started"))["url"]).replace(/\/$/, "");
    await until(200, `${url}/healthz`);
    await until(200, `${url}/readyz`);
    expect(await (await until(200, `${url}/metrics`)).text()).toContain("edgewise_build_info{");
    expect((await fetch(`${url}/api/stacks`)).status).toBe(401);
    const answer = await fetch(`${url}/api/stacks`, { headers: { authorization: `Bearer ${httpToken}` } });
    expect(await answer.json()).toMatchObject({ stacks: [{ account: "main" }, { account: "main" }] });
    running.signal("SIGTERM");
    expect(await running.ended).toBe(0);
    expect(running.lines.filter(({ level }) => level === "error")).toEqual([]);
  });
});
