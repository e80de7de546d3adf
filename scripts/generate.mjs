// Makes src/generated from schemas/: TypeScript types, the index of members and words, which are committed, and the
// precompiled validators, which are not.
// `npm run generate` writes; `npm run generate -- --check` only tells (exit 1) whether something committed is stale.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { generateMembers } from "./generate-members.mjs";
import { generateOwnWords } from "./generate-own-words.mjs";
import { generateTypes } from "./generate-types.mjs";
import { buildValidators, readSchemas, validatorFiles } from "./validators.mjs";

const outDir = new URL("../src/generated/", import.meta.url);

const header = "// Generated from schemas/ by `npm run generate`. Not to be edited.\n";

const built = await buildValidators();
const schemas = readSchemas();
const files = new Map(
  Object.entries({
    ...(await generateTypes(schemas)),
    ...generateMembers(schemas),
    ...generateOwnWords(schemas),
  }).map(([name, text]) => [name, header + text]),
);

await mkdir(outDir, { recursive: true });
const present = (await readdir(outDir)).filter((name) => !validatorFiles.includes(name) && !name.startsWith("."));
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
  console.log(`src/generated: ${changed.length + built} written, ${stale.length} removed`);
}
