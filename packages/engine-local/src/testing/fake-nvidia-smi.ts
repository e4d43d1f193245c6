import { runTool } from "./fake-nvidia/tool.ts";

/** The program that stands in for `nvidia-smi`: `fake-nvidia-smi.js FOLDER WORDS...`, with its state in the folder. */
const [folder = "", ...args] = process.argv.slice(2);
const { code, lines } = runTool(folder, args);
process.stdout.write(lines.map((line) => `${line}\n`).join(""));
process.exitCode = code;
