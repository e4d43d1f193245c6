import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { begin } from "../launch/progress.js";
import { accepted } from "./accepted.js";
import { Cache } from "./cache.js";
import { firstDifference, normaliser } from "./compare.js";
import { playAll } from "./play.js";

/**
 * Plays the groups on both sides and compares stream by stream. What the base decided before is taken from the cache,
 * unless `fresh`; `sides.base()` makes the base's checkout when something of it must be played.
 */
export async function compareDecisions({ groups, sides, root, workspace, fresh }) {
  const cache = new Cache(root, sides.commit);
  const known = new Map();
  /** For each group what the cache does not hold of it. */
  const missing = groups.map(({ name, tasks }) => {
    const left = tasks.filter((task) => {
      const kept = fresh ? undefined : cache.get(task);
      if (kept !== undefined) known.set(task.stream, kept);
      return kept === undefined;
    });
    return { name, tasks: left };
  });
  const fromCache = known.size;
  const base = missing.some(({ tasks }) => tasks.length > 0) ? await sides.base() : undefined;
  const jobs = groups
    .flatMap((group, i) => [
      { side: base, group: missing[i] },
      { side: sides.present, group },
    ])
    .filter(({ group }) => group.tasks.length > 0);

  const found = new Map();
  const differences = [];
  let [ended, last] = [0, ""];
  const detail = () => `${ended} of ${jobs.length} runs${last}`;
  await begin("playing", { detail }).over(() =>
    playAll(jobs, {
      root,
      folder: join(workspace, "streams"),
      done({ side, group }, streams) {
        ended += 1;
        last = `, last ${group.name} of ${side.name}`;
        for (const stream of streams) (side === base ? known : found).set(stream.stream, stream);
        if (side !== base) return;
        for (const task of group.tasks) {
          const stream = known.get(task.stream);
          if (stream.failure === undefined) cache.put(task, stream);
        }
      },
    }),
  );

  const rules = normaliser(accepted);
  const lines = { base: 0, present: 0 };
  for (const { stream } of groups.flatMap(({ tasks }) => tasks)) {
    const [was, is] = [known.get(stream), found.get(stream)];
    lines.base += was.lines;
    lines.present += is.lines;
    const difference = await differenceOf(was, is, rules);
    if (difference !== undefined) differences.push({ stream, ...difference, accepted: accepted.streams[stream] });
  }
  const compared = groups.flatMap(({ name, tasks }) => tasks.map(({ stream }) => ({ stream, group: name })));
  return { compared, fromCache, lines, differences, needless: needlessOf(compared, differences) };
}

async function differenceOf(base, present, rules) {
  const failure = [base, present].map((side, i) => side.failure && `${["base", "present"][i]}: ${side.failure}`);
  if (failure.some((text) => text !== undefined)) return { failure: failure.filter(Boolean).join("\n") };
  if (base.hash === present.hash) return undefined;
  return firstDifference(linesOf(base.path), linesOf(present.path), rules);
}

function linesOf(path) {
  return createInterface({ input: createReadStream(path).pipe(createGunzip()), crlfDelay: Number.POSITIVE_INFINITY });
}

/** Streams that may differ and do not: their reason is out of date. */
function needlessOf(compared, differences) {
  const differing = new Set(differences.map(({ stream }) => stream));
  return compared
    .map(({ stream }) => stream)
    .filter((stream) => Object.hasOwn(accepted.streams, stream) && !differing.has(stream));
}
