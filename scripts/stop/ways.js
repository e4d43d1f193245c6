/** The grace that the policy gives, and the one that each job asks for: told apart by their length. */
export const policyGraceMs = 3_000;
export const ownGraceMs = 4_000;

const soon = (ms) => new Date(Date.now() + ms).toISOString();
const nodes = ["virtual-0", "virtual-1"];
/** Needs every GPU of the fleet. */
const everything = ["--nodes", "2", "--gpus", "16", "--", "sleep", "1000"];

/**
 * Every way in which a running job is stopped. `fields` go into a job that comes up within `upMs`; `stop` is called when all jobs are up, and
 * `back` when they have left. A way with `returns` brings them back, with their own grace before.
 */
export const ways = {
  cancel: { stop: ({ tess }, jobs) => tess("cancel", ...jobs) },
  "time-limit": { fields: (upMs) => ({ max_time: `${upMs}ms` }) },
  deadline: { fields: (upMs) => ({ deadline: soon(upMs) }) },
  // A GPU costs 1 a second.
  "own-budget": { fields: (upMs) => ({ budget: upMs / 1000 }) },
  reclaim: {
    returns: true,
    stop: ({ tess }) => tess("-p", "own", "run", "-d", "--name", "owner", ...everything),
    back: ({ tess }) => tess("cancel", "owner"),
  },
  priority: {
    returns: true,
    stop: ({ tess }) => tess("-p", "guest", "run", "-d", "--name", "high", "--priority", "high", ...everything),
    back: ({ tess }) => tess("cancel", "high"),
  },
  drain: {
    returns: true,
    stop: ({ tess }) => tess("node", "drain", ...nodes, "--within", "0s"),
    back: ({ tess }) => tess("node", "up", ...nodes),
  },
  maintenance: {
    returns: true,
    stop: ({ tess }) => tess("node", "maintenance", ...nodes, "--to", soon(3_600_000)),
    back: ({ tess }) => tess("node", "maintenance", ...nodes, "--cancel"),
  },
  // All jobs are on the first node. The second has too little room for the mover, but enough for the jobs.
  move: {
    returns: true,
    async stop({ tess }) {
      await tess("node", "cordon", nodes[0]);
      await tess("-p", "guest", "run", "-d", "--name", "wall", "--gpus", "4", "--", "sleep", "1000");
      await tess("wait", "wall", "--for", "running", "--timeout", "30s");
      await tess("node", "up", nodes[0]);
      await tess("-p", "guest", "run", "-d", "--name", "mover", "--gpus", "16", "--", "sleep", "1000");
    },
    clean: ({ tess }) => tess("cancel", "wall", "mover"),
  },
  suspend: {
    returns: true,
    stop: ({ tess }, jobs) => tess("suspend", ...jobs),
    back: ({ tess }, jobs) => tess("resume", ...jobs),
  },
  requeue: { returns: true, stop: ({ tess }, jobs) => tess("requeue", ...jobs) },
  "account-budget": {
    returns: true,
    stop: ({ tess }) => tess("budget", "set", "guest", "--limit", "0.01", "--stop", "stop-all"),
    back: ({ tess }) => tess("budget", "delete", "guest"),
  },
};

/** The accounts, prices and policy that the ways need. */
export async function setUp({ tess, file }) {
  await tess("account", "create", "own", "--guarantee", "32");
  await tess("account", "create", "guest");
  const second = 3_600_000_000;
  const prices = { id: "list", from: "2020-01-01T00:00", tz: "UTC", currency: "EUR" };
  const gpus = [{ model: "*", reservedMicros: second, burstMicros: second }];
  await tess("price", "add", file("prices.json", { ...prices, gpus }));
  const grace = [
    "--grace",
    `${policyGraceMs}ms`,
    "--min-runtime",
    "0s",
    "--moves-per-hour",
    "100000",
    "--scrub",
    "off",
  ];
  await tess("policy", "set", ...grace);
}
