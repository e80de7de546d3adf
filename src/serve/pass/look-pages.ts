import { type ListName, type PageMemory, PageStore } from "../../api/remembered-pages.js";
import type { FleetAccount } from "../fleet/fleet.js";
import { accountIdentity } from "../fleet/same-stacks.js";

/** The remembered pages of one pass. */
export interface PassPages extends PageMemory {
  /** From now on lists are for whoever writes or verifies: they follow their pages one after another. */
  end(): void;
}

/** Where the pages of the lists of all accounts were, so that looks take less time. It is lost with the process. */
export class LookPages {
  readonly #memory = new PageStore();

  /** For a pass that begins. What its later lists find is remembered, too. */
  of(account: FleetAccount): PassPages {
    const own = ({ collection }: ListName): ListName => ({ baseUrl: accountIdentity(account), collection });
    let isLooking = true;
    return {
      recall: (list) => (isLooking ? this.#memory.recall(own(list)) : []),
      remember: (list, pages) => this.#memory.remember(own(list), pages),
      end: () => {
        isLooking = false;
      },
    };
  }
}
