import { nearestName } from "@tessera/wire/nearest";
import { usageFailure } from "../failure.ts";

export const formats = ["table", "wide", "json", "yaml", "name", "csv"] as const;
export type Format = (typeof formats)[number];

export function parseFormat(text: string): Format {
  const found = formats.find((format) => format === text);
  if (found !== undefined) return found;
  if (/[./]/.test(text))
    throw usageFailure(
      `unknown output "${text}"`,
      `-o is the format of the answer: ${formats.join(", ")}; what a job writes is kept: tess logs JOB > ${text}`,
    );
  const close = nearestName(text, formats);
  throw usageFailure(
    `unknown output "${text}"${close === undefined ? "" : ` (did you mean ${close}?)`}`,
    `one of ${formats.join(", ")}`,
  );
}

/** Whether errors must be JSON, found without parsing, since the error may be about the arguments themselves. */
export function asksForJson(args: readonly string[]): boolean {
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  return own.some(
    (arg, index) =>
      arg === "--json" ||
      /^(--output=|-o=?)json$/.test(arg) ||
      ((arg === "-o" || arg === "--output") && own[index + 1] === "json"),
  );
}
