import { parseArgs, styleText } from "node:util";
import { nearestName } from "@tessera/server";
import { scenarioCommand } from "./scenario/command.ts";

const usage = `tess-sim: run the real scheduler on a simulated fleet, in virtual time

Usage:
  tess-sim scenario FILE... [-o json]    Run scenario files and compare what happens with what they expect
  tess-sim --help                        Show this text

Options:
  -o, --output json    One JSON object a line, one for each file

Exit codes: 0 everything as expected, 1 something was not, 2 wrong usage, 65 a bad file.

Example:
  npx tess-sim scenario packages/sim/scenarios/*.yaml`;

const commands = ["scenario"];
const exitUsage = 2;

class WrongUsage extends Error {}

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parse(argv);
  const [command, ...files] = positionals;
  if (values.help || command === "help") {
    console.log(usage);
    return 0;
  }
  if (command === undefined) throw new WrongUsage("a command is missing; see tess-sim --help");
  if (!commands.includes(command)) {
    const near = nearestName(command, commands);
    throw new WrongUsage(
      `unknown command ${command}; ${near === undefined ? "see tess-sim --help" : `did you mean ${near}?`}`,
    );
  }
  if (values.output !== undefined && values.output !== "json") {
    throw new WrongUsage(`unknown output ${values.output}; write -o json, or leave it out`);
  }
  if (files.length === 0) throw new WrongUsage("scenario needs at least one FILE");
  return scenarioCommand(files, {
    json: values.output === "json",
    out: (line) => console.log(line),
    err: (line) => console.error(line),
    // Without a terminal, or with NO_COLOR, this leaves the text as it is.
    paint: (style, text) => styleText(style, text, { stream: process.stdout }),
  });
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: { help: { type: "boolean", short: "h" }, output: { type: "string", short: "o" } },
      allowPositionals: true,
    });
  } catch (error) {
    throw new WrongUsage((error as Error).message);
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof WrongUsage)) throw error;
  console.error(`tess-sim: ${error.message}`);
  process.exitCode = exitUsage;
}
