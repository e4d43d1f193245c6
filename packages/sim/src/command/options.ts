import { type ParseArgsConfig, parseArgs } from "node:util";
import { WrongUsage } from "./command.ts";

/** The options and words of a command line; what is not among `options` is wrong usage. */
export function parseOptions<T extends NonNullable<ParseArgsConfig["options"]>>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new WrongUsage((error as Error).message);
  }
}

/** Whether `-o json` was given. */
export function wantsJson(output: string | undefined): boolean {
  if (output !== undefined && output !== "json") {
    throw new WrongUsage(`unknown output ${output}; write -o json, or leave it out`);
  }
  return output === "json";
}
