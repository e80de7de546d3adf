import type { Client } from "../../api/client.js";
import { kindOf } from "../../kinds/names.js";
import type { Plan } from "../../plan/plan-format.js";
import { hasShrunk } from "../decide/sight.js";
import type { AccountRecord } from "../records.js";
import type { AccountPassInput, PassDeps } from "./account-pass.js";
import type { PolicyVerdicts } from "./policy-verdicts.js";
import type { PassParts } from "./pass-parts.js";
import type { RestMemo } from "./rest-memo.js";
import { SharedListing } from "./shared-listing.js";

/** How long lists that a verification read may serve the next stack's write, in milliseconds. */
const freshMs = 5000;

/** One pass over one account: what its steps share. */
export class Pass {
  /** Sends nothing once this process may no longer write. */
  readonly client: Client;
  /** When something was last sent to be written, in milliseconds since 1970; 0 = never. */
  lastWrite: number;
  /** Why lists could not be read when something was to be written: then nothing else is. Null = they can. */
  blinded: string | null = null;
  /** How many resources the lists have, as far as that is believed: what they suddenly lack is not. */
  listed: AccountRecord["listed"];
  #latest: SharedListing | null = null;
  /** When writing began, in milliseconds since 1970. */
  #writingSince: number;

  constructor(
    readonly input: AccountPassInput,
    readonly deps: PassDeps,
    readonly parts: PassParts,
    readonly memo: RestMemo,
    readonly verdicts: PolicyVerdicts,
    client: Client,
  ) {
    this.lastWrite = input.record.lastWrite;
    this.#writingSince = deps.clock.now();
    this.listed = input.record.listed;
    const send: Client["send"] = (request) => {
      this.lastWrite = deps.clock.now();
      this.#latest = null;
      return client.send(request);
    };
    this.client = { ...client, send };
  }

  /** Begins to list the account. */
  list(): SharedListing {
    this.#latest = new SharedListing(this.client, this.deps.clock.now());
    return this.#latest;
  }

  /** How many resources the lists of the looks have; null = they were not read. */
  async countLooked(): Promise<AccountRecord["listed"] | null> {
    return (await this.#latest?.counts(this.listed).catch(() => null)) ?? null;
  }

  /** What a plan is about to delete will not be missed. */
  expectDeletes({ operations }: Plan): void {
    const fewer: Record<string, number> = { ...this.listed };
    for (const { address, kind } of operations)
      if (kind === "delete") fewer[kindOf(address)] = Math.max(0, (fewer[kindOf(address)] ?? 0) - 1);
    this.listed = fewer;
  }

  /** Takes over the counts of later lists of this pass, unless they suddenly lack much. */
  believe(listed: AccountRecord["listed"]): void {
    if (!hasShrunk(this.listed, listed)) this.listed = listed;
  }

  /** From now on no lists so far are good enough to write by: what was looked at serves looks only. */
  beginWriting(): void {
    this.#latest = null;
    this.#writingSince = this.deps.clock.now();
  }

  /** Whether it wrote for so long that whoever has not been written yet comes first in the next pass. */
  get isLong(): boolean {
    const { writingMs } = this.input;
    return writingMs !== undefined && this.deps.clock.now() - this.#writingSince >= writingMs;
  }

  /**
   * Lists for whoever is going to write, or verifies: begun under this account's turn and after its last write.
   * @param anew whether even lists of a moment ago, after which nothing was written, are not good enough
   */
  listForWriting(anew: boolean): SharedListing {
    const latest = this.#latest;
    const isFresh = latest !== null && !anew && latest.began >= this.deps.clock.now() - freshMs;
    return isFresh ? latest : this.list();
  }
}
