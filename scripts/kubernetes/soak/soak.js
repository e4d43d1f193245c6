import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { seededRandom } from "../../../packages/engine-simulated/dist/index.js";
import { check } from "../../../packages/sim/dist/soak/check.js";
import { collect } from "../../../packages/sim/dist/soak/collect.js";
import { Target } from "../../../packages/sim/dist/soak/target.js";
import { root } from "../../launch/root.js";
import { openTessera } from "../tessera.js";
import { blows } from "./blows.js";
import { Client } from "./client.js";
import { PodObserver } from "./observer.js";

const clients = 6;
const acknowledgedPerCycle = 100;
const cycleMsMax = 300_000;
const endMsMax = 300_000;

/** Work through a real server on a cluster, with a blow to one of them in each cycle; then everybody's records are compared. */
export async function soak({ lab, nodes, cycles, seed, say }) {
  const random = seededRandom(seed);
  const { proxy, kubeconfig } = await lab.proxy();
  const observer = new PodObserver(lab.api);
  const server = await openTessera({ kubeconfig, nodes, name: "tess-soak" });
  const target = new Target();
  const all = Array.from({ length: clients }, (_, no) => new Client(no, target, seededRandom(seed * 1_000 + no)));
  const startTessera = async () => {
    await server.start();
    target.set(server.url);
  };
  const killTessera = async () => {
    target.clear();
    await server.kill();
  };
  try {
    target.token = server.owner;
    target.set(server.url);
    for (const client of all) await client.open();
    const work = Promise.all(all.map((client) => client.work()));
    const world = { lab, proxy, observer, nodes, random, startTessera, killTessera };
    const struck = await strike({ cycles, world, all, say });
    for (const { gate } of all) gate.stop();
    await work;
    const stuck = await untilNothingLives(target, say);
    for (const client of all) await client.repeatAll();
    await untilNothingLives(target, say);
    const left = await untilNoPods(lab.api);
    const histories = all.map(({ history }) => history);
    const told = await collect(target, histories);
    await server.stop();
    for (const { id, outcome, reason } of told.jobs.values()) {
      if (outcome === "infra-failed") say(`${id} ended as infra-failed: ${reason}`);
    }
    return { ...(await judge({ histories, observer, told, server, stuck, left })), blows: struck };
  } finally {
    for (const { gate } of all) gate.stop();
    target.clear();
    await observer.close();
    await server.close();
  }
}

async function strike({ cycles, world, all, say }) {
  const names = Object.keys(blows);
  const struck = Object.fromEntries(names.map((name) => [name, 0]));
  const acknowledged = () => all.reduce((sum, { history }) => sum + history.acknowledged, 0);
  for (let cycle = 0; cycle < cycles; cycle++) {
    const enough = acknowledged() + acknowledgedPerCycle;
    for (const giveUpAt = Date.now() + cycleMsMax; acknowledged() < enough; await sleep(20)) {
      if (Date.now() > giveUpAt) throw new Error(`${enough - acknowledged()} commands were not acknowledged in time`);
    }
    const name = names[cycle % names.length];
    const running = world.observer.running().length;
    const beganAt = Date.now();
    await blows[name](world);
    struck[name]++;
    say(`cycle ${cycle + 1}: ${name} while ${running} pods ran; put right after ${Date.now() - beganAt} ms`);
  }
  return struck;
}

/** How many jobs never end. */
async function untilNothingLives(target, say) {
  for (const giveUpAt = Date.now() + endMsMax; ; await sleep(500)) {
    const { answer } = await target.insist("GET", "/v1/jobs?state=live&limit=1000");
    const { items } = answer.body;
    if (items.length === 0) return 0;
    if (Date.now() < giveUpAt) continue;
    for (const job of items.slice(0, 10)) say(`never ended: ${JSON.stringify(job)}`);
    return items.length;
  }
}

/** How many pods of Tessera stay although all jobs have ended. */
async function untilNoPods(api) {
  for (let tries = 0; ; tries++) {
    const { items } = await api.get("/api/v1/pods?labelSelector=tessera.dev/job");
    if (items.length === 0 || tries === 100) return items.length;
    await sleep(200);
  }
}

async function judge({ histories, observer, told, server, stuck, left }) {
  const attemptOf = (job, no) => told.jobs.get(job)?.attempts?.find(({ attempt }) => attempt === no);
  const ran = observer.ran((job, attempt) => attemptOf(job, attempt)?.exitCode);
  const verdict = check(histories, ran, told);
  const faults = [...verdict.faults, ...observer.faults, ...histories.flatMap(({ surprises }) => surprises)];
  const extra = (kind) => observer.faults.filter((fault) => fault.startsWith(`${kind}:`)).length;
  const verified = await verify(server.data).catch((error) => {
    faults.push(`verify: ${error.stdout ?? error}`);
    return false;
  });
  return {
    acknowledged: histories.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    lost: verdict.lost,
    duplicated: verdict.duplicated,
    ranTwice: verdict.ranTwice + extra("ranTwice"),
    gpuOverlaps: verdict.gpuOverlaps + extra("gpuOverlaps"),
    exitCodesLost: verdict.exitCodesLost,
    unbalancedMs: verdict.unbalancedMs,
    jobs: told.listed.length,
    podsRan: ran.length,
    endsUnseen: observer.unseen,
    neverEnded: stuck,
    podsLeft: left,
    verified,
    faults,
  };
}

async function verify(data) {
  const admin = join(root, "packages/server/dist/admin.js");
  await promisify(execFile)(process.execPath, [admin, "verify", "-o", "json", "--data", data]);
  return true;
}
