import { createServer } from "node:net";

const givenPorts = new Set();

/**
 * Ports below those that systems give out by themselves: whoever asks for any port then gets none of these. None is given
 * twice.
 * @param {number} count
 */
export async function freePorts(count) {
  const ports = [];
  while (ports.length < count) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    // oxlint-disable-next-line no-await-in-loop
    if (givenPorts.has(port) || !(await isFree(port))) continue;
    givenPorts.add(port);
    ports.push(port);
  }
  return ports;
}

async function isFree(port) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
