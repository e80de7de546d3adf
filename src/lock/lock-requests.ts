import { ApiError, isRefusal } from "../api/api-error.js";
import type { Client } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import { isObject } from "../core/json.js";
import { type LockObject, type LockText, lockBody, lockKind, readLock, renewalBody } from "../kinds/lock-object.js";
import { isResourceId } from "../kinds/names.js";
import type { LockOutcome } from "./lock-protocol.js";

/** The outcome of a request about a lock, and the error behind one that did not succeed. */
export interface LockAnswer {
  readonly outcome: LockOutcome;
  readonly error: Error | null;
}

/** The locks of an account, as requests. Nothing here throws, except {@link listLocks}. */
export class LockRequests {
  readonly #client: Pick<Client, "list" | "send">;
  readonly #collection: string;

  constructor(client: Pick<Client, "list" | "send">) {
    this.#client = client;
    this.#collection = lockKind().collection?.path ?? "";
  }

  async list(): Promise<LockAnswer> {
    try {
      return succeeded({ saw: "list", locks: await listLocks(this.#client) });
    } catch (error) {
      const refused = error instanceof ApiError && isRefusal(error);
      return { outcome: { saw: "lost" }, error: refused ? noLock(error, "looked for") : errorOf(error) };
    }
  }

  /** @param stop ends the wait for another attempt, unless the lock may have been created already */
  async create(lock: LockText, stop: AbortSignal): Promise<LockAnswer> {
    try {
      const { body: created } = await this.#client.send({
        method: "POST",
        path: this.#collection,
        body: lockBody(lock),
        stop,
      });
      const { id, created_at: since } = isObject(created) ? (created as { readonly [member: string]: unknown }) : {};
      if (!isResourceId(id)) return { outcome: { saw: "lost" }, error: null };
      return succeeded({ saw: "created", id, since: typeof since === "string" ? since : "" });
    } catch (error) {
      if (!(error instanceof ApiError) || error.outcome === "unknown")
        return { outcome: { saw: "lost" }, error: errorOf(error) };
      return { outcome: { saw: "refused" }, error: noLock(error, "created") };
    }
  }

  async renew(id: string, lock: LockText): Promise<LockAnswer> {
    return this.#change({ method: "PATCH", path: this.#path(id), body: renewalBody(lock) }, "renewed");
  }

  /** The client repeats a DELETE whose answer was lost; that it is gone then is as good. */
  async remove(id: string): Promise<LockAnswer> {
    return this.#change({ method: "DELETE", path: this.#path(id) }, "removed");
  }

  async #change(request: Parameters<Client["send"]>[0], done: "renewed" | "removed"): Promise<LockAnswer> {
    try {
      await this.#client.send(request);
      return succeeded({ saw: done });
    } catch (error) {
      const isGone = error instanceof ApiError && error.status === 404;
      return { outcome: { saw: isGone ? "gone" : "lost" }, error: errorOf(error) };
    }
  }

  #path(id: string): string {
    return `${this.#collection}/${encodeURIComponent(id)}`;
  }
}

/** The key may write other resources and no backends, or the service takes no such object, or has given up backends. */
function noLock(cause: ApiError, done: "created" | "looked for"): Error {
  return new EdgewiseError(
    cause.code,
    `the account's lock, which is an HTTP response backend, could not be ${done}: ${cause.message}`,
    {
      remedy: `${cause.remedy === null ? "" : `${cause.remedy} `}Nothing was changed. Without \`lock\` in the configuration, and without --lock, apply takes no lock.`,
      exit: cause.exit,
      cause,
    },
  );
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function succeeded(outcome: LockOutcome): LockAnswer {
  return { outcome, error: null };
}

/** Every lock of the account. @throws as the client does */
export async function listLocks(client: Pick<Client, "list">): Promise<readonly LockObject[]> {
  const { collection } = lockKind();
  if (collection === null) throw new TypeError("the kind that carries the lock has no list");
  return (await client.list(collection)).flatMap((wire) => readLock(wire) ?? []);
}
