import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { routes } from "../../packages/wire/dist/index.js";
import { hostileBytes } from "./hostile.js";
import { Random } from "./random.js";
import { makeRequest } from "./requests.js";
import { makeScimRequest } from "./scim.js";
import { send, sendBytes } from "./send.js";
import { startServer, verify } from "./server.js";
import { makeWorld, must } from "./world.js";

const clientsAtOnce = 12;
const examplesMax = 10;
const jobMsMax = 60_000;

/**
 * Asks a real server every kind of question for a while, right and wrong, as five users of one tenant, while another
 * tenant works next door. Counts what must never happen.
 */
export async function fuzz({ seconds, seed }) {
  const random = new Random(seed);
  const server = await startServer();
  const count = { requests: 0, byStatus: {}, serverErrors: 0, hangs: 0, leaks: 0, slowestMs: 0 };
  const examples = [];
  const blame = (kind, request, answer) => {
    count[kind]++;
    if (examples.length < examplesMax) examples.push({ kind, request: shortened(request), answer: shortened(answer) });
  };
  try {
    const world = await makeWorld(server.url, server.ownerToken, random);
    const until = performance.now() + seconds * 1000;
    const agent = new http.Agent({ keepAlive: true, maxSockets: clientsAtOnce });
    const client = async (number) => {
      const own = new Random(seed + number);
      while (performance.now() < until && server.alive()) await oneRound(own, server, agent, world, count, blame);
    };
    await Promise.all([
      ...Array.from({ length: clientsAtOnce }, (_, i) => client(i + 1)),
      neighbour(server, world, until),
    ]);
    agent.destroy();
    const jobRan = server.alive() && (await runsAJob(server));
    const left = server.alive() ? await endJobs(server) : undefined;
    await server.stop();
    const verified = await verify(server.data);
    const report = {
      ...count,
      slowestMs: Math.round(count.slowestMs),
      routes: world.asked.size,
      verified,
      jobRan,
      left,
      seed,
      seconds,
    };
    return { report, examples, said: server.said() };
  } finally {
    if (server.alive()) await endJobs(server).catch(() => {});
    await server.stop();
    server.remove();
  }
}

async function oneRound(random, server, agent, world, count, blame) {
  const attacker = random.pick(world.attackers);
  if (random.chance(0.04)) {
    const bytes = hostileBytes(random, attacker.token);
    const answer = await sendBytes(server.url, bytes);
    count.requests++;
    for (const status of answer.statuses) tally(count, status);
    if (answer.statuses.some((status) => status >= 500)) blame("serverErrors", { bytes }, answer);
    if (answer.text.includes(world.canary)) blame("leaks", { bytes }, answer);
    return;
  }
  const isScim = random.chance(0.1);
  const id = random.pick(Object.keys(routes));
  const request = isScim ? makeScimRequest(random, world) : makeRequest(random, id, routes[id], world);
  world.asked.add(request.id);
  // The owner asks too, where the answer cannot harm what the others need; what it may see is no leak.
  const asOwner = !isScim && random.chance(0.08) && /^(list|get|cordon|up|drain|read|explain|dryRun)/.test(id);
  const token = asOwner
    ? server.ownerToken
    : random.chance(0.03)
      ? undefined
      : isScim
        ? world.scim.token
        : attacker.token;
  const answer = await send(server.url, agent, token, request);
  count.requests++;
  count.slowestMs = Math.max(count.slowestMs, answer.ms);
  tally(count, answer.status ?? (answer.hang ? "none" : answer.cut ? "cut" : "unsent"));
  if (answer.hang) blame("hangs", request, answer);
  if (answer.status >= 500) blame("serverErrors", request, answer);
  const heard = `${answer.text ?? ""}${JSON.stringify(answer.headers ?? {})}`;
  if (!asOwner && heard.includes(world.canary)) blame("leaks", request, answer);
}

function tally(count, status) {
  count.byStatus[status] = (count.byStatus[status] ?? 0) + 1;
}

function shortened(value) {
  return JSON.stringify(value, (_key, part) =>
    typeof part === "string" && part.length > 300 ? `${part.slice(0, 300)}…` : part,
  )?.slice(0, 2000);
}

/** The other tenant goes about its work, so that there is always something new that could leak. */
async function neighbour(server, world, until) {
  const agent = new http.Agent({ keepAlive: true });
  const { canary, victim } = world;
  for (let n = 0; performance.now() < until && server.alive(); n++) {
    const body = { name: `${canary}-${n}`, run: `echo ${canary}`, project: "victim", env: { X: canary } };
    const request = {
      method: "POST",
      path: "/v1/jobs",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    await send(server.url, agent, victim.token, request);
    await sleep(250);
  }
  agent.destroy();
}

/** Afterwards all is as it should be: nodes take work, and a job runs. */
async function runsAJob({ url, ownerToken }) {
  const agent = new http.Agent({ keepAlive: true });
  const ask = (method, path, body) => must(url, agent, ownerToken, method, path, body);
  try {
    for (const { name } of (await ask("GET", "/v1/nodes")).items) await ask("POST", `/v1/nodes/${name}/up`, {});
    await ask("POST", "/v1/accounts", { path: "after" });
    const { id } = await ask("POST", "/v1/jobs", { run: "exit 7", gpus: 1, project: "after" });
    for (const until = performance.now() + jobMsMax; performance.now() < until; await sleep(100)) {
      const { state, exitCode } = await ask("GET", `/v1/jobs/${id}`);
      if (state === "ended") return exitCode === 7;
    }
    return false;
  } finally {
    agent.destroy();
  }
}

/** Jobs outlive the server by design, so they are ended before it goes. Answers how many could not be. */
async function endJobs({ url, ownerToken }) {
  const agent = new http.Agent({ keepAlive: true });
  const ask = (method, path, body) => must(url, agent, ownerToken, method, path, body);
  try {
    // What waits must not begin while what runs is ended.
    for (const { name } of (await ask("GET", "/v1/nodes")).items) await ask("POST", `/v1/nodes/${name}/cordon`, {});
    const asked = new Set();
    for (const until = performance.now() + jobMsMax; ; await sleep(200)) {
      const running = await runningJobs(ask);
      if (running.length === 0 || performance.now() > until) return running.length;
      for (const id of running.filter((each) => !asked.has(each))) {
        asked.add(id);
        await ask("POST", `/v1/jobs/${id}/cancel`, { force: true });
      }
    }
  } finally {
    agent.destroy();
  }
}

async function runningJobs(ask) {
  const ids = [];
  for (let cursor = ""; ; ) {
    const page = await ask("GET", `/v1/jobs?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    ids.push(...page.items.filter(({ members }) => members.length > 0).map(({ id }) => id));
    if (page.next === undefined) return ids;
    cursor = page.next;
  }
}
