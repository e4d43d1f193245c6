import { styleText } from "node:util";
import { BadInput, exit, type Terminal, WrongUsage } from "./command.ts";

/** Runs `main` as this process: its exit code is taken over, and a wrong call or a bad file is told in one line. */
export async function runProgram(name: string, main: (terminal: Terminal) => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main({
      out: (line) => console.log(line),
      err: (line) => console.error(line),
      // Without a terminal, or with NO_COLOR, this leaves the text as it is.
      paint: (style, text) => styleText(style, text, { stream: process.stdout }),
    });
  } catch (error) {
    if (error instanceof WrongUsage) process.exitCode = exit.usage;
    else if (error instanceof BadInput) process.exitCode = exit.badFile;
    else throw error;
    console.error(`${name}: ${error.message}`);
  }
}
