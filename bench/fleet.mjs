// A fleet of any size: a repository with one configuration for each stack, the accounts that it describes, the fleet file.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startService } from "./processes.mjs";

/** Begins with the name of its account. */
const nameOf = (account, index) => `a${account}-${index}`;

/** Writes a bare repository: `tenants/NAME/` holds a configuration and one manifest. */
function writeRepository(repository, accounts, each) {
  git(["init", "--quiet", "--bare", "--initial-branch=main", repository]);
  const parts = ["commit refs/heads/main\ncommitter Bench <bench@example.com> 0 +0000\ndata 5\nbench\n"];
  const add = (file, text) => parts.push(`M 100644 inline ${file}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
  for (let index = 0; index < accounts * each; index++) {
    const name = nameOf(Math.floor(index / each), index % each);
    const config = `apiVersion: edgewise/v1\nkind: Config\nstack: tenant-${name}\nmanifests: [page.yaml]\n`;
    const spec = `spec:\n  description: Page of ${name}\n  status_code: 503\n  body: Back soon\n`;
    add(`tenants/${name}/edgewise.yaml`, config);
    add(
      `tenants/${name}/page.yaml`,
      `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata:\n  name: page\n${spec}`,
    );
  }
  git(["--git-dir", repository, "fast-import", "--quiet"], parts.join(""));
}

function git(args, input) {
  const { status, stderr } = spawnSync("git", args, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
}

/** Writes a data file for the sandbox in which live matches {@link writeRepository}. */
function writeAccount(file, account, each) {
  const pages = Array.from({ length: each }, (_, index) => {
    const name = nameOf(account, index);
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
 * Starts the service of a fleet, and writes its repository and its file.
 * @param size how many `accounts`, how many stacks `each` has, and the `interval`
 */
export async function openFleet(folder, { accounts, each, interval }) {
  mkdirSync(folder, { recursive: true });
  const repository = join(folder, "edge.git");
  writeRepository(repository, accounts, each);
  const worlds = Array.from({ length: accounts }, (_, account) => join(folder, `world-${account}.json`));
  for (const [account, file] of worlds.entries()) writeAccount(file, account, each);
  const service = await startService(0, ...worlds);
  const keys = service.environments.map(({ EDGEWISE_API_KEY }, account) => {
    writeFileSync(join(folder, `key-${account}`), EDGEWISE_API_KEY, { mode: 0o600 });
    return `key-${account}`;
  });
  const addresses = service.environments.map(
    ({ EDGEWISE_BASE_URL: url }, account) => `  a${account}: {baseUrl: "${url}", key: {file: ${keys[account]}}}\n`,
  );
  const entries = keys.map(
    (_, account) =>
      `  e${account}: {source: edge, configs: "tenants/a${account}-*/edgewise.yaml", account: a${account}}\n`,
  );
  const file = join(folder, "fleet.yaml");
  const head = "apiVersion: edgewise/v1\nkind: Fleet\nsources:\n  edge: {git: ./edge.git, ref: main}\n";
  writeFileSync(
    file,
    `${head}accounts:\n${addresses.join("")}stacks:\n${entries.join("")}defaults: {interval: ${interval}}\n`,
  );
  return { file, close: service.close };
}
