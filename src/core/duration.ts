const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

type DurationUnit = keyof typeof unitMs;

/** What one option accepts: a number and a unit, like `30s`. */
export type DurationForm = Readonly<{
  units: readonly DurationUnit[];
  bareUnit?: DurationUnit;
  fractions?: boolean;
  maxDigits?: number;
  range?: Readonly<{ least: number; most: number }>;
}>;

/** In milliseconds; null = not of this form. */
export function parseDuration(text: string, form: DurationForm): number | null {
  const [, whole, fraction, named] = /^(\d+)(\.\d+)?([a-z]+)?$/.exec(text) ?? [];
  const unit = named === undefined ? form.bareUnit : form.units.find((each) => each === named);
  if (whole === undefined || unit === undefined) return null;
  if (fraction !== undefined && form.fractions !== true) return null;
  if (whole.length > (form.maxDigits ?? whole.length)) return null;
  const ms = Math.round(Number(whole + (fraction ?? "")) * unitMs[unit]);
  const { least, most } = form.range ?? { least: 0, most: Infinity };
  return ms >= least && ms <= most ? ms : null;
}
