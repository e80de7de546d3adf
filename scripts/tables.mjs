// Builds what src/generated has of schemas and tables, from schemas/ and the registry of kinds, and of the pipelines that
// `init` writes, from examples/ci; it is not committed.
// Everything that compiles or runs the sources calls this first. It takes milliseconds, unless an input has changed.
//   node scripts/tables.mjs
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const schemasDir = new URL("schemas/", root);
const outDir = new URL("src/generated/", root);

/** The modules that are built. A command loads only those that it needs. */
export const builtFiles = [
  "ci-recipes.ts",
  "config-defaults.ts",
  "editor-schemas.ts",
  "kind-names.ts",
  "resource-models.ts",
  "schemas.ts",
];

/** Where `init` writes each recipe in examples/ci, by the system that reads it. */
const recipes = {
  github: {
    ".github/workflows/edgewise-plan.yaml": "github/edgewise-plan.yaml",
    ".github/workflows/edgewise-apply.yaml": "github/edgewise-apply.yaml",
    ".github/workflows/edgewise-drift.yaml": "github/edgewise-drift.yaml",
  },
  gitlab: { ".gitlab-ci.yml": "gitlab/gitlab-ci.yml" },
};

/** The module with the recipes' texts. */
function recipesModule() {
  const read = (recipe) => readFileSync(new URL(`examples/ci/${recipe}`, root), "utf8");
  const systems = Object.entries(recipes).map(([system, places]) => {
    return [system, Object.entries(places).map(([path, recipe]) => ({ path, text: read(recipe) }))];
  });
  const type =
    '{ readonly [system in "github" | "gitlab"]: readonly { readonly path: string; readonly text: string }[] }';
  return `export const ciRecipes: ${type} = ${JSON.stringify(Object.fromEntries(systems))};\n`;
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** What the settings of `api` and `lock` are when the configuration leaves them out: text, or durations in milliseconds. */
function defaultsModule(schemas) {
  const { api, lock } = schemas.get("config.schema.json").$defs;
  const defaultsOf = ({ properties }) =>
    Object.entries(properties).flatMap(([name, node]) => {
      if (typeof node.default !== "string") return [];
      const [, number, unit] = /^(\d+)(ms|s|m|h)$/.exec(node.default) ?? [];
      return [[name, unit === undefined ? node.default : Number(number) * units[unit]]];
    });
  const defaults = { api: Object.fromEntries(defaultsOf(api)), lock: Object.fromEntries(defaultsOf(lock)) };
  return `/** What settings are when the configuration leaves them out; durations in milliseconds. */\nexport const configDefaults = ${JSON.stringify(defaults)} as const;\n`;
}

/** The schemas as texts, which are parsed when they are needed, and their patterns: none is made at run time. */
function schemasModule(schemas) {
  const texts = [...schemas].map(([name, schema]) => [name, JSON.stringify(schema)]);
  const found = texts.flatMap(([, text]) =>
    [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, each]) => each),
  );
  const patterns = [...new Set(found)].map((each) => `${each}: ${new RegExp(JSON.parse(each), "u")},\n`);
  return `${textsModule("The schemas by file name.", "schemaTexts", texts)}
/** The patterns of the schemas by their source. */
export const patterns: { readonly [source: string]: RegExp } = {\n${patterns.join("")}};\n`;
}

function textsModule(comment, name, texts) {
  const members = texts.map(([file, text]) => `"${file}": \`${text.replaceAll(/[\\`]|\$(?=\{)/g, "\\$&")}\`,\n`);
  return `/** ${comment} */\nexport const ${name}: { readonly [file: string]: string } = {\n${members.join("")}};\n`;
}

/** The texts of the schemas by file name, in a fixed order. */
export function readSchemaTexts() {
  const names = readdirSync(schemasDir).filter((name) => name.endsWith(".schema.json"));
  return new Map(names.toSorted().map((name) => [name, readFileSync(new URL(name, schemasDir), "utf8")]));
}

/** The schemas by file name. */
export function parseSchemas(texts) {
  return new Map(
    [...texts].map(([name, text]) => {
      const schema = JSON.parse(text);
      if (schema.$id !== name) throw new Error(`schemas/${name}: $id is ${schema.$id}, not the file's name`);
      return [name, schema];
    }),
  );
}

/** A hash of all inputs. */
function inputsHash(schemas, recipeTexts) {
  const below = (folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" }).map((name) => folder + name);
  const files = [...below("scripts/"), ...below("src/kinds/"), ...below("src/schema/")]
    .filter((name) => /\.(?:mjs|ts)$/.test(name))
    .toSorted();
  const texts = files.map((file) => readFileSync(new URL(file, root), "utf8"));
  return createHash("sha256")
    .update(JSON.stringify([[...schemas], texts, recipeTexts]))
    .digest("hex");
}

function firstLine(name) {
  try {
    return readFileSync(new URL(name, outDir), "utf8").split("\n", 1)[0];
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

/** Writes the modules that are missing or older than their inputs. Resolves with the number of files written. */
export async function buildTables() {
  const schemas = parseSchemas(readSchemaTexts());
  const ciRecipes = recipesModule();
  const header = `// Built by scripts/tables.mjs. Not committed, not to be edited. ${inputsHash(schemas, ciRecipes)}`;
  if (builtFiles.every((name) => firstLine(name) === header)) return 0;
  const [{ generateKinds }, { importSource, registeredKinds }] = await Promise.all([
    import("./generate-kinds.mjs"),
    import("./registered-kinds.mjs"),
  ]);
  const modules = {
    ...generateKinds(await registeredKinds()),
    "config-defaults.ts": defaultsModule(schemas),
    "schemas.ts": schemasModule(schemas),
    "ci-recipes.ts": ciRecipes,
  };
  mkdirSync(outDir, { recursive: true });
  const write = (name, text) => {
    // Renamed into place, because a build and a test run may write at the same time.
    const written = new URL(`.${name}.${process.pid}`, outDir);
    writeFileSync(written, `${header}\n${text}`);
    renameSync(written, new URL(name, outDir));
  };
  for (const [name, text] of Object.entries(modules)) write(name, text);
  // Made by sources that import the other modules.
  const { editorSchemaTexts } = await importSource("scripts/editor-schemas.ts");
  const texts = Object.entries(editorSchemaTexts());
  write("editor-schemas.ts", textsModule("The schemas for editors by file name.", "editorSchemaTexts", texts));
  return builtFiles.length;
}

/** vitest calls this before any test. */
export async function setup() {
  await buildTables();
}

if (argv[1] === fileURLToPath(import.meta.url)) await buildTables();
