// Inside of dist/edgewise.mjs: compiles a part of the program when it is first needed. scripts/single-file.mjs puts the
// texts into the constant `edgewiseParts`.
import Module, { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { keepCompiled } from "./compile-cache.mjs";

const file = fileURLToPath(import.meta.url);
const builtin = createRequire(import.meta.url);
const loaded = new Map();

/** The exports of a part, as `require` would give them. @param {string} name */
export function loadPart(name) {
  if (loaded.size === 0) keepCompiled(dirname(file));
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const part = { exports: {} };
  loaded.set(name, part);
  // Node's own way to compile, because only this one keeps what it compiled. Stack traces show this name.
  const compiled = new Module(`${file}/${name}`);
  // eslint-disable-next-line no-underscore-dangle
  compiled._compile(
    `module.exports=(function(require,module,exports,edgewiseFile){${edgewiseParts[name]}\n})`,
    compiled.id,
  );
  compiled.exports(requireIn, part, part.exports, file);
  return part.exports;
}

/** @param {string} id */
function requireIn(id) {
  const name = `${id.replace(/^\.\//, "").replace(/\.js$/, "")}.js`;
  return Object.hasOwn(edgewiseParts, name) ? loadPart(name) : builtin(id);
}
