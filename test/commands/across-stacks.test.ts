import { expect, it } from "vitest";
import { backend, stage } from "./stage.ts";

const config = (stack: string) => `apiVersion: edgewise/v1\nkind: Config\nstack: ${stack}\nmanifests: [edge/]\n`;
const edge = (ref: string) =>
  `apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: web}\nspec:\n  hostports: ["web.example.com:443"]\n  backend: {backend: ${ref}}\n`;

async function two() {
  const on = await stage();
  await on.write("shared/edgewise.yaml", config("shared"));
  await on.write("shared/edge/page.yaml", backend("page", "status_code: 503"));
  await on.write("web/edgewise.yaml", config("web"));
  await on.write("web/edge/web.yaml", edge("{name: page, stack: shared}"));
  const of =
    (stack: string) =>
    async (command: string, ...flags: readonly string[]) =>
      on.run(command, "-c", `${stack}/edgewise.yaml`, ...flags);
  return { ...on, shared: of("shared"), web: of("web") };
}

it("a reference to another stack's resource is found by its marker, and never written", async () => {
  const { behind, id, shared, web } = await two();
  const refused = await web("apply", "-y", "--allow", "TLSEdge/web");
  expect(refused.exit).toBe(4);
  expect(refused.out).toContain("HTTPResponseBackend/page of the stack shared, which is not live");

  expect((await shared("apply", "-y")).exit).toBe(0);
  expect(await web("apply", "-y")).toMatchObject({ exit: 0 });
  const page = id("HTTPResponseBackend");
  expect(behind("GET", `/edges/tls/${id("TLSEdge")}`)).toMatchObject({ backend: { backend: { id: page } } });
  expect(await web("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  expect(await web("pull", "-y")).toMatchObject({ exit: 0 });
  expect((await web("list")).out).toMatch(/shared \(page\) .*TLSEdge\/web/u);
  expect((await web("graph")).out).toContain("shared/HTTPResponseBackend/page");
});

it("what another stack refers to is not deleted", async () => {
  const { shared, web, write } = await two();
  expect((await shared("apply", "-y")).exit).toBe(0);
  expect((await web("apply", "-y")).exit).toBe(0);
  await write("shared/edge/page.yaml", backend("other", "status_code: 503"));
  const { exit, out } = await shared("apply", "-y");
  expect(exit).toBe(4);
  expect(out).toMatch(/still-referenced[\s\S]*refers to it/u);
});

it("a copy of the marker makes the reference ambiguous", async () => {
  const { behind, id, shared, web } = await two();
  expect((await shared("apply", "-y")).exit).toBe(0);
  const { metadata } = behind("GET", `/backends/http_response/${id("HTTPResponseBackend")}`);
  behind("POST", "/backends/http_response", { status_code: 418, metadata: String(metadata) });
  const { exit, out } = await web("plan", "--detailed-exitcode");
  expect({ exit, out }).toMatchObject({ exit: 4, out: expect.stringContaining("is live 2 times") });
});

it.each([
  ["{stack: shared}", "missing"],
  ["{name: page, id: bkdhr_1}", "exactly one of"],
  ["{stack: shared, id: bkdhr_1}", "exactly one of"],
])("%s is no reference", async (ref, words) => {
  const { web, write } = await two();
  await write("web/edge/web.yaml", edge(ref));
  const { exit, out, err } = await web("validate");
  expect({ exit, said: out + err }).toMatchObject({ exit: 1, said: expect.stringContaining(words) });
});

it("a reference names the stack itself, or a kind that can't be read", async () => {
  const on = await stage({ faults: ["status=403,method=GET,path=/backends/http_response"] });
  await on.write("edge/all.yaml", edge("{name: page, stack: demo}"));
  const { exit, out } = await on.run("plan", "--detailed-exitcode");
  expect(exit).toBe(4);
  expect(out.replaceAll(/\s+/gu, " ")).toMatch(/the list of its kind can't be read .*leave `stack` out/u);
});
