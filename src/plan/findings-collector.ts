import type { Address } from "../kinds/names.js";
import type { Lifted, Refusal, RefusalCode, UnavailableSecret, Warning, WarningCode } from "./plan-format.js";

/** Refusals that naming the address lifts (`--allow ADDRESS`, `guards.allow`). */
const liftable: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  "deletion-protected",
  "irreversible",
  "lockout",
  "ownership-lost",
  "duplicate-marker",
  "still-referenced",
  "reference-not-live",
  "policy",
]);

/** Collects the refusals, warnings, lifted refusals and unavailable secrets of a plan. */
export class FindingsCollector {
  readonly refusals: Refusal[] = [];
  readonly warnings: Warning[] = [];
  readonly lifted: Lifted[] = [];
  readonly unavailable: UnavailableSecret[] = [];
  readonly #allowed: ReadonlySet<string>;
  readonly #used = new Set<string>();

  constructor(allow: readonly string[]) {
    this.#allowed = new Set(allow);
  }

  /**
   * Refuses, unless the address is allowed and the code is one that this lifts. Returns whether the refusal stands.
   * @param remedy `{allow}` in it becomes the way to lift the refusal; when it is liftable and has none, that is added
   */
  refuse(
    code: RefusalCode,
    address: Address | null,
    message: string,
    remedy: string,
    more: Pick<Refusal, "stacks"> = {},
  ): boolean {
    if (address !== null && liftable.has(code) && this.#allows(address)) {
      this.warn(`allowed-${code}`, `allowed: ${message}`, address);
      this.lifted.push({ code, address });
      return false;
    }
    const subject = address === null ? {} : { address };
    this.refusals.push({ code, ...subject, ...more, message, remedy: completeRemedy(code, address, remedy) });
    return true;
  }

  /** Whether the address was allowed; asking counts as use. */
  #allows(address: Address): boolean {
    if (!this.#allowed.has(address)) return false;
    this.#used.add(address);
    return true;
  }

  warn(code: WarningCode, message: string, address?: string): void {
    this.warnings.push({ code, message, ...(address === undefined ? {} : { address }) });
  }

  /** The addresses for which a refusal of this code was lifted. */
  liftedFor(code: RefusalCode): ReadonlySet<string> {
    return new Set(this.lifted.flatMap((one) => (one.code === code ? [one.address] : [])));
  }

  /** Warns of the given entries of `guards.allow` that lifted nothing. */
  warnAboutUnused(entries: readonly string[]): void {
    for (const address of entries) {
      if (this.#used.has(address)) continue;
      this.warn(
        "unused-allow",
        `guards.allow names ${address}, but nothing about it was refused; remove the entry`,
        address,
      );
    }
  }
}

function completeRemedy(code: RefusalCode, address: Address | null, remedy: string): string {
  if (address === null || !liftable.has(code)) return remedy;
  const how = howToAllow(address);
  return remedy.includes("{allow}") ? remedy.replace("{allow}", () => how) : `${remedy}; or ${how}`;
}

/** How a refusal about one address is lifted: a part of its remedy. */
function howToAllow(address: string): string {
  return `allow it by --allow ${address} (or in guards.allow)`;
}
