import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GitServer, type GitServerOptions, gitServer } from "./support/git-server.ts";
import { type GitWorld, git, gitWorld, never } from "./support/git-world.ts";

const token = "tok-en/5ecret";
const basic = Buffer.from(`x-access-token:${token}`).toString("base64");

let world: GitWorld;
const servers: GitServer[] = [];
beforeEach(() => {
  world = gitWorld();
  const repository = world.repository("one");
  git(world.top, "clone", "-q", "--bare", repository, "repositories/edge.git");
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.end()));
  await world.end();
});

async function serve(options: GitServerOptions = {}): Promise<GitServer> {
  const server = await gitServer(join(world.top, "repositories"), options);
  servers.push(server);
  return server;
}

const demand: GitServerOptions["answer"] = (request, response) => {
  if (request.headers.authorization === `Basic ${basic}`) return false;
  response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
  return true;
};
const withToken = (url: string) =>
  world.source(`${url}edge.git`, { credentials: { file: world.file("token", `${token}\n`) } });

function commandLines(): string {
  const lines = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return lines
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return "";
      }
    })
    .join("\n");
}

function everything(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

describe("credentials", () => {
  it("are on no command line while git runs, and nowhere in the clone afterwards", async () => {
    const server = await serve({ answer: demand, delay: 100 });
    let seen = "";
    const watch = setInterval(() => {
      seen += commandLines();
    }, 20);
    const record = await world.reader().fetch(withToken(server.url), null, never);
    clearInterval(watch);
    expect(record.problem).toBeNull();
    expect(seen).toContain(`${server.url}edge.git`);
    for (const secret of [token, basic]) {
      expect(seen).not.toContain(secret);
      expect(everything(world.state)).not.toContain(secret);
    }
  });

  it("are refused by a server, which repeats them: the message holds none", async () => {
    const server = await serve({
      answer(request, response) {
        response.writeHead(403, { "content-type": "text/plain" }).end(`no: ${token} ${request.headers.authorization}`);
        return true;
      },
    });
    const { problem } = await world.reader().fetch(withToken(server.url), null, never);
    expect(problem).toMatchObject({ code: "unreachable" });
    expect(problem?.message).not.toContain(token);
    expect(problem?.message).not.toContain(basic);
  });

  it("that can't be read are a problem, and nobody is asked", async () => {
    const server = await serve();
    const source = world.source(`${server.url}edge.git`, { credentials: { env: "TOKEN" } });
    const { problem } = await world.reader().fetch(source, null, never);
    expect(problem?.message).toMatch(
      /^the secret of credentials is not there: the environment variable TOKEN is not set/u,
    );
    expect(server.requests).toEqual([]);
  });

  it("are not taken from the user's own files", async () => {
    const server = await serve({ answer: demand });
    world.file(".netrc", `machine 127.0.0.1 login x-access-token password ${token}\n`);
    world.file(".gitconfig", `[http]\n extraHeader = "Authorization: Basic ${basic}"\n`);
    const env = { ...process.env, HOME: world.top, http_proxy: "http://127.0.0.1:1", GIT_ASKPASS: "/bin/false" };
    const reader = world.reader({ host: { env } });
    const record = await reader.fetch(world.source(`${server.url}edge.git`), null, never);
    expect(record.problem).toMatchObject({ code: "unreachable" });
    expect(server.requests.every(({ authorization }) => authorization === undefined)).toBe(true);
  });
});

describe("a redirect", () => {
  it.each([301, 307])("with %i is not followed, and carries nothing", async (status) => {
    const other = await serve();
    const server = await serve({
      answer(request, response) {
        response.writeHead(status, { location: `${other.url.slice(0, -1)}${request.url}` }).end();
        return true;
      },
    });
    const record = await world.reader().fetch(withToken(server.url), null, never);
    expect(record).toMatchObject({ followed: null, problem: { code: "unreachable" } });
    expect(record.problem?.message).toContain("It redirects");
    expect(other.requests).toEqual([]);
  });
});
