// Builds dist/: one file for each source file with tsc (the library, its types, and what tests import), and the program
// in dist/bin, bundled into few files because Node takes half a millisecond to find and link each file.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { bundledPackages } from "./bundled-packages.mjs";
import { checkedOutCommit, hasUncommittedChanges } from "./checked-out-commit.mjs";
import { onlyDispatchers } from "./only-dispatchers.mjs";
import { buildSingleFile, singleFiles } from "./single-file.mjs";
import { buildValidators } from "./validators.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const bin = join(dist, "bin");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

await buildValidators();
const { status } = spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.json")], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

// `edgewise version` prints it. Nothing else in dist/ depends on when or where it was built.
const builtFrom = { buildCommit: checkedOutCommit(root), buildModified: hasUncommittedChanges(root) };
const versionFile = join(dist, "version.js");
for (const [name, value] of Object.entries(builtFrom)) {
  const unset = `export const ${name} = null;`;
  const unbuilt = readFileSync(versionFile, "utf8");
  if (!unbuilt.includes(unset)) throw new Error(`${versionFile} does not say ${unset}`);
  writeFileSync(versionFile, unbuilt.replace(unset, `export const ${name} = ${JSON.stringify(value)};`));
}

// Outputs of removed source files could still be imported, so they are removed. dist/ is never emptied, because a
// running test may read it.
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (!entry.isFile() || path.startsWith(bin + sep) || singleFiles.includes(relative(dist, path))) continue;
  const source = join(root, "src", relative(dist, path).replace(/(\.d)?\.(js|ts)$/, ""));
  if (![".ts", ".js"].some((extension) => existsSync(source + extension))) rmSync(path);
}

// Modules that find files beside themselves must keep looking from their original place.
const whereItWas = {
  name: "where-it-was",
  /** @param {string} code @param {string} id */
  transform(code, id) {
    if (!id.startsWith(dist) || !code.includes("import.meta.url")) return null;
    const original = JSON.stringify(relative(bin, id).replaceAll(sep, "/"));
    return code.replaceAll("import.meta.url", `new URL(${original}, import.meta.url).href`);
  },
};

/** A file of dist/ and all that it imports statically, as absolute paths. */
function closureOf(file, found = new Set()) {
  const path = join(dist, file);
  if (found.has(path)) return found;
  found.add(path);
  for (const [, imported] of readFileSync(path, "utf8").matchAll(
    /^(?:import|export)\s(?:[^;"]*?\sfrom\s)?"(\.[^"]+)"/gm,
  )) {
    closureOf(relative(dist, join(dirname(path), imported)), found);
  }
  return found;
}

// Whatever comes before the first request is in files of its own, because Node parses a file as a whole: first what every
// command needs until its configuration is loaded, then the client.
const beginning = closureOf("commands/run.js", closureOf("config/load-config.js"));
const client = closureOf("commands/plan.js", closureOf("commands/apply.js"));

/** The package that a module name begins with: `undici` of `undici/lib/dispatcher/agent.js`. */
const packageOf = (id) => /^(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id;

const built = await rolldown({
  input: { edgewise: join(dist, "cli.js") },
  platform: "node",
  external: (id) => !id.startsWith(".") && !isAbsolute(id) && !bundledPackages.includes(packageOf(id)),
  plugins: [whereItWas, onlyDispatchers],
  checks: { ineffectiveDynamicImport: false },
});
const { output } = await built.write({
  dir: bin,
  format: "esm",
  entryFileNames: "[name].js",
  // A module that only the build has begins with a character that becomes an underscore.
  chunkFileNames: ({ name }) => `${name.replace(/^_+/, "")}.js`,
  codeSplitting: {
    groups: [
      // `--version` loads only this.
      { name: "start", test: /[\\/]dist[\\/](json|version|commands[\\/]support[\\/]node-problem)\.js$/, priority: 4 },
      { name: "first", test: (id) => beginning.has(id), priority: 3 },
      { name: "client", test: (id) => client.has(id), priority: 2 },
      { name: "shared", test: /[\\/]dist[\\/]/, minShareCount: 3, priority: 1 },
    ],
  },
});
await built.close();
// The bill of materials and the licences use the list, so the bundle must match it.
const putIn = output.flatMap(({ type, ...chunk }) => (type === "chunk" ? chunk.moduleIds : []));
const packagesIn = putIn.flatMap((id) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? []);
if ([...new Set(packagesIn)].toSorted().join() !== bundledPackages.toSorted().join()) {
  console.error(`dist/bin holds ${[...new Set(packagesIn)].join(", ")}: correct scripts/bundled-packages.mjs`);
  process.exit(1);
}
const licenses = bundledPackages.map((name) => ({ name, file: `LICENSE.${name}` }));
for (const { name, file } of licenses) copyFileSync(join(root, "node_modules", name, "LICENSE"), join(bin, file));

const made = new Set([...output.map(({ fileName }) => fileName), ...licenses.map(({ file }) => file)]);
for (const name of readdirSync(bin)) if (!made.has(name)) rmSync(join(bin, name));

const program = join(bin, "edgewise.js");
if (!readFileSync(program, "utf8").startsWith("#!/usr/bin/env node\n")) {
  console.error("dist/bin/edgewise.js has no shebang: src/cli.ts must begin with #!/usr/bin/env node");
  process.exit(1);
}
await buildSingleFile(root, dist);
// The plain files can be run too: their stack traces name the sources.
for (const entry of [program, join(dist, "cli.js"), join(dist, "edgewise.mjs")]) chmodSync(entry, 0o755);
