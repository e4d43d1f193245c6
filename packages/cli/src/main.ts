import { tess } from "./program.ts";
import { realTerminal } from "./real-terminal.ts";

const code = await tess(process.argv.slice(2), realTerminal());
// What was written must be out before the process goes; open streams and timers need not be waited for.
for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write("", resolve));
process.exit(code);
