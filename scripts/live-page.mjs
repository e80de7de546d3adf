// Follows docs/live-services.md step by step: runs every command of it, in order, in one shell, against a sandbox in its
// lenient mode, and writes what the commands printed below them. Terraform is a stub; its commands show no output.
//   node scripts/live-page.mjs           writes
//   node scripts/live-page.mjs --check   fails if the page is out of date
// A command that should fail says so: "# exits with 1". A block below "<!-- file: PATH -->" is written into that file.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { cli, plainEnvironment, root } from "./sandbox.mjs";

const page = join(root, "docs", "live-services.md");
const liveUrl = "https://api.ngrok.com";
const shownSandbox = "http://127.0.0.1:8080";
const apiKey = "live-page-key";

const directory = mkdtempSync(join(tmpdir(), "edgewise-live-page-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
const work = join(directory, "work");
const bin = join(directory, "bin");
const file = (name) => join(directory, name);

/** Programs of the page, and files that they find. */
function furnish() {
  mkdirSync(work);
  mkdirSync(bin);
  const program = (name, path) => {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${path}" "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program("edgewise", cli);
  program("terraform", join(root, "scripts", "terraform-stub.mjs"));
  const example = join(root, "examples", "terraform");
  for (const name of ["account.json", "terraform.tfstate"]) copyFileSync(join(example, name), file(name));
  writeFileSync(file("key"), `${apiKey}\n`);
}

/** The sandbox that the page starts, with its account. Each one takes the place of the one before. */
class Sandbox {
  #child = null;
  url = "";

  /** @returns {Promise<string>} what it prints when it is ready */
  async start(flags) {
    await this.stop();
    const port = this.url === "" ? "0" : new URL(this.url).port;
    const args = flags.map((flag, index) => (flags[index - 1] === "--port" ? port : flag));
    this.#child = spawn(process.execPath, [cli, "sandbox", ...args], {
      cwd: directory,
      env: { ...plainEnvironment(), NO_COLOR: "1", EDGEWISE_API_KEY: apiKey },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const lines = createInterface({ input: this.#child.stdout });
    const problems = this.#child.stderr.setEncoding("utf8");
    const said = await Promise.race([
      once(lines, "line"),
      once(this.#child, "exit").then(() => Promise.reject(new Error(`the sandbox ended: ${problems.read()}`))),
    ]);
    const [first] = said;
    this.url = /http:\/\/127\.0\.0\.1:\d+/.exec(first)?.[0] ?? "";
    return first.replace(this.url, shownSandbox);
  }

  async stop() {
    if (this.#child === null) return;
    const ended = once(this.#child, "exit");
    this.kill();
    await ended;
    this.#child = null;
  }

  kill() {
    this.#child?.kill("SIGTERM");
  }
}

/** One shell for the whole page, so that directories and variables last. */
function openShell() {
  const child = spawn("bash", ["--noprofile", "--norc"], {
    cwd: work,
    env: {
      PATH: `${bin}:${process.env.PATH ?? ""}`,
      HOME: directory,
      LANG: "C.UTF-8",
      NO_COLOR: "1",
      TERRAFORM_STUB_STATE: file("terraform.tfstate"),
    },
    stdio: ["pipe", "ignore", "inherit", "pipe"],
  });
  const codes = createInterface({ input: child.stdio[3] })[Symbol.asyncIterator]();

  /** Runs one command line. stdout and stderr share one file, so that their order is kept. */
  const run = async (command) => {
    const input = command.startsWith("read ") ? file("key") : "/dev/null";
    child.stdin.write(`{ ${command}\n} < "${input}" > "${file("log")}" 2>&1; echo $? >&3\n`);
    const { value } = await codes.next();
    return { code: Number(value), output: readFileSync(file("log"), "utf8") };
  };

  /** The directory that it is in. */
  const place = async () => (await run("pwd")).output.trim();

  const end = async () => {
    child.stdin.end();
    await once(child, "exit");
  };
  return { run, place, end };
}

/** Replaces what differs from run to run without meaning. Operations end in any order. */
function stableText(text) {
  return text
    .replace(/\b\d+ ms\b/g, "40 ms")
    .replace(/\bop_[A-Za-z0-9]{6,}/g, "op_0001")
    .replace(/(?:^op-\d+ .*\n)+/gm, (lines) => `${lines.trimEnd().split("\n").sort(byNumber).join("\n")}\n`);
}

function byNumber(a, b) {
  return Number(/\d+/.exec(a)?.[0]) - Number(/\d+/.exec(b)?.[0]);
}

/** What edgewise said how to take out of Terraform's state. */
const releases = [];

const sandbox = new Sandbox();
// After an error nobody waits for it.
process.on("exit", () => sandbox.kill());

/** Runs a command of the page and checks how it ends; its output as the page shows it. */
async function follow(shell, command) {
  const words = command.replace(/#.*$/, "").trim();
  if (words.startsWith(`EDGEWISE_API_KEY=${apiKey} edgewise sandbox `)) {
    const flags = words.split(" ").slice(3);
    return sandbox.start(flags.map((flag) => flag.replace(/^"(.*)"$/, "$1")));
  }
  const expected = Number(/# exits with (\d+)$/.exec(command)?.[1] ?? 0);
  const { code, output } = await shell.run(command.replaceAll(liveUrl, sandbox.url));
  if (code !== expected) throw new Error(`${command}: exit code ${code}, expected ${expected}\n${output}`);
  for (const [, release] of output.matchAll(/^ {2}(terraform state rm .+)$/gm)) releases.push(release);
  return stableText(output.replaceAll(sandbox.url, liveUrl)).trimEnd();
}

const block = /(?:<!-- file: (?<path>\S+) -->\n)?```(?<language>\w*)\n(?<text>[\s\S]*?)```\n/g;

/** The page with what its commands print now. */
async function followed(text) {
  furnish();
  const shell = openShell();
  let fresh = "";
  let end = 0;
  for (const match of text.matchAll(block)) {
    fresh += text.slice(end, match.index);
    end = match.index + match[0].length;
    const { language, path, text: content } = match.groups;
    let shown = match[0];
    if (path !== undefined) {
      const written = join(await shell.place(), path);
      mkdirSync(dirname(written), { recursive: true });
      writeFileSync(written, content.replaceAll(liveUrl, sandbox.url));
    } else if (language === "sh") {
      const others = content.trim().split("\n");
      const commands = [...releases, ...others.filter((line) => !line.startsWith("terraform state rm "))];
      for (const command of commands) await follow(shell, command);
      shown = `\`\`\`sh\n${commands.join("\n")}\n\`\`\`\n`;
    } else if (language === "console") {
      shown = "```console\n";
      for (const command of content.split("\n").filter((line) => line.startsWith("$ "))) {
        const output = await follow(shell, command.slice(2));
        shown += `${command}\n${output === "" ? "" : `${output}\n`}`;
      }
      shown += "```\n";
    }
    fresh += shown;
  }
  await shell.end();
  await sandbox.stop();
  return fresh + text.slice(end);
}

const text = readFileSync(page, "utf8");
const fresh = await followed(text);
if (fresh !== text) {
  if (process.argv.includes("--check")) {
    console.error("docs/live-services.md is out of date: run npm run docs");
    process.exitCode = 1;
  } else writeFileSync(page, fresh);
}
