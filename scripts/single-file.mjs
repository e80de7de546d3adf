// Builds dist/edgewise.mjs: the whole program in one file that reads no other, with its licences beside it.
import { readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { rolldown } from "rolldown";
import { onlyDispatchers } from "./only-dispatchers.mjs";

/** What the build writes into dist/. */
export const singleFiles = ["edgewise.mjs", "edgewise.mjs.LICENSES.txt"];

/** More than this is too much to commit, and to parse at every start. */
const mostBytes = 3_000_000;

/**
 * The file is a short module, and one text for each part of the program, which is compiled when it is first needed: Node
 * would otherwise parse a megabyte to print the version.
 * @param {string} root the repository, whose dist/ holds the output of tsc
 * @param {string} to the directory that gets the files
 */
export async function buildSingleFile(root, to) {
  const dist = join(root, "dist");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  // Which packages are inside is known only when they have been gathered, and their licences go inside, too.
  const policies = await policyProgramOf(dist);
  const gathered = await partsOf(dist, { version, licenses: "", policies: "" });
  const licenses = licensesOf(root, packagesOf([...gathered, policies].flatMap(({ moduleIds }) => moduleIds)));
  const parts = await partsOf(dist, { version, licenses, policies: policies.code });
  const code = await head(root, version, parts);
  if (Buffer.byteLength(code) > mostBytes) throw new Error(`dist/edgewise.mjs has ${Buffer.byteLength(code)} bytes`);
  const texts = [code, licenses];
  for (const [index, name] of singleFiles.entries()) replace(join(to, name), texts[index] ?? "");
}

/** The modules that src/cli.ts imports when it is more than `--version`: where the parts begin. */
const entries = ["commands/run.js"];

/** The program of the process that evaluates policies: all of it in one text, because it can import no part. */
async function policyProgramOf(dist) {
  const [chunk] = await bundle({
    input: { "policy-process": join(dist, "commands", "support", "policy-process.js") },
    format: "cjs",
    codeSplitting: false,
  });
  return chunk;
}

/** The start of the program, and the texts of all parts. */
async function head(root, version, parts) {
  const dist = join(root, "dist");
  const [{ code }] = await bundle({
    input: join(dist, "cli.js"),
    plugins: [inside(dist, { version, licenses: "", policies: "" }), startsFromParts(root)],
    format: "esm",
    codeSplitting: false,
  });
  const shebang = "#!/usr/bin/env node\n";
  if (!code.startsWith(shebang)) throw new Error("src/cli.ts must begin with #!/usr/bin/env node");
  const texts = parts.map(({ fileName, code: part }) => `${JSON.stringify(fileName)}:${JSON.stringify(part)}`);
  // The second line says what the file is: `init --upgrade` reads the version there.
  const parted = `const edgewiseParts={\n${texts.join(",\n")}\n};`;
  return `${shebang}// edgewise ${version}\n${parted}\n${code.slice(shebang.length)}`;
}

/** @param {string} root */
function startsFromParts(root) {
  const loader = join(root, "scripts", "single-file-parts.mjs");
  const file = join(root, "dist", "cli.js");
  return {
    name: "starts-from-parts",
    /** @param {string} code @param {string} id */
    transform(code, id) {
      if (id !== file) return null;
      const changed = code.replace(/\bimport\("\.\/([\w/-]+\.js)"\)/g, (whole, path) => {
        return entries.includes(path) ? `loadPart("${basename(path)}")` : whole;
      });
      return changed.replace("\n", `\nimport { loadPart } from ${JSON.stringify(loader)};\n`);
    },
  };
}

/** The parts: what each command needs, what several need, and the YAML library, which most runs never need. */
async function partsOf(dist, texts) {
  const program = await bundle({
    input: Object.fromEntries(entries.map((entry) => [basename(entry, ".js"), join(dist, entry)])),
    external: ["yaml"],
    plugins: [inside(dist, texts), onlyDispatchers, onlyMetrics, onlyOwnClient],
    format: "cjs",
    // The texts inside are long, and few commands need them.
    codeSplitting: {
      groups: [{ name: "shared", test: /[\\/]dist[\\/](?!own-files\.js$)/, minShareCount: 3, priority: 1 }],
    },
  });
  const yaml = await bundle({ input: { yaml: "yaml" }, format: "cjs" });
  return [...program, ...yaml];
}

/** Chunks of a bundle, minified. Names of functions stay, so that a stack trace can be read. */
async function bundle({ input, external = [], plugins = [], ...output }) {
  const keepNames = { function: true, class: true };
  const built = await rolldown({
    input,
    external,
    plugins,
    platform: "node",
    tsconfig: false,
    checks: { ineffectiveDynamicImport: false },
  });
  const { output: chunks } = await built.generate({
    ...output,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    // Each module runs when it is first needed, as if it were a file of its own.
    strictExecutionOrder: true,
    minify: {
      compress: { keepNames },
      mangle: { keepNames },
      codegen: { removeWhitespace: true, legalComments: "none" },
    },
  });
  await built.close();
  return chunks;
}

/** Puts inside what modules read from files beside them. */
function inside(dist, { version, licenses, policies }) {
  const schemasDir = join(dist, "..", "schemas");
  const schemas = () =>
    Object.fromEntries(
      readdirSync(schemasDir)
        .toSorted()
        .map((name) => [name, JSON.stringify(JSON.parse(readFileSync(join(schemasDir, name), "utf8")), null, 1)]),
    );
  const replaced = {
    "version.js": () => `export const version = ${JSON.stringify(version)};\n${builtFrom(dist)}`,
    "own-files.js": () => `import { readFile } from "node:fs/promises";
      const schemas = ${JSON.stringify(schemas())};
      const licenses = ${JSON.stringify(licenses)};
      export function policyProgram() { return { code: ${JSON.stringify(policies)} }; }
      export async function schemaText(file) { return schemas[file]; }
      export async function ownProgram() { return { path: edgewiseFile, text: await readFile(edgewiseFile, "utf8"), licenses }; }`,
  };
  return {
    name: "inside",
    /** @param {string} id */
    load(id) {
      const path = id.startsWith(dist + sep) ? id.slice(dist.length + 1).replaceAll(sep, "/") : "";
      return Object.hasOwn(replaced, path) ? replaced[path]() : null;
    },
    /** @param {string} code @param {string} id */
    transform(code, id) {
      if (!id.startsWith(dist + sep)) return null;
      // With a `require` of its own a module would look for packages in node_modules.
      const own =
        /^import \{ createRequire \} from "node:module";\n|^const require = createRequire\(import\.meta\.url\);\n/gm;
      const changed = code.replace(own, "");
      if (changed.includes("import.meta")) throw new Error(`${id} reads files beside itself: put them inside`);
      return changed;
    },
  };
}

/** The lines of dist/version.js that say what it was built from. */
function builtFrom(dist) {
  const lines = readFileSync(join(dist, "version.js"), "utf8").match(/^export const build\w+ = .*$/gm);
  if (lines === null) throw new Error("dist/version.js doesn't say what it was built from");
  return lines.join("\n");
}

/** Of prom-client only what counts and prints is needed: the rest pushes, and gathers from a cluster of processes. */
const onlyMetrics = {
  name: "only-metrics",
  /** @param {string} id */
  resolveId(id) {
    return id === "prom-client" ? "\0metrics" : null;
  },
  /** @param {string} id */
  load(id) {
    if (id !== "\0metrics") return null;
    return ["Counter", "Gauge", "Histogram", "Registry"]
      .map((name) => `export { default as ${name} } from "prom-client/lib/${name.toLowerCase()}.js";\n`)
      .join("");
  },
};

/** Of pg only its own client is needed: not the one in C, nor what finds passwords and sockets elsewhere. */
const onlyOwnClient = {
  name: "only-own-client",
  /** @param {string} id @param {string | undefined} importer */
  resolveId(id, importer) {
    const isNative = id === "./native" && /[\\/]pg[\\/]lib[\\/]/.test(importer ?? "");
    return isNative || id === "pg-cloudflare" || id === "pgpass" ? "\0nothing" : null;
  },
  /** @param {string} id */
  load(id) {
    return id === "\0nothing" ? "export {};\n" : null;
  },
};

/** The names of the packages that modules are from. */
function packagesOf(moduleIds) {
  const names = moduleIds.flatMap((id) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? []);
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1));
}

function licensesOf(root, packages) {
  const own = { name: "edgewise", text: readFileSync(join(root, "LICENSE"), "utf8") };
  const theirs = packages.map((name) => {
    const directory = join(root, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    return { name: `${name} ${version}`, text: licenseIn(directory) };
  });
  const parts = [own, ...theirs].map(
    ({ name, text }) => `==== ${name} ====\n\n${text.replaceAll("\r\n", "\n").trim()}\n`,
  );
  return `edgewise.mjs contains edgewise and these packages: ${packages.join(", ")}. Their licences follow.\n\n${parts.join("\n")}`;
}

/** A package's licence: a file of its own, or else the part of its README that is called so. */
function licenseIn(directory) {
  const files = readdirSync(directory);
  const file = files.find((each) => /^licen[cs]e(\.\w+)?$/i.test(each));
  if (file !== undefined) return readFileSync(join(directory, file), "utf8");
  const readme = files.find((each) => /^readme\.md$/i.test(each));
  const parts = readme === undefined ? [] : readFileSync(join(directory, readme), "utf8").split(/^#+ /m);
  const part = parts.find((each) => /^licen[cs]e\s/i.test(each));
  if (part === undefined) throw new Error(`${directory} has no licence`);
  return part.slice(part.indexOf("\n"));
}

/** A running test may read the file, so it is replaced as a whole, and only when it differs. */
function replace(file, text) {
  if (readOr(file) === text) return;
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, file);
}

function readOr(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
