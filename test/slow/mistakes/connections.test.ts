import { createServer as createHttp, type Server } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ApiError } from "../../../src/api/api-error.ts";
import { networkFailure } from "../../../src/api/transport.ts";
import { loadContext } from "../../../src/commands/support/command-context.ts";
import { withAdvice } from "../../../src/commands/support/connection-advice.ts";
import { EdgewiseError } from "../../../src/errors.ts";
import { memoryIo } from "../../commands/memory-io.ts";
import type { Stage } from "../../commands/stage.ts";
import { issue } from "../../sandbox/certificates.ts";
import { cli } from "../../support/cli.ts";
import { normal, project } from "./run-command-line.ts";

/** What a command says when every request fails with a code of Node, of OpenSSL or of undici. */
async function said(
  error: { readonly code: string; readonly message?: string } | ApiError,
  baseUrl = "https://api.example.com",
  env: { readonly [name: string]: string } = {},
): Promise<readonly [message: string, remedy: string | null]> {
  const { code, message, remedy } =
    error instanceof ApiError
      ? { code: null, message: null, remedy: null }
      : networkFailure(Object.assign(new Error(error.message ?? "canary"), { code: error.code }));
  const failed =
    error instanceof ApiError
      ? error
      : new ApiError({
          method: "GET",
          path: "/edges/tls",
          status: null,
          outcome: "not-sent",
          what: message,
          remedy,
          attempts: 1,
          networkCode: code,
        });
  const context = await loadContext({ baseUrl }, memoryIo({ cwd: "/nowhere", env }));
  const advised = withAdvice(failed, context, {});
  if (!(advised instanceof EdgewiseError)) throw new TypeError("an expected failure stays one");
  return [advised.message, advised.remedy];
}

const unread = "https://api.example.com, from --base-url, can't be read: ";

describe("a service that can't be reached", () => {
  it.each([
    [
      "ECONNREFUSED",
      "the connection was refused",
      "Nothing listens on port 443 of api.example.com. Correct --base-url, or check that no firewall is in the way.",
    ],
    [
      "ENOTFOUND",
      "the host name can't be resolved",
      "No name server knows api.example.com. Correct --base-url, or connect to the network that knows the name.",
    ],
    [
      "UND_ERR_CONNECT_TIMEOUT",
      "no connection was made in time",
      "Check that this machine may connect to port 443 of api.example.com: a VPN may be off, a firewall may block it, or a proxy may be needed (HTTPS_PROXY).",
    ],
    [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "the server's certificate is self-signed",
      "If you trust it, save its authority's certificate as a PEM file, and set NODE_EXTRA_CA_CERTS to the path of that file.",
    ],
    [
      "CERT_HAS_EXPIRED",
      "the server's certificate has expired",
      "Whoever runs api.example.com must renew its certificate.",
    ],
    [
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "the server's certificate is for another host name",
      "Correct the host name in --base-url: the certificate is not for api.example.com.",
    ],
    [
      "ERR_SSL_WRONG_VERSION_NUMBER",
      "the server does not speak TLS",
      "Port 443 of api.example.com does not serve https. Correct the port in --base-url.",
    ],
  ])("%s", async (code, message, remedy) => {
    expect(await said({ code })).toEqual([`${unread}${message}`, remedy]);
  });

  it("may be behind a proxy, whose variable is named and not quoted", async () => {
    const remedy =
      "Requests to api.example.com go through the proxy that HTTPS_PROXY names. Correct it, or put api.example.com into NO_PROXY.";
    const env = { https_proxy: "http://me:hunter2@proxy.example.com" };
    const proxy = { code: "UND_ERR_ABORTED", message: "Proxy response (407) !== 200 when HTTP Tunneling" };
    expect(await said(proxy)).toEqual([`${unread}the proxy responded with 407`, remedy]);
    for (const code of ["ECONNREFUSED", "ENOTFOUND"]) expect((await said({ code }, undefined, env))[1]).toBe(remedy);
    // Loopback never uses it.
    expect((await said({ code: "ECONNREFUSED" }, "https://127.0.0.1:4", env))[1]).not.toContain("proxy");
  });

  it("keeps the words of the service for a write, and for an item", async () => {
    const about = { outcome: "answered", what: null, remedy: "as it was", attempts: 1, serverMessage: "no" } as const;
    const write = new ApiError({ ...about, method: "POST", path: "/edges/tls", status: 400 });
    expect(await said(write)).toEqual(["POST /edges/tls: 400: no", "as it was"]);
    const item = new ApiError({ ...about, method: "GET", path: "/edges/tls/edgtls_1", status: 404 });
    expect(await said(item)).toEqual(["GET /edges/tls/edgtls_1: 404: no", "as it was"]);
  });
});

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
    expect(err).not.toContain("self-signed");
  });
});
