const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const part = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

/** `1,234` or `0.25`. */
export function spellNumber(value: number): string {
  return Number.isInteger(value) ? whole.format(value) : part.format(value);
}

export function spellGpus(value: number): string {
  return count(value, "GPU");
}

/** `37 %`; a part of nothing is nothing. */
export function spellShare(part: number, of: number): string {
  if (of <= 0) return "0 %";
  const percent = (100 * part) / of;
  // Of credits, which lie below zero.
  if (percent < 0) return percent > -1 ? ">\u22121 %" : `\u2212${spellNumber(Math.round(-percent))} %`;
  if (percent > 0 && percent < 1) return "<1 %";
  // Almost all is not all.
  return percent > 99 && percent < 100 ? ">99 %" : `${spellNumber(Math.round(percent))} %`;
}

const unitMsPerGpuHour = 21_000 * 3_600_000;

/** GPU-hours of unit-milliseconds, which arrive as text because they pass 2^53. */
export function gpuHoursOf(unitMs: string): number {
  return Number((BigInt(unitMs) * 1000n) / BigInt(unitMsPerGpuHour)) / 1000;
}

/** A noun with its number: `3 jobs`. */
export function count(value: number, noun: string, plural?: string): string {
  return `${spellNumber(value)} ${nounFor(value, noun, plural)}`;
}

/** The jobs that wait for GPUs. An array of which some elements run counts as running, and the others wait on. */
export function spellWaiting({ jobs, gpus }: { readonly jobs: number; readonly gpus: number }): string {
  return jobs === 0 && gpus > 0 ? "elements of running arrays" : count(jobs, "job");
}

/** A noun in the form that its number asks for. */
export function nounFor(value: number, noun: string, plural = `${noun}s`): string {
  return value === 1 ? noun : plural;
}

const kib = 1024;

/** `12 kB` would be another number: sizes of files are in KiB, MiB and GiB. */
export function spellBytes(bytes: number): string {
  if (bytes < kib) return count(bytes, "byte");
  if (bytes < kib * kib) return `${part.format(bytes / kib)} KiB`;
  return spellMiB(Math.round((100 * bytes) / (kib * kib)) / 100);
}

export function spellMiB(mib: number): string {
  if (mib >= 1_048_576) return `${part.format(mib / 1_048_576)} TiB`;
  return mib >= 1024 ? `${part.format(mib / 1024)} GiB` : `${part.format(mib)} MiB`;
}
