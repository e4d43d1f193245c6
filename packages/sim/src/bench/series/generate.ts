import { day, minute } from "@tessera/core";
import { seededRandom } from "@tessera/engine-simulated";
import { type LevelNo, type LineName, SeriesChunk, SeriesFile, seriesLevelNos, seriesLevels } from "@tessera/server";

/** The ids of the accounts whose roll-ups are generated. */
export interface Accounts {
  readonly root: string;
  readonly tenants: readonly { readonly id: string; readonly teams: readonly string[] }[];
}

export interface Generated {
  readonly file: string;
  readonly accounts: Accounts;
  readonly days: number;
  readonly gpus: number;
  readonly jobsPerDay: number;
  readonly seed: number;
  /** Where the last hour ends. */
  readonly untilAt: number;
  /** The last row of the journal, and its hash: a server takes no file of another journal. */
  readonly row: { readonly seq: number; readonly hash: string };
}

const models = ["H100", "H200", "A100", "L40S"];
const reasons = ["capacity", "shape", "quota", "order", "held", "dependency"];
const outcomes = ["succeeded", "failed", "cancelled", "timed-out", "infra-failed"];
const causes = ["preempted", "moved", "node_lost", "failed"];
const levels = ["node", "rack", "block", "fleet"] as const;
const slots = 60;

/** A line of the roll-ups, and what a minute of each of its keys holds on average. */
interface Line {
  readonly name: LineName;
  readonly account: string;
  readonly perMinute: Readonly<Record<string, number>>;
  /** Counts may be none; what stands is there in every minute, in whole GPUs or in parts of them. */
  readonly kind: "count" | "whole" | "parts";
}

/**
 * Days of roll-ups, written into the file in the shape in which the recorder leaves it: each level for as long as it is
 * kept. The values are made up around a mean; how many rows there are, and what lies in them, is what takes time to read.
 */
export function generate(ask: Generated): { lines: number; rows: number } {
  const file = SeriesFile.begin(ask.file);
  const random = seededRandom(ask.seed);
  const lines = linesOf(ask);
  let rows = 0;
  file.together({ seq: ask.row.seq, checked: ask.row, sampledUntil: ask.untilAt }, () => {
    for (const line of lines) {
      const id = file.newLine(line.name, line.account);
      for (const [no, key] of Object.keys(line.perMinute).entries()) file.newKey(id, no, key);
      for (const level of seriesLevelNos) rows += writeLevel(file, id, line, level, ask, random);
    }
  });
  file.close();
  return { lines: lines.length, rows };
}

function writeLevel(
  file: SeriesFile,
  id: number,
  line: Line,
  level: LevelNo,
  { untilAt, days }: Generated,
  random: () => number,
): number {
  const { stepMs, perChunk, keptMs } = seriesLevels[level];
  const begin = untilAt - days * day;
  const length = stepMs * perChunk;
  let rows = 0;
  for (let at = Math.floor(Math.max(begin, untilAt - keptMs) / length) * length; at < untilAt; at += length) {
    const steps = Array.from({ length: perChunk }, (_, no) => ({ no, at: at + no * stepMs })).filter(
      (step) => step.at >= begin && step.at < untilAt,
    );
    const chunk = chunkOf(line, steps, stepMs / minute, random);
    if (chunk.isEmpty) continue;
    file.put(level, id, at, chunk);
    rows++;
  }
  return rows;
}

function chunkOf(
  { name, perMinute, kind }: Line,
  steps: readonly { readonly no: number; readonly at: number }[],
  minutes: number,
  random: () => number,
): SeriesChunk {
  const chunk = new SeriesChunk();
  const waves = steps.map(({ at }) => minutes * (1 + 0.4 * Math.sin((at / day) * 2 * Math.PI)));
  for (const [key, mean] of Object.values(perMinute).entries())
    for (const [i, { no }] of steps.entries()) {
      const about = mean * waves[i]! * (0.5 + random());
      const amount =
        name === "samples"
          ? minutes
          : kind === "parts"
            ? about
            : Math.floor(about + (kind === "count" ? random() : 0.5));
      if (amount !== 0) chunk.add(key, no, amount);
    }
  return chunk;
}

function linesOf(ask: Generated): Line[] {
  const { root, tenants } = ask.accounts;
  const teams = tenants.flatMap(({ teams: own }) => own).length;
  const found: Line[] = [];
  const put = (name: LineName, account: string, perMinute: Line["perMinute"], kind: Line["kind"] = "parts") =>
    found.push({ name, account, perMinute, kind });
  const each = (keys: readonly string[], perMinute: number) => Object.fromEntries(keys.map((key) => [key, perMinute]));
  const below = [
    { id: root, part: 1 },
    ...tenants.map(({ id }) => ({ id, part: 1 / tenants.length })),
    ...tenants.flatMap(({ teams: own }) => own.map((id) => ({ id, part: 1 / teams }))),
  ];
  const wholeTeams = new Set(tenants.flatMap(({ teams: [, ...others] }) => others));
  const jobs = ask.jobsPerDay / (day / minute);
  // Short waits are many, long ones few.
  const partOfSlot = (slot: number) => (2 * (slots - slot)) / (slots * (slots + 1));
  const waits = Object.fromEntries(Array.from({ length: slots }, (_, slot) => [String(slot), partOfSlot(slot)]));
  for (const { id, part } of below) {
    // A team of each tenant shares GPUs, so that all above it have parts too.
    const gpus = wholeTeams.has(id) ? "whole" : "parts";
    put("allocated", id, { guaranteed: ask.gpus * 0.55 * part, burst: ask.gpus * 0.25 * part }, gpus);
    put("allocated.model", id, each(models, ask.gpus * 0.2 * part), gpus);
    put("waiting", id, each(reasons, ask.gpus * 0.05 * part), gpus);
    put("guarantee", id, each(models, ask.gpus * 0.175 * part), "whole");
    const limited = ["*", ...models];
    put(
      "max",
      id,
      {
        ...each(limited, ask.gpus * 0.5 * part),
        ...each(
          limited.map((key) => `/${key}`),
          1,
        ),
      },
      "whole",
    );
    put("lent", id, { "": ask.gpus * 0.1 * part });
    put("starts", id, { "": jobs * part }, "count");
    put("ends", id, each(outcomes, (jobs * part) / outcomes.length), "count");
    put("preemptions", id, each(causes, (0.1 * jobs * part) / causes.length), "count");
    put("waits", id, Object.fromEntries(Object.entries(waits).map(([slot, of]) => [slot, of * jobs * part])), "count");
  }
  for (const name of ["capacity", "idle", "reserved", "down"] as const) put(name, root, each(models, ask.gpus / 8));
  for (const level of levels) put(`largest.${level}`, root, each(models, 50));
  put("largest.level", root, each(levels, 50));
  put("fragmentation", root, each([...models, ...models.map((model) => `/${model}`)], 50));
  put("samples", "", { "": 1 });
  return found;
}
