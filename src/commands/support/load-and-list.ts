import type { ReadClient } from "../../api/client.js";
import type { JsonObject } from "../../json.js";
import type { ListedKind } from "../../kinds/names.js";
import { type Listing, startListing } from "../../live/start-listing.js";
import type { Manifest } from "../../manifest/manifest.js";
import { CompareAhead } from "../../plan/compare-ahead.js";
import type { CommandContext } from "./command-context.js";
import type { CommonFlags } from "./flags.js";
import { msBetweenPauses } from "../../manifest/load-run.js";
import { letRequestsPass } from "../../network-steps.js";
import { loadDesired } from "./load-desired.js";

/** Loaded manifests, and the lists that were started meanwhile. */
export interface LoadedAndListing {
  readonly manifests: readonly Manifest[];
  /** Absent when no list was started, because the stack is not known. */
  readonly listing: Listing | undefined;
  /** What was found out about both while pages were on their way. */
  readonly ahead: WorkAhead | undefined;
}

/**
 * Starts the lists, which need nothing but the configuration, and loads the manifests while they are on their way. A
 * mistake in a manifest ends the lists: the caller closes the client.
 * @param load how the manifests are loaded
 * @throws ManifestProblems as `loadDesired` does
 */
export async function loadAndList(
  context: CommandContext,
  flags: CommonFlags,
  client: ReadClient,
  load: typeof loadDesired = loadDesired,
): Promise<LoadedAndListing> {
  const { config } = context;
  const { previousStacks, stack } = config;
  // Without a stack nothing can be planned, and the error about it comes after those of the manifests.
  if (stack === null) return { manifests: await load(context, flags), listing: undefined, ahead: undefined };
  const pages: Page[] = [];
  let onPage = (page: Page): void => void pages.push(page);
  let ahead: WorkAhead | undefined;
  try {
    const listing = startListing(client, (kind, items) => onPage({ kind, items }));
    await firstRequest(client);
    const { moduleEndpoints } = config.api;
    const work = new WorkAhead(new CompareAhead({ stack, previousStacks, moduleEndpoints }));
    ahead = work;
    onPage = (page) => work.takePage(page);
    for (const page of pages) work.takePage(page);
    const manifests = await load(context, flags, work.compared.forms);
    work.takeManifests(manifests);
    return { manifests, listing, ahead };
  } catch (error) {
    ahead?.stop();
    throw error;
  }
}

/** Longer together than it takes to connect on this machine; all others take longer to connect than to import the rest. */
const mostTurnsToConnect = 5;
/** In milliseconds. */
const turnMs = 5;

/**
 * Lets the first request out before other modules are imported, which takes as long as the request itself. It waits in
 * turns, because a single pause would be over before the connection is looked at: making it takes as long.
 */
export async function firstRequest({ sent }: ReadClient): Promise<void> {
  if (sent === undefined) return;
  for (let turn = 0; turn < mostTurnsToConnect; turn += 1) if (await isSentWithin(sent, turnMs)) return;
}

async function isSentWithin(sent: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void sent.then(() => {
      clearTimeout(timer);
      // The lists have connected at the same time: their requests go out in this turn, too.
      setImmediate(() => resolve(true));
    });
  });
}

/** The resources of one page of a list. */
interface Page {
  readonly kind: ListedKind;
  readonly items: readonly JsonObject[];
}

/** Prepares a plan in short steps, between which the next pages are asked for. */
export class WorkAhead {
  readonly #tasks: Generator<undefined, void>[] = [];
  #running = false;

  constructor(readonly compared: CompareAhead) {}

  takePage({ kind, items }: Page): void {
    this.#add(this.compared.takePage(kind, items));
  }

  takeManifests(manifests: readonly Manifest[]): void {
    this.#add(this.compared.takeManifests(manifests));
  }

  /** Drops what is left: the plan is about to be made, and does it itself. */
  stop(): void {
    this.#tasks.length = 0;
    this.compared.forgetPages();
  }

  #add(task: Generator<undefined, void>): void {
    this.#tasks.push(task);
    if (this.#running) return;
    this.#running = true;
    void this.#work();
  }

  async #work(): Promise<void> {
    while (this.#tasks.length > 0) {
      // The next page is requested meanwhile, and must not be delayed.
      await letRequestsPass();
      const end = performance.now() + msBetweenPauses;
      do {
        const [task] = this.#tasks;
        if (task?.next().done === true) this.#tasks.shift();
      } while (this.#tasks.length > 0 && performance.now() < end);
    }
    this.#running = false;
  }
}
