import { letRequestsPass } from "../network-steps.js";
import type { Interpreted, OpenedResponse } from "./interpret-response.js";

/**
 * Gets a page whose secrets nobody has looked for yet; once `stop` is aborted, it is not sent any more.
 * @param searched resolves when the page before this one was searched: why this one failed may repeat a secret of it, and
 * nothing is said of that earlier
 */
export type OpenPage = (url: URL, stop: AbortSignal, searched?: Promise<void>) => Promise<OpenedResponse>;

/**
 * Reads the pages of one list, and asks for the next one as soon as it is known where it is: the secrets of a page are
 * looked for while the next one is on its way. When a page turns out to be broken, the one after it is dropped.
 */
export class NextAsked {
  readonly #open: OpenPage;
  readonly #stop = new AbortController();
  #next: { readonly href: string; readonly opened: Promise<OpenedResponse> } | null = null;

  constructor(open: OpenPage) {
    this.#open = open;
  }

  /**
   * @param nextOf where the list goes on, when nothing speaks against asking for it before the page is checked
   * @throws whatever reading this page throws; that the next one failed is reported by the next call
   */
  async read(url: URL, nextOf: (opened: OpenedResponse) => URL | null): Promise<Interpreted> {
    const asked = this.#next;
    this.#next = null;
    const opened = await (asked?.href === url.href ? asked.opened : this.#open(url, this.#stop.signal));
    const next = nextOf(opened);
    if (next === null) return opened.interpret();
    // A kept connection is looked at before it is written to, which takes a turn of the event loop. The page can wait.
    const interpreted = letRequestsPass().then(() => opened.interpret());
    const coming = this.#open(next, this.#stop.signal, interpreted.then(ignore, ignore));
    // Perhaps nobody awaits it.
    coming.catch(ignore);
    this.#next = { href: next.href, opened: coming };
    return interpreted;
  }

  /** Nobody needs the next page. */
  stop(): void {
    this.#stop.abort();
  }
}

function ignore(): void {}
