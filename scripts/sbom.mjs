// Writes dist/sbom.cdx.json: what a release contains, as CycloneDX 1.6. `npm run sbom` builds first.
// It is made from the lock file, without a time or a random number, so the same release has the same bytes.
// `npm sbom --omit dev` is not used, because npm 11 omits packages that a development dependency needs as well.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundledPackages } from "./bundled-packages.mjs";

const root = new URL("../", import.meta.url);
/** @param {string} path */
const read = (path) => JSON.parse(readFileSync(new URL(path, root), "utf8"));
const { name, version, description } = read("package.json");
/** The packages in dist/edgewise.mjs: the build writes their licences beside it, each below its name and version. */
const licenses = readFileSync(new URL("dist/edgewise.mjs.LICENSES.txt", root), "utf8");
const inSingleFile = [...licenses.matchAll(/^==== (\S+) \S+ ====$/gm)].map((match) => match[1]);
/** @type {{[path: string]: {version: string, integrity?: string, license?: string, dependencies?: {[name: string]: string}, optionalDependencies?: {[name: string]: string}}}} */
const packages = read("package-lock.json").packages;

/** The path where a package finds another one: beside itself, or above. */
function find(from, wanted) {
  for (let above = from; ; above = above.slice(0, Math.max(0, above.lastIndexOf("node_modules/") - 1))) {
    const path = `${above === "" ? "" : `${above}/`}node_modules/${wanted}`;
    if (packages[path] !== undefined) return path;
    if (above === "") throw new Error(`package-lock.json has no ${wanted} for ${from || name}`);
  }
}

/** The lock file's paths of a package's dependencies. */
function needs(path) {
  const { dependencies = {}, optionalDependencies = {} } = packages[path];
  return Object.keys({ ...dependencies, ...optionalDependencies }).map((wanted) => find(path, wanted));
}

/** @param {string} path */
function purl(path) {
  const own = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  return `pkg:npm/${own.replace("@", "%40")}@${packages[path].version}`;
}

function component(path) {
  const own = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const { integrity, license } = packages[path];
  if (integrity === undefined || !integrity.startsWith("sha512-")) throw new Error(`${path} has no SHA-512`);
  return {
    type: "library",
    "bom-ref": purl(path),
    name: own,
    version: packages[path].version,
    scope: "required",
    hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex") }],
    licenses: [{ license: { id: license } }],
    purl: purl(path),
    properties: [
      { name: "edgewise:bundled", value: String(bundledPackages.includes(own)) },
      { name: "edgewise:in-single-file", value: String(inSingleFile.includes(own)) },
    ],
  };
}

const released = new Set(needs(""));
for (const path of released) for (const needed of needs(path)) released.add(needed);
const paths = [...released].toSorted();
const self = `pkg:npm/${name}@${version}`;
const content = {
  metadata: {
    component: {
      type: "application",
      "bom-ref": self,
      name,
      version,
      description,
      licenses: [{ license: { id: packages[""].license } }],
      purl: self,
    },
  },
  components: paths.map(component),
  dependencies: [
    { ref: self, dependsOn: needs("").map(purl).toSorted() },
    ...paths.map((path) => ({ ref: purl(path), dependsOn: needs(path).map(purl).toSorted() })),
  ],
};
// Each release needs its own serial number, so it is computed from the contents.
const hash = createHash("sha256").update(JSON.stringify(content)).digest("hex");
const serial = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
const sbom = {
  $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  serialNumber: `urn:uuid:${serial}`,
  version: 1,
  ...content,
};
const file = fileURLToPath(new URL("dist/sbom.cdx.json", root));
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
process.stdout.write(`dist/sbom.cdx.json lists ${paths.length} packages.\n`);
