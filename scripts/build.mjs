// Builds dist/: one file for each source file with tsc (the library, its types, and what tests import), and the program
// in dist/bin, bundled into few files because Node takes half a millisecond to find and link each file.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { bundledPackages } from "./bundled-packages.mjs";
import { checkedOutCommit, hasUncommittedChanges } from "./checked-out-commit.mjs";
import { compileParts } from "./compile-parts.mjs";
import { importClosure } from "./import-closure.mjs";
import { onlyDispatchers, standIn } from "./only-dispatchers.mjs";
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
    // The loader has the shebang.
    if (id === join(dist, "cli.js")) return code.replace(/^#!.*/, "");
    if (!id.startsWith(dist) || !code.includes("import.meta.url")) return null;
    const original = JSON.stringify(relative(bin, id).replaceAll(sep, "/"));
    // What the loader gives them finds packages, too.
    const own =
      /^import \{ createRequire \} from "node:module";\n|^const require = createRequire\(import\.meta\.url\);\n/gm;
    return code
      .replace(own, "")
      .replaceAll("import.meta.url", `new URL(${original}, require("node:url").pathToFileURL(__filename)).href`);
  },
};

// A script whose compiled code was kept can't import, so what is imported later from outside is required instead.
const requireOutside = {
  name: "require-outside",
  /** @param {string} code @param {string} id */
  transform(code, id) {
    if (!id.startsWith(dist)) return null;
    return code.replace(/\bimport\("([^".][^"]*)"\)/g, (whole, name) =>
      bundledPackages.includes(packageOf(name)) ? whole : `import("\0outside:${name}")`,
    );
  },
  /** @param {string} id */
  resolveId(id) {
    return id.startsWith("\0outside:") ? id : null;
  },
  /** @param {string} id */
  load(id) {
    return id.startsWith("\0outside:") ? `module.exports = require("${id.slice("\0outside:".length)}");\n` : null;
  },
};

// Whatever comes before the first request is in files of its own, because Node parses a file as a whole: first what every
// command needs until its configuration is loaded, then the client.
const beginning = importClosure(dist, "commands/run.js", importClosure(dist, "config/load-config.js"));
const client = importClosure(dist, "commands/plan.js");

/** The package that a module name begins with: `undici` of `undici/lib/dispatcher/agent.js`. */
const packageOf = (id) => /^(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id;

// Until the parts are compiled again, below.
rmSync(join(bin, "compiled"), { recursive: true, force: true });
const built = await rolldown({
  input: { program: join(dist, "cli.js") },
  platform: "node",
  external: (id, importer) =>
    !/^[.\0]/.test(id) &&
    !isAbsolute(id) &&
    !bundledPackages.includes(packageOf(id)) &&
    standIn(id, importer ?? undefined) === null,
  plugins: [whereItWas, requireOutside, onlyDispatchers],
  checks: { ineffectiveDynamicImport: false },
});
const { output } = await built.generate({
  format: "cjs",
  // Read and kept as one byte for each character.
  charset: "ascii",
  comments: { legal: true, annotation: false, jsdoc: false },
  entryFileNames: "[name].js",
  // A module that only the build has begins with a character that becomes an underscore.
  chunkFileNames: ({ name }) => `${name.replace(/^_+/, "").replaceAll("_", "-")}.js`,
  codeSplitting: {
    groups: [
      // `--version` loads only this.
      { name: "start", test: /[\\/]dist[\\/](json|version|commands[\\/]support[\\/]node-version)\.js$/, priority: 4 },
      { name: "first", test: (id) => beginning.has(id), priority: 3 },
      { name: "client", test: (id) => client.has(id), priority: 2 },
      // `serve` needs much that no other command does.
      { name: "shared", test: /[\\/]dist[\\/](?!serve[\\/])/, minShareCount: 3, priority: 1 },
      { name: "service", test: /[\\/]dist[\\/]serve[\\/]/, minShareCount: 3, priority: 1 },
    ],
  },
});
await built.close();
mkdirSync(bin, { recursive: true });
for (const { fileName, code } of output) {
  if (/\bimport\(/.test(code)) throw new Error(`dist/bin/${fileName} imports a module`);
  // As a function, which the loader calls: what it would put around the text would copy it.
  writeFileSync(join(bin, fileName), `(function (exports, require, module, __filename, __dirname) { ${code}})\n`);
}
// The bill of materials and the licences use the list, so the bundle must match it.
const putIn = output.flatMap(({ type, ...chunk }) => (type === "chunk" ? chunk.moduleIds : []));
const packagesIn = putIn.flatMap((id) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? []);
if ([...new Set(packagesIn)].toSorted().join() !== bundledPackages.toSorted().join()) {
  console.error(`dist/bin holds ${[...new Set(packagesIn)].join(", ")}: correct scripts/bundled-packages.mjs`);
  process.exit(1);
}
const licenses = bundledPackages.map((name) => ({ name, file: `LICENSE.${name}` }));
for (const { name, file } of licenses) copyFileSync(join(root, "node_modules", name, "LICENSE"), join(bin, file));

const program = join(bin, "edgewise.js");
const loader = await rolldown({ input: join(root, "scripts", "bin-loader.mjs"), platform: "node" });
await loader.write({ file: program, format: "cjs", banner: "#!/usr/bin/env node" });
await loader.close();
writeFileSync(join(bin, "package.json"), `{"type":"commonjs"}\n`);

const made = new Set(["edgewise.js", "package.json", "compiled", ...output.map(({ fileName }) => fileName)]);
for (const { file } of licenses) made.add(file);
for (const name of readdirSync(bin)) if (!made.has(name)) rmSync(join(bin, name));

if (!readFileSync(program, "utf8").startsWith("#!/usr/bin/env node\n")) {
  console.error("dist/bin/edgewise.js has no shebang: src/cli.ts must begin with #!/usr/bin/env node");
  process.exit(1);
}
await buildSingleFile(root, dist);
// The plain files can be run too: their stack traces name the sources.
for (const entry of [program, join(dist, "cli.js"), join(dist, "edgewise.mjs")]) chmodSync(entry, 0o755);
try {
  await compileParts(bin);
} catch (error) {
  // The program runs without it, and starts later.
  rmSync(join(bin, "compiled"), { recursive: true, force: true });
  console.error(`dist/bin/compiled was not written: ${error.message}`);
}
