import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../../sim/dist/bench/series.js", import.meta.url));

/** Every chart of the console over 90 generated days: what `npm run bench:series -- --json` tells. */
export async function measureSeries(): Promise<unknown> {
  const child = spawn(process.execPath, [program, "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  let told = "";
  for await (const part of child.stdout) told += part;
  const [code] = await exited;
  // With 1 it has measured, and a chart took longer than its goal.
  if (code !== 0 && code !== 1) throw new Error(`bench:series ended with ${code}`);
  return JSON.parse(told);
}
