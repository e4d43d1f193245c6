import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beginStream, endStream } from "./record.js";

/**
 * Plays tasks one after another in this process and records a stream of each: `player.js TASKS RESULT`, two files of
 * JSON. Expects preload.js to be loaded.
 */
const side = process.env.TESSERA_EQUAL_SIDE;
const moduleOf = (path, query = "") => import(pathToFileURL(join(side, path)).href + query);

const nothingDecided = "nothing was decided; its driver no longer goes through the core's public entry";

const play = {
  /** A program from the start: with a query of its own its module runs again, while the modules it imports are kept. */
  async program({ program, args }, nth) {
    process.argv = [process.execPath, join(side, program), ...args];
    await moduleOf(program, `?${nth}`);
  },

  /** A case of the scheduler benchmark, without the rounds that warm it up. */
  async bench({ program, args: [name, gpus, seed] }) {
    const { cases } = await moduleOf(program);
    await cases[name](Number(gpus), Number(seed));
  },

  /** The inputs of a journal, decided again at the instants at which they came. */
  async journal({ args: [path] }) {
    const { decideBatch, emptyState } = await import("@tessera/core");
    const state = emptyState();
    for (const line of readFileSync(path, "utf8").trimEnd().split("\n")) {
      const { at, inputs } = JSON.parse(line);
      const lines = Buffer.from(inputs, "base64").toString("utf8").split("\n");
      decideBatch(
        state,
        lines.filter((text) => text !== "").map((text) => JSON.parse(text)),
        at,
      );
    }
  },
};

const [tasksPath, resultPath] = process.argv.slice(2);
const streams = [];
for (const [nth, { stream, path, ...task }] of JSON.parse(readFileSync(tasksPath, "utf8")).entries()) {
  beginStream(path);
  const failure = await failureOf(() => play[task.play](task, nth));
  const { hash, lines } = endStream();
  streams.push({ stream, path, hash, lines, ...(failure ?? (lines === 0 && { failure: nothingDecided })) });
}
writeFileSync(resultPath, JSON.stringify(streams));
// A program that judges what it sees sets an exit code; here only the streams count.
process.exitCode = 0;

async function failureOf(act) {
  try {
    await act();
    return undefined;
  } catch (error) {
    return { failure: error.stack ?? String(error) };
  }
}
