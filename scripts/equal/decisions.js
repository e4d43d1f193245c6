import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { begin } from "../launch/progress.js";
import { accepted } from "./accepted.js";
import { Cache } from "./cache.js";
import { firstDifference, normaliser } from "./compare.js";
import { named, withoutNeed } from "./named.js";
import { playAll } from "./play.js";

/**
 * Plays the groups on both sides and compares stream by stream; `tell` hears of each difference at once. What the base
 * decided before is taken from the cache, unless `fresh`; `sides.base()` makes the base's checkout when something of it
 * must be played.
 */
export async function compareDecisions({ groups, sides, root, workspace, fresh, tell }) {
  const cache = new Cache(root, sides.commit);
  const recorded = { base: fresh ? new Map() : recall(groups, cache), present: new Map() };
  const fromCache = recorded.base.size;
  const missing = groups.map(({ name, tasks }) => ({
    name,
    tasks: tasks.filter(({ stream }) => !recorded.base.has(stream)),
  }));
  const base = missing.some(({ tasks }) => tasks.length > 0) ? await sides.base() : undefined;
  const jobs = groups.flatMap((group, i) => [
    ...(missing[i].tasks.length === 0 ? [] : [{ side: base, group: missing[i] }]),
    { side: sides.present, group },
  ]);

  const rules = normaliser(accepted);
  const differences = [];
  const compare = async (stream) => {
    const [was, is] = [recorded.base.get(stream), recorded.present.get(stream)];
    if (was === undefined || is === undefined) return;
    const found = await differenceOf(was, is, rules);
    if (found === undefined) return;
    differences.push(named({ name: stream, ...found }, accepted.streams));
    tell(differences.at(-1), differences.length);
  };

  let [ended, last] = [0, ""];
  const done = async ({ side, group }, streams) => {
    ended += 1;
    last = `, last ${group.name} of ${side.name}`;
    for (const [i, stream] of streams.entries()) {
      recorded[side.name].set(stream.stream, stream);
      if (side === base && stream.failure === undefined) cache.put(group.tasks[i], stream);
      await compare(stream.stream);
    }
  };
  const detail = () => `${ended} of ${jobs.length} runs${last}`;
  const folder = join(workspace, "streams");
  await begin("playing", { detail }).over(() => playAll(jobs, { root, folder, done }));

  const names = groups.flatMap(({ tasks }) => tasks.map(({ stream }) => stream));
  const linesIn = (streams) => [...streams.values()].reduce((sum, { lines }) => sum + lines, 0);
  return {
    streams: names.length,
    fromCache,
    decisions: { base: linesIn(recorded.base), present: linesIn(recorded.present) },
    groups: countsOf(groups, differences),
    differences,
    needless: withoutNeed(names, differences, accepted.streams),
  };
}

/** How many streams of each name were compared, and how many differ. */
function countsOf(groups, differences) {
  const differing = new Set(differences.map(({ name }) => name));
  return [...Map.groupBy(groups, ({ name }) => name)].map(([name, alike]) => {
    const streams = alike.flatMap(({ tasks }) => tasks.map(({ stream }) => stream));
    return { name, streams: streams.length, differ: streams.filter((stream) => differing.has(stream)).length };
  });
}

function recall(groups, cache) {
  const streams = groups.flatMap(({ tasks }) => tasks.map((task) => cache.get(task)));
  return new Map(streams.filter((stream) => stream !== undefined).map((stream) => [stream.stream, stream]));
}

async function differenceOf(base, present, rules) {
  const failures = Object.entries({ base, present }).filter(([, { failure }]) => failure !== undefined);
  if (failures.length > 0) return { failure: failures.map(([side, { failure }]) => `${side}: ${failure}`).join("\n") };
  if (base.hash === present.hash) return undefined;
  return firstDifference(linesOf(base.path), linesOf(present.path), rules);
}

async function* linesOf(path) {
  const text = createReadStream(path).pipe(createGunzip()).setEncoding("utf8");
  let rest = "";
  for await (const chunk of text) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    yield* lines;
  }
}
