import { expect, it } from "vitest";
import { address, backend, edge, stage } from "../commands/stage.ts";

const manifests =
  backend("down") + edge("api", "a.example.com:443", ", backend: {backend: {name: down}}") + address("tcp");

it("exit codes 0, 2 and 4 of plan, drift, apply and destroy", async () => {
  const { run, write, behind, id } = await stage({ manifests });
  expect((await run("plan")).exit).toBe(0);
  expect((await run("plan", "--detailed-exitcode")).exit).toBe(2);
  expect((await run("drift")).exit).toBe(2);
  expect((await run("apply", "-y")).exit).toBe(0);
  expect((await run("plan", "--detailed-exitcode")).exit).toBe(0);
  expect((await run("drift")).exit).toBe(0);
  behind("PATCH", `/edges/tls/${id("TLSEdge")}`, { description: "meddled" });
  expect((await run("drift")).exit).toBe(2);
  expect((await run("plan", "--fail-on", "irreversible")).exit).toBe(0);
  expect((await run("plan", "--fail-on", "cosmetic")).exit).toBe(2);
  await write("edge/all.yaml", backend("down"));
  expect((await run("plan")).exit).toBe(0);
  expect((await run("plan", "--detailed-exitcode")).exit).toBe(4);
  expect((await run("apply", "-y")).exit).toBe(4);
  expect((await run("destroy", "-y")).exit).toBe(4);
});

it.each([
  ["status=403,method=POST", 1],
  ["status=403,method=POST,path=/edges/tls", 3],
  ["status=403,path=/edges/tls,method=GET", 1],
])("with the fault %s, apply exits with %i: 1 when nothing was changed, 3 when something was", async (fault, exit) => {
  const { run } = await stage({ manifests, faults: [fault] });
  expect((await run("apply", "-y")).exit).toBe(exit);
});
