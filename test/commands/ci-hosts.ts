import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Repository, repository } from "./ref-repository.ts";
import { type Ran, backend } from "./stage.ts";

export interface Entry {
  readonly id: number;
  body: string;
  state: string;
  readonly user: object;
  updated_at: string;
}

export interface Host {
  readonly url: string;
  readonly comments: Entry[];
  readonly issues: Entry[];
  readonly applied: Map<string, string>;
  readonly requests: string[];
  readonly answers: { [path: string]: unknown };
  readonly posted: { readonly headers: { readonly [name: string]: unknown }; readonly body: string }[];
}

export const hostToken = "token-of-the-job";
const bot = { id: 41, type: "Bot", login: "github-actions[bot]" };

type Body = { readonly [member: string]: string };

export async function startHost(): Promise<Host> {
  const held = {
    comments: [] as Entry[],
    issues: [] as Entry[],
    applied: new Map<string, string>(),
    requests: [] as string[],
    answers: {} as Host["answers"],
    posted: [] as Host["posted"],
  };
  const add = (list: Entry[], body: Body) => {
    const id = list.length + 1;
    const own = { body: "", state: "open", updated_at: "2026-01-01T00:00:00Z" };
    list.push({ ...own, ...body, body: body["body"] ?? body["description"] ?? "", id, user: bot });
    return [201, {}] as const;
  };
  const change = (list: Entry[], id: string | undefined, body: Body) => {
    const found = list.find((each) => each.id === Number(id));
    if (found === undefined) return [404, {}] as const;
    const state = body["state_event"] === "close" ? "closed" : found.state;
    Object.assign(found, { state }, body, { body: body["body"] ?? body["description"] ?? found.body });
    return [200, {}] as const;
  };
  const shown = (list: Entry[]) =>
    list.map((each) => ({ ...each, number: each.id, iid: each.id, description: each.body, author: each.user }));
  const move = (name: string, sha = "") => {
    held.applied.set(name, sha);
    return [200, {}] as const;
  };
  const answer = (method: string, path: string, body: Body): readonly [number, unknown] => {
    const [place = ""] = path.split("?");
    const id = place.split("/").at(-1);
    if (method === "GET" && Object.hasOwn(held.answers, place)) return [200, held.answers[place]];
    switch (`${method} ${place.replace(/\d+/gu, "N").replace(/edge-applied-[a-z-]+/u, "REF")}`) {
      case "GET issues/N/comments":
      case "GET merge_requests/N/notes":
        return [200, shown(held.comments)];
      case "POST issues/N/comments":
      case "POST merge_requests/N/notes":
      case "POST issues/N/notes":
        return add(held.comments, body);
      case "PATCH issues/comments/N":
      case "PUT merge_requests/N/notes/N":
        return change(held.comments, id, body);
      case "GET issues":
        return [200, shown(held.issues.filter(({ state }) => state === "open"))];
      case "POST issues":
        return add(held.issues, body);
      case "PATCH issues/N":
      case "PUT issues/N":
        return change(held.issues, id, body);
      case "PATCH git/refs/tags/REF":
        return held.applied.has(id ?? "") ? move(id ?? "", body["sha"]) : [422, {}];
      case "POST git/refs":
        return move(body["ref"]?.replace("refs/tags/", "") ?? "", body["sha"]);
      case "GET repository/branches/REF":
        return held.applied.has(id ?? "") ? [200, { commit: { id: held.applied.get(id ?? "") } }] : [404, {}];
      case "DELETE repository/branches/REF":
        return [held.applied.delete(id ?? "") ? 204 : 404, {}];
      case "POST repository/branches":
        return held.applied.has(body["branch"] ?? "") ? [400, {}] : move(body["branch"] ?? "", body["ref"]);
      default:
        return [404, {}];
    }
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { headers, method = "", url = "" } = request;
      const text = Buffer.concat(chunks).toString();
      const json = (status: number, body: unknown) =>
        response
          .writeHead(status, { "content-type": "application/json" })
          .end(status === 204 ? "" : JSON.stringify(body));
      const [, path] = /^\/(?:repos\/o\/r|api\/v4\/projects\/12)\/(.*)$/u.exec(url) ?? [];
      if (url.startsWith("/hook")) {
        held.posted.push({ headers, body: text });
        return json(200, {});
      }
      held.requests.push(`${method} ${url}`);
      const known = headers.authorization === `Bearer ${hostToken}` || headers["private-token"] === hostToken;
      if (!known) return json(401, {});
      if (url === "/api/v4/user") return json(200, bot);
      return json(...answer(method, path ?? "", text === "" ? {} : JSON.parse(text)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { ...held, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

interface Job {
  readonly run: (more?: { readonly [name: string]: string }) => Promise<Ran>;
  readonly output: () => Promise<{ readonly [name: string]: string }>;
  readonly summary: () => Promise<string>;
}

export async function githubJob(
  on: Repository,
  at: Host,
  event: string,
  details: object,
  ...args: string[]
): Promise<Job> {
  const places = join(on.dir, ".git", "job");
  await mkdir(places, { recursive: true });
  for (const name of ["summary", "output"]) await writeFile(join(places, name), "");
  await writeFile(join(places, "event.json"), JSON.stringify(details));
  const env = {
    ...on.env,
    GITHUB_ACTIONS: "true",
    GITHUB_EVENT_NAME: event,
    GITHUB_EVENT_PATH: join(places, "event.json"),
    GITHUB_API_URL: at.url,
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_REPOSITORY: "o/r",
    GITHUB_RUN_ID: "7",
    GITHUB_RUN_ATTEMPT: "1",
    GITHUB_REF: "refs/heads/main",
    GITHUB_SHA: on.git("rev-parse", "HEAD"),
    GITHUB_TOKEN: hostToken,
    GITHUB_STEP_SUMMARY: join(places, "summary"),
    GITHUB_OUTPUT: join(places, "output"),
  };
  const lines = async () => (await readFile(env.GITHUB_OUTPUT, "utf8")).trim().split("\n");
  return {
    run: async (more = {}) => on.runWith({ env: { ...env, ...more } }, "ci", ...args).ran,
    output: async () => Object.fromEntries((await lines()).map((line) => line.split("="))),
    summary: () => readFile(env.GITHUB_STEP_SUMMARY, "utf8"),
  };
}

export function gitlabJob(on: Repository, at: Host, source: string, ...args: string[]): Job["run"] {
  const env = {
    ...on.env,
    GITLAB_CI: "true",
    CI_PIPELINE_SOURCE: source,
    CI_API_V4_URL: `${at.url}/api/v4`,
    CI_PROJECT_ID: "12",
    CI_COMMIT_SHA: on.git("rev-parse", "HEAD"),
    CI_DEFAULT_BRANCH: "main",
    CI_JOB_URL: "https://gitlab.example/-/jobs/7",
    GITLAB_TOKEN: hostToken,
    ...(source === "merge_request_event"
      ? {
          CI_MERGE_REQUEST_IID: "3",
          CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
          CI_MERGE_REQUEST_PROJECT_ID: "12",
          CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "12",
        }
      : { CI_COMMIT_BRANCH: "main" }),
  };
  return async (more = {}) => on.runWith({ env: { ...env, ...more } }, "ci", ...args).ran;
}

export const config = (stack: string, more = "") =>
  `apiVersion: edgewise/v1\nkind: Config\nstack: ${stack}\nmanifests: [edge/]\nlock: {settle: 10ms}\n${more}`;

export async function pullRequest() {
  const on = await repository();
  for (const name of ["a", "b"]) {
    await on.write(`${name}/edgewise.yaml`, config(name));
    await on.write(`${name}/edge/all.yaml`, backend(name));
  }
  await on.write(".gitignore", "edgewise-plans/\n.world.json\n");
  await rm(join(on.dir, "edgewise.yaml"));
  const main = on.commit("main");
  on.git("update-ref", "refs/remotes/origin/main", main);
  await on.write("b/edge/all.yaml", backend("b", "status_code: 404"));
  const head = on.commit("change");
  const repo = { full_name: "o/r" };
  const details = {
    pull_request: { number: 3, base: { ref: "main", repo }, head: { sha: head, repo } },
    repository: { default_branch: "main" },
  };
  return { on, at: await startHost(), main, head, details };
}
