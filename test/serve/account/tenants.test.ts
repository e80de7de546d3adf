import { describe, expect, it } from "vitest";
import { Stage, backend } from "./support/stage.ts";

function edge(name: string, backendRef: string): string {
  return `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: ${name}}
spec:
  hostports: ["${name}.example.com:443"]
  backend: {backend: {${backendRef}}}
`;
}

describe("a tenant that refers to another one's resource", () => {
  it("holds the deletion of that resource, and nothing else of the other's plan", async () => {
    const stage = new Stage();
    const policy = { apply: { commit: "security", drift: "security" } } as const;
    stage.add(
      "victim",
      {
        "a.yaml": backend("page", "Back soon"),
        "b.yaml": backend("other", "One"),
        "c.yaml": edge("api", "name: page"),
      },
      { policy },
    );
    await stage.pass();
    const page = String(
      stage.service.lists().HTTPResponseBackend.find((each) => each["description"] === "Back soon")?.["id"],
    );
    stage.add("tenant", { "e.yaml": edge("mine", `id: ${page}`) }, { policy });
    await stage.pass();
    expect([await stage.stateOf("victim"), await stage.stateOf("tenant")]).toEqual(["synced", "synced"]);

    stage.commit({
      "victim/m/a.yaml": null,
      "victim/m/b.yaml": backend("other", "Two"),
      "victim/m/c.yaml": edge("api", "name: other"),
    });
    await stage.pass();
    const descriptions = () => stage.service.lists().HTTPResponseBackend.map((each) => String(each["description"]));
    expect(descriptions().toSorted()).toEqual(["Back soon", "Two"]);
    expect(await stage.stateOf("victim")).toBe("refused");
    const { message } = (await stage.recordOf("victim")).status;
    expect(message).toContain('(of stack "tenant") still refers to it');
    expect(message).toContain("HTTPResponseBackend/page");
    expect((await stage.store.readPlan("victim"))?.changes.map(({ address }) => address)).toEqual([
      "HTTPResponseBackend/page",
    ]);

    // What no stack owns, such as what a tenant let go of, holds no more either.
    stage.service.byHand("POST", "/edges/tls", {
      hostports: ["hand.example.com:443"],
      backend: { backend_id: page },
    });
    stage.commit({ "victim/m/b.yaml": backend("other", "Three") });
    await stage.pass();
    expect(descriptions().toSorted()).toEqual(["Back soon", "Three"]);
    expect(await stage.stateOf("victim")).toBe("refused");

    const byHand = stage.service.lists().TLSEdge.find((each) => String(each["hostports"]) === "hand.example.com:443");
    stage.service.byHand("DELETE", `/edges/tls/${String(byHand?.["id"])}`);
    stage.commit({ "tenant/m/e.yaml": backend("own", "Own") });
    await stage.pass();
    await stage.pass();
    expect(descriptions().toSorted()).toEqual(["Own", "Three"]);
    expect(await stage.stateOf("victim")).toBe("synced");
  });
});
