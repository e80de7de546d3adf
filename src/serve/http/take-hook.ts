import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Clock } from "../../api/client.js";
import { type Answer, isSameSecret, problemAnswer, textAnswer } from "./answer.js";
import type { ServeView } from "./shown-stack.js";

export interface HookOptions {
  readonly view: Pick<ServeView, "markDue">;
  readonly clock: Pick<Clock, "now">;
  readonly readHookSecret: (source: string) => Promise<string | null>;
  readonly onProblem: (error: unknown) => void;
}

const mostBytes = 1024 * 1024;

const restMs = 10_000;

export function hookTaker({ clock, onProblem, readHookSecret, view }: HookOptions) {
  const dueAt = new Map<string, number>();
  return async (request: IncomingMessage, source: string): Promise<Answer | null> => {
    let secret: string | null;
    try {
      secret = await readHookSecret(source);
    } catch (error) {
      onProblem(error);
      return problemAnswer(503, "The secret of this hook can't be read now. The log of edgewise serve says why.");
    }
    if (secret === null) return problemAnswer(404, "There is no hook here: no source of this name has a secret.");
    if (request.method !== "POST") return problemAnswer(405, "A hook takes POST.", { Allow: "POST" });
    const proof = proofIn(request.headers, secret);
    if (proof === null) return refused();
    let size = 0;
    try {
      for await (const piece of request as AsyncIterable<Buffer>) {
        size += piece.length;
        if (size <= mostBytes) proof.add(piece);
      }
    } catch {
      return null;
    }
    if (size > mostBytes) return problemAnswer(413, `The body of a hook may have ${mostBytes} bytes.`);
    if (!proof.holds()) return refused();
    const now = clock.now();
    const last = dueAt.get(source) ?? -Infinity;
    // A clock that was set back leaves no source unfetched.
    if (last <= now || last > now + restMs) {
      const at = last > now ? now : Math.max(now, last + restMs);
      dueAt.set(source, at);
      view.markDue(source, at);
    }
    return textAnswer("", {}, 202);
  };
}

function refused(): Answer {
  return problemAnswer(403, "X-Hub-Signature-256 (GitHub) or X-Gitlab-Token (GitLab) must prove the source's secret.");
}

/** `X-Hub-Signature-256` of GitHub and Gitea is an HMAC of the body, `X-Gitlab-Token` the secret itself. */
function proofIn(headers: IncomingHttpHeaders, secret: string) {
  const { "x-gitlab-token": token, "x-hub-signature-256": signature } = headers;
  // With an empty secret everybody could sign.
  if (secret === "") return null;
  if (signature === undefined)
    return typeof token === "string" ? { add: () => undefined, holds: () => isSameSecret(token, secret) } : null;
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(String(signature)) ?? [];
  if (hex === undefined) return null;
  const hmac = createHmac("sha256", secret);
  return {
    add: (piece: Uint8Array) => void hmac.update(piece),
    holds: () => isSameSecret(hex.toLowerCase(), hmac.digest("hex")),
  };
}
