import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** A command line that asks for nothing that can be done; shown with the usage, without a stack. */
class BadCall extends Error {}

/**
 * The options that a program was called with. `--help` prints how it is called and ends it; so does a mistake, with the
 * exit code 2.
 */
export function parseCall<const Options extends ParseArgsOptionsConfig>(usage: string, options: Options) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: "boolean", short: "h" } } });
    if (!("help" in values)) return values;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    return endWith(usage, error as Error);
  }
}

/** The whole number that an option was given. */
export function countOf(usage: string, option: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  return endWith(usage, new BadCall(`${option} ${text}: give a whole number from 1`));
}

/** One of the words that an option may be given. */
export function wordOf<const Word extends string>(
  usage: string,
  option: string,
  text: string,
  words: readonly Word[],
): Word {
  const word = words.find((each) => each === text);
  return word ?? endWith(usage, new BadCall(`${option} ${text}: give ${words.join(" or ")}`));
}

function endWith(usage: string, error: Error): never {
  console.error(`${error.message}\n\n${usage}`);
  process.exit(2);
}
