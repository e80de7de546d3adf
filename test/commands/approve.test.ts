import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { stage } from "./stage.ts";

it("approve names the stacks that the server has, the near one first", async () => {
  const at = await stage();
  const server = createServer(({ url }, response) => {
    response.statusCode = url === "/api/stacks" ? 200 : 404;
    response.end(JSON.stringify({ stacks: [{ name: "prod" }, { name: "staging" }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const remedyFor = async (stack: string) => {
    const { err, exit } = await at.run("approve", stack, "--server", url);
    expect({ exit, first: err.split("\n")[0] }).toEqual({ exit: 1, first: `error: there is no stack "${stack}"` });
    return err.split("\n")[1];
  };
  expect(await remedyFor("prode")).toBe("Did you mean prod?");
  expect(await remedyFor("nope")).toBe("The server has prod, staging.");
});

it("an empty stack name is one error", async () => {
  const at = await stage();
  await at.write("edgewise.yaml", 'apiVersion: edgewise/v1\nkind: Config\nstack: ""\nmanifests: [edge/]\n');
  const { err, exit } = await at.run("plan");
  expect(exit).toBe(1);
  expect(err.match(/^edgewise\.yaml:3:\d+: error stack must be the name of a stack/gmu)).toHaveLength(1);
  expect(err).toContain("\n1 error in 1 file.\n");
});
