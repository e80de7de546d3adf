import type { CheckedFile, ProblemAt } from "../../config/checked-file.js";
import type { ConfigProblems } from "../../config/config.js";
import { type Code, codes } from "../../diagnostics/codes.js";
import { didYouMean } from "../../diagnostics/suggest.js";
import { type DocumentPath, showPath } from "../../core/document-path.js";
import { type DurationForm, parseDuration } from "../../core/duration.js";
import { type Window, parseWindow } from "../decide/windows.js";
import type { FleetPlace } from "./fleet.js";

export class FleetReport {
  readonly #found = new Map<string, ProblemAt>();
  readonly #windows = new Map<string, Window>();

  constructor(
    readonly file: string,
    private readonly checked: CheckedFile,
  ) {}

  /** Adds a problem, once. */
  add(
    path: DocumentPath,
    code: Code,
    message: string,
    more: { readonly remedy?: string | null; readonly at?: "key" } = {},
  ): void {
    const whole = `${showPath(path)} ${message}`;
    const problem = { path, code, message: whole, ...more, remedy: more.remedy ?? codes[code].remedy };
    this.#found.set(JSON.stringify([path, whole]), problem);
  }

  checkName(path: DocumentPath, name: string, known: readonly string[]): void {
    if (known.includes(name)) return;
    const has = known.length === 0 ? "The file has none." : `The file has ${known.join(", ")}.`;
    const meant = didYouMean(name, known);
    this.add(path, "fleet-name-unknown", `is ${JSON.stringify(name)}, which the file does not have`, {
      remedy: meant === null ? has : `${meant} ${has}`,
    });
  }

  /** A duration in milliseconds. One that is out of range is reported, and taken as the shortest. */
  duration(path: DocumentPath, text: string, most: string): number {
    const mostMs = parseDuration(most, form) ?? 0;
    const ms = parseDuration(text, form);
    if (ms !== null && ms >= 1 && ms <= mostMs) return ms;
    this.add(path, "out-of-range", `must be longer than 0 and at most ${most}, not ${JSON.stringify(text)}`);
    return 1;
  }

  window(path: DocumentPath, text: string): Window | null {
    const window = this.#windows.get(text) ?? parseWindow(text);
    if ("problem" in window) {
      this.add(path, "fleet-window", `can't be used: ${window.problem}`);
      return null;
    }
    this.#windows.set(text, window);
    return window;
  }

  /** A time in milliseconds since 1970; null when there is none. One that does not exist is reported, and null. */
  time(path: DocumentPath, text: string | null): number | null {
    const time = text === null ? null : Date.parse(text);
    if (time === null || !Number.isNaN(time)) return time;
    const remedy = "Write it like 2026-12-01T00:00:00Z.";
    this.add(path, "out-of-range", `is no time that exists: ${JSON.stringify(text)}`, { remedy });
    return null;
  }

  placeOf(path: DocumentPath): FleetPlace {
    return { file: this.file, ...this.checked.placeOf(path) };
  }

  get error(): ConfigProblems | null {
    return this.#found.size === 0 ? null : this.checked.problems([...this.#found.values()]);
  }
}

const form: DurationForm = { units: ["ms", "s", "m", "h", "d"], fractions: true };
