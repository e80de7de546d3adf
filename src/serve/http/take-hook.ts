import type { IncomingMessage } from "node:http";
import { hookProof } from "./hook-signature.js";
import type { HookPace } from "./hook-pace.js";
import { readBody } from "./read-request-body.js";
import { type Answer, problemAnswer } from "./send-answer.js";

/** What hooks need. */
export interface HookOptions {
  /** The secret of a source's hook, read anew; null = there is no such source, or it has no hook. @throws when it can't be read */
  readonly readSecret: (source: string) => Promise<string | null>;
  readonly pace: HookPace;
  readonly onProblem: (error: unknown) => void;
}

/** More than any forge sends. */
const mostBytes = 1024 * 1024;

/**
 * `POST /hooks/SOURCE`: whoever knows the secret makes the source be fetched now. The body is read because it is signed;
 * what it says is not used, so a hook that is sent again, or made up of an old one, can only cause a look.
 * @returns null when the client went away
 */
export async function takeHook(request: IncomingMessage, source: string, options: HookOptions): Promise<Answer | null> {
  let secret: string | null;
  try {
    secret = await options.readSecret(source);
  } catch (error) {
    options.onProblem(error);
    const message = "The secret of this hook can't be read now. The log of edgewise serve says why.";
    return problemAnswer(503, message);
  }
  if (secret === null) return problemAnswer(404, "There is no hook here: no source of this name has a secret.");
  if (request.method !== "POST") return problemAnswer(405, "A hook takes POST.", { Allow: "POST" });
  const proof = hookProof(request.headers, secret);
  if (proof === null) return refused();
  const size = await readBody(request, (piece, before) => {
    if (before + piece.length <= mostBytes) proof.add(piece);
  });
  if (size === null) return null;
  if (size > mostBytes) return problemAnswer(413, `The body of a hook may have ${mostBytes} bytes.`);
  if (!proof.holds()) return refused();
  options.pace.ask(source);
  return { status: 202, body: { text: "" } };
}

function refused(): Answer {
  const message =
    "The hook proves nothing: X-Hub-Signature-256 (GitHub) or X-Gitlab-Token (GitLab) must be made with the source's secret.";
  return problemAnswer(403, message);
}
