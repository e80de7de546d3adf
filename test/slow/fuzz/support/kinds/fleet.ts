import { execFileSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { Json } from "../../../../../src/core/json.ts";
import type { Dice } from "../../../chaos/support/dice.ts";
import { pair, richManifests } from "../../../security/support/rich-manifests.ts";
import { config, type Ground, planted } from "../ground.ts";
import { withOddBytes, withOddPlaces, withOddText } from "../odd.ts";

const wishes = config.replace(/^api: .*\n/mu, "");

function makeSource(ground: Ground): void {
  const top = join(ground.dir, "source");
  if (existsSync(join(top, ".git"))) return;
  git(ground.dir, "init", "-q", "-b", "main", "--template=", top);
  commitTo(ground, { ...richManifests, "edgewise.yaml": wishes });
}

function commitTo(ground: Ground, files: { readonly [path: string]: string | Uint8Array }): void {
  const top = join(ground.dir, "source");
  for (const [path, content] of Object.entries(files)) ground.write(join("source", path), content);
  git(top, "add", "-A");
  git(top, "commit", "-q", "--allow-empty", "-m", "odd");
}

function git(cwd: string, ...args: readonly string[]): string {
  const own = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
  const env = { PATH: process.env["PATH"], ...own, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

function writeSecrets(ground: Ground): void {
  const { apiKey, hook } = planted;
  const files = { key: apiKey, "secrets/HOOK_SECRET": hook, "secrets/CERT_KEY": pair.key };
  for (const [name, text] of Object.entries(files)) {
    ground.write(name, text);
    chmodSync(join(ground.dir, name), 0o600);
  }
}

/** Git is looked for there. */
const path = { PATH: process.env["PATH"] ?? "" };

const documents: readonly Json[] = parseAllDocuments(richManifests["edge/all.yaml"] ?? "").map(
  (each) => each.toJS() as Json,
);

export async function followedRun(dice: Dice, ground: Ground): Promise<void> {
  writeSecrets(ground);
  makeSource(ground);
  const prod = { source: "edge", account: "main", stack: "demo", secrets: "secrets", apply: { commit: "security" } };
  const fleet = {
    apiVersion: "edgewise/v1",
    kind: "Fleet",
    sources: { edge: { git: "source", ref: "main" } },
    accounts: { main: { baseUrl: ground.service.baseUrl, versionHeader: "Service-Version", key: { file: "key" } } },
    stacks: { prod: { ...prod, allow: { modulesOf: ["edghts_1"] } } },
  };
  ground.write("fleet.yaml", JSON.stringify(fleet));
  const struck = dice.between(0, documents.length - 1);
  const how = dice.between(0, 3);
  const odd = documents.map((document, at) => (at === struck ? withOddPlaces(document, dice) : document));
  const whole = odd.map((document) => JSON.stringify(document)).join("\n---\n");
  commitTo(ground, {
    ...richManifests,
    "edgewise.yaml": how === 0 ? withOddText(wishes, dice) : wishes,
    "edge/all.yaml": how === 1 ? withOddText(whole, dice) : how === 2 ? withOddBytes(whole, dice) : whole,
  });
  await ground.go(["serve", "fleet.yaml", "--once", "--dry-run", "-o", "json", "--state", "state"], path);
}
