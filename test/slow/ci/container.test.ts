import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startSandbox } from "../../../scripts/sandbox.mjs";
import { type InitRepository, initRepository } from "./init-repository.ts";
import { recipeText } from "./recipes.ts";

const user = 65_532;
const instructions = recipeText("examples/ci/docker/Dockerfile")
  .split("\n")
  .filter((line) => /^[A-Z]+ /.test(line));
const ignored = recipeText("examples/ci/docker/Dockerfile.dockerignore")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

/** As Docker matches: a path and everything below it. */
function isIgnored(path: string): boolean {
  return ignored.some((pattern) => {
    const source = pattern
      .replaceAll(".", "\\.")
      .replaceAll("**/", "(?:.+/)?")
      .replaceAll(/(?<![.)])\*/g, "[^/]*");
    return new RegExp(`^${source}(?:/|$)`).test(path);
  });
}

interface Image {
  readonly directory: string;
  readonly entrypoint: readonly string[];
}

/** Replays the steps of the Dockerfile on the files of a repository; `/config` is the directory. */
function build({ work, scratch }: InitRepository): Image {
  const directory = mkdtempSync(join(scratch, "image-"));
  chmodSync(directory, 0o755);
  let entrypoint: readonly string[] = [];
  for (const instruction of instructions) {
    const [name, ...words] = instruction.split(" ");
    switch (name) {
      case "FROM":
        expect(words).toEqual([expect.stringMatching(/^node:24\.\d+\.\d+-\w+-slim$/)]);
        break;
      case "WORKDIR":
        expect(words).toEqual(["/config"]);
        break;
      case "COPY":
        expect(words).toEqual([".", "./"]); // whole folders, into the place that they have
        cpSync(work, directory, {
          recursive: true,
          filter: (from) => from === work || !isIgnored(relative(work, from).split(sep).join("/")),
        });
        break;
      case "USER":
        expect(words).toEqual([`${user}:${user}`]);
        break;
      case "ENTRYPOINT":
        entrypoint = JSON.parse(words.join(" "));
        break;
      default:
        throw new Error(`the test can't replay ${instruction}`);
    }
  }
  return { directory, entrypoint };
}

/** Every file with its size and time of change. */
function listing(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((path) => `${path} ${statSync(join(directory, path)).size} ${statSync(join(directory, path)).mtimeMs}`);
}

describe("the CronJob, in the image of the Dockerfile", () => {
  const { containers } = parse(recipeText("examples/ci/kubernetes/drift-cronjob.yaml")).spec.jobTemplate.spec.template
    .spec;
  const [container]: readonly { args: string[]; env: { name: string; value: string }[] }[] = containers;
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;
  let repository: InitRepository;

  beforeAll(async () => {
    sandbox = await startSandbox();
    repository = initRepository("github", ["eu"]);
    writeFileSync(join(repository.work, "signing.key.pem"), "secret");
  });
  afterAll(() => {
    sandbox.stop();
    repository.remove();
  });

  it("has the folders as they are, without history and keys", () => {
    const { directory } = build(repository);
    const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();
    expect(files).toEqual([
      ".edgewise",
      ".edgewise/edgewise.mjs",
      ".edgewise/edgewise.mjs.LICENSES.txt",
      ".edgewise/edgewise.mjs.sha256",
      ".gitattributes",
      ".gitignore",
      "edge",
      "edge/example.yaml",
      "edgewise.yaml",
      "eu",
      "eu/.edgewise",
      "eu/.gitignore",
      "eu/edge",
      "eu/edge/example.yaml",
      "eu/edgewise.yaml",
    ]);
  });

  it("reports the drift of every stack, with its key from a file, and writes nothing", () => {
    const { directory, entrypoint } = build(repository);
    const keyFile = join(directory, "..", "key");
    writeFileSync(keyFile, `${sandbox.apiKey}\n`);
    const isRoot = process.getuid?.() === 0;
    // The image belongs to root, and the key to the pod's group.
    chmodSync(keyFile, isRoot ? 0o440 : 0o400);
    if (isRoot) {
      chownSync(keyFile, 0, user);
      for (const path of [join(repository.scratch, ".."), repository.scratch]) chmodSync(path, 0o755);
    }
    const before = listing(directory);
    const [program = "", ...first] = [...entrypoint, ...(container?.args ?? [])].map((word) =>
      word.replace(/^\/config\//, `${directory}/`).replace("/run/edgewise/key", keyFile),
    );
    const { status, stdout, stderr } = spawnSync(program === "node" ? process.execPath : program, first, {
      cwd: directory,
      encoding: "utf8",
      ...(isRoot ? { uid: user, gid: user } : {}),
      env: {
        ...Object.fromEntries(container?.env.map(({ name, value }) => [name, value]) ?? []),
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
});
