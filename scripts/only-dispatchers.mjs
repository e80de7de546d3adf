/**
 * What the packages would load although it is never used: no connection offers HTTP/2, and `node:http2` takes as long as all
 * the rest; every body is a text, so none has to be taken out of a form; no command is a program of its own.
 */
const unused = new Set(["./client-h2.js", "../web/fetch/body.js", "node:child_process"]);

/** What undici needs of modules of Node that take longer to load than all of undici that is used. */
const small = new Map([
  // Whether something is a message of Node's own client, which none is, and the limit for headers that an option of Node sets.
  [
    "node:http",
    `const set = /--max[-_]http[-_]header[-_]size/;
    exports.IncomingMessage = null;
    Object.defineProperty(exports, "maxHeaderSize", {
      get: () => set.test([process.env.NODE_OPTIONS, ...process.execArgv].join(" ")) ? require("node:http").maxHeaderSize : 16384,
    });`,
  ],
  [
    "node:assert",
    `module.exports = assert;
    function assert(holds, message = "undici: an assertion failed") {
      if (!holds) throw message instanceof Error ? message : new Error(message);
    }`,
  ],
]);

/** The module that stands in for one that a package imports; null = there is none. */
export function standIn(id, importer = "") {
  const [, name] = /[\\/]node_modules[\\/](commander|undici)[\\/]/.exec(importer) ?? [];
  if (name === undefined) return null;
  if (unused.has(id)) return "\0unused";
  return name === "undici" && small.has(id) ? `\0small:${id}` : null;
}

/**
 * Of undici only what sends requests is needed: two thirds of it are fetch, caches, mocks and web sockets.
 */
export const onlyDispatchers = {
  name: "only-dispatchers",
  /** @param {string} id @param {string | undefined} importer */
  resolveId(id, importer) {
    if (id === "undici") return "\0dispatchers";
    return standIn(id, importer);
  },
  /** @param {string} id */
  load(id) {
    if (id === "\0unused") return `module.exports = () => { throw new Error("not bundled"); };\n`;
    if (id.startsWith("\0small:")) return small.get(id.slice("\0small:".length));
    if (id !== "\0dispatchers") return null;
    // Proxies are asked for tunnels by a method that the package's index adds to every dispatcher.
    return (
      `import Dispatcher from "undici/lib/dispatcher/dispatcher.js";\n` +
      `import connect from "undici/lib/api/api-connect.js";\n` +
      `Dispatcher.prototype.connect = connect;\n` +
      `export { default as Agent } from "undici/lib/dispatcher/agent.js";\n` +
      `export { default as EnvHttpProxyAgent } from "undici/lib/dispatcher/env-http-proxy-agent.js";\n`
    );
  },
};
