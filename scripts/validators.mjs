// Builds the validators in src/generated from schemas/; they are not committed. Everything that compiles or runs the
// sources calls this first. It takes milliseconds, unless a schema, the generator or ajv has changed.
//   node scripts/validators.mjs
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const schemasDir = new URL("schemas/", root);
const outDir = new URL("src/generated/", root);

/** The validator modules, and the schemas themselves. A command loads only the one that it needs. */
export const validatorFiles = [
  "config-validator.ts",
  "fleet-validator.ts",
  "manifest-validators.ts",
  "plan-validator.ts",
  "schemas.ts",
  "state-validators.ts",
];

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

/** A hash of all inputs of the validators. */
function inputsHash(schemas) {
  const programs = ["generate-validators.mjs", "manifest-schemas.mjs", "map-schema.mjs", "validators.mjs"];
  const files = [...programs.map((name) => `scripts/${name}`), "node_modules/ajv/package.json"];
  const texts = files.map((file) => readFileSync(new URL(file, root), "utf8"));
  return createHash("sha256")
    .update(JSON.stringify([[...schemas], texts]))
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

/** Writes the validators that are missing or older than their inputs. Resolves with the number of files written. */
export async function buildValidators() {
  const schemas = parseSchemas(readSchemaTexts());
  const header = `// Built from schemas/ by scripts/validators.mjs. Not committed, not to be edited. ${inputsHash(schemas)}`;
  if (validatorFiles.every((name) => firstLine(name) === header)) return 0;
  const { generateValidators } = await import("./generate-validators.mjs");
  const modules = generateValidators(schemas);
  mkdirSync(outDir, { recursive: true });
  for (const name of validatorFiles) {
    // Renamed into place, because a build and a test run may write at the same time.
    const written = new URL(`.${name}.${process.pid}`, outDir);
    writeFileSync(written, `${header}\n${modules[name]}`);
    renameSync(written, new URL(name, outDir));
  }
  return validatorFiles.length;
}

/** vitest calls this before any test. */
export async function setup() {
  await buildValidators();
}

if (argv[1] === fileURLToPath(import.meta.url)) await buildValidators();
