import { setTimeout as sleep } from "node:timers/promises";
import { walkAccounts } from "../../packages/server/dist/testing/account-walk.js";
import { fleetOf, TestControl } from "../../packages/server/dist/testing/control.js";
import { walkScopes } from "../../packages/server/dist/testing/scope-walk.js";
import { serveApi } from "../../packages/server/dist/testing/tenancy.js";
import { until } from "../places/server.js";
import { askEveryRoute } from "./rights/routes.js";
import { streams, talkingJob, tokenStreams } from "./rights/streams.js";

const secondsMax = 5;
const password = "seven geese ate my homework";

/** Each way to lose a right: makes the caller, and takes the right away. */
const ways = {
  "token revoked": {
    headers: async ({ token }) => ({ authorization: `Bearer ${token}` }),
    lose: (server, { tokenId }) => must(server, "DELETE", `/v1/tokens/${tokenId}`),
  },
  "user disabled": {
    headers: async ({ token }) => ({ authorization: `Bearer ${token}` }),
    lose: (server, { id }) => must(server, "POST", `/v1/users/${id}/disable`, {}),
  },
  "role unbound": {
    lostRole: true,
    headers: async ({ token }) => ({ authorization: `Bearer ${token}` }),
    lose: (server, { id }) =>
      must(server, "DELETE", `/v1/role-bindings/${encodeURIComponent(`${id}:team-admin:local`)}`),
  },
  "session ended": {
    headers: (person, server) => signedIn(server, person),
    lose: (server, _person, headers) => must(server, "DELETE", "/v1/session", undefined, null, headers),
  },
};

/**
 * Opens every kind of stream for every way to lose a right, takes the right away, and says after how many seconds each
 * was at an end; then asks every route.
 */
export async function proveRevocation({ openServer, place, say = () => {} }) {
  const server = await openServer({ place });
  try {
    const { id: job } = await must(server, "POST", "/v1/jobs", { ...talkingJob, project: "local" });
    await until("the job talks", 60_000, () => talks(server, job));
    const seen = [];
    for (const [way, { headers, lose, lostRole = false }] of Object.entries(ways)) {
      const person = await newPerson(server, way.replace(" ", "-"));
      const caller = { url: server.url, job, user: person.id, headers: await headers(person, server) };
      const opened = await openAll(caller);
      await until(`every stream of ${way} is heard`, 30_000, () => opened.every(({ stream }) => stream.heard()));
      const early = opened.filter((each) => each.closed).map(({ name }) => name);
      if (early.length > 0) throw new Error(`closed before ${way}: ${early.join(", ")}`);
      await lose(server, person, caller.headers);
      const lostAt = performance.now();
      for (const { stream } of opened) stream.drain();
      const routes = await askEveryRoute(caller, { lostRole });
      for (const { name, stream } of opened)
        seen.push({ way, stream: name, seconds: await secondsUntil(stream, lostAt) });
      seen.push({ way, stream: "routes", seconds: routes.answered.length === 0 ? 0 : null, ...routes });
      say(`${way}: ${summary(seen.filter((each) => each.way === way))}`);
    }
    const seconds = seen.map((each) => each.seconds ?? Number.POSITIVE_INFINITY);
    return { held: Math.max(...seconds) <= secondsMax, worstSeconds: Math.max(...seconds), seen };
  } finally {
    await server.close();
  }
}

/**
 * Gives tokens random sets of scopes and sends what the sets do not name, through the whole API: nothing may be answered.
 * The same seed makes the same sets.
 */
export async function proveScopes({ sets = 10_000, seed = 1 } = {}) {
  const walk = await walkScopes(sets, seed);
  return { held: walk.beyond.length === 0 && walk.answered > 0, ...walk };
}

/** Walks every route as every role with tokens that are limited to one of two tenants: the other one stays out of reach. */
export async function proveLimits() {
  const control = await TestControl.start(undefined, fleetOf(1, 8));
  const api = await serveApi(control);
  try {
    const { tried, answered, watched, beyond } = await walkAccounts(control, api);
    return { held: beyond.length === 0 && answered > 0 && watched > 0, tried, answered, watched, beyond };
  } finally {
    await api.close();
  }
}

async function must(server, method, path, body, token, headers) {
  const answer = await server.api(method, path, body, token === null ? "" : token, headers);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json ?? {};
}

async function talks(server, job) {
  const { text } = await server.api("GET", `/v1/jobs/${job}/logs`);
  const { json } = await server.api("GET", `/v1/jobs/${job}`);
  if (json.state === "ended") throw new Error(`the job did not run: ${text.slice(-300)}`);
  return text.includes("still here");
}

async function newPerson(server, name) {
  const { id } = await must(server, "POST", "/v1/users", { name, role: "team-admin", account: "local" });
  const { token, id: tokenId } = await must(server, "POST", "/v1/tokens", { user: name });
  await must(server, "PUT", `/v1/users/${id}/password`, { password });
  return { id, name, token, tokenId };
}

/** What a browser sends once its user has signed in. */
async function signedIn(server, { name }) {
  const origin = { origin: server.url, "sec-fetch-site": "same-origin" };
  const answer = await server.api("POST", "/v1/session", { name, password }, "", origin);
  if (answer.status !== 200) throw new Error(`signing in: ${answer.status} ${answer.text}`);
  const cookie = answer.headers.getSetCookie().map((each) => each.split(";")[0]);
  return { cookie: cookie.join("; "), "tessera-proof": answer.json.proof, ...origin };
}

async function openAll(caller) {
  const opened = [];
  const kinds = "authorization" in caller.headers ? { ...streams, ...tokenStreams } : streams;
  for (const [name, open] of Object.entries(kinds)) {
    const each = { name, stream: await open(caller), closed: false };
    void each.stream.closed.then(() => {
      each.closed = true;
    });
    opened.push(each);
  }
  return opened;
}

/** null when it goes on for more than twice as long as it may. */
async function secondsUntil(stream, lostAt) {
  const closedAt = await Promise.race([stream.closed, sleep(2 * secondsMax * 1000, null)]);
  stream.end();
  return closedAt === null ? null : Math.max(0, Number(((closedAt - lostAt) / 1000).toFixed(2)));
}

function summary(seen) {
  return seen.map(({ stream, seconds }) => `${stream} ${seconds === null ? "GOES ON" : `${seconds} s`}`).join(", ");
}
