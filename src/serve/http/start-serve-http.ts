import { type Server, createServer } from "node:http";
import { EdgewiseError } from "../../core/errors.js";
import { problemAnswer, sendAnswer } from "./answer.js";
import { isLoopback } from "../../config/api-config.js";
import { type RouterOptions, createRouter } from "./router.js";
import type { ServeDeps } from "../serve-deps.js";
import { wordsOf } from "../serve-events.js";

export type ServeHttpOptions = Omit<RouterOptions, "heartbeatMs" | "url"> &
  Readonly<{
    listen: Readonly<{ host: string; port: number }>;
    limits?: Partial<typeof usualLimits>;
  }>;

const usualLimits = {
  connections: 256,
  headersMs: 10_000,
  requestMs: 20_000,
  idleMs: 30_000,
  readMs: 300_000,
  heartbeatMs: 60_000,
};

export type ServeHttp = Awaited<ReturnType<typeof startServeHttp>>;

export async function startServeHttp(options: ServeHttpOptions) {
  const { listen, onProblem, readToken } = options;
  if (readToken === null && !isLoopback(listen.host)) {
    const message = `http.listen is ${listen.host}, which other machines may reach, and there is no token`;
    const remedy = "Add http.token: {file: …} to the fleet file, or listen on 127.0.0.1.";
    throw new EdgewiseError("config", message, { remedy });
  }
  await readToken?.();
  const limits = { ...usualLimits, ...options.limits };
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersMs),
    keepAliveTimeout: 5000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxHeadersCount = 100;
  server.maxConnections = limits.connections;
  server.setTimeout(limits.idleMs);
  const url = await listenOn(server, listen);
  const router = createRouter({ ...options, heartbeatMs: limits.heartbeatMs, url });
  server.on("request", (request, response) => {
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    void router(request)
      .catch((error: unknown) => {
        onProblem(error);
        return problemAnswer(500, "Something went wrong in edgewise. Its log says what.");
      })
      .then((answer) => {
        if (answer === null) response.destroy();
        else sendAnswer(response, answer, limits.readMs);
      })
      .catch(onProblem);
  });
  return {
    url,
    async close() {
      const ended = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await ended;
    },
  };
}

async function listenOn(server: Server, { host, port }: ServeHttpOptions["listen"]): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      const remedy = "Give http.listen of the fleet file, or --listen, another address or port.";
      reject(new EdgewiseError("io", `can't listen on ${host} port ${port}: ${cause.message}`, { remedy, cause }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a server that listens has an address");
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}

const silentMs = 60_000;

export function answerProblems({
  clock,
  emit,
  mask,
}: Pick<ServeDeps, "clock" | "emit" | "mask">): (error: unknown) => void {
  let last = { message: "", at: -Infinity };
  return (error) => {
    const isExpected = error instanceof EdgewiseError;
    const message = mask(isExpected ? wordsOf(error) : error instanceof Error ? error.message : String(error));
    const at = clock.now();
    if (message === last.message && Math.abs(at - last.at) < silentMs) return;
    last = { message, at };
    emit(isExpected ? { event: "answer-failed", message } : { event: "bug", subject: "an answer over HTTP", message });
  };
}
