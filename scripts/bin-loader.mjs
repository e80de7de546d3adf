// dist/bin/edgewise.js: loads the parts of the program, which lie beside it, as they are needed. They are scripts, because
// Node 20 takes 5 ms longer to load the first module, and can't keep compiled modules.
import { existsSync, readFileSync } from "node:fs";
import { Module, createRequire } from "node:module";
import { dirname, join } from "node:path";
import { arch, versions } from "node:process";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { keepCompiled } from "./compile-cache.mjs";

const directory = dirname(__filename);
const outside = createRequire(__filename);
const loaded = new Map();

/** Node's own modules that take a millisecond or more to load, and that parts name for something they do later. */
const slow = new Set([
  "node:child_process",
  "node:crypto",
  "node:fs/promises",
  "node:readline",
  "node:timers/promises",
]);

/** What the build compiled, for one version of V8 only. See scripts/compile-parts.mjs. */
const compiled = join(directory, "compiled", `${versions.v8}-${arch}`);
const isCompiled = existsSync(compiled);

let isStarted = false;
let keeps = false;
loadPart("program.js");
isStarted = true;

/** The exports of a part, as `require` would give them. @param {string} name */
function loadPart(name) {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const part = { exports: {} };
  loaded.set(name, part);
  const file = join(directory, name);
  compile(name, file)(part.exports, requireIn, part, file, directory);
  return part.exports;
}

/** @param {string} id */
function requireIn(id) {
  if (id.startsWith("./")) return loadPart(id.slice(2));
  return slow.has(id) ? whenUsed(id) : outside(id);
}

/** A module that is loaded when something of it is first used. */
function whenUsed(id) {
  let used;
  const module = () => (used ??= outside(id));
  const descriptorOf = (name) => Reflect.getOwnPropertyDescriptor(module(), name);
  return new Proxy(
    {},
    {
      get: (_, name) => module()[name],
      has: (_, name) => name in module(),
      ownKeys: () => Reflect.ownKeys(module()),
      getOwnPropertyDescriptor: (_, name) =>
        descriptorOf(name) === undefined ? undefined : { ...descriptorOf(name), configurable: true },
    },
  );
}

/** A part as a function. Stack traces show its file. */
function compile(name, file) {
  // The build writes a function, in ASCII.
  const source = readFileSync(file, "latin1");
  if (isCompiled) {
    const cachedData = compiledBefore(name);
    return new Script(source, { filename: file, cachedData }).runInThisContext();
  }
  // `--version` writes nothing.
  if (isStarted && !keeps) {
    keeps = true;
    keepCompiled(directory);
  }
  // Node's own way to compile, because only this one uses its cache.
  const module = new Module(file);
  // eslint-disable-next-line no-underscore-dangle
  module._compile(`module.exports=${source}`, file);
  return module.exports;
}

/**
 * What the build compiled of a part. V8 checks its own version, its flags and the length of the part, but crashes when the
 * rest is broken, so a checksum comes first.
 */
function compiledBefore(name) {
  try {
    const kept = readFileSync(join(compiled, name));
    const data = kept.subarray(4);
    return crc32(data) === kept.readUInt32LE(0) ? data : undefined;
  } catch {
    return undefined;
  }
}
