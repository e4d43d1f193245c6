import { nearestName } from "@tessera/server";
import { checkCommand } from "./check/command.ts";
import { type Command, exit, type Terminal, WrongUsage } from "./command/command.ts";
import { runProgram } from "./command/program.ts";
import { dayCommand } from "./day/command.ts";
import { itpCommand } from "./itp/command.ts";
import { muriCommand } from "./muri/command.ts";
import { openbCommand } from "./openb/command.ts";
import { phillyCommand } from "./philly/command.ts";
import { scaleCommand } from "./scale/command.ts";
import { scenarioCommand } from "./scenario/command.ts";
import { traceCommand } from "./trace/command.ts";

const commands: readonly Command[] = [
  scenarioCommand,
  checkCommand,
  openbCommand,
  muriCommand,
  itpCommand,
  phillyCommand,
  scaleCommand,
  dayCommand,
  traceCommand,
];

const usage = `tess-sim: run the real scheduler on a simulated fleet, in virtual time

Usage:
${commands.map(({ usage }) => usage).join("\n")}
  tess-sim --help                        Show this text

Options:
  -o, --output json    JSON instead of text
  --html FILE          Write a page with charts that opens from disk
  --log FILE           Write what was decided: one row for each node of each start

Exit codes: 0 everything as expected, 1 something was not, 2 wrong usage, 65 a bad file.

Example:
  npx tess-sim scenario packages/sim/scenarios/*.yaml`;

async function main([word, ...args]: readonly string[], terminal: Terminal): Promise<number> {
  if (word === undefined) throw new WrongUsage("a command is missing; see tess-sim --help");
  if (word === "help" || [word, ...args].some((arg) => arg === "--help" || arg === "-h")) {
    const command = commands.find(({ name }) => name === word);
    console.log(command === undefined ? usage : `Usage:\n${command.usage}`);
    return exit.ok;
  }
  return commandOf(word).run(args, terminal);
}

function commandOf(word: string): Command {
  const command = commands.find(({ name }) => name === word);
  if (command !== undefined) return command;
  const near = nearestName(
    word,
    commands.map(({ name }) => name),
  );
  throw new WrongUsage(
    `unknown command ${word}; ${near === undefined ? "see tess-sim --help" : `did you mean ${near}?`}`,
  );
}

await runProgram("tess-sim", (terminal) => main(process.argv.slice(2), terminal));
