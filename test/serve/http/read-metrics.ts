/** One metric of Prometheus' text format. */
export interface ReadMetric {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly ReadSample[];
}

export interface ReadSample {
  readonly name: string;
  readonly labels: { readonly [label: string]: string };
  readonly value: number;
}

const labelPattern = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)",?/y;

/**
 * Reads Prometheus' text format 0.0.4, strictly.
 * @throws Error for what Prometheus, or `promtool check metrics`, would refuse
 */
export function readMetrics(text: string): ReadonlyMap<string, ReadMetric> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const metrics = new Map<string, { help: string; type: string; samples: ReadSample[] }>();
  const series = new Set<string>();
  let current: string | null = null;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === "HELP") {
      if (metrics.has(name)) throw new Error(`${name} comes twice`);
      metrics.set(name, { help: rest, type: "", samples: [] });
      current = name;
      continue;
    }
    const metric = metrics.get(current ?? "");
    if (metric === undefined || current === null) throw new Error(`no metric before: ${line}`);
    if (keyword === "TYPE") {
      if (name !== current || !/^(counter|gauge|histogram)$/.test(rest)) throw new Error(line);
      metric.type = rest;
      continue;
    }
    const sample = readSample(line);
    const base = metric.type === "histogram" ? sample.name.replace(/_(bucket|sum|count)$/, "") : sample.name;
    if (base !== current) throw new Error(`${sample.name} stands below ${current}`);
    if ((metric.type === "counter") !== current.endsWith("_total")) throw new Error(`${current} is a ${metric.type}`);
    const key = JSON.stringify([sample.name, Object.entries(sample.labels)]);
    if (series.has(key)) throw new Error(`twice: ${line}`);
    series.add(key);
    metric.samples.push(sample);
  }
  return metrics;
}

function readSample(line: string): ReadSample {
  const [, name = "", inner = "", value = ""] = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const labels: { [label: string]: string } = {};
  labelPattern.lastIndex = 0;
  let read = 0;
  while (read < inner.length) {
    const found = labelPattern.exec(inner);
    if (found === null) throw new Error(`labels that can't be read: ${line}`);
    labels[found[1] ?? ""] = (found[2] ?? "").replace(/\\([\\"n])/g, (_, code: string) => (code === "n" ? "\n" : code));
    read = labelPattern.lastIndex;
  }
  const number = value === "+Inf" ? Infinity : Number(value);
  if (name === "" || Number.isNaN(number)) throw new Error(`no sample: ${line}`);
  return { name, labels, value: number };
}
