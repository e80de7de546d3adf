import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { startSandbox } from "../../../scripts/sandbox.mjs";
import { type InitRepository, initRepository } from "./init-repository.ts";
import { recipeText } from "./recipes.ts";

const user = 65_532;
const instructions = recipeText("examples/ci/docker/Dockerfile").match(/^[A-Z]+ .*$/gm) ?? [];
const [container] = parse(recipeText("examples/ci/kubernetes/drift-cronjob.yaml")).spec.jobTemplate.spec.template.spec
  .containers;
const env: readonly { readonly name: string; readonly value: string }[] = container.env;

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let repository: InitRepository;

beforeAll(async () => {
  sandbox = await startSandbox();
  repository = initRepository("github", ["eu"]);
});
afterAll(() => {
  sandbox.stop();
  repository.remove();
});

/** Every file with its size and time of change. */
function listing(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((path) => `${path} ${statSync(join(directory, path)).size} ${statSync(join(directory, path)).mtimeMs}`);
}

it("the CronJob reports the drift of every stack, with its key from a file, and writes nothing", () => {
  const directory = join(repository.scratch, "image");
  cpSync(repository.work, directory, { recursive: true, filter: (from) => !from.endsWith("/.git") });
  const keyFile = join(repository.scratch, "key");
  writeFileSync(keyFile, `${sandbox.apiKey}\n`);
  const isRoot = process.getuid?.() === 0;
  // The image belongs to root, and the key to the pod's group.
  chmodSync(keyFile, isRoot ? 0o440 : 0o400);
  if (isRoot) {
    chownSync(keyFile, 0, user);
    for (const path of [join(repository.scratch, ".."), repository.scratch]) chmodSync(path, 0o755);
  }
  const before = listing(directory);
  const entrypoint: readonly string[] = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(instructions.join("\n"))?.[1] ?? "");
  const [program = "", ...words] = [...entrypoint, ...container.args].map((word) =>
    word.replace(/^\/config\//, `${directory}/`).replace("/run/edgewise/key", keyFile),
  );
  const { status, stdout, stderr } = spawnSync(program === "node" ? process.execPath : program, words, {
    cwd: directory,
    encoding: "utf8",
    ...(isRoot ? { uid: user, gid: user } : {}),
    env: {
      ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
      EDGEWISE_BASE_URL: sandbox.baseUrl,
      EDGEWISE_VERSION_HEADER: sandbox.env.EDGEWISE_VERSION_HEADER,
      TMPDIR: join(directory, "nothing-can-be-written-here"),
    },
  });
  expect(status, stderr).toBe(2);
  expect(stderr).not.toContain("warning");
  expect(stdout.match(/HTTPResponseBackend\/maintenance/g)?.length).toBeGreaterThanOrEqual(2);
  expect(listing(directory)).toEqual(before);
});
