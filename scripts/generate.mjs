// Makes src/generated from schemas/: precompiled validators, TypeScript types, and the index of members.
// `npm run generate` writes; `npm run generate -- --check` only tells (exit 1) whether something is stale.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { generateMembers } from "./generate-members.mjs";
import { generateOwnWords } from "./generate-own-words.mjs";
import { generateTypes } from "./generate-types.mjs";
import { generateValidators } from "./generate-validators.mjs";

const root = new URL("../", import.meta.url);
const schemasDir = new URL("schemas/", root);
const outDir = new URL("src/generated/", root);

const header = "// Generated from schemas/ by `npm run generate`. Not to be edited.\n";

/** The schemas by file name, in a fixed order. */
async function readSchemas() {
  const names = (await readdir(schemasDir)).filter((name) => name.endsWith(".schema.json")).toSorted();
  const entries = names.map(async (name) => {
    const schema = JSON.parse(await readFile(new URL(name, schemasDir), "utf8"));
    if (schema.$id !== name) throw new Error(`schemas/${name}: $id is ${schema.$id}, not the file's name`);
    return [name, schema];
  });
  return new Map(await Promise.all(entries));
}

const schemas = await readSchemas();
const files = new Map(
  Object.entries({
    ...generateValidators(schemas),
    ...(await generateTypes(schemas)),
    ...generateMembers(schemas),
    ...generateOwnWords(schemas),
  }).map(([name, text]) => [name, header + text]),
);

await mkdir(outDir, { recursive: true });
const present = await readdir(outDir);
const stale = present.filter((name) => !files.has(name));
const changed = [];
for (const [name, text] of files) {
  const old = present.includes(name) ? await readFile(new URL(name, outDir), "utf8") : null;
  if (old !== text) changed.push(name);
}

if (process.argv.includes("--check")) {
  for (const name of [...changed, ...stale]) console.error(`src/generated/${name} is stale: run npm run generate`);
  process.exitCode = changed.length + stale.length > 0 ? 1 : 0;
} else {
  await Promise.all(changed.map((name) => writeFile(new URL(name, outDir), files.get(name))));
  await Promise.all(stale.map((name) => rm(new URL(name, outDir))));
  console.log(`src/generated: ${changed.length} written, ${stale.length} removed, of ${files.size}`);
}
