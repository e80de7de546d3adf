// Builds dist/ with plain tsc: one file for each source file, so that a command loads only what it needs.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

const { status } = spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.json")], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

// What a removed source file left behind would still be importable; dist/ is never emptied, as a running test may read it.
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const path = join(entry.parentPath, entry.name);
  const source = join(root, "src", relative(dist, path).replace(/(\.d)?\.(js|ts)$/, ""));
  if (![".ts", ".js"].some((extension) => existsSync(source + extension))) rmSync(path);
}

const cli = join(dist, "cli.js");
if (!readFileSync(cli, "utf8").startsWith("#!/usr/bin/env node\n")) {
  console.error("dist/cli.js has no shebang: src/cli.ts must begin with #!/usr/bin/env node");
  process.exit(1);
}
chmodSync(cli, 0o755);
