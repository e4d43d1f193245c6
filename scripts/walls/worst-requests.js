import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { routes } from "@tessera/wire";
import { fillHistory } from "./big-history.js";
import { requestsFor } from "./worst-shapes.js";

const delayMsMax = 200;
const requestMsMax = 2_500;
const streamMs = 1_200;
const fleet = "6250x8:H100";
const history = { events: 500_000, msMax: 30_000 };

/**
 * A server with 50,000 GPUs and a long history; for every route its worst requests, while /healthz is asked every 10 ms.
 * Answers the worst delay of each route, and whether all of them are below 200 ms.
 */
export async function proveRoutes({ openServer, place, say }) {
  let filled;
  const prepare = async (data) => {
    filled = await fillHistory(join(data, "store"), history);
  };
  const server = await openServer({ place, args: ["--simulated", fleet], prepare });
  const pulse = new Worker(new URL("./health-pulse.js", import.meta.url), { workerData: server.url });
  try {
    const world = await busyWorld(server);
    say(`${fleet}, ${filled.ended} ended jobs, ${world.live} live ones`);
    await sleep(2_000);
    const calm = await worstOf(pulse);
    say(`without any other request /healthz takes ${calm.toFixed(0)} ms at worst`);
    const worst = {};
    for (const [id, route] of Object.entries(routes)) {
      const found = [];
      for (const request of requestsFor(id, route, world)) {
        await worstOf(pulse);
        const status = await send(server, request);
        await sleep(30);
        found.push({ ms: await worstOf(pulse), status, what: request.what });
      }
      const slowest = found.toSorted((a, b) => b.ms - a.ms)[0];
      worst[id] = Math.round(slowest.ms);
      say(
        `${slowest.ms < delayMsMax ? "      " : "LATE  "} ${id}: ${worst[id]} ms (${slowest.what}: ${slowest.status})`,
      );
    }
    const late = Object.entries(worst).filter(([, ms]) => ms >= delayMsMax);
    return { held: late.length === 0, worst, late: late.map(([id]) => id) };
  } finally {
    await pulse.terminate();
    await server.close();
  }
}

/** The worst delay since it was last asked for. */
async function worstOf(pulse) {
  return new Promise((resolve) => {
    pulse.once("message", ({ worst }) => resolve(worst));
    pulse.postMessage("worst");
  });
}

/** Sends a request and reads its answer, at most so long: then it leaves, as a client does. */
async function send(server, { method, path, body, headers = {} }) {
  try {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${server.owner}`, ...headers },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(headers.accept === undefined ? requestMsMax : streamMs),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch (error) {
    return error.name === "TimeoutError" ? "left" : error.message;
  }
}

/** Prices, a budget, and a fleet that is half full, with a queue. */
async function busyWorld(server) {
  const api = async (method, path, body) => {
    const { status, json } = await server.api(method, `/v1${path}`, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${json?.detail}`);
    return json;
  };
  const gpus = [{ model: "*", reservedMicros: 1_000_000, burstMicros: 2_000_000 }];
  await api("POST", "/prices", { id: "list-1", currency: "EUR", from: "2026-01-01T00:00", gpus });
  await api("PUT", "/accounts/org0/budget", { limitMicros: "900000000000" });
  const job = (more) => ({ project: "org0/team0", run: "sleep 6000", gpus: 8, ...more });
  for (let i = 0; i < 40; i++) await api("POST", "/jobs", job({ name: `gang-${i}`, nodes: 64 }));
  const array = await api("POST", "/jobs", job({ name: "sweep", gpus: 1, array: "1-4000" }));
  const waiting = await api("POST", "/jobs", job({ name: "large", nodes: 6_000 }));
  const { items: ended } = await api("GET", "/jobs?state=ended&limit=1");
  const { id: user } = await api("GET", "/whoami").then((me) => me.user ?? me);
  const { items: tokens } = await api("GET", "/tokens");
  const { items: nodes } = await api("GET", "/nodes?limit=1");
  const { items: live } = await api("GET", "/jobs?limit=1000");
  return {
    live: live.length,
    job: waiting.id,
    array: array.id,
    ended: ended[0]?.id ?? waiting.id,
    account: "org0/team0",
    tenant: "org0",
    user,
    token: tokens[0].id,
    node: nodes[0].name,
  };
}
