import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface Entry {
  readonly [member: string]: unknown;
}

/** What GitHub or GitLab holds of a repository, behind the part of their APIs that pipelines use. */
export interface Host {
  readonly url: string;
  readonly token: string;
  /** Comments of the change, and issues. */
  readonly comments: Entry[];
  readonly issues: Entry[];
  /** What else is asked for, by `METHOD path`. */
  readonly answers: Map<string, unknown>;
  /** The requests that had another token, or were for something else. */
  readonly refused: string[];
}

const bot = { user: { type: "Bot" }, author: { id: 9 } };

/** Tags and branches that are moved are those of the repository. */
export async function startHost(origin: string): Promise<Host> {
  const host = { token: "token-of-the-job", comments: [] as Entry[], issues: [] as Entry[], refused: [] as string[] };
  const answers = new Map<string, unknown>([["GET /user", { id: 9 }]]);
  const moveRef = (ref: string, sha: string): Entry => {
    const args = sha === "" ? ["-d", ref] : [ref, sha];
    const { status, stderr } = spawnSync("git", ["-C", origin, "update-ref", ...args], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return {};
  };
  const add = (list: Entry[], body: Entry): Entry => {
    const id = list.length + 1;
    list.push({ ...bot, id, iid: id, number: id, state: "open", ...body });
    return { id };
  };
  const change = (list: Entry[], path: string, body: Entry): Entry =>
    Object.assign(list[Number(path.split("/").at(-1)) - 1] ?? {}, body);

  const answer = (method: string, path: string, body: { readonly [member: string]: string }): unknown => {
    switch (`${method} ${path.replaceAll(/\d+/gu, "N").replace(/edge-applied-.*/u, "APPLIED")}`) {
      case "GET /issues/N/comments":
      case "GET /merge_requests/N/notes":
        return host.comments;
      case "POST /issues/N/comments":
      case "POST /merge_requests/N/notes":
        return add(host.comments, body);
      case "PATCH /issues/comments/N":
      case "PUT /merge_requests/N/notes/N":
        return change(host.comments, path, body);
      case "GET /issues":
        return host.issues.filter(({ state }) => state === "open");
      case "POST /issues":
        return add(host.issues, body);
      case "PATCH /issues/N":
      case "PUT /issues/N":
        return change(host.issues, path, body["state_event"] === "close" ? { state: "closed" } : body);
      case "PATCH /git/refs/tags/APPLIED":
        return moveRef(path.replace("/git/", ""), body["sha"] ?? "");
      case "POST /git/refs":
        return moveRef(body["ref"] ?? "", body["sha"] ?? "");
      case "DELETE /repository/branches/APPLIED":
        return moveRef(`refs/heads/${path.split("/").at(-1)}`, "");
      case "POST /repository/branches":
        return moveRef(`refs/heads/${body["branch"]}`, body["ref"] ?? "");
    }
    return answers.get(`${method} ${path}`);
  };
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    request.on("end", () => {
      const { headers, method = "", url = "" } = request;
      const path = url.replace(/^\/repos\/o\/r|^\/projects\/1|\?.*$/gu, "");
      const isKnown = [headers.authorization, `Bearer ${String(headers["private-token"])}`].includes(
        `Bearer ${host.token}`,
      );
      const found = isKnown ? answer(method, path, text === "" ? {} : JSON.parse(text)) : undefined;
      if (found === undefined) host.refused.push(`${method} ${url}`);
      response.writeHead(found === undefined ? 404 : 200).end(JSON.stringify(found ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { ...host, answers, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
