import { createServer as createHttp, type Server } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Stage } from "../commands/stage.ts";
import { issue } from "../sandbox/certificates.ts";
import { cli } from "../support/cli.ts";
import { normal, project } from "./project.ts";

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function page(status: number, type: string, body: string): Server {
  return createHttp((_, response) => {
    response.writeHead(status, { "content-type": type, location: "https://login.example.com/" });
    response.end(body);
  });
}

async function planned(at: Stage, baseUrl: string): Promise<string> {
  const { exit, out, err } = await at.run("plan", "--base-url", baseUrl);
  expect({ exit, out }).toEqual({ exit: 1, out: "" });
  return normal(err, at);
}

describe("something else than the API", () => {
  const html = "<!doctype html><title>Sign in</title>";
  const elsewhere = "Check the base URL http://127.0.0.1:PORT: something other than the API responded.\n";
  const absent =
    "Check the base URL http://127.0.0.1:PORT. If it is right, this was deleted, or the account has none: plan again.\n";

  it.each([
    [
      401,
      "application/json",
      '{"msg":"no such key"}',
      ": no such key\nCheck the API key (EDGEWISE_API_KEY or --api-key-file), and what it is permitted to do.\n",
    ],
    [404, "text/html", html, `: the response is not JSON (text/html): "${html}"\n${absent}`],
    [410, "application/json", '{"error_code":"ERR_1","msg":"gone"}', ` ERR_1: gone\n${absent}`],
    [200, "text/html", html, `: the response is not JSON (text/html): "${html}"\n${elsewhere}`],
    [
      302,
      "text/html",
      "",
      ": a redirect to https://login.example.com/\nNo redirect is followed, as the API key would go with it: set the base URL to the service's own address.\n",
    ],
  ])("answers %i with %s", async (status, type, body, words) => {
    const at = await project();
    const origin = await listening(page(status, type, body));
    expect(await planned(at, `http://${origin}`)).toBe(`error: GET /LIST: ${status}${words}`);
  });

  it("speaks no TLS", async () => {
    const at = await project();
    expect(await planned(at, at.sandbox.baseUrl.replace("http:", "https:"))).toBe(
      `error: GET /LIST: the server does not speak TLS
Check the base URL (https://127.0.0.1:PORT), and that this machine can reach it; or try again.\n`,
    );
  });

  it("has a certificate of its own, which NODE_EXTRA_CA_CERTS makes trusted", async () => {
    const at = await project();
    const authority = await issue({ name: "CN=Authority", extensions: [] });
    const server = createHttps({ key: authority.key, cert: authority.pem }, (_, response) => response.end("{}"));
    const origin = await listening(server);
    expect(await planned(at, `https://${origin}`)).toBe(
      `error: GET /LIST: the server's certificate is self-signed
Check the base URL (https://127.0.0.1:PORT). For a certificate of your own authority set NODE_EXTRA_CA_CERTS.\n`,
    );
    await at.write("ca.pem", authority.pem);
    const env = { ...at.env, NODE_EXTRA_CA_CERTS: `${at.dir}/ca.pem` };
    const { err } = await cli(["plan", "--base-url", `https://${origin}`], { cwd: at.dir, env });
    expect(err).toContain("the server's certificate is for another host name");
  });
});
