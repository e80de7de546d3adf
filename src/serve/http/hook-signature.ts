import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { sameSecret } from "./check-access.js";

/** Takes the body of a hook, piece by piece, and then says whether whoever sent it knows the secret. */
export interface HookProof {
  add(piece: Uint8Array): void;
  holds(): boolean;
}

/**
 * What a hook's headers offer as proof: GitHub's and Gitea's `X-Hub-Signature-256` (an HMAC of the body), or GitLab's
 * `X-Gitlab-Token` (the secret itself).
 * @returns null when there is nothing that could be checked
 */
export function hookProof(headers: IncomingHttpHeaders, secret: string): HookProof | null {
  const signature = headers["x-hub-signature-256"];
  const token = headers["x-gitlab-token"];
  // With an empty secret everybody could sign.
  if (secret === "") return null;
  if (signature !== undefined) return typeof signature === "string" ? signed(signature, secret) : null;
  return typeof token === "string" ? { add: () => {}, holds: () => sameSecret(token, secret) } : null;
}

function signed(signature: string, secret: string): HookProof | null {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(signature) ?? [];
  if (hex === undefined) return null;
  const hmac = createHmac("sha256", secret);
  return {
    add: (piece) => hmac.update(piece),
    holds: () => sameSecret(hex.toLowerCase(), hmac.digest("hex")),
  };
}
