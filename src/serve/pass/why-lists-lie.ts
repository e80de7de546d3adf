import { ApiError } from "../../api/api-error.js";
import type { ReadClient } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { type Address, kindOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import { idBefore } from "../decide/change-origins.js";
import type { StackMemory } from "../records.js";
import { messageOf } from "./look-at-all.js";
import type { WholeSight } from "./look-at-stack.js";

/** How many resources are asked for at one time: the first that is there ends it. */
const atOnce = 8;

/**
 * Asks the service for everything that is to be made although it was live before, and that no list shows: whether it is
 * gone, or the lists lie. Nothing is made twice while they do, for however long, in however small a stack.
 * @param apply the addresses that are to be written
 * @returns why the lists can't be believed, for people; null = all of it is gone
 * @throws EdgewiseError `api` when an answer says neither; ApiError `interrupted`
 */
export async function whyListsLie(
  { sides, sight }: WholeSight,
  apply: readonly Address[],
  memory: Pick<StackMemory, "ids">,
  client: Pick<ReadClient, "get">,
): Promise<string | null> {
  const asked = missingOf({ sides, sight }, apply, memory.ids ?? {});
  for (let from = 0; from < asked.length; from += atOnce) {
    const some = asked.slice(from, from + atOnce);
    const there = await Promise.all(some.map((one) => isThere(one, client)));
    const hidden = some.find((_, at) => there[at] === true);
    if (hidden === undefined) continue;
    return (
      `the lists lack ${hidden.address}, but the service still has it (${hidden.id}), so they can't be believed: ` +
      "nothing is written by them, and it is looked at again"
    );
  }
  return null;
}

interface Missing {
  readonly address: Address;
  /** The id that it had. */
  readonly id: string;
}

/** What is to be made anew, and is in no list under the id that it had: what only lost its marker is. */
function missingOf(
  { sides, sight }: WholeSight,
  apply: readonly Address[],
  ids: NonNullable<StackMemory["ids"]>,
): readonly Missing[] {
  const applied = new Set(apply);
  const made = sight.plan.changes.flatMap((change): readonly Missing[] => {
    const id = applied.has(change.address) ? idBefore(change, sight.states, ids) : null;
    return id === null ? [] : [{ address: change.address, id }];
  });
  if (made.length === 0) return [];
  const listed = new Set(Object.values(sides.live.lists).flatMap((list) => list.map(({ id }) => id)));
  return made.filter(({ id }) => !listed.has(id));
}

async function isThere({ address, id }: Missing, client: Pick<ReadClient, "get">): Promise<boolean> {
  const unknown = `${address} (${id}) is in no list any more, and whether it is gone can't be told, so nothing is written`;
  let body: unknown;
  try {
    ({ body } = await client.get(kinds[kindOf(address)].path(encodeURIComponent(id), {})));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "interrupted") throw error;
    if (error.status === 404 || error.status === 410) return false;
    throw new EdgewiseError("api", `${unknown}: ${messageOf(error)}`);
  }
  if (isObject(body) && body["id"] === id) return true;
  throw new EdgewiseError("api", `${unknown}: the service answers with something else`);
}
