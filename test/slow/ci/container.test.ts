import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { startSandbox } from "../../../scripts/sandbox.mjs";
import { root } from "../../repository/source-files.ts";
import { initRepository } from "./repository.ts";

const user = 65_532;
const recipe = (name: string): string => readFileSync(join(root, "examples/ci/kubernetes", name), "utf8");
const { spec } = parse(recipe("drift-cronjob.yaml"));
const pod = spec.jobTemplate.spec.template.spec;
const [container] = pod.containers;
const env: readonly { readonly name: string; readonly value: string }[] = container.env;

function listing(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((path) => `${path} ${statSync(join(directory, path)).size} ${statSync(join(directory, path)).mtimeMs}`);
}

it("the CronJob never runs twice at a time, and has no power", () => {
  expect(spec).toMatchObject({ concurrencyPolicy: "Forbid", jobTemplate: { spec: { backoffLimit: 0 } } });
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    restartPolicy: "Never",
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  });
  expect(container.securityContext).toMatchObject({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
});

it("the CronJob reports the drift of every stack, with its key from a file, and writes nothing", async () => {
  const sandbox = await startSandbox();
  const repository = initRepository("github");
  repository.commit("eu", () => repository.addStack("eu"));
  onTestFinished(() => {
    sandbox.stop();
    repository.remove();
  });
  const directory = join(repository.scratch, "image");
  mkdirSync(directory);
  execFileSync("sh", ["-c", 'git archive HEAD | tar -x -C "$0"', directory], { cwd: repository.work });
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
  const entrypoint: readonly string[] = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(recipe("Dockerfile"))?.[1] ?? "");
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
