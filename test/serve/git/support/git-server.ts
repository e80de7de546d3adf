import { spawn } from "node:child_process";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface GitServer {
  /** Ends with a slash. */
  readonly url: string;
  readonly requests: { readonly method: string; readonly url: string; readonly authorization: string | undefined }[];
  sent(): number;
  end(): Promise<void>;
}

export interface GitServerOptions {
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly delay?: number;
}

export async function gitServer(root: string, { answer, delay = 0 }: GitServerOptions = {}): Promise<GitServer> {
  const requests: GitServer["requests"] = [];
  let sent = 0;
  const server: Server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    requests.push({ method, url, authorization: headers.authorization });
    if (answer?.(request, response) === true) return;
    setTimeout(() => {
      backend(root, request, response).stdout.on("data", (chunk: Buffer) => {
        sent += chunk.length;
      });
    }, delay);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    requests,
    sent: () => sent,
    async end() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function backend(root: string, request: IncomingMessage, response: ServerResponse) {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      ...(request.headers["content-encoding"] === undefined
        ? {}
        : { HTTP_CONTENT_ENCODING: request.headers["content-encoding"] }),
    },
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => undefined);
  let head = "";
  let inBody = false;
  child.stdout.on("data", (chunk: Buffer) => {
    if (inBody) {
      response.write(chunk);
      return;
    }
    head += chunk.toString("latin1");
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return;
    const lines = head.slice(0, end).split("\r\n");
    const status = lines.find((line) => line.startsWith("Status: "))?.slice(8, 11) ?? "200";
    const fields = lines.filter((line) => !line.startsWith("Status: ")).map((line) => line.split(": "));
    response.writeHead(Number(status), Object.fromEntries(fields) as Record<string, string>);
    response.write(Buffer.from(head.slice(end + 4), "latin1"));
    inBody = true;
  });
  child.on("close", () => response.end());
  return child;
}
