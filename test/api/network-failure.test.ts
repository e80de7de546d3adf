import { describe, expect, it } from "vitest";
import { networkFailure } from "../../src/api/network-failure.ts";

function error(code: string | undefined, message = "canary", name = "Error"): Error {
  return Object.assign(new Error(message), { code, name });
}

describe("a failure of the network", () => {
  it.each([
    ["ECONNREFUSED", "the connection was refused", true],
    ["ECONNRESET", "the connection was reset", true],
    ["CERT_HAS_EXPIRED", "the server's certificate has expired", false],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "the server's certificate is self-signed", false],
    ["ESOMETHING", "the request failed", true],
    ["not a code: canary", "the request failed", true],
  ])("%s: %s", (code, message, transient) => {
    const failure = networkFailure(error(code));
    expect(failure).toMatchObject({ message, transient });
    expect(JSON.stringify(failure)).not.toContain("canary");
  });

  it("is looked for in what it was made of, and in its cause", () => {
    expect(networkFailure(new AggregateError([error("ECONNREFUSED"), error("ENETUNREACH")])).code).toBe("ECONNREFUSED");
    expect(networkFailure(new Error("x", { cause: error("EAI_AGAIN") })).code).toBe("EAI_AGAIN");
    expect(networkFailure("not even an error")).toMatchObject({ code: null, message: "the request failed" });
  });

  it("may be the proxy's", () => {
    const refused = error("UND_ERR_ABORTED", "Proxy response (407) !== 200 when HTTP Tunneling");
    expect(networkFailure(refused)).toMatchObject({ message: "the proxy responded with 407", transient: false });
    const broken = error("UND_ERR_ABORTED", "Proxy response (502) !== 200 when HTTP Tunneling");
    expect(networkFailure(broken)).toMatchObject({ message: "the proxy responded with 502", transient: true });
  });
});
