// Adds to package-lock.json what npm leaves out: optional packages of other platforms that the registry at hand doesn't
// have. npm writes no entry for such a package, and `npm ci` then calls the lock file incomplete.
// Run it after npm install; an added entry has no integrity until npm install runs where the package can be had.
//   node scripts/complete-lock.mjs           writes
//   node scripts/complete-lock.mjs --check   fails when an entry is missing
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
/** @type {{packages: {[path: string]: {dev?: boolean, optionalDependencies?: {[name: string]: string}}}}} */
const lock = JSON.parse(readFileSync(file, "utf8"));

/** The platform that a package's name tells: `@scope/binding-linux-x64-musl`. */
function platformOf(name) {
  const found =
    /(android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|ia32|ppc64|riscv64|s390x|x64)(-\w+)?$/.exec(name);
  if (found === null) return null;
  const [, os, cpu, abi = ""] = found;
  const libc = os !== "linux" ? {} : { libc: [abi.includes("musl") ? "musl" : "glibc"] };
  return { os: [os], cpu: [cpu], ...libc };
}

const missing = Object.values(lock.packages).flatMap((entry) =>
  Object.entries(entry.optionalDependencies ?? {})
    .filter(([name, version]) => /^\d/.test(version) && lock.packages[`node_modules/${name}`] === undefined)
    .flatMap(([name, version]) => {
      const platform = platformOf(name);
      if (platform === null) return [];
      const added = { version, ...(entry.dev ? { dev: true } : {}), optional: true, ...platform };
      return [{ path: `node_modules/${name}`, added }];
    }),
);

if (process.argv.includes("--check")) {
  for (const { path } of missing) console.error(`package-lock.json has no ${path}: run node scripts/complete-lock.mjs`);
  if (missing.length > 0) process.exitCode = 1;
} else if (missing.length > 0) {
  const entries = missing.map(({ path, added }) => [path, added]);
  const packages = [...Object.entries(lock.packages), ...entries].toSorted(([a], [b]) => a.localeCompare(b, "en"));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
}
