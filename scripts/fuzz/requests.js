import { hostileBody, hostileHeaders, hostileText, hostileValue } from "./hostile.js";

const never = "2100-01-01T00:00:00Z";
/** What really runs on this machine is harmless, whatever else is asked for. */
const harmless = ["true", "exit 3", "echo hello", "sleep 0.02"];

/** A request for this route that could be right, to be made wrong afterwards. */
function plausible(random, id, world) {
  const name = () => `fz${random.below(40)}`;
  const account = random.pick(world.accounts);
  const job = () => ({
    name: name(),
    run: random.pick(harmless),
    project: account,
    gpus: random.pick([0, 1, "H100:1", ["H100:2", "A100:1"], { any: [1] }]),
    ...(random.chance(0.95) && { not_before: never }),
    ...(random.chance(0.2) && { array: random.pick(["1-3", "0-9:3%2"]) }),
    ...(random.chance(0.2) && { after: random.pick([...world.jobs, name()]) }),
    ...(random.chance(0.2) && { env: { A: "b", N: 1 }, secrets: ["S"] }),
    ...(random.chance(0.2) && { deadline: "2101-01-01T00:00", tz: "Europe/Berlin", retry: { max: 1 } }),
    ...(random.chance(0.2) && {
      checkpoint: { signal: "SIGUSR1", grace: "1m" },
      memory: "1GiB",
      cpus: 0.5,
      max_time: "1h",
    }),
  });
  switch (id) {
    case "submitJob":
    case "applyJob":
    case "dryRunJob":
    case "estimateJob":
      return job();
    case "createAccount":
      return {
        path: `${account}/${name()}`,
        weight: 1,
        guarantee: 0,
        limits: { gpusPerJob: 4 },
        allowed: { models: ["H100"] },
      };
    case "previewAccount":
    case "editAccount":
      return { weight: random.below(9), max: random.pick([null, 4, { H100: 2 }]), limits: {}, cpus: { max: 4 } };
    case "putSecret":
      return { value: random.text(20) };
    case "putGrants":
      return { grants: random.pick([null, [], [{ access: "read", accounts: [random.pick(world.accounts)] }]]) };
    case "createUser":
      return {
        name: `${name()}.${random.below(1e6)}`,
        email: "a@b.example",
        role: random.pick(["member", "viewer", "platform-owner"]),
        account,
      };
    case "setPassword":
      return { password: random.text(4) }; // too short on purpose: a good one costs a second of a core
    case "bindRole":
      return {
        user: random.pick(world.users),
        role: random.pick(["member", "viewer", "auditor", "platform-owner"]),
        account: random.pick([account, ""]),
      };
    case "createToken":
      return {
        label: name(),
        scopes: random.pick([[], ["job.read"]]),
        expiresIn: "1h",
        ...(random.chance(0.3) && { user: random.pick(world.users) }),
      };
    case "offerFactor":
      return { kind: random.pick(["totp", "passkey"]) };
    case "addFactor":
    case "allowStepUp":
    case "showFactor":
      return random.chance(0.5)
        ? { code: String(random.below(1e6)).padStart(6, "0") }
        : { passkey: { id: "AAAA", clientDataJSON: "e30", attestationObject: "oA" } };
    case "cordonNode":
    case "downNode":
      return { reason: name() };
    case "checkNode":
      return random.chance(0.5) ? {} : { checks: [random.pick(["memory-pattern", "copy-bandwidth", name()])] };
    case "closeRepair":
      return { reason: name() };
    case "cordonEngine":
      return { reason: name() };
    case "createEngine":
      return {
        name: name(),
        kind: random.pick(["kubernetes", "simulated"]),
        settings: random.pick([{}, { context: "c" }, { fleet: "1x1:H100" }]),
        lostAfter: random.pick(["10m", null]),
        ...(random.chance(0.5) && { kubeconfig: random.pick(["", "apiVersion: v1", "{}", "[", random.text(50)]) }),
      };
    case "editEngine":
      return { lostAfter: random.pick(["10m", null]), settings: { context: random.pick(["c", null]) } };
    case "beginLogin":
      return {
        challenge: "x".repeat(43),
        label: name(),
        ...(random.chance(0.5) && { port: 40_000 + random.below(100) }),
      };
    case "nameSession":
      return { label: name() };
    case "beginStepUp":
      return { request: name(), challenge: "x".repeat(43) };
    case "takeStepUp":
    case "takeLogin":
      return { verifier: "x".repeat(43), ...(random.chance(0.5) && { code: "y".repeat(43) }) };
    case "beginSignIn":
      return { provider: name() };
    case "putProvider":
      return {
        issuer: random.pick(["http://127.0.0.1:9", "https://127.0.0.1:9/x", "http://10.0.0.1/", "https://[::1]:9"]),
        clientId: name(),
        clientSecret: name(),
        label: name(),
        rules: [{ group: name(), role: "member", account }],
      };
    case "putExchange":
      return {
        issuer: random.pick(["http://127.0.0.1:9", "https://127.0.0.1:9/x", "https://[::1]:9"]),
        audience: name(),
        serviceAccount: random.pick(world.users),
        rules: [{ claim: name(), value: random.pick([name(), "acme/*", "*", "a**b**c"]) }],
        account,
        tokenLife: random.pick(["15m", "1s", "2h"]),
        jwks: random.pick(["", "{}", "no JSON", '{"keys":[{"kty":"oct","k":"AA"}]}']),
      };
    case "previewExchange":
      return { token: random.pick([name(), "a.b.c", "x".repeat(8_000)]) };
    case "previewProvider":
      return { rules: [{ group: "g", role: "member", account }], groups: ["g", name()] };
    case "linkIdentity":
      return { user: random.pick(world.users), subject: name() };
    case "createPool":
      return {
        name: name(),
        labels: { [random.pick(["engine", "region", "a.example/b"])]: name() },
        tenants: [account],
        price: "1.5",
        mode: random.pick(["any", "mig", "timeslice"]),
        ratio: random.pick([1, 2, 4, 5]),
        trust: random.pick(["trusted", "confidential"]),
      };
    case "editPool":
      return {
        labels: { tier: name() },
        tenants: random.pick([null, [account]]),
        price: random.pick(["0", "2.125"]),
        mode: random.pick([null, "whole", "mps"]),
        ratio: random.pick([0, 1, 3]),
        trust: random.pick([null, "untrusted"]),
      };
    case "drainNode":
      return { reason: name(), within: "1h" };
    case "addPrices":
    case "previewPrices":
      return {
        id: `list-${random.below(1000)}`,
        currency: random.pick(["EUR", "JPY"]),
        from: random.pick(["2026-01-01T00:00", "2099-01-01T00:00"]),
        gpus: [{ model: "*", reservedMicros: 1_000_000, burstMicros: random.pick([0, 2_000_000, 1_000_000_000_000]) }],
      };
    case "setContract":
      return { from: "2026-01-01T00:00", to: "2027-01-01T00:00", perMille: random.below(2000) };
    case "setBudget":
      return { limitMicros: random.pick(["1", "1000000", "9".repeat(30)]), stop: random.pick(["alert", "stop-burst"]) };
    case "postEntry":
      return {
        account: random.pick([...world.accounts, ...world.bait]),
        kind: random.pick(["payment", "hold", "post", "void", "adjustment"]),
        micros: random.pick(["1000000", "-1", "0", "9".repeat(30)]),
        memo: name(),
      };
    case "enterJob":
      return {
        how: random.pick(["exec", "terminal", "port", "page"]),
        rank: random.below(3),
        ...(random.chance(0.5) && { command: random.pick(harmless) }),
        ...(random.chance(0.3) && { port: random.pick([1, 80, 65_535]), columns: 80, rows: 24, term: "xterm" }),
      };
    case "closePeriod":
      return { period: random.pick(["2026-10", "1970-01", "9999-12"]) };
    default:
      return {};
  }
}

function paramOf(random, name, world) {
  const known = {
    job: [...world.jobs, ...world.bait],
    account: [...world.accounts, ...world.bait],
    user: [...world.users, ...world.bait],
    token: world.tokenIds,
    session: world.tokenIds,
    exchange: ["fz1", ...world.bait],
    binding: world.users.map((user) => `${user}:member:${world.accounts[0]}`),
    secret: ["S", "T"],
    volume: ["data", "scratch"],
    node: world.nodes,
    repair: ["1", "2", "0", ...world.bait],
    engine: ["local", "fz1", "fz2", ...world.bait],
    pool: ["fz1", "fz2", "fz3", ...world.bait],
    login: ["BCDF-GHJK", ...world.bait],
    code: ["BCDF-GHJK", ...world.bait],
    topic: ["t1", "jobs", ...world.bait],
    provider: ["fz1", "fz2", ...world.bait],
    period: ["open", "2026-10", "2026-11"],
    line: ["1", "2"],
    factor: ["recovery", "fac_0000000000000000", ...world.bait],
    entrance: ["ent_0000000000000000", ...world.bait],
    run: ["wif_0000000000000000", ...world.bait],
    anchor: ["anc_0000000000000000", ...world.bait],
  }[name];
  if (known === undefined) throw new Error(`no values for :${name} of a route: add some here`);
  return random.chance(0.8) ? random.pick(known) : hostileText(random, world.bait).slice(0, 3000);
}

function queryOf(random, route, world) {
  const names = Object.keys(route.query?.properties ?? {});
  const query = new URLSearchParams();
  for (const name of names) {
    if (!random.chance(0.4)) continue;
    const good =
      {
        limit: "10",
        state: random.pick(["all", "live", "ended", "waiting"]),
        by: random.pick(["account", "user", "job", "gpu", "node", "day", "class", "reason", "level"]),
        follow: "false",
        rank: "0",
        attempt: "1",
        from: "1h",
        to: "0s",
        since: "5m",
        step: random.pick(["10s", "5m", "1h"]),
        metric: random.pick(["activity", "power", "cpu", "allocated", "waiting", "wait_p90", "largest_gang"]),
      }[name] ?? random.pick([...world.accounts, ...world.users, ...world.jobs, ...world.nodes]);
    query.append(name, random.chance(0.6) ? good : String(hostileText(random, world.bait)).slice(0, 2000));
  }
  if (random.chance(0.05)) query.append(hostileText(random, world.bait).slice(0, 100), "x");
  return query.size === 0 ? "" : `?${query}`;
}

/** One part of a body replaced, taken away or added. */
function mutated(random, body, bait) {
  const copy = { ...body };
  const keys = Object.keys(copy);
  for (let i = random.below(3); i >= 0; i--) {
    const key = random.pick(keys.length === 0 ? ["x"] : keys);
    const what = random.below(4);
    if (what === 0) delete copy[key];
    else if (what === 1) copy[hostileText(random, bait).slice(0, 50) || "y"] = hostileValue(random, bait);
    else if (key !== "run" || what === 2)
      copy[key] = key === "run" ? random.pick([7, [], {}, null, "", "x".repeat(300_000)]) : hostileValue(random, bait);
  }
  return copy;
}

/** A request for this route: right, slightly wrong, or hostile. Nothing but `harmless` ever gets as far as a shell. */
export function makeRequest(random, id, route, world) {
  const path = route.path.replaceAll(/:(\w+)/g, (_all, name) => encodeURIComponent(paramOf(random, name, world)));
  const odd = random.chance(0.03) ? random.pick(["//", "/%00", "/..", "?%", "/%ZZ", "#x", "/%e0%a4%a"]) : "";
  const headers = random.chance(0.25) ? hostileHeaders(random, world.bait) : {};
  const method = random.chance(0.03)
    ? random.pick(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
    : route.method;
  const request = { id, method, path: `${path}${odd}${queryOf(random, route, world)}`, headers, body: undefined };
  if (route.watch && random.chance(0.15)) request.headers = { ...headers, accept: "text/event-stream" };
  if (route.body === undefined && !random.chance(0.05)) return request;
  if (random.chance(0.15)) {
    const [type, body] = hostileBody(random);
    return { ...request, headers: { ...request.headers, "content-type": type }, body };
  }
  const body = plausible(random, id, world);
  const sent = random.chance(0.4) ? mutated(random, body, world.bait) : body;
  const key = route.creates && random.chance(0.3) ? { "idempotency-key": `k${random.below(50)}` } : {};
  return {
    ...request,
    headers: { "content-type": "application/json", ...key, ...request.headers },
    body: JSON.stringify(sent),
  };
}
