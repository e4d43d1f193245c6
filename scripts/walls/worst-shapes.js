const mebibyte = 1024 * 1024;
const json = { "content-type": "application/json" };
const yaml = { "content-type": "application/yaml" };

const repeated = (piece, bytes) => Array.from({ length: Math.floor(bytes / piece(0).length) }, (_, i) => piece(i));
const manyKeys = `{${repeated((i) => `"k${100_000 + i}":0`, 0.9 * mebibyte).join()}}`;
const fewerKeys = `{${repeated((i) => `"k${100_000 + i}":0`, 0.4 * mebibyte).join()}}`;
const nested = `{"a":${"[".repeat(30)}${"[],".repeat(0.3 * mebibyte)}[]${"]".repeat(30)}}`;
const manyKeysYaml = repeated((i) => `k${100_000 + i}: 0\n`, 0.9 * mebibyte).join("");
const longTextYaml = `run: |\n${"  echo a line of a long script\n".repeat(30_000)}`;
const manyLinesYaml = `env:\n${repeated((i) => `  K${100_000 + i}: "${"x".repeat(80)}"\n`, 0.8 * mebibyte).join("")}`;

/** Requests of a route that take the longest: the largest bodies, the longest spans, the widest lists. */
export function requestsFor(id, route, world) {
  const path = pathOf(id, route, world);
  const { method } = route;
  const requests = queriesOf(id, route).map((query) => ({
    ...{ method, path: `${path}${query}`, what: query.slice(0, 60) || "plain" },
    ...bodyOf(id, route, world),
  }));
  if (route.watch) {
    const headers = { accept: "text/event-stream" };
    requests.push({ method, path: `${path}${widest(route)}`, headers, what: "event stream" });
  }
  if (route.body === undefined) return requests;
  const bodies = [
    [manyKeys, json, "many keys"],
    [fewerKeys, json, "as many keys as are read"],
    [nested, json, "nested"],
    ...(route.yaml
      ? [
          [manyKeysYaml, yaml, "many keys in YAML"],
          [longTextYaml, yaml, "a long text in YAML"],
          [manyLinesYaml, yaml, "a long map in YAML"],
        ]
      : []),
  ];
  for (const [body, headers, what] of bodies) requests.push({ method, path, body, headers, what });
  return requests;
}

function pathOf(id, route, world) {
  const values = {
    job: /logs|file|output|enter/i.test(id) ? world.array : world.job,
    account: /invoice|extract|billing|contract|line/i.test(id) ? world.tenant : world.account,
    node: world.node,
    engine: "simulated",
    pool: "big",
    user: world.user,
    token: "tok_0000000000000000",
    binding: `${world.user}:viewer:${world.account}`,
    period: "open",
    line: "1",
    secret: "S",
    volume: "data",
  };
  return route.path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(values[name] ?? "none"));
}

/** Series that are made of the most lines. */
const journalShapes = ["metric=allocated&by=account", "metric=waiting&by=reason", "metric=wait_p90&by=account"];

/** The whole of everything, and each way of grouping it. */
function queriesOf(id, route) {
  const { by, state } = route.query?.properties ?? {};
  const whole = widest(route);
  const ways = by?.enum ?? state?.enum;
  if (ways === undefined) return [whole];
  const name = by === undefined ? "state" : "by";
  const all = ways.map((way) => `${whole === "" ? "?" : `${whole}&`}${name}=${way}`);
  if (id === "readSeries") return [...all, ...journalShapes.map((shape) => `${whole}&${shape}`)];
  return id === "listJobs"
    ? [...all, `${whole}&state=all&cost=true`, `${whole}&state=all&name=none`, "?limit=1000&state=waiting&sort=-gpus"]
    : all;
}

function widest(route) {
  const names = Object.keys(route.query?.properties ?? {});
  const values = {
    limit: String(route.query?.properties.limit?.maximum ?? 1000),
    q: "a",
    text: "a",
    count: "true",
    from: "1970-01-01T00:00:00Z",
    compare: "true",
    since: "10000d",
  };
  const query = new URLSearchParams(names.filter((name) => name in values).map((name) => [name, values[name]]));
  return query.size === 0 ? "" : `?${query}`;
}

/** A body that is right and asks for as much as it can, where a wrong one would be refused at once. */
function bodyOf(id, route, world) {
  if (route.body === undefined) return {};
  const job = { project: world.account, run: "true", gpus: 8, nodes: 6_000, after: world.job };
  const gpus = Array.from({ length: 50 }, (_, i) => ({
    ...{ model: i === 0 ? "*" : `M${i}`, reservedMicros: 1, burstMicros: 2 },
  }));
  const bodies = {
    submitJob: { ...job, array: "1-3000", not_before: "2100-01-01T00:00:00Z" },
    applyJob: { ...job, name: "applied", not_before: "2100-01-01T00:00:00Z" },
    dryRunJob: job,
    estimateJob: job,
    findMissing: {
      project: world.account,
      digests: Array.from({ length: 1_000 }, (_, i) => String(i).padStart(64, "0")),
    },
    previewPrices: { id: "other", currency: "EUR", from: "2026-01-01T00:00", gpus },
    closePeriod: { period: "2026-01" },
    setBudget: { limitMicros: "900000000001" },
    editAccount: { weight: 2 },
    previewAccount: { weight: 2 },
    createPool: { name: "big", labels: { engine: "simulated" } },
    editPool: { labels: { engine: "simulated" }, price: "2", mode: "timeslice", ratio: 4, trust: "trusted" },
    closeRepair: { reason: "x" },
    checkNode: { checks: Array.from({ length: 100 }, (_, i) => `check-${i}`) },
    beginLogin: { challenge: "x".repeat(43), label: "x" },
    takeLogin: { verifier: "x".repeat(43) },
    nameSession: { label: "x" },
    beginStepUp: { request: "req_x", challenge: "x".repeat(43) },
    allowStepUp: { code: "000000" },
    takeStepUp: { verifier: "x".repeat(43) },
    beginSignIn: { provider: "corp" },
    putExchange: {
      issuer: "http://127.0.0.1:9",
      audience: "x",
      rules: Array.from({ length: 20 }, (_, i) => ({ claim: `c${i}`, value: "a*b*c*d*" })),
    },
    previewExchange: { token: "x".repeat(8_192) },
    putProvider: { issuer: "http://127.0.0.1:9", clientId: "x" },
    previewProvider: { groups: Array.from({ length: 200 }, (_, i) => `group-${i}`) },
    linkIdentity: { user: "ana", subject: "x" },
    cordonEngine: { reason: "x" },
    editEngine: { lostAfter: "1h" },
    createEngine: { name: "other", kind: "simulated", settings: { fleet: "1x1:H100" } },
  };
  return { body: JSON.stringify(bodies[id] ?? {}), headers: json };
}
