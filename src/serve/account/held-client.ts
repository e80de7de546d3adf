import { ApiError } from "../../api/api-error.js";
import type { ApiRequest, Client } from "../../api/client.js";
import { EdgewiseError } from "../../errors.js";

/**
 * A client that sends nothing once the account is another process's: two loops never write to one account.
 * @param assertHeld rejects when it is
 * @param onWrite called before each request that is sent
 */
export function heldClient(client: Client, assertHeld: () => Promise<void>, onWrite: () => void): Client {
  return {
    ...client,
    send: async (request) => {
      try {
        await assertHeld();
      } catch (error) {
        throw notSent(request, error);
      }
      onWrite();
      return client.send(request);
    },
  };
}

function notSent({ method, path }: ApiRequest, cause: unknown): ApiError {
  const why = cause instanceof EdgewiseError ? cause.message : "nobody knows whether this process may still write";
  return new ApiError({
    method,
    path,
    status: null,
    outcome: "not-sent",
    what: `${why}; it was not sent`,
    remedy: null,
    attempts: 0,
    networkCode: "LOCK",
    interrupted: true,
  });
}
