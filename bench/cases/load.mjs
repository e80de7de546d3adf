// Loads the manifests of a folder, as `plan` does; prints the milliseconds without Node's start.
import { diskTree } from "../../dist/manifest/disk-tree.js";
import { loadManifests } from "../../dist/manifest/load-manifests.js";

const [root] = process.argv.slice(2);
const from = performance.now();
const { diagnostics, manifests } = await loadManifests({
  tree: diskTree(root),
  patterns: ["edge"],
  patternBase: root,
  variables: {},
  env: {},
  adopt: {},
  stack: "bench",
  allowInlineSecrets: false,
  apiKeyFile: null,
  complete: true,
  deep: false,
});
const ms = performance.now() - from;
if (diagnostics.length > 0) throw new Error(diagnostics[0].message);
console.log(JSON.stringify({ ms, count: manifests.length }));
