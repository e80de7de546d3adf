// npm runs this after it has installed the packages of a clone, also of one that it made itself for
// `npm install git+https://…`. It builds only what is missing: CI builds anyway.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { execPath, exit } from "node:process";
import { fileURLToPath } from "node:url";

const inRepository = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

if (existsSync(inRepository("dist/edgewise.mjs"))) exit(0);
if (!existsSync(inRepository("src")) || !existsSync(inRepository("node_modules/rolldown"))) {
  console.error("edgewise: not built, because the development packages are not installed");
  exit(0);
}
const { status } = spawnSync(execPath, [inRepository("scripts/build.mjs")], { stdio: "inherit" });
exit(status ?? 1);
