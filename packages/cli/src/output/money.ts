import { readAmount } from "@tessera/wire/money";
import { usageFailure } from "../failure.ts";

/** `1000`, `-12.5` as micros; anything else is wrong usage of `flag`. */
export function parseMoney(text: string, flag: string): string {
  const [sign, size] = text.startsWith("-") ? ["-", text.slice(1)] : ["", text];
  const micros = readAmount(size.replaceAll(",", ""));
  if (micros === undefined) throw usageFailure(`${flag} must be an amount, got "${text}"`, "such as 1000 or 12.50");
  return micros === "0" ? micros : `${sign}${micros}`;
}
