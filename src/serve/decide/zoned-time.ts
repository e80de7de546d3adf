export interface ZonedTime {
  readonly day: number;
  readonly minute: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The clocks of a time zone. To make them takes long, to read them does not. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;

  private constructor(readonly zone: string) {
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  }

  /** Null = no time zone has this name, as IANA names them. An offset is none: it knows no daylight saving time. */
  static of(zone: string): ZoneClock | null {
    if (!/^[a-z]/iu.test(zone)) return null;
    try {
      return new ZoneClock(zone);
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** What they show at a time, as if that were UTC. Both in milliseconds since 1970. */
  shownAt(now: number): number {
    const shown = new Map(this.#format.formatToParts(now).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes): number => shown.get(name) ?? 0;
    const day = Date.UTC(part("year"), part("month") - 1, part("day"));
    return day + ((part("hour") * 60 + part("minute")) * 60 + part("second")) * 1000 + (now % 1000);
  }
}

export function zonedTime(now: number, clock: ZoneClock): ZonedTime {
  const shown = clock.shownAt(now);
  return { day: new Date(shown).getUTCDay(), minute: Math.floor((shown % dayMs) / minuteMs) };
}

/**
 * Every time within some days from `now` at which the clocks of a zone show one of some minutes of the day, and every
 * one at which they are set forward or back; a few more than that, when they are.
 */
export function timesAround(
  now: number,
  { clock, minutes, days }: { readonly clock: ZoneClock; readonly minutes: readonly number[]; readonly days: number },
): readonly number[] {
  const offsetAt = (time: number): number => clock.shownAt(time) - time;
  const start = Math.floor(now / minuteMs) * minuteMs - dayMs;
  const daily = Array.from({ length: days + 2 }, (_, day) => start + day * dayMs);
  const changes = daily.slice(1).flatMap((time) => changeWithin(time - dayMs, time, offsetAt) ?? []);
  const offsets = new Set(daily.map(offsetAt));
  const shown = daily.flatMap((time) => {
    const midnight = Math.floor(clock.shownAt(time) / dayMs) * dayMs;
    return minutes.flatMap((minute) => Array.from(offsets, (offset) => midnight + minute * minuteMs - offset));
  });
  return [...shown, ...changes];
}

/** The time between two others at which a value becomes another, to the minute; null when both have the same. */
function changeWithin(from: number, to: number, valueAt: (time: number) => number): number | null {
  const [before, after] = [valueAt(from), valueAt(to)];
  if (before === after) return null;
  let [low, high] = [from, to];
  while (high - low > minuteMs) {
    const middle = low + Math.floor((high - low) / minuteMs / 2) * minuteMs;
    if (valueAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}
