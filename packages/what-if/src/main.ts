import { runProgram } from "@tessera/sim";
import { runWhatIf } from "./command.ts";

await runProgram("tess what-if", (terminal) => runWhatIf(process.argv.slice(2), terminal));
