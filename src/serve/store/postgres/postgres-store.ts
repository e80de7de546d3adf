import { EdgewiseError } from "../../../core/errors.js";
import type { Clock } from "../../../api/client.js";
import type { Plan } from "../../../plan/plan-format.js";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord, ToldRecord } from "../../records.js";
import { Turns } from "../state-disk.js";
import { renderState, stackFormat } from "../state-formats.js";
import type {
  AccountClaim,
  HistoryPage,
  ServeStore,
  StoredChanges,
  StoredHeal,
  StoredState,
  WantedAccount,
} from "../store.js";
import type { AccountClaims, HeldClaim } from "./account-claims.js";
import type { DatabaseLink } from "./database-link.js";
import type { RunStatement } from "./database-rows.js";
import { GatheredSaves } from "./gathered-saves.js";
import { appendHistoryRows, historyValues, pruneHistoryRows, readHistoryRows } from "./history-table.js";
import type { LockSession } from "./lock-session.js";
import {
  forgetStackRows,
  loadHealRows,
  loadToldRows,
  readPlanRow,
  removeHealRow,
  saveHealRow,
  savePlanRow,
  saveToldRow,
} from "./other-tables.js";
import type { StoredRecords } from "./read-changes.js";
import { saveAccountRow, saveSourceRow, saveStackRows, saveTransitionRow } from "./save-records.js";

/** A store that any number of equal processes share. */
export interface PostgresStore extends ServeStore {
  readonly shared: true;
  /** Where it is: database, host and port. */
  readonly database: string;
  /** The time of the database, by which all processes go. */
  readonly clock: Clock;
}

export interface PostgresStoreParts {
  readonly database: string;
  readonly clock: Clock;
  readonly session: LockSession;
  readonly claims: AccountClaims;
  readonly records: StoredRecords;
}

/** The store on the connections of a session: every call rejects at once while there are none. */
export class SharedStore implements PostgresStore {
  readonly shared = true;
  readonly database: string;
  readonly clock: Clock;
  readonly #session: LockSession;
  readonly #claims: AccountClaims;
  readonly #records: StoredRecords;
  readonly #turns = new Turns();
  readonly #stackSaves = new GatheredSaves((claim: HeldClaim, records: readonly StackRecord[]) =>
    saveStackRows(this.#link().run, records, { claim, known: this.#records.stacks.known }),
  );
  readonly #historySaves = new GatheredSaves((_: "history", entries: readonly (readonly HistoryEntry[])[]) =>
    appendHistoryRows(this.#link().run, entries.flat()),
  );
  #readFrom: DatabaseLink | null = null;
  #closed = false;

  constructor({ claims, clock, database, records, session }: PostgresStoreParts) {
    this.database = database;
    this.clock = clock;
    this.#session = session;
    this.#claims = claims;
    this.#records = records;
  }

  async load(): Promise<StoredState> {
    const link = this.#link();
    this.#forgetOthers(link);
    return this.#records.load(link.run);
  }

  async changes(): Promise<StoredChanges> {
    const link = this.#link();
    this.#forgetOthers(link);
    return this.#records.changes(link.run);
  }

  async claim(wanted: readonly WantedAccount[], most: number): Promise<readonly AccountClaim[]> {
    this.#forgetOthers(this.#link());
    return this.#claims.claim(wanted, most);
  }

  saveStack(record: StackRecord): Promise<void> {
    const { known } = this.#records.stacks;
    return known.during(record.name, () =>
      this.#save(`stack ${record.name}`, () => {
        renderState(record, stackFormat);
        return this.#stackSaves.add(this.#claims.holderOfStack(record.name, record.account), record);
      }),
    );
  }

  saveTransition(record: StackRecord, history: readonly HistoryEntry[]): Promise<boolean> {
    const { known } = this.#records.stacks;
    return known.during(record.name, () =>
      this.#saved(`stack ${record.name}`, (run) => saveTransitionRow(run, record, { history, known })),
    );
  }

  forgetStack(name: string): Promise<void> {
    const { known } = this.#records.stacks;
    return known.during(name, () =>
      this.#save(`stack ${name}`, async (run) => {
        await forgetStackRows(run, name);
        known.forget(name);
      }),
    );
  }

  saveAccount(record: AccountRecord): Promise<void> {
    const { known } = this.#records.accounts;
    return known.during(record.name, () =>
      this.#save(`account ${record.name}`, (run) => {
        const claim = this.#claims.holderOfAccount(record.name);
        return saveAccountRow(run, record, { claim, known });
      }),
    );
  }

  async readSource(name: string): Promise<SourceRecord | null> {
    return this.#records.source(this.#link().run, name);
  }

  saveSource(record: SourceRecord, before: SourceRecord | null): Promise<boolean> {
    const { known } = this.#records.sources;
    return known.during(record.name, () =>
      this.#saved(`source ${record.name}`, (run) => saveSourceRow(run, record, { before, known })),
    );
  }

  savePlan(stack: string, plan: Plan | null): Promise<void> {
    return this.#save(`plan ${stack}`, (run) => savePlanRow(run, stack, plan));
  }

  async readPlan(stack: string): Promise<Plan | null> {
    return readPlanRow(this.#link().run, stack, this.database);
  }

  isTeller(): boolean {
    return !this.#closed && this.#session.isTeller();
  }

  async loadTold(): Promise<ReadonlyMap<string, ToldRecord>> {
    return loadToldRows(this.#link().run);
  }

  saveTold(record: ToldRecord): Promise<void> {
    return this.#save(`told ${record.name}`, (run) => saveToldRow(run, record));
  }

  saveHeal(heal: Omit<StoredHeal, "id">): Promise<void> {
    return this.#save("heal", (run) => saveHealRow(run, heal));
  }

  async loadHeals(): Promise<readonly StoredHeal[]> {
    return loadHealRows(this.#link().run);
  }

  removeHeal(id: string): Promise<void> {
    return this.#save("heal", (run) => removeHealRow(run, id));
  }

  async appendHistory(entries: readonly HistoryEntry[]): Promise<void> {
    historyValues(entries);
    return this.#historySaves.add("history", entries);
  }

  async readHistory(
    stack: string,
    page: { readonly limit: number; readonly after: string | null },
  ): Promise<HistoryPage> {
    return readHistoryRows(this.#link().run, stack, page);
  }

  async pruneHistory(before: number): Promise<void> {
    await pruneHistoryRows(this.#link().run, before);
  }

  async isUsable(): Promise<boolean> {
    try {
      await this.#link().run(`insert into edgewise.probe (id, at) values (1, now())
        on conflict (id) do update set at = excluded.at`);
      return true;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turns.idle();
    // After all that is on its way.
    await this.#historySaves.add("history", []).catch(() => undefined);
    await this.#session.close();
  }

  /** @throws EdgewiseError `io` when it is closed, and while the database can't be used */
  #link(): DatabaseLink {
    if (this.#closed) throw closed(this.database);
    return this.#session.link();
  }

  /** After another connect another server may answer, which knows other things. */
  #forgetOthers(link: DatabaseLink): void {
    if (this.#readFrom === link) return;
    this.#readFrom = link;
    this.#records.forget();
    this.#claims.reconnected();
  }

  /** Saves after all earlier saves of the same. */
  #save(about: string, save: (run: RunStatement) => Promise<void>): Promise<void> {
    return this.#turns.run(about, () => save(this.#link().run));
  }

  async #saved(about: string, save: (run: RunStatement) => Promise<boolean>): Promise<boolean> {
    let saved = false;
    await this.#save(about, async (run) => {
      saved = await save(run);
    });
    return saved;
  }
}

function closed(database: string): EdgewiseError {
  return new EdgewiseError("io", `the database ${database} is not used any more: the store is closed`);
}
