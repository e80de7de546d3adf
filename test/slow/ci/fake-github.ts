import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Strings } from "./recipes.ts";

interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly type: string; readonly login: string; readonly id: number };
  readonly created_at: string;
  updated_at: string;
}

const bot = { type: "Bot", login: "github-actions[bot]", id: 41_898_282 };

interface Issue {
  readonly number: number;
  readonly title: string;
  readonly labels: readonly string[];
  body: string;
  state: string;
  readonly comments: Comment[];
}

/** The part of the API that the recipes use, in memory. Bodies have GitHub's size limit. */
export class FakeGithub {
  readonly issues: Issue[] = [];
  /** The commits of tags, by name. */
  readonly tags = new Map<string, string>();
  readonly #pullRequest: Issue = { number: 7, title: "A change", labels: [], body: "", state: "open", comments: [] };
  #next = 100;

  /** The comments of the pull request. */
  get comments(): readonly Comment[] {
    return this.#pullRequest.comments;
  }

  /** Each comment is a minute later than the last one. */
  #now(): string {
    return new Date(Date.UTC(2030, 0, 1, 0, this.#next)).toISOString();
  }

  /** A comment by a person, which no recipe may touch, or by somebody else. */
  say(body: string, user: Comment["user"] = { type: "User", login: "ann", id: 1 }): Comment {
    this.#next++;
    const comment = { id: this.#next, body, user, created_at: this.#now(), updated_at: this.#now() };
    this.#pullRequest.comments.push(comment);
    return comment;
  }

  /** The object that scripts receive as `github`. */
  readonly api = {
    paginate: async <T, R>(method: (parameters: T) => Promise<R>, parameters: T): Promise<R> => method(parameters),
    rest: {
      git: {
        updateRef: async ({ ref, sha }: { ref: string; sha: string }) => {
          const name = /^tags\/(.+)$/u.exec(ref)?.[1] ?? "";
          if (!this.tags.has(name))
            throw Object.assign(new Error("Reference does not exist"), { status: 422 as const });
          this.tags.set(name, sha);
        },
        createRef: async ({ ref, sha }: { ref: string; sha: string }) => {
          const name = /^refs\/tags\/(.+)$/u.exec(ref)?.[1];
          if (name === undefined) throw new Error(`not a tag: ${ref}`);
          this.tags.set(name, sha);
        },
      },
      issues: {
        listComments: async (p: { issue_number: number }) => this.#issue(p.issue_number).comments,
        createComment: async (p: { issue_number: number; body: string }) => {
          this.#next++;
          const times = { created_at: this.#now(), updated_at: this.#now() };
          this.#issue(p.issue_number).comments.push({ id: this.#next, body: limited(p.body), user: bot, ...times });
        },
        updateComment: async (p: { comment_id: number; body: string }) => {
          const comment = this.#pullRequest.comments.find(({ id }) => id === p.comment_id);
          if (comment === undefined) throw new Error(`no comment ${p.comment_id}`);
          this.#next++;
          comment.body = limited(p.body);
          comment.updated_at = this.#now();
        },
        listForRepo: async (p: { labels: string; state: string }) =>
          this.issues.filter(({ labels, state }) => labels.includes(p.labels) && state === p.state),
        create: async (p: { title: string; labels: readonly string[]; body: string }) => {
          const number = this.#next++;
          this.issues.push({
            number,
            title: p.title,
            labels: p.labels,
            body: limited(p.body),
            state: "open",
            comments: [],
          });
        },
        update: async (p: { issue_number: number; body?: string; state?: string }) => {
          const issue = this.#issue(p.issue_number);
          if (p.body !== undefined) issue.body = limited(p.body);
          if (p.state !== undefined) issue.state = p.state;
        },
      },
    },
  };

  #issue(number: number): Issue {
    const issue = [this.#pullRequest, ...this.issues].find((found) => found.number === number);
    if (issue === undefined) throw new Error(`no issue ${number}`);
    return issue;
  }

  /** Runs the script of a github-script step in `directory`, for a commit. */
  async run(script: {
    readonly directory: string;
    readonly sha: string;
    readonly code: string;
    readonly env: Strings;
  }) {
    const { directory, sha, code, env } = script;
    const context = {
      sha,
      repo: { owner: "example", repo: "edge" },
      payload: { pull_request: { number: this.#pullRequest.number } },
      serverUrl: "https://github.example.com",
      runId: 1,
    };
    const files = { readFileSync: (path: string, encoding: "utf8") => readFileSync(join(directory, path), encoding) };
    const require = (name: string) => {
      if (name !== "node:fs") throw new Error(`the script asks for ${name}`);
      return files;
    };
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
    await new AsyncFunction("github", "context", "require", "process", code)(this.api, context, require, { env });
  }
}

function limited(body: string): string {
  if (body.length > 65_536) throw new Error(`a body of ${body.length} characters: GitHub refuses more than 65,536`);
  return body;
}
