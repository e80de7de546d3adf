import { createServer as createHttp, type Server } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Stage } from "../../commands/stage.ts";
import { issue } from "../../sandbox/certificates.ts";
import { cli } from "../../support/cli.ts";
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
  const elsewhere = "Check --base-url: http://127.0.0.1:PORT may need another path or host.\n";

  it.each([
    [
      401,
      "application/json",
      '{"msg":"no such key"}',
      ": no such key\nCheck that the API key from EDGEWISE_API_KEY belongs to http://127.0.0.1:PORT (from --base-url) and may read.\n",
    ],
    [404, "text/html", html, `: the response is not JSON (text/html): "${html}"\nThe API is not there. ${elsewhere}`],
    [
      410,
      "application/json",
      '{"error_code":"ERR_1","msg":"gone"}',
      " ERR_1: gone\nCheck the base URL http://127.0.0.1:PORT (from --base-url). If it is right, this account has no /LIST: manifests of that kind can't be applied to it.\n",
    ],
    [
      200,
      "text/html",
      html,
      `: the response is not JSON (text/html): "${html}"\nSomething other than the API responded. ${elsewhere}`,
    ],
    [
      302,
      "text/html",
      "",
      ": a redirect to https://login.example.com/\nRedirects are not followed because the API key would go with them. Check --base-url: it must be the service's own address.\n",
    ],
  ])("answers %i with %s", async (status, type, body, words) => {
    const at = await project();
    const origin = await listening(page(status, type, body));
    expect(await planned(at, `http://${origin}`)).toBe(`error: GET /LIST: ${status}${words}`);
  });

  it("speaks no TLS", async () => {
    const at = await project();
    expect(await planned(at, at.sandbox.baseUrl.replace("http:", "https:"))).toBe(
      `error: https://127.0.0.1:PORT, from --base-url, can't be read: the server does not speak TLS
Port PORT of 127.0.0.1 does not serve https. Correct the port in --base-url, or write SANDBOX.\n`,
    );
  });

  it("has a certificate of its own, which NODE_EXTRA_CA_CERTS makes trusted", async () => {
    const at = await project();
    const authority = await issue({ name: "CN=Authority", extensions: [] });
    const server = createHttps({ key: authority.key, cert: authority.pem }, (_, response) => response.end("{}"));
    const origin = await listening(server);
    expect(await planned(at, `https://${origin}`)).toBe(
      `error: https://127.0.0.1:PORT, from --base-url, can't be read: the server's certificate is self-signed
If you trust it, save its authority's certificate as a PEM file, and set NODE_EXTRA_CA_CERTS to the path of that file. A test server on this machine may use http.\n`,
    );
    await at.write("ca.pem", authority.pem);
    const env = { ...at.env, NODE_EXTRA_CA_CERTS: `${at.dir}/ca.pem` };
    const { err } = await cli(["plan", "--base-url", `https://${origin}`], { cwd: at.dir, env });
    expect(err).toContain("the server's certificate is for another host name");
  });
});
