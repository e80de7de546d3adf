import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { FakeGithub } from "./fake-github.ts";

interface Person {
  readonly login: string;
  readonly id: number;
  readonly role: string;
}

interface Review {
  readonly user: { readonly login: string; readonly id: number; readonly type: string };
  readonly state: string;
  readonly commit_id: string;
  readonly submitted_at: string;
}

/** A stand-in for the API over HTTP, with the token that it takes: one repository, one pull request. */
export class GithubApi {
  readonly token = "ghs_test_0123456789abcdef";
  readonly people: readonly Person[] = [
    { login: "ann", id: 1, role: "maintain" },
    { login: "ben", id: 2, role: "write" },
    { login: "root", id: 3, role: "admin" },
    { login: "eve", id: 5, role: "read" },
  ];
  readonly pull = {
    number: 7,
    state: "open",
    draft: false,
    merged: false,
    merge_commit_sha: null,
    mergeable_state: "clean",
    user: { login: "ben", id: 2 },
    base: { ref: "main" },
    head: { sha: "", repo: { full_name: "example/edge" } },
  };
  readonly reviews: Review[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #github: FakeGithub;

  constructor(github: FakeGithub) {
    this.#github = github;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A review of a commit. */
  review(login: string, state: string, commit: string): void {
    const person = this.people.find((found) => found.login === login);
    if (person === undefined) throw new Error(`nobody is called ${login}`);
    this.reviews.push({
      user: { login, id: person.id, type: "User" },
      state,
      commit_id: commit,
      submitted_at: "2029-01-01T00:00:00Z",
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    const url = new URL(request.url ?? "", this.url);
    const what = `${request.method} ${url.pathname}`;
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.headers.authorization !== `Bearer ${this.token}`) return void json(401, { message: "Bad credentials" });
    const answer = await this.#answer(what.replace("/repos/example/edge", ""), url.searchParams, text);
    if (answer === undefined) return void json(404, { message: "Not Found" });
    json(200, answer);
  }

  async #answer(what: string, query: URLSearchParams, text: string): Promise<unknown> {
    const page = (all: readonly unknown[]) => (Number(query.get("page") ?? 1) === 1 ? all : []);
    const { issues } = this.#github.api.rest;
    const login = /^GET \/collaborators\/([^/]+)\/permission$/.exec(what)?.[1];
    if (login !== undefined) return this.#permission(decodeURIComponent(login));
    const id = /^PATCH \/issues\/comments\/(\d+)$/.exec(what)?.[1];
    if (id !== undefined) {
      await issues.updateComment({ comment_id: Number(id), body: JSON.parse(text).body });
      return {};
    }
    switch (what) {
      case "GET /pulls/7":
        return this.pull;
      case "GET /pulls/7/reviews":
        return page(this.reviews);
      case "GET /issues/7/timeline":
        return [];
      case "GET /issues/7/comments":
        return page(this.#github.comments);
      case "POST /issues/7/comments":
        await issues.createComment({ issue_number: 7, body: JSON.parse(text).body });
        return {};
      default:
        return undefined;
    }
  }

  #permission(login: string): unknown {
    const person = this.people.find((found) => found.login === login);
    return person && { role_name: person.role, user: { login, id: person.id, type: "User" } };
  }
}
