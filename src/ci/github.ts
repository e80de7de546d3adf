import { appendFile } from "node:fs/promises";
import { checkBaseUrl } from "../config/api-config.js";
import { EdgewiseError } from "../core/errors.js";
import { type JsonObject, isObject } from "../core/json.js";
import { parseJson } from "../core/parse-json.js";
import { visibleLine } from "../text/visible.js";
import type { CiHost } from "./ci-host.js";
import type { CiRun } from "./ci-run.js";

/** How many pages of comments or issues are searched for the one that is updated. */
const mostPages = 50;

const driftLabel = "edgewise-drift";

/** GitHub Actions: its files, and its API at the address that it names itself, with the job's token. */
export function githubHost({ places, runUrl }: CiRun): CiHost {
  const api = new GithubApi(places);
  return {
    annotations: "github",
    longestText: 65_000,
    summary: (markdown) => append(places.summary, markdown),
    output: (name, value) => append(places.output, `${name}=${visibleLine(value)}\n`),
    async comment(change, key, markdown) {
      const marker = `<!-- edgewise ${key} -->`;
      const own = await api.find(`issues/${change}/comments`, (each) => isOwn(each, marker));
      const body = { body: `${marker}\n${markdown}` };
      if (own === null) await api.send("POST", `issues/${change}/comments`, body);
      else await api.send("PATCH", `issues/comments/${own}`, body);
    },
    async issue(key, title, markdown) {
      const marker = `<!-- edgewise drift of ${key} -->`;
      const open = await api.find(
        `issues?state=open&labels=${driftLabel}`,
        (each) => isOwn(each, marker) && each["pull_request"] === undefined,
        "number",
      );
      const body = `${marker}\n${markdown ?? ""}`;
      if (markdown === null) {
        if (open === null) return;
        await api.send("POST", `issues/${open}/comments`, { body: `No drift any more: ${runUrl ?? ""}` });
        await api.send("PATCH", `issues/${open}`, { state: "closed", state_reason: "completed" });
      } else if (open === null) await api.send("POST", "issues", { title, labels: [driftLabel], body });
      else await api.send("PATCH", `issues/${open}`, { body });
    },
    async recordApplied(slug, sha) {
      const name = `tags/edge-applied-${slug}`;
      const moved = await api.send("PATCH", `git/refs/${name}`, { sha, force: true }, [404, 422]);
      // The first time, there is no such tag.
      if (moved === null) await api.send("POST", "git/refs", { ref: `refs/${name}`, sha });
    },
  };
}

/** Anybody may write a text that begins like ours: only what a bot wrote, as the job's token is one, is updated. */
function isOwn({ body, user }: { readonly [member: string]: unknown }, marker: string): boolean {
  return typeof body === "string" && body.startsWith(marker) && isObject(user) && user["type"] === "Bot";
}

async function append(file: string | null, text: string): Promise<void> {
  if (file !== null) await appendFile(file, text);
}

class GithubApi {
  constructor(private readonly places: CiRun["places"]) {}

  /** The id of the first entry of a list that fits; null = there is none. */
  async find(
    list: string,
    fits: (entry: { readonly [member: string]: unknown }) => boolean,
    id: "id" | "number" = "id",
  ): Promise<number | null> {
    for (let page = 1; page <= mostPages; page += 1) {
      const path = `${list}${list.includes("?") ? "&" : "?"}per_page=100&page=${page}`;
      const entries = await this.send("GET", path);
      if (!Array.isArray(entries) || entries.length === 0) return null;
      const found: unknown = entries.find((entry: unknown) => isObject(entry) && fits(entry));
      if (isObject(found) && typeof found[id] === "number") return found[id];
      if (entries.length < 100) return null;
    }
    throw new EdgewiseError("io", `GitHub lists more than ${mostPages * 100} entries of ${visibleLine(list)}`);
  }

  /** The answer's JSON; null for a status that is expected. @throws EdgewiseError `io` */
  async send(method: string, path: string, body?: JsonObject, expected: readonly number[] = []): Promise<unknown> {
    const { token, url } = this.address();
    const what = `${method} ${visibleLine(path.split("?", 1)[0] ?? path)}`;
    const response = await fetch(`${url}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
        "user-agent": "edgewise",
      },
      redirect: "error",
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw new EdgewiseError("io", `GitHub's API doesn't answer ${what}`, { cause });
    });
    if (expected.includes(response.status)) return null;
    if (!response.ok) {
      throw new EdgewiseError("io", `GitHub's API refuses ${what} (${response.status})`, {
        remedy: "Give the job's token the permission: `permissions:` in the workflow.",
      });
    }
    const read = parseJson(await response.text());
    return "value" in read ? read.value : null;
  }

  private address(): { readonly url: string; readonly token: string } {
    const { api, repository, token } = this.places;
    if (token === null || token === "") {
      throw new EdgewiseError("config", "GITHUB_TOKEN is not set", {
        remedy: "Give it to the step: `env: { GITHUB_TOKEN: ${{ github.token }} }`.",
      });
    }
    if (api === null || "problem" in checkBaseUrl(api, false))
      throw new EdgewiseError("config", "GITHUB_API_URL is not an https URL");
    if (repository === null || !/^[\w.-]+\/[\w.-]+$/u.test(repository) || /(?:^|\/)\.\.?(?:\/|$)/u.test(repository))
      throw new EdgewiseError("config", "GITHUB_REPOSITORY is not the name of a repository");
    return { url: `${api.replace(/\/$/u, "")}/repos/${repository}`, token };
  }
}
