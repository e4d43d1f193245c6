import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "../launch/failure.js";
import { plainArgument } from "./list.js";
import { run } from "./workspace.js";

const preload = fileURLToPath(new URL("hook/preload.js", import.meta.url));
const player = fileURLToPath(new URL("hook/player.js", import.meta.url));

/**
 * Plays groups, each on a side, in as many processes at once as the machine has cores. The longest come first in
 * `jobs`, which are `{ side, group }`. One process begins with them and the others with the shortest, so that most is
 * known early and nothing long is left for the end. `done` is told each with its streams, of which those that could not
 * be played have a `failure`.
 */
export async function playAll(jobs, { root, folder, done }) {
  const waiting = jobs.map((job, nth) => ({ job, nth }));
  const work = async (_, core) => {
    const take = () => (core === 0 ? waiting.shift() : waiting.pop());
    for (let next = take(); next !== undefined; next = take()) {
      await done(next.job, await playOrFail(next.job, { root, folder: join(folder, String(next.nth)) }));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

/** A group whose process ends early fails as a whole; the others go on. */
async function playOrFail(job, options) {
  try {
    return await playGroup(job, options);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return job.group.tasks.map(({ stream }) => ({ stream, lines: 0, failure: `${error.output}\n${error.message}` }));
  }
}

/** Records the streams of one group in a process of its own. */
async function playGroup({ side, group }, { root, folder }) {
  mkdirSync(folder, { recursive: true });
  const [tasksPath, resultPath] = [join(folder, "tasks.json"), join(folder, "result.json")];
  const tasks = group.tasks.map((task, nth) => ({
    ...task,
    args: task.args.map(plainArgument),
    path: join(folder, `${nth}.jsonl.gz`),
  }));
  writeFileSync(tasksPath, JSON.stringify(tasks));
  await run(process.execPath, ["--import", preload, player, tasksPath, resultPath], {
    cwd: root,
    env: { ...process.env, TESSERA_EQUAL_SIDE: side.folder },
    what: `${group.name} of ${side.name}`,
  });
  return JSON.parse(readFileSync(resultPath, "utf8"));
}
