import { ApiError, isRefusal } from "../api/api-error.js";
import type { ApiRequest, Client } from "../api/client.js";
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

/** Every lock of the account. @throws as the client does */
export async function listLocks(client: Pick<Client, "list">): Promise<readonly LockObject[]> {
  return (await client.list(locksCollection())).flatMap((wire) => readLock(wire) ?? []);
}

/** The locks of an account, as requests. Nothing here throws. */
export class LockRequests {
  readonly #client: Pick<Client, "list" | "send">;
  readonly #path = locksCollection().path;

  constructor(client: Pick<Client, "list" | "send">) {
    this.#client = client;
  }

  async list(): Promise<LockAnswer> {
    return listLocks(this.#client).then(
      (locks) => ({ outcome: { saw: "list", locks }, error: null }),
      (error: unknown) => {
        const refused = error instanceof ApiError && isRefusal(error);
        return { outcome: { saw: "lost" }, error: refused ? noLock(error, "looked for") : errorOf(error) };
      },
    );
  }

  /** @param stop ends the wait for another attempt, unless the lock may have been created already */
  async create(lock: LockText, stop: AbortSignal): Promise<LockAnswer> {
    try {
      const { body } = await this.#client.send({ method: "POST", path: this.#path, body: lockBody(lock), stop });
      const { created_at: since, id } = isObject(body) ? body : {};
      if (!isResourceId(id)) return { outcome: { saw: "lost" }, error: null };
      return { outcome: { saw: "created", id, since: typeof since === "string" ? since : "" }, error: null };
    } catch (error) {
      if (!(error instanceof ApiError) || error.outcome === "unknown")
        return { outcome: { saw: "lost" }, error: errorOf(error) };
      return { outcome: { saw: "refused" }, error: noLock(error, "created") };
    }
  }

  async renew(id: string, lock: LockText): Promise<LockAnswer> {
    return this.#change(id, { method: "PATCH", body: renewalBody(lock) }, "renewed");
  }

  /** The client repeats a DELETE whose answer was lost; that it is gone then is as good. */
  async remove(id: string): Promise<LockAnswer> {
    return this.#change(id, { method: "DELETE" }, "removed");
  }

  async #change(id: string, request: Omit<ApiRequest, "path">, saw: "renewed" | "removed"): Promise<LockAnswer> {
    return this.#client.send({ ...request, path: `${this.#path}/${encodeURIComponent(id)}` }).then(
      () => ({ outcome: { saw }, error: null }),
      (error: unknown) => {
        const isGone = error instanceof ApiError && error.status === 404;
        return { outcome: { saw: isGone ? "gone" : "lost" }, error: errorOf(error) };
      },
    );
  }
}

function locksCollection() {
  const { collection } = lockKind();
  if (collection === null) throw new TypeError("the kind that carries the lock has no list");
  return collection;
}

/** The key may write other resources and no backends, or the service takes no such object, or has given up backends. */
function noLock(cause: ApiError, done: "created" | "looked for"): Error {
  const message = `the account's lock, which is an HTTP response backend, could not be ${done}: ${cause.message}`;
  const remedy = `${cause.remedy === null ? "" : `${cause.remedy} `}Nothing was changed. Without \`lock\` in the configuration, and without --lock, apply takes no lock.`;
  return new EdgewiseError(cause.code, message, { remedy, exit: cause.exit, cause });
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
