import { expect, it } from "vitest";
import { backend, stage } from "../../../commands/stage.ts";

const offline = [["validate"], ["graph"]];
const online = [["plan"], ["apply", "-y"], ["drift"], ["export", "--all"], ["destroy", "-y"], ["ping"], ["list"]];

it.each(["EDGEWISE_BASE_URL", "EDGEWISE_STACK", "EDGEWISE_API_KEY"])(
  "the pipeline's variable %s is empty → every command that needs it names it, and nothing is sent",
  async (variable) => {
    const on = await stage();
    await on.write("edge/all.yaml", backend("x"));
    const api = `api: {baseUrl: "${on.sandbox.baseUrl}"}`;
    // The file says everything, so that nothing is missing when a variable is empty.
    await on.write("edgewise.yaml", `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n${api}\n`);
    const isKey = variable === "EDGEWISE_API_KEY";
    on.env[variable] = " \n";
    for (const args of [...online, ...(isKey ? [] : offline)]) {
      const { exit, out, err } = await on.run(...args);
      expect({ exit, out, err }).toEqual({
        exit: 1,
        out: "",
        err: expect.stringContaining(`${variable} is set but empty`),
      });
    }
    if (isKey) for (const args of offline) expect((await on.run(...args)).exit).toBe(0);
    expect((await on.run("schema", "TLSEdge")).exit).toBe(0);
    expect(on.sandbox.requests().total).toBe(0);
  },
);
