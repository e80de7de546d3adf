import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Window, isOpen, nextOpening, parseWindow } from "../../../src/serve/decide/windows.ts";
import { runs } from "../../support/runs.ts";

function windowOf(text: string): Window {
  const parsed = parseWindow(text);
  if (parsed === null) throw new Error(text);
  return parsed;
}

const at = (text: string): number => Date.parse(text);
const isoOrNull = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

const minute = 60_000;
const names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Whether a window is open, told another way: by the weekday and the time that a clock on the wall shows. */
function wallSays(window: Window, now: number): boolean {
  const [day = "", time = ""] = new Date(now)
    .toLocaleString("en-GB", { timeZone: window.zone, weekday: "short", hour: "2-digit", minute: "2-digit" })
    .split(/,? /u);
  const today = names.indexOf(day.toLowerCase().slice(0, 3));
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const shown = hours * 60 + minutes;
  const isLate = shown >= window.from && (window.from >= window.to || shown < window.to);
  const isEarly = window.from >= window.to && shown < window.to;
  return (isLate && window.days.has(today)) || (isEarly && window.days.has((today + 6) % 7));
}

describe("a window", () => {
  it.each([
    "mon-fri 07:00-17:00",
    "mon-wed-fri 07:00-17:00 UTC",
    "mon 07:00-24:01 UTC",
    "mon 07:00-07:00 UTC",
    "mon 07:00-17:00 Europe/Atlantis",
  ])("is not read: %s", (text) => {
    expect(parseWindow(text)).toBeNull();
  });

  it("opens and closes by the clocks of its zone", () => {
    const office = [windowOf("mon-fri 07:00-17:00 Europe/Berlin")];
    // A Friday in winter: Berlin is an hour ahead.
    expect(isOpen(office, at("2026-11-20T05:59:59.999Z"))).toBe(false);
    expect(isOpen(office, at("2026-11-20T06:00:00Z"))).toBe(true);
    expect(isOpen(office, at("2026-11-20T15:59:59.999Z"))).toBe(true);
    expect(isOpen(office, at("2026-11-20T16:00:00Z"))).toBe(false);
    expect(isoOrNull(nextOpening(office, at("2026-11-20T16:00:00Z")))).toBe("2026-11-23T06:00:00.000Z");
  });

  it("belongs to the day on which it opens when it goes over midnight", () => {
    const night = [windowOf("fri 22:00-04:00 UTC")];
    expect(isOpen(night, at("2026-11-20T23:00:00Z"))).toBe(true);
    expect(isOpen(night, at("2026-11-21T03:59:00Z"))).toBe(true);
    expect(isOpen(night, at("2026-11-20T03:00:00Z"))).toBe(false);
    expect(isOpen(night, at("2026-11-21T23:00:00Z"))).toBe(false);
  });

  it("is left out on the day on which clocks are set forward over all of it", () => {
    // On 29 March 2026 Berlin goes from 02:00 to 03:00.
    const skipped = [windowOf("sun 02:15-02:45 Europe/Berlin")];
    expect(isoOrNull(nextOpening(skipped, at("2026-03-23T00:00:00Z")))).toBe("2026-04-05T00:15:00.000Z");
  });

  it("is open exactly when the clock on the wall says so, minute by minute, and changes when it is said to", () => {
    const zones = [
      "Europe/Berlin",
      "America/New_York",
      "Asia/Kolkata",
      "Australia/Lord_Howe",
      "UTC",
      "Africa/Casablanca",
    ];
    const starts = ["2026-03-28T12:00:00Z", "2026-10-24T12:00:00Z", "2026-11-01T00:00:00Z", "2026-04-04T09:00:00Z"];
    const time = fc.integer({ min: 0, max: 24 * 60 - 1 });
    const written = (value: number): string =>
      `${String(Math.floor(value / 60)).padStart(2, "0")}:${String(value % 60).padStart(2, "0")}`;
    const text = fc
      .tuple(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }), time, time, fc.constantFrom(...zones))
      .filter(([, from, to]) => from !== to)
      .map(([days, from, to, zone]) => `${days.join(",")} ${written(from)}-${written(to)} ${zone}`);
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 2 }),
        fc.constantFrom(...starts),
        time,
        (texts, start, ahead) => {
          const windows = texts.map(windowOf);
          const now = at(start) + ahead * minute + 30_000;
          const hours = 30;
          const open = Array.from({ length: hours * 60 }, (_, later) =>
            windows.some((window) => wallSays(window, now + later * minute)),
          );
          for (let later = 0; later < open.length; later += 7)
            expect(isOpen(windows, now + later * minute)).toBe(open[later]);
          // Changes are told to the minute, and `now` is in the middle of one.
          const first = open.indexOf(true);
          if (open[0] === true) return;
          const told = nextOpening(windows, now);
          if (first === -1) expect(told ?? Infinity).toBeGreaterThan(now + (open.length - 1) * minute);
          else expect(told).toBe(now + first * minute - 30_000);
        },
      ),
      runs(4),
    );
  });
});
