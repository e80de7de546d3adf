export interface ReadMetric {
  readonly help: string;
  readonly samples: readonly ReadSample[];
}

export interface ReadSample {
  readonly name: string;
  readonly labels: { readonly [label: string]: string };
  readonly value: number;
}

export function readMetrics(text: string): ReadonlyMap<string, ReadMetric> {
  const metrics = new Map<string, { help: string; samples: ReadSample[] }>();
  const series = new Set<string>();
  for (const line of text.trimEnd().split("\n")) {
    const [, name = "", help = ""] = /^# HELP (\S+) (.+)$/.exec(line) ?? [];
    if (help !== "") metrics.set(name, { help, samples: [] });
    if (line === "" || line.startsWith("#")) continue;
    const sample = readSample(line);
    const key = JSON.stringify([sample.name, sample.labels]);
    if (series.has(key)) throw new Error(`twice: ${line}`);
    series.add(key);
    const own = metrics.get(sample.name) ?? metrics.get(sample.name.replace(/_(bucket|sum|count)$/, ""));
    if (own === undefined) throw new Error(`no metric before: ${line}`);
    own.samples.push(sample);
  }
  return metrics;
}

function readSample(line: string): ReadSample {
  const [, name = "", inner = "", value = ""] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const number = value === "+Inf" ? Infinity : Number(value);
  if (name === "" || Number.isNaN(number)) throw new Error(`no sample: ${line}`);
  const pairs = inner.matchAll(/([a-z_]+)="((?:[^"\\]|\\[\\"n])*)"/g);
  const unescaped = (text: string) => text.replace(/\\([\\"n])/g, (_, code: string) => (code === "n" ? "\n" : code));
  return {
    name,
    value: number,
    labels: Object.fromEntries([...pairs].map(([, key, text = ""]) => [key, unescaped(text)])),
  };
}
