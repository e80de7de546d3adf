import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  writeFile as put,
  readFile,
  readdir,
  realpath,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkWritable, openForAppending, writeFile } from "../../src/files/write-file.ts";
import { cli } from "../support/cli.ts";

async function folder(): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "edgewise-files-")));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe("writeFile", () => {
  it("writes a new file, for its owner or as the umask has it", async () => {
    const cwd = await folder();
    await writeFile("private", "a", { cwd }, "private");
    await writeFile("ordinary", "b", { cwd }, "ordinary");
    expect([await readFile(join(cwd, "private"), "utf8"), await readFile(join(cwd, "ordinary"), "utf8")]).toEqual([
      "a",
      "b",
    ]);
    await put(join(cwd, "as-ever"), "");
    expect([await modeOf(join(cwd, "private")), await modeOf(join(cwd, "ordinary"))]).toEqual([
      0o600,
      await modeOf(join(cwd, "as-ever")),
    ]);
  });

  it("keeps the mode of an ordinary file and closes a private one", async () => {
    const cwd = await folder();
    for (const audience of ["ordinary", "private"] as const) {
      await put(join(cwd, audience), "before");
      await chmod(join(cwd, audience), 0o664);
      await writeFile(audience, "after", { cwd }, audience);
      expect(await readFile(join(cwd, audience), "utf8")).toBe("after");
    }
    expect([await modeOf(join(cwd, "ordinary")), await modeOf(join(cwd, "private"))]).toEqual([0o664, 0o600]);
  });

  it("follows a link that stays inside, and replaces what is behind it", async () => {
    const cwd = await folder();
    await mkdir(join(cwd, "runs"));
    await put(join(cwd, "runs", "1"), "");
    await symlink("runs/1", join(cwd, "latest"));
    await writeFile("latest", "one", { cwd }, "ordinary");
    expect((await lstat(join(cwd, "latest"))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(cwd, "runs", "1"), "utf8")).toBe("one");
  });

  it("says which directory is missing and how to make it", async () => {
    const cwd = await folder();
    const writing = writeFile("it's/gone/plan.json", "", { cwd }, "private");
    await expect(writing).rejects.toMatchObject({
      code: "io",
      message: `it's/gone/plan.json can't be written: the directory ${cwd}/it's/gone does not exist`,
      remedy: `Create it: mkdir -p '${cwd}/it'\\''s/gone'`,
    });
    expect(await readdir(cwd)).toEqual([]);
  });

  it.each([
    ["a directory", "", "it is a directory"],
    ["below a file", "file/x", "file is not a directory"],
    ["a file with a slash at its end", "file/", "a trailing slash"],
    ["a socket", "socket", "a socket"],
    ["a circle of links", "circle", "too many levels of symbolic links"],
  ])("refuses %s", async (_, name, why) => {
    const cwd = await folder();
    await put(join(cwd, "file"), "");
    await symlink("circle", join(cwd, "circle"));
    const server = createServer().listen(join(cwd, "socket"));
    await once(server, "listening");
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    for (const writing of [
      writeFile(`${cwd}/${name}`, "", { cwd }, "private"),
      openForAppending(`${cwd}/${name}`, { cwd }),
      (async () => checkWritable(`${cwd}/${name}`, { cwd }))(),
    ]) {
      await expect(writing).rejects.toMatchObject({ code: "io", message: expect.stringContaining(why) });
    }
    expect((await readdir(cwd)).toSorted()).toEqual(["circle", "file", "socket"]);
  });

  it("leaves the old file and nothing else when the disk is full", async () => {
    const cwd = await folder();
    await put(join(cwd, "plan.json"), "before");
    // A limit on the size of files is met like a full disk, in the middle of the writing.
    const script = `
      import { writeFile } from ${JSON.stringify(new URL("../../dist/files/write-file.js", import.meta.url).href)};
      process.on("SIGXFSZ", () => {});
      await writeFile("plan.json", "x".repeat(4_000_000), { cwd: process.cwd() }, "private").catch((error) => console.log(error.message));`;
    const said = execFileSync(
      "sh",
      ["-c", 'ulimit -f 100; exec "$0" --input-type=module -e "$1"', process.execPath, script],
      { cwd, encoding: "utf8" },
    );
    expect(said).toContain("plan.json can't be written: EFBIG");
    expect(await readdir(cwd)).toEqual(["plan.json"]);
    expect(await readFile(join(cwd, "plan.json"), "utf8")).toBe("before");
  });
});

describe("openForAppending", () => {
  it("adds to a file and closes it to others", async () => {
    const cwd = await folder();
    await put(join(cwd, "journal"), "one\n");
    await chmod(join(cwd, "journal"), 0o644);
    const handle = await openForAppending("journal", { cwd });
    await handle.appendFile("two\n");
    await handle.close();
    expect(await readFile(join(cwd, "journal"), "utf8")).toBe("one\ntwo\n");
    expect(await modeOf(join(cwd, "journal"))).toBe(0o600);
  });
});

describe("standard streams as files", () => {
  it("get the result of the built program", async () => {
    const plain = await cli(["schema", "TLSEdge"]);
    const named = await cli(["schema", "TLSEdge", "--output-file", "/dev/stdout"]);
    expect(named).toEqual(plain);
    expect(await cli(["schema", "TLSEdge", "--output-file", "/dev/stderr"])).toEqual({
      exit: 0,
      out: "",
      err: plain.out,
    });
    expect(await cli(["schema", "TLSEdge", "--output-file", "/dev/null"])).toEqual({ exit: 0, out: "", err: "" });
  });
});
