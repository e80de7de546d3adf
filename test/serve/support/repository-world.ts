import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "../../../src/core/json.ts";
import { type Ran, stage } from "../../commands/stage.ts";

export interface Shown {
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
  readonly message: string;
  readonly digest: string | null;
  readonly impact: string;
  readonly changes: { readonly commit: number; readonly drift: number; readonly both: number };
}

const manifest = (kind: string, name: string, spec: object): string =>
  `---\n${JSON.stringify({ apiVersion: "edgewise/v1", kind, metadata: { name }, spec })}\n`;

export const page = (status: number, name = "sorry"): string =>
  manifest("HTTPResponseBackend", name, { status_code: status });

export const config = (more: object = {}): string =>
  JSON.stringify({ apiVersion: "edgewise/v1", kind: "Config", stack: "prod", manifests: ["m.yaml"], ...more });

export const collection = "/backends/http_response";

export async function repositoryWorld(repository = "repo") {
  const on = await stage();
  const { dir, sandbox } = on;
  const top = join(dir, repository);
  const put = async (path: string, text: string): Promise<void> => {
    await on.write(path, text);
    await chmod(join(dir, path), 0o600);
  };
  await put("key", sandbox.apiKey);
  await mkdir(top, { recursive: true });
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", top, "-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  git("init", "-q", "-b", "main");
  const fleet = {
    apiVersion: "edgewise/v1",
    kind: "Fleet",
    sources: { edge: { git: `./${repository}` } },
    accounts: { main: { baseUrl: sandbox.baseUrl, key: { file: "key" } } },
    stacks: { prod: { source: "edge", config: "prod/edgewise.yaml", account: "main" } },
  };
  const serve = async (members: object, ...flags: readonly string[]): Promise<Ran & { readonly writes: number }> => {
    await put("fleet.yaml", JSON.stringify({ ...fleet, ...members }));
    const before = on.writes();
    const ran = await on.run("serve", "fleet.yaml", ...flags);
    return { ...ran, writes: on.writes() - before };
  };
  return {
    on,
    put,
    git,
    fleet,
    serve,
    once: async (members: object, ...flags: readonly string[]) => {
      const ran = await serve(members, "--once", "-o", "json", ...flags);
      const { stacks } = JSON.parse(ran.out) as { readonly stacks: readonly Shown[] };
      return { ...ran, stacks };
    },
    push: async (manifests: string, configuration = config(), name = "prod"): Promise<void> => {
      await put(`${repository}/${name}/m.yaml`, manifests);
      await put(`${repository}/${name}/edgewise.yaml`, configuration);
      git("add", "-A");
      git("commit", "-qm", "change", "--allow-empty");
    },
    live: (): { readonly id: string; readonly status: unknown } => {
      const [one] = sandbox.world().lists.HTTPResponseBackend;
      return { id: String(one?.id), status: one?.["status_code"] };
    },
    byHand: (method: string, at: string, body: Json) => on.behind(method, at, body),
    key: async (name: string): Promise<string> => {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", join(dir, name)]);
      return `${name}@example.com ${await readFile(join(dir, `${name}.pub`), "utf8")}`;
    },
    as: (name: string): readonly string[] =>
      ["gpg.format=ssh", `user.email=${name}@example.com`, `user.signingKey=${join(dir, name)}`].flatMap((one) => [
        "-c",
        one,
      ]),
  };
}
