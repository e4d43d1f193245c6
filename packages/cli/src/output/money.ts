import { plainAmount, readAmount } from "@tessera/wire/money";
import { usageFailure } from "../failure.ts";

/**
 * `1000`, `-12.5` or `1,234.50` as micros; anything else is wrong usage of `flag`. A point is always a decimal one, and
 * commas stand only between groups of three digits: `12,5` could be meant as 12.5 or as 125.
 */
export function parseMoney(text: string, flag: string): string {
  const [sign, size] = text.startsWith("-") ? ["-", text.slice(1)] : ["", text];
  if (size.includes(",") && !/^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(size))
    throw usageFailure(`${flag} must be an amount, got "${text}"`, insteadOf(sign, size));
  const micros = readAmount(size.replaceAll(",", ""));
  if (micros === undefined) throw usageFailure(`${flag} must be an amount, got "${text}"`, "such as 1000 or 12.50");
  return micros === "0" ? micros : `${sign}${micros}`;
}

/** How an amount whose commas are in no order could have been meant. */
function insteadOf(sign: string, size: string): string {
  const isOne = size.indexOf(",") === size.lastIndexOf(",");
  const isDecimal = isOne ? /,\d+$/.test(size) : /,(\d{1,2}|\d{4,})$/.test(size);
  const readings = [
    ...(/^[1-9][\d,]*$/.test(size) ? [size.replaceAll(",", "")] : []),
    ...(isDecimal ? [size.replace(/[.,](?=.*,)/g, "").replace(",", ".")] : []),
  ].flatMap((each) => readAmount(each) ?? []);
  const rule = "commas stand between groups of three digits, a point before the decimals";
  const instead = readings.map((micros) => `${sign}${plainAmount(micros)}`).join(" or ");
  return `${rule}: ${instead === "" ? "such as 1,234.50" : `type ${instead}`}`;
}
