import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readApiKey } from "../../src/config/api-key.ts";
import { folder } from "./folder.ts";

describe("readApiKey", () => {
  it("takes the environment's, without blanks around it", async () => {
    const key = await readApiKey({ env: { EDGEWISE_API_KEY: " k3y_1\n" }, cwd: "/" });
    expect(key.reveal()).toBe("k3y_1");
    expect(key.source).toBe("env EDGEWISE_API_KEY");
  });

  it("prefers the file", async () => {
    const cwd = await folder({ "keys/edge": "from-file\n" });
    const env = { EDGEWISE_API_KEY: "from-env" };
    expect((await readApiKey({ env, cwd, apiKeyFile: "keys/edge" })).reveal()).toBe("from-file");
    expect((await readApiKey({ env, cwd: "/", apiKeyFile: join(cwd, "keys/edge") })).reveal()).toBe("from-file");
  });

  it("says where to put it when there is none", async () => {
    await expect(readApiKey({ env: {}, cwd: "/" })).rejects.toMatchObject({
      code: "config",
      message: "there is no API key",
      remedy: expect.stringContaining("EDGEWISE_API_KEY"),
    });
  });

  it.each(["", " ", "\n"])("takes an empty variable (%j) for a mistake, beside a file too", async (empty) => {
    const cwd = await folder({ key: "from-file\n" });
    const env = { EDGEWISE_API_KEY: empty };
    const error = { code: "config", message: "EDGEWISE_API_KEY is set but empty" };
    await expect(readApiKey({ env, cwd })).rejects.toMatchObject(error);
    await expect(readApiKey({ env, cwd, apiKeyFile: "key" })).rejects.toMatchObject(error);
  });

  it("doesn't fall back on the environment when the file is missing", async () => {
    const cwd = await folder();
    const reading = readApiKey({ env: { EDGEWISE_API_KEY: "k" }, cwd, apiKeyFile: "none" });
    await expect(reading).rejects.toMatchObject({
      code: "config",
      message: "--api-key-file takes the path of a file, and there is no such file",
    });
  });

  it.each([
    ["two lines", "hunter2\nhunter2"],
    ["blanks inside", "hunter2 x"],
    ["other letters", "hunter2é"],
    ["a control", "hunter2\u0007x"],
  ])("refuses %s, and shows nothing of it", async (_what, text) => {
    const cwd = await folder({ key: text });
    for (const input of [
      { env: {}, cwd, apiKeyFile: "key" },
      { env: { EDGEWISE_API_KEY: text }, cwd },
    ]) {
      const error: unknown = await readApiKey(input).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "config" });
      expect(error instanceof Error && `${error.message} ${error.stack ?? ""}`).not.toContain("hunter2");
    }
  });
});
