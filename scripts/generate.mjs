// Writes everything that follows from the registry of kinds and from schemas/: the lists of kinds in schemas/, and in
// src/generated TypeScript types, which are committed, and what tables.mjs builds.
// `npm run generate` writes; `npm run generate -- --check` exits with 1 when something committed is stale.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { schemasWithKinds } from "./generate-kinds.mjs";
import { generateTypes } from "./generate-types.mjs";
import { registeredKinds } from "./registered-kinds.mjs";
import { buildTables, parseSchemas, readSchemaTexts, builtFiles } from "./tables.mjs";

const check = process.argv.includes("--check");
const outDir = new URL("../src/generated/", import.meta.url);
const schemasDir = new URL("../schemas/", import.meta.url);
const stale = [];

const kinds = await registeredKinds();
const texts = readSchemaTexts();
for (const { kind, slug } of kinds) {
  if (!texts.has(`${slug}.schema.json`)) throw new Error(`schemas/${slug}.schema.json is missing: ${kind} needs it`);
}
// The lists of kinds in the schemas come first: everything below is generated from the schemas.
const changedSchemas = schemasWithKinds(texts, kinds);
for (const [name, text] of changedSchemas) {
  texts.set(name, text);
  if (check) stale.push(`schemas/${name}`);
  else await writeFile(new URL(name, schemasDir), text);
}
const schemas = parseSchemas(texts);
const built = await buildTables();

const header = "// Generated from schemas/ by `npm run generate`. Not to be edited.\n";
const types = await generateTypes(schemas);
const files = new Map(Object.entries(types).map(([name, text]) => [name, header + text]));

await mkdir(outDir, { recursive: true });
const present = (await readdir(outDir)).filter((name) => !builtFiles.includes(name) && !name.startsWith("."));
const removed = present.filter((name) => !files.has(name));
const changed = [];
for (const [name, text] of files) {
  const old = present.includes(name) ? await readFile(new URL(name, outDir), "utf8") : null;
  if (old !== text) changed.push(name);
}

if (check) {
  stale.push(...[...changed, ...removed].map((name) => `src/generated/${name}`));
  for (const file of stale) console.error(`${file} is stale: run npm run generate`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  await Promise.all(changed.map((name) => writeFile(new URL(name, outDir), files.get(name))));
  await Promise.all(removed.map((name) => rm(new URL(name, outDir))));
  console.log(
    `schemas: ${changedSchemas.size} written; src/generated: ${changed.length + built} written, ${removed.length} removed`,
  );
}
