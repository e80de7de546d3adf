// How long after its start a program sends its first request: a server in this process notes when it comes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";

/**
 * Starts a program, and ends it when it has sent its first request.
 * @param args of Node
 * @returns milliseconds from the start of the process
 */
export async function untilFirstRequest(args, { cwd } = {}) {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const env = {
    ...process.env,
    NO_COLOR: "1",
    EDGEWISE_API_KEY: "key-of-the-bench",
    EDGEWISE_BASE_URL: `http://127.0.0.1:${server.address().port}`,
  };
  const from = performance.now();
  const child = spawn(process.execPath, args, { cwd, env, stdio: "ignore" });
  const exit = once(child, "exit");
  try {
    return await Promise.race([
      once(server, "request").then(() => performance.now() - from),
      exit.then(() => {
        throw new Error(`${args.join(" ")} sent no request`);
      }),
    ]);
  } finally {
    child.kill("SIGKILL");
    await exit;
    server.closeAllConnections();
    server.close();
  }
}
