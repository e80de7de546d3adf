import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  lchown,
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
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeDirectory } from "../../src/files/hold-directory.ts";
import { checkWritable, openForAppending, writeFile } from "../../src/files/write-file.ts";
import { cli } from "../support/cli.ts";

const isRoot = userInfo().uid === 0;

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
    await symlink("runs/1", join(cwd, "latest"));
    await writeFile("latest", "one", { cwd }, "ordinary");
    expect((await lstat(join(cwd, "latest"))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(cwd, "runs", "1"), "utf8")).toBe("one");
  });

  it("follows a link of the operator's own outside of the root, and writes where the operator says", async () => {
    const cwd = await folder();
    const elsewhere = await folder();
    await mkdir(join(elsewhere, "real"));
    await symlink("real", join(elsewhere, "link"));
    await writeFile(join(elsewhere, "link", "plan.json"), "plan", { cwd }, "private");
    expect(await readdir(join(elsewhere, "real"))).toEqual(["plan.json"]);
  });

  it("says which directory is missing and how to make it", async () => {
    const cwd = await folder();
    const writing = writeFile("it's/gone/plan.json", "", { cwd }, "private");
    await expect(writing).rejects.toMatchObject({
      code: "io",
      message: `it's/gone/plan.json can't be written: the directory ${cwd}/it's does not exist`,
      remedy: `Create it first: mkdir -p '${cwd}/it'\\''s'`,
    });
    expect(await readdir(cwd)).toEqual([]);
  });

  it.each([
    ["a directory", "", "it is a directory"],
    ["below a file", "file/x", "file is not a directory"],
    ["a name with a slash at its end", "new/", "a trailing slash"],
    ["a file with a slash at its end", "file/", "a trailing slash"],
    ["a socket", "socket", "a socket"],
    ["a name that is too long", "x".repeat(300), "the name is too long"],
    ["a circle of links", "circle", "too many levels of symbolic links"],
    ["a circle of directories", "circle/x", "too many levels of symbolic links"],
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
    expect(said).toBe("plan.json can't be written: it would exceed the maximum file size\n");
    expect(await readdir(cwd)).toEqual(["plan.json"]);
    expect(await readFile(join(cwd, "plan.json"), "utf8")).toBe("before");
  });

  it("writes a pipe and leaves it a pipe", async () => {
    const cwd = await folder();
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    const reader = spawn("cat", [join(cwd, "pipe")]);
    const read = new Promise<string>((resolve) => {
      let text = "";
      reader.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
      reader.on("close", () => resolve(text));
    });
    await writeFile("pipe", "through the pipe", { cwd }, "private");
    expect(await read).toBe("through the pipe");
    expect((await lstat(join(cwd, "pipe"))).isFIFO()).toBe(true);
  });

  it("writes /dev/null and leaves it a device", async () => {
    await writeFile("/dev/null", "gone", { cwd: "/" }, "private");
    await checkWritable("/dev/null", { cwd: "/" });
    expect((await lstat("/dev/null")).isCharacterDevice()).toBe(true);
  });

  it.runIf(isRoot)("leaves a file to its owner when root replaces it (needs root)", async () => {
    const cwd = await folder();
    await put(join(cwd, "summary.md"), "");
    await chown(join(cwd, "summary.md"), 1001, 1001);
    await writeFile("summary.md", "text", { cwd }, "private");
    const { uid, gid, mode } = await stat(join(cwd, "summary.md"));
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 1001, gid: 1001, mode: 0o600 });
  });
});

describe.runIf(isRoot)("a checkout that belongs to another user than the container's (needs root)", () => {
  it("may hold links of theirs that stay inside", async () => {
    const cwd = await folder();
    await mkdir(join(cwd, "runs"));
    await symlink("runs", join(cwd, "latest"));
    for (const name of ["runs", "latest", "."]) await lchown(join(cwd, name), 1001, 1001);
    await writeFile("latest/plan.json", "plan", { cwd }, "private");
    expect(await readdir(join(cwd, "runs"))).toEqual(["plan.json"]);
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

describe("makeDirectory", () => {
  it("makes one directory and no tree", async () => {
    const cwd = await folder();
    makeDirectory("a", { cwd });
    makeDirectory("a", { cwd });
    makeDirectory("a/b", { cwd });
    expect(() => makeDirectory("c/d", { cwd })).toThrow("does not exist");
    await put(join(cwd, "file"), "");
    expect(() => makeDirectory("file", { cwd })).toThrow("it is a file");
    expect((await readdir(cwd, { recursive: true })).toSorted()).toEqual(["a", "a/b", "file"]);
  });
});

/** Whether this user may mount something, in a name space that goes with the program. */
const mounts = isRoot && spawnSync("unshare", ["-m", "true"]).status === 0;

describe.skipIf(!mounts)("a file that is mounted alone", () => {
  it("is written in its place, and closed", async () => {
    const cwd = await folder();
    await put(join(cwd, "host.txt"), "a text that is longer than what comes\n".repeat(10_000));
    await chmod(join(cwd, "host.txt"), 0o644);
    await put(join(cwd, "result"), "");
    const program = fileURLToPath(new URL("../../dist/bin/edgewise.js", import.meta.url));
    const script = 'mount --bind host.txt result && exec "$0" "$1" schema TLSEdge --output-file result';
    execFileSync("unshare", ["-m", "sh", "-c", script, process.execPath, program], { cwd });
    expect(JSON.parse(await readFile(join(cwd, "host.txt"), "utf8"))).toMatchObject({ type: "object" });
    expect(await modeOf(join(cwd, "host.txt"))).toBe(0o600);
    expect((await readdir(cwd)).toSorted()).toEqual(["host.txt", "result"]);
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

  it("get it through a link as images have for their log files, and not through one in the repository", async () => {
    const outside = await folder();
    const cwd = await folder();
    for (const dir of [outside, cwd]) await symlink("/dev/stdout", join(dir, "report"));
    const file = join(outside, "report");
    const program = fileURLToPath(new URL("../../dist/bin/edgewise.js", import.meta.url));
    for (const redirect of ["| cat", "> result; cat result"]) {
      const bash = `"$0" "$1" schema TLSEdge --output-file "$2" ${redirect}`;
      const said = execFileSync("bash", ["-c", bash, process.execPath, program, file], { cwd, encoding: "utf8" });
      expect(JSON.parse(said)).toMatchObject({ type: "object" });
    }
    expect((await lstat("/dev/stdout")).isSymbolicLink()).toBe(true);
    const refused = await cli(["schema", "TLSEdge", "--output-file", "report"], { cwd });
    expect(refused).toMatchObject({ exit: 1, out: "", err: expect.stringContaining("symbolic link") });
  });
});
