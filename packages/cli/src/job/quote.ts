import { quoteWord } from "@tessera/wire/shell-word";

/**
 * The shell line for the words after `--`. One word is a line as it stands, so `-- 'echo $HOME; exit 3'` works; several
 * words are an argument list and reach the program exactly as they were typed, so `-- sh -c 'exit 7'` works too.
 */
export function shellLine(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : words.map(quoteWord).join(" ");
}

/** A name for a job that was given none: the program that it runs. Undefined when that is no name. */
export function nameOfCommand(words: readonly string[]): string | undefined {
  const program = words[0]?.trim().split(/\s/)[0]?.split("/").at(-1) ?? "";
  return /^[A-Za-z0-9]([A-Za-z0-9._-]{0,38}[A-Za-z0-9])?$/.test(program) ? program : undefined;
}
