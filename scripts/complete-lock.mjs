// Run it after npm install: it adds what npm omits to package-lock.json, optional packages for other platforms that the
// registry at hand doesn't have, without which `npm ci` refuses the file. Only these entries have no integrity hash. They
// are programs that check this repository, never part of a release, in the version that a package with a hash names.
//   node scripts/complete-lock.mjs [--write FILE]   writes
//   node scripts/complete-lock.mjs --check [FILE]   fails when an entry is missing, or lacks a hash for any other reason
import { readFileSync, writeFileSync } from "node:fs";

const [, , mode, given] = process.argv;
const file = given ?? new URL("../package-lock.json", import.meta.url);
/** @typedef {{version: string, integrity?: string, dev?: boolean, optional?: boolean, optionalDependencies?: {[name: string]: string}}} Entry */
/** @type {{packages: {[path: string]: Entry}}} */
const lock = JSON.parse(readFileSync(file, "utf8"));

/** The platform in a package's name: `@scope/binding-linux-x64-musl`. */
function platformOf(name) {
  const found =
    /(android|darwin|freebsd|linux|openbsd|openharmony|win32)-(arm64|arm|ia32|loong64|ppc64|riscv64|s390x|x64)(-\w+)?$/.exec(
      name,
    );
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

/** @param {Entry} entry */
const hasHash = ({ integrity }) => /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? "");

/** Whether this script writes such an entry, see above. */
function isCompletion(path, { version, dev, optional }) {
  const name = path.slice("node_modules/".length);
  if (dev !== true || optional !== true || platformOf(name) === null) return false;
  return Object.values(lock.packages).some(
    (entry) => entry.dev === true && entry.optionalDependencies?.[name] === version && hasHash(entry),
  );
}

if (mode === "--check") {
  const unverified = Object.entries(lock.packages).filter(
    ([path, entry]) => path !== "" && !hasHash(entry) && !isCompletion(path, entry),
  );
  for (const { path } of missing) console.error(`package-lock.json has no ${path}: run node scripts/complete-lock.mjs`);
  for (const [path] of unverified) console.error(`package-lock.json has no SHA-512 of ${path}: run npm install`);
  if (missing.length + unverified.length > 0) process.exitCode = 1;
} else if (missing.length > 0) {
  const entries = missing.map(({ path, added }) => [path, added]);
  const packages = [...Object.entries(lock.packages), ...entries].toSorted(([a], [b]) => a.localeCompare(b, "en"));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
}
