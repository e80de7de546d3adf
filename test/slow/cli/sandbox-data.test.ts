import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { firstLine } from "../../support/first-line.ts";
import { type Process, cli, start, temporary } from "../../support/cli.ts";

interface Running {
  readonly child: Process;
  readonly kill: (signal: "SIGKILL" | "SIGTERM") => Promise<void>;
  readonly send: (method: string, path: string, body?: object) => Promise<Response>;
}

async function sandboxWith(dataFile: string): Promise<Running> {
  const { child, ended } = start(["sandbox", "-o", "json", "--data", dataFile]);
  const line = await firstLine(child.stdout).catch(async () => {
    throw new Error(`the sandbox ended: ${(await ended).err}`);
  });
  const { apiKey, baseUrl } = JSON.parse(line) as { readonly apiKey: string; readonly baseUrl: string };
  return {
    child,
    async kill(signal) {
      child.kill(signal);
      await ended;
    },
    send: (method, path, body) =>
      fetch(baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          "service-version": "2",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  };
}

describe("edgewise sandbox --data", () => {
  it("loses nothing that it confirmed when it is killed at once, and starts again", async () => {
    const dataFile = join(await temporary(), "world.json");
    const made: string[] = [];
    for (let round = 0; round < 2; round++) {
      const sandbox = await sandboxWith(dataFile);
      const create = async (): Promise<void> => {
        const response = await sandbox.send("POST", "/backends/http_response", { status_code: 200 });
        made.push(((await response.json()) as { readonly id: string }).id);
      };
      await Promise.all([create(), create(), create()]);
      await create();
      await sandbox.kill("SIGKILL");
    }
    const last = await sandboxWith(dataFile);
    const listed = (await (await last.send("GET", "/backends/http_response")).json()) as {
      readonly backends: readonly { readonly id: string }[];
    };
    expect(new Set(listed.backends.map(({ id }) => id))).toEqual(new Set(made));
    expect(made).toHaveLength(8);
    await last.kill("SIGTERM");
  });

  it("is refused when another sandbox holds the file, or its directory is missing", async () => {
    const directory = await temporary();
    const first = await sandboxWith(join(directory, "world.json"));
    const second = await cli(["sandbox", "--data", join(directory, "world.json")]);
    expect(second).toMatchObject({ exit: 1, out: "" });
    expect(second.err).toContain(`another sandbox holds it (process ${first.child.pid} on `);
    const lost = await cli(["sandbox", "--data", join(directory, "missing", "world.json")]);
    expect(lost).toMatchObject({ exit: 1, out: "" });
    expect(lost.err).toContain("mkdir -p");
    await first.kill("SIGTERM");
  });
});
