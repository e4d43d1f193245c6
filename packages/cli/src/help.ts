import type { Command } from "commander";

/** Puts examples below the help of a command. Every command has at least one; a test walks them all. */
export function examples(command: Command, lines: readonly string[]): Command {
  return command.addHelpText("after", `\nExamples:\n${lines.map((line) => `  ${line}\n`).join("")}`.trimEnd());
}
