/**
 * What the dispatchers would load although it is never used: no connection offers HTTP/2, and `node:http2` takes as long
 * as all the rest; every body is a text, so none has to be taken out of a form.
 */
const unused = new Set(["./client-h2.js", "../web/fetch/body.js"]);

/**
 * Of undici only what sends requests is needed: two thirds of it are fetch, caches, mocks and web sockets.
 */
export const onlyDispatchers = {
  name: "only-dispatchers",
  /** @param {string} id @param {string | undefined} importer */
  resolveId(id, importer) {
    if (id === "undici") return "\0dispatchers";
    return unused.has(id) && /[\\/]undici[\\/]/.test(importer ?? "") ? "\0unused" : null;
  },
  /** @param {string} id */
  load(id) {
    if (id === "\0unused") return `module.exports = () => { throw new Error("not bundled"); };\n`;
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
