const factors: { readonly [suffix: string]: number } = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A quantity as Kubernetes writes it, such as `3900m`, `16Gi` or `1e3`; 0 for none. */
export function quantity(text: string | undefined): number {
  if (text === undefined) return 0;
  const match = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)$/.exec(text);
  const factor = match === null ? undefined : factors[match[2]!];
  if (match === null || factor === undefined) throw new Error(`"${text}" is not a quantity`);
  return Number(match[1]) * factor;
}

export function milli(text: string | undefined): number {
  return Math.round(quantity(text) * 1000);
}

export function mebibytes(text: string | undefined): number {
  return Math.floor(quantity(text) / 2 ** 20);
}
