import { openServer } from "./server.js";
import { stopAll } from "./wave.js";
import { setUp } from "./ways.js";

/** Runs every way with every form at every place, and counts. */
export async function prove({ places, ways, forms, say }) {
  const verdicts = [];
  for (const place of places) {
    const left = [...ways];
    while (left.length > 0) verdicts.push(...(await proveAt(place, left, forms, say)));
  }
  const countOf = (field) => {
    const asked = verdicts.filter((verdict) => verdict[field] !== undefined);
    return { good: asked.filter((verdict) => verdict[field]).length, of: asked.length };
  };
  const [wholeGrace, saved, resumed] = ["grace", "saved", "resumed"].map(countOf);
  return {
    counts: { jobs: verdicts.length, wholeGrace, saved, resumed },
    failures: verdicts.filter((verdict) => !isGood(verdict)),
  };
}

/** Takes one way after the other off the list, on one server; a way that breaks down leaves the rest to the next server. */
async function proveAt(place, left, forms, say) {
  const server = await openServer(place);
  const interrupted = () => server.close().finally(() => process.exit(130));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, interrupted);
  const verdicts = [];
  let way;
  try {
    await setUp(server);
    const means = await meansOf(server);
    if (means !== place.means) throw new Error(`jobs here are closed in with ${means}`);
    for (way = left.shift(); way !== undefined; way = left.shift()) {
      const startedAt = performance.now();
      const found = await stopAll(server, way, forms);
      verdicts.push(...found.map((verdict) => ({ place: place.name, ...verdict })));
      const bad = found.filter((verdict) => !isGood(verdict));
      for (const verdict of bad) say(`failed: ${JSON.stringify(verdict)}`);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      const good = `${found.length - bad.length} of ${found.length} good`;
      say(`${place.name.padEnd(12)} ${way.padEnd(14)} ${good} (${seconds} s)`);
    }
  } catch (error) {
    say(`failed: ${place.name} ${way ?? "set up"}: ${error.message}`);
    if (way === undefined) left.length = 0;
    verdicts.push({ place: place.name, way, grace: false, error: error.message });
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, interrupted);
    await server.close();
  }
  return verdicts;
}

function isGood({ grace, saved = true, resumed = true }) {
  return grace && saved && resumed;
}

/** What the server itself says of how it closes jobs in. */
async function meansOf({ tess, get }) {
  await tess("-p", "guest", "run", "-d", "--name", "means", "--", "sleep", "1000");
  await tess("wait", "means", "--for", "running", "--timeout", "30s");
  const { members } = JSON.parse(await get("/v1/jobs/means"));
  await tess("cancel", "means");
  const { seccomp = "", tenant = "" } = members?.[0]?.enforcement ?? {};
  if (seccomp === "bwrap") return "bwrap";
  return tenant.includes("pid-namespace") ? "unshare" : "none";
}
