import { day, hour, minute } from "@tessera/core";
import { seededRandom } from "@tessera/engine-simulated";
import { RollUps, SeriesFile } from "@tessera/server";

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

/** Days of roll-ups through the same class that the follower writes with, minute by minute. */
export function generate(ask: Generated): { lines: number } {
  const file = SeriesFile.begin(ask.file);
  const rollUps = new RollUps(file);
  const random = seededRandom(ask.seed);
  const pick = <Of>(of: readonly Of[]): Of => of[Math.floor(random() * of.length)]!;
  const accounts = accountsOf(ask);
  const teams = accounts.flatMap(({ id, teams: own }) => own.map((team) => [team, id, root] as const));
  const start = ask.untilAt - ask.days * day;
  rollUps.begin(start);
  const perMinute = ask.jobsPerDay / (day / minute);
  for (let at = start + minute; at <= ask.untilAt; at += minute) {
    for (let owed = perMinute; random() < owed; owed--) {
      for (const account of pick(teams)) {
        rollUps.add("starts", account, "", 1);
        rollUps.add("waits", account, String(Math.floor(random() * random() * slots)), 1);
        rollUps.add("ends", account, pick(outcomes), 1);
        if (random() < 0.1) rollUps.add("preemptions", account, pick(causes), 1);
      }
    }
    const wave = 0.6 + 0.3 * Math.sin((at / day) * 2 * Math.PI);
    const held = (ask.gpus * wave) / teams.length;
    rollUps.stand(at, 0, (sink) => {
      for (const path of teams) {
        const own = Math.round(held * (0.5 + random()));
        const waits = Math.round(own * random() * 0.3);
        const [reason, model] = [pick(reasons), pick(models)];
        for (const account of path) {
          sink.add("allocated", account, "guaranteed", own);
          sink.add("allocated", account, "burst", own >> 1);
          sink.add("allocated.model", account, model, own);
          sink.add("waiting", account, reason, waits);
          sink.add("guarantee", account, "", 400);
          sink.add("max", account, "", 1_000);
          sink.add("lent", account, "", waits);
        }
      }
      for (const model of models) {
        for (const name of ["capacity", "idle", "reserved", "down"] as const) sink.add(name, root, model, ask.gpus / 8);
        sink.add("largest.model", root, model, 100 * random());
        sink.add("fragmentation.model", root, model, 100 * random());
      }
      for (const level of levels) sink.add("largest.level", root, level, 100 * random());
      sink.add("largest", root, "", 100);
      sink.add("fragmentation", root, "", 50);
      sink.add("samples", "", "", 1);
    });
    if (at % hour === 0) rollUps.took(at / hour);
  }
  rollUps.write("");
  const lines = file.lines().length;
  file.close();
  return { lines };
}
