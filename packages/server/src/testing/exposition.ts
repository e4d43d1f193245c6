/** A metric of the Prometheus text format with all its lines. */
export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;

/**
 * Reads the text format (version 0.0.4) without forgiving anything: each family is declared once, by HELP and then TYPE,
 * its lines follow at once, no line comes twice, and histograms add up. Names follow the rules of `promtool check metrics`.
 */
export function parseExposition(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  if (text === "") return families;
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const seen = new Set<string>();
  let help: { name: string; text: string } | undefined;
  let open: Family | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === "HELP") {
      if (families.has(name)) throw new Error(`${name} is declared twice`);
      help = { name, text: rest };
    } else if (kind === "TYPE") {
      if (help?.name !== name) throw new Error(`${name} has no HELP before its TYPE`);
      checkName(name, rest);
      open = { name, type: rest, help: help.text, samples: [] };
      families.set(name, open);
    } else {
      const sample = parseSample(line);
      if (open === undefined || !belongsTo(sample.name, open)) throw new Error(`outside its family: ${line}`);
      const key = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
      if (seen.has(key)) throw new Error(`twice: ${line}`);
      seen.add(key);
      open.samples.push(sample);
    }
  }
  for (const family of families.values()) if (family.type === "histogram") checkHistogram(family);
  return families;
}

function checkName(name: string, type: string): void {
  if (!metricName.test(name)) throw new Error(`${name} is no name of a metric`);
  if (!["counter", "gauge", "histogram"].includes(type)) throw new Error(`${name} has the type ${type}`);
  if ((type === "counter") !== name.endsWith("_total")) throw new Error(`${name}: counters alone end in _total`);
  if (/[A-Z]/.test(name)) throw new Error(`${name} has capitals`);
  if (/_(milliseconds|ms|minutes|hours|kilobytes|megabytes|mib|gib|milliwatts|percent)(_|$)/.test(name))
    throw new Error(`${name} is not in base units`);
}

function belongsTo(sample: string, { name, type }: Family): boolean {
  return (
    sample === name || (type === "histogram" && [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(sample))
  );
}

function parseSample(line: string): Family["samples"][number] {
  const [, name, labelText = "", valueText = ""] = sampleLine.exec(line) ?? [];
  if (name === undefined) throw new Error(`not a sample: ${line}`);
  const labels: Record<string, string> = {};
  labelPair.lastIndex = 0;
  while (labelPair.lastIndex < labelText.length) {
    const pair = labelPair.exec(labelText);
    if (pair === null || pair[1]! in labels) throw new Error(`bad labels: ${line}`);
    labels[pair[1]!] = pair[2]!.replaceAll(/\\(.)/g, (_, letter) => (letter === "n" ? "\n" : letter));
  }
  const value = valueText === "+Inf" ? Number.POSITIVE_INFINITY : Number(valueText);
  if (Number.isNaN(value)) throw new Error(`no number: ${line}`);
  return { name, labels, value };
}

function checkHistogram({ name, samples }: Family): void {
  const groups = Map.groupBy(samples, ({ labels: { le: _, ...others } }) =>
    JSON.stringify(Object.entries(others).sort()),
  );
  for (const group of groups.values()) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le } }) => (le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le)));
    const rising = (values: readonly number[]) => values.every((value, i) => i === 0 || value >= values[i - 1]!);
    if (!rising(bounds) || !rising(buckets.map(({ value }) => value))) throw new Error(`${name}: buckets do not rise`);
    const count = group.find((sample) => sample.name === `${name}_count`)?.value;
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY || buckets.at(-1)!.value !== count)
      throw new Error(`${name}: the last bucket is not all of them`);
  }
}
