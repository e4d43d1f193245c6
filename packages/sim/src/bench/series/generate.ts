import { day, minute } from "@tessera/core";
import { seededRandom } from "@tessera/engine-simulated";
import { type LevelNo, type LineName, SeriesFile, seriesLevelNos, seriesLevels } from "@tessera/server";

export interface Generated {
  readonly file: string;
  readonly days: number;
  readonly tenants: number;
  readonly teamsEach: number;
  readonly gpus: number;
  readonly jobsPerDay: number;
  readonly seed: number;
  /** The end of the last day. */
  readonly untilAt: number;
}

export const root = "acc_root";
const models = ["H100", "H200", "A100", "L40S"];
const reasons = ["capacity", "shape", "quota", "order", "held", "dependency"];
const outcomes = ["succeeded", "failed", "cancelled", "timed-out", "infra-failed"];
const causes = ["preempted", "moved", "node_lost", "failed"];
const levels = ["node", "rack", "block", "fleet"];
const slots = 60;

export function accountsOf({ tenants, teamsEach }: Pick<Generated, "tenants" | "teamsEach">) {
  return Array.from({ length: tenants }, (_, tenant) => ({
    id: `acc_t${tenant}`,
    teams: Array.from({ length: teamsEach }, (_, team) => `acc_t${tenant}_${team}`),
  }));
}

/** A line of the roll-ups, and what a minute of it holds on average. */
interface Line {
  readonly name: LineName;
  readonly account: string;
  readonly key: string;
  readonly perMinute: number;
  /** Counts are whole and may be none; what stands is there in every minute. */
  readonly counts: boolean;
}

/**
 * Days of roll-ups, written into the file in the shape in which the recorder leaves it: minutes of the last two days,
 * ten minutes of two weeks, hours of all. The values are made up around a mean; how many lines and rows there are, and
 * which of them are empty, is what takes time to read.
 */
export function generate(ask: Generated): { lines: number; rows: number } {
  const file = SeriesFile.begin(ask.file);
  const random = seededRandom(ask.seed);
  const lines = linesOf(ask);
  const from = ask.untilAt - ask.days * day;
  let rows = 0;
  file.together({ seq: 0, checked: { seq: 0, hash: "" }, sampledUntil: ask.untilAt }, () => {
    for (const line of lines) {
      const id = file.newLine(line.name, line.account, line.key);
      for (const level of seriesLevelNos) rows += writeLevel(file, id, line, level, Math.max(from, 0), ask, random);
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
  begin: number,
  { untilAt }: Generated,
  random: () => number,
): number {
  const { stepMs, perChunk, keptMs } = seriesLevels[level];
  const length = stepMs * perChunk;
  let rows = 0;
  for (let at = Math.floor(Math.max(begin, untilAt - keptMs) / length) * length; at < untilAt; at += length) {
    const amounts = new Float64Array(perChunk);
    let isEmpty = true;
    for (let i = 0; i < perChunk; i++) {
      const step = at + i * stepMs;
      if (step < begin || step >= untilAt) continue;
      amounts[i] = amountOf(line, step, stepMs / minute, random);
      if (amounts[i] !== 0) isEmpty = false;
    }
    if (isEmpty) continue;
    file.put(level, id, at, amounts);
    rows++;
  }
  return rows;
}

/** The sum over `minutes`, with a wave of a day. */
function amountOf({ name, perMinute, counts }: Line, at: number, minutes: number, random: () => number): number {
  if (name === "samples") return minutes;
  const mean = perMinute * minutes * (1 + 0.4 * Math.sin((at / day) * 2 * Math.PI)) * (0.5 + random());
  return counts ? Math.floor(mean + random()) : mean;
}

function linesOf(ask: Generated): Line[] {
  const accounts = accountsOf(ask);
  const teams = accounts.flatMap(({ teams: own }) => own).length;
  const found: Line[] = [];
  const put = (name: LineName, account: string, key: string, perMinute: number, counts = false) =>
    found.push({ name, account, key, perMinute, counts });
  const below = [
    { id: root, part: 1 },
    ...accounts.map(({ id }) => ({ id, part: 1 / accounts.length })),
    ...accounts.flatMap(({ teams: own }) => own.map((id) => ({ id, part: 1 / teams }))),
  ];
  const jobs = ask.jobsPerDay / (day / minute);
  for (const { id, part } of below) {
    put("allocated", id, "guaranteed", ask.gpus * 0.55 * part);
    put("allocated", id, "burst", ask.gpus * 0.25 * part);
    for (const model of models) put("allocated.model", id, model, ask.gpus * 0.2 * part);
    for (const reason of reasons) put("waiting", id, reason, ask.gpus * 0.05 * part);
    put("guarantee", id, "", ask.gpus * 0.7 * part);
    put("max", id, "", ask.gpus * 0.9 * part);
    put("lent", id, "", ask.gpus * 0.1 * part);
    put("starts", id, "", jobs * part, true);
    for (const outcome of outcomes) put("ends", id, outcome, (jobs * part) / outcomes.length, true);
    for (const cause of causes) put("preemptions", id, cause, (0.1 * jobs * part) / causes.length, true);
    // Short waits are many, long ones few.
    for (let slot = 0; slot < slots; slot++)
      put("waits", id, String(slot), (jobs * part * 2 * (slots - slot)) / (slots * (slots + 1)), true);
  }
  for (const model of models) {
    for (const name of ["capacity", "idle", "reserved", "down"] as const) put(name, root, model, ask.gpus / 8);
    for (const name of ["largest.model", "fragmentation.model"] as const) put(name, root, model, 50);
  }
  for (const level of levels) put("largest.level", root, level, 50);
  put("largest", root, "", 100);
  put("fragmentation", root, "", 50);
  put("samples", "", "", 1);
  return found;
}
