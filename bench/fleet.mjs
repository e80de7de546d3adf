// A fleet of any size: a repository with one configuration for each stack, the account that it describes, the fleet file.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How many stacks an account has, unless it is the only one. */
const hundred = 100;

/** Begins with what all stacks of an account have in common. */
const nameOf = (index, each = hundred) =>
  `t${String(Math.floor(index / each)).padStart(4, "0")}${String(index % each).padStart(2, "0")}`;
export const commit = "0123456789abcdef0123456789abcdef01234567";

/** Writes a bare repository: `tenants/NAME/` holds a configuration and one manifest. */
export function writeRepository(folder, count, each = hundred) {
  const repository = join(folder, "edge.git");
  rmSync(repository, { recursive: true, force: true });
  git(["init", "--quiet", "--bare", "--initial-branch=main", repository]);
  const parts = ["commit refs/heads/main\ncommitter Bench <bench@example.com> 0 +0000\ndata 5\nbench\n"];
  const add = (file, text) => parts.push(`M 100644 inline ${file}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
  for (let index = 0; index < count; index++) {
    const name = nameOf(index, each);
    const config = `apiVersion: edgewise/v1\nkind: Config\nstack: tenant-${name}\nmanifests: [edge/]\n`;
    add(`tenants/${name}/edgewise.yaml`, config);
    add(
      `tenants/${name}/edge/page.yaml`,
      `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata:\n  name: page\nspec:\n  description: Page of ${name}\n  status_code: 503\n  body: Back soon\n`,
    );
  }
  git(["--git-dir", repository, "fast-import", "--quiet"], parts.join(""));
  return repository;
}

function git(args, input) {
  const { status, stderr } = spawnSync("git", args, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
}

/** Writes a data file for the sandbox in which live is what {@link writeRepository} says, of some stacks from the `first`. */
export function writeFleetWorld(file, count, first = 0, each = hundred) {
  const pages = Array.from({ length: count }, (_, at) => {
    const index = first + at;
    const name = nameOf(index, each);
    const id = `bkdhr_2kXq9V0sB4nT7m${String(index).padStart(12, "0")}`;
    return {
      id,
      uri: `https://api.example.com/backends/http_response/${id}`,
      created_at: "2026-01-31T12:00:00Z",
      description: `Page of ${name}`,
      metadata: JSON.stringify({ edgewise: { stack: `tenant-${name}`, name: "page" } }),
      body: "Back soon",
      headers: {},
      status_code: 503,
    };
  });
  const lists = { HTTPResponseBackend: pages.toReversed() };
  writeFileSync(file, JSON.stringify({ format: "edgewise.sandbox/v1", baseUrl: null, lists, modules: {} }));
}

/**
 * Writes the fleet file for accounts that services of service.mjs have. Of several, each has so many stacks.
 * @param environments of the services, as `startService` gives them
 * @returns its path
 */
export function writeFleet(folder, repository, environments, { interval = "10m", each = hundred } = {}) {
  mkdirSync(folder, { recursive: true });
  const accounts = environments.map(({ EDGEWISE_API_KEY, EDGEWISE_BASE_URL }, index) => {
    const key = join(folder, `key-${index}`);
    writeFileSync(key, EDGEWISE_API_KEY, { mode: 0o600 });
    return `  a${index}: {baseUrl: "${EDGEWISE_BASE_URL}", key: {file: ${JSON.stringify(key)}}}\n`;
  });
  const stacks = environments.map((_, index) => {
    const some = environments.length === 1 ? "" : nameOf(index * each, each).slice(0, -2);
    return `  e${index}: {source: edge, configs: "tenants/${some}*/edgewise.yaml", account: a${index}}\n`;
  });
  const file = join(folder, "fleet.yaml");
  const source = `sources:\n  edge: {git: ${JSON.stringify(repository)}, ref: main}\n`;
  writeFileSync(
    file,
    `apiVersion: edgewise/v1\nkind: Fleet\n${source}accounts:\n${accounts.join("")}stacks:\n${stacks.join("")}defaults: {interval: ${interval}}\n`,
  );
  return file;
}

/** An entry of the history of a stack. */
export function historyEntry(stack, at) {
  return {
    at: new Date(at).toISOString(),
    stack,
    commit,
    event: "state",
    outcome: "synced",
    impact: "none",
    operations: [],
    approval: null,
    message: "live is what the commit says",
  };
}
