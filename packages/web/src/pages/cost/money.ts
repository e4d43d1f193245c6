/** Digits that are shown of a currency; those without an entry have two. */
const digits: Readonly<Record<string, number>> = {
  JPY: 0,
  KRW: 0,
  VND: 0,
  CLP: 0,
  ISK: 0,
  BHD: 3,
  KWD: 3,
  OMR: 3,
  TND: 3,
  JOD: 3,
};

/** Millionths as an amount of money in the viewer's way of writing; exact, since they pass 2^53. */
export function spellMoney(micros: string, currency: string): string {
  const shown = digits[currency] ?? 2;
  const value = BigInt(micros);
  const step = 10n ** BigInt(6 - shown);
  const positive = value < 0n ? -value : value;
  const rounded = (positive + step / 2n) / step;
  const text = rounded.toString().padStart(shown + 1, "0");
  const whole = BigInt(text.slice(0, text.length - shown)).toLocaleString();
  const sign = value < 0n && rounded > 0n ? "−" : "";
  return `${sign}${whole}${shown === 0 ? "" : `.${text.slice(-shown)}`} ${currency}`;
}

/** `12.5` as micros; undefined for what is no amount. */
export function readMoney(text: string): string | undefined {
  const match = /^(\d{1,15})(?:[.,](\d{1,6}))?$/.exec(text.trim());
  if (match === null) return undefined;
  return (BigInt(match[1]!) * 1_000_000n + BigInt((match[2] ?? "").padEnd(6, "0"))).toString();
}

/** Part of a whole in micros, from 0 to 1 and beyond. */
export function shareOf(part: string, whole: string): number {
  const all = BigInt(whole);
  return all === 0n ? 0 : Number((BigInt(part) * 10_000n) / all) / 10_000;
}
