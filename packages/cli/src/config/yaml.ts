import { readFileSync } from "node:fs";
import { configFailure } from "../failure.ts";

/** Reads a YAML 1.2 file of settings. The parser is loaded only where there is something to parse. */
export async function readYaml(path: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw configFailure(
      `${path} cannot be read: ${(error as Error).message.split("\n")[0]}`,
      "mend or remove the file",
    );
  }
}

export async function writeYaml(value: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(value, { lineWidth: 0 });
}
