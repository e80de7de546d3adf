export type Window = Readonly<{
  text: string;
  days: ReadonlySet<number>;
  /** Minutes since midnight. Not after `from` = it closes on the next day. */
  from: number;
  to: number;
  zone: string;
  clock: Intl.DateTimeFormat;
}>;

const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Like `fri-mon 22:00-24:00 UTC` or `mon,wed-fri …`; null = it is none. */
export function parseWindow(text: string): Window | null {
  const [, names = "", opens = "", closes = "", zone = ""] =
    /^([a-z,-]+) +(\d{1,2}:\d{2})-(\d{1,2}:\d{2}) +([a-z][\w/+-]*)$/iu.exec(text.trim()) ?? [];
  const days = daysOf(names.toLowerCase());
  const [from, to] = [minutesOf(opens), minutesOf(closes)];
  const clock = zoneClock(zone);
  if (days === null || from === null || to === null || clock === null || from === to || from === wholeDay) return null;
  return { text, days, from, to, zone, clock };
}

const wholeDay = 24 * 60;

function daysOf(text: string): ReadonlySet<number> | null {
  const found = new Set<number>();
  for (const part of text.split(",")) {
    const [first = "", last = first, ...more] = part.split("-");
    const [from, to] = [dayNames.indexOf(first), dayNames.indexOf(last)];
    if (from === -1 || to === -1 || more.length > 0) return null;
    for (let day = from; ; day = (day + 1) % 7) {
      found.add(day);
      if (day === to) break;
    }
  }
  return found;
}

function minutesOf(text: string): number | null {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  const total = hours * 60 + minutes;
  return minutes < 60 && total <= wholeDay ? total : null;
}

const minuteMs = 60_000;
const dayMs = wholeDay * minuteMs;

function zoneClock(timeZone: string): Intl.DateTimeFormat | null {
  const part = "numeric";
  const parts = { year: part, month: part, day: part, hour: part, minute: part, second: part } as const;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...parts });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** What the clocks of a zone show, as if that were UTC. */
function shownAt(clock: Intl.DateTimeFormat, now: number): number {
  const shown = new Map(clock.formatToParts(now).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => shown.get(name) ?? 0;
  const time = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return time + (now % 1000);
}

export function isOpen(windows: readonly Window[], now: number): boolean {
  return windows.length === 0 || windows.some((window) => isWithin(window, now));
}

function isWithin({ clock, days, from, to }: Window, now: number): boolean {
  const shown = shownAt(clock, now);
  const [day, minute] = [new Date(shown).getUTCDay(), Math.floor((shown % dayMs) / minuteMs)];
  if (from < to) return days.has(day) && minute >= from && minute < to;
  return (days.has(day) && minute >= from) || (days.has((day + 6) % 7) && minute < to);
}

const horizonDays = 15;

export function nextOpening(windows: readonly Window[], now: number): number | null {
  if (isOpen(windows, now)) return now;
  const today = Math.floor(now / dayMs) * dayMs;
  const times = windows.flatMap(({ clock, from }) =>
    Array.from({ length: horizonDays + 2 }, (_, index) => {
      const opens = today + (index - 1) * dayMs + from * minuteMs;
      // The zone's offset when it opens: clocks may be set before that.
      const about = opens - (shownAt(clock, opens) - opens);
      return opens - (shownAt(clock, about) - about);
    }),
  );
  const later = times.filter((time) => time > now).toSorted((a, b) => a - b);
  return later.find((time) => isOpen(windows, time)) ?? null;
}
