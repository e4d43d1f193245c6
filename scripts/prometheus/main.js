import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startServer } from "../fuzz/server.js";
import { Results } from "../kubernetes/test/results.js";
import { orExplain } from "../launch/launch.js";
import { root } from "../launch/root.js";
import { panelQueries } from "./panels.js";
import { findPrometheus, promtool } from "./programs.js";
import { startPrometheus } from "./server.js";
import { setStage } from "./stage.js";

const usage = `npm run test:prometheus: a real Prometheus scrapes a real server with simulated GPUs, which writes samples to it

  --port N  port for Prometheus, on loopback (default 7351)
  --json    one JSON object as the last line, and nothing else on standard output

Each query of each dashboard of deploy/grafana must return data, and promtool must find nothing to say about rules and metrics.
Installs the Debian package prometheus where it is missing, which needs root.
Example: npm run test:prometheus -- --json`;
const measuredMsMax = 60_000;
const deployed = join(root, "deploy/prometheus");

async function main() {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "7351" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const say = (text) => console.error(text);
  const beganAt = Date.now();
  const version = findPrometheus(say);
  const results = new Results(say);
  const remote = `http://127.0.0.1:${values.port}/api/v1/write`;
  const server = await startServer(["--simulated", "4x8:H100", "--remote-write", remote]);
  let prometheus;
  try {
    const stage = await setStage(server);
    const tokens = { tessera: server.ownerToken, "tessera-tenant": stage.users.ana };
    prometheus = await startPrometheus({ target: new URL(server.url).host, tokens, port: Number(values.port) });
    await untilMeasured(prometheus, say);
    await checkRules(results, prometheus);
    await checkMetrics(results, stage, server);
    await checkPanels(results, prometheus);
    await checkTenant(results, prometheus);
    await checkRemoteWrite(results, prometheus);
  } finally {
    await prometheus?.stop();
    await server.stop();
    server.remove();
  }
  const report = { prometheus: version, seconds: Math.round((Date.now() - beganAt) / 1_000), ...results.summary };
  console.log(JSON.stringify(report, null, values.json ? undefined : 2));
  if (report.failed > 0) process.exitCode = 1;
}

/** Until there are samples of what is leased, and two scrapes to make rates of. */
async function untilMeasured(prometheus, say) {
  say("waiting for samples");
  const startedAt = performance.now();
  const there = async () => {
    const [busy] = await prometheus.query("count_over_time(tessera_tenant_busy_gpus[1m]) > 3");
    return busy !== undefined;
  };
  while (!(await there())) {
    if (performance.now() - startedAt > measuredMsMax) throw new Error("no samples in a minute");
    await sleep(500);
  }
}

async function checkRules(results, prometheus) {
  await results.check("promtool check rules", () => promtool(["check", "rules", `${deployed}/rules.yaml`]) !== "");
  await results.check("promtool test rules", () => promtool(["test", "rules", `${deployed}/rules.test.yaml`]) !== "");
  await results.check("promtool check config", () => promtool(["check", "config", prometheus.file]) !== "");
  await results.check("all rules are evaluated without an error", async () => {
    const answer = await fetch(`${prometheus.url}/api/v1/rules`);
    const rules = (await answer.json()).data.groups.flatMap((group) => group.rules);
    const wrong = rules.filter(({ health }) => health !== "ok").map(({ name, lastError }) => `${name}: ${lastError}`);
    return rules.length > 0 && wrong.length === 0 ? true : wrong;
  });
}

async function checkMetrics(results, { users, metrics }, { ownerToken }) {
  for (const [who, token, path] of [
    ["the owner", ownerToken, "/metrics"],
    ["a tenant", users.ana, "/metrics"],
    ["a tenant", users.ana, "/metrics/tenant"],
  ]) {
    const text = await metrics(token, path);
    const lines = text.split("\n").length;
    await results.check(`promtool check metrics: ${path} of ${who} (${lines} lines)`, () => {
      const said = promtool(["check", "metrics"], text);
      return said === "" ? true : said;
    });
  }
}

async function checkPanels(results, prometheus) {
  for (const { dashboard, title, expr } of panelQueries())
    await results.check(`${dashboard}: ${title}: ${expr}`, async () => {
      const series = await prometheus.query(expr);
      return series.length > 0 ? true : "no data";
    });
}

async function checkTenant(results, prometheus) {
  await results.check("a tenant's series have its own accounts only", async () => {
    const series = await prometheus.query('{__name__=~"tessera_tenant_.+"}');
    const accounts = [...new Set(series.map(({ metric }) => metric.account).filter(Boolean))].sort();
    const text = JSON.stringify(series);
    if (text.includes("rival") || text.includes("zqcanary")) return "another tenant's name";
    return accounts.join() === "acme,acme/vision" ? true : accounts;
  });
}

async function checkRemoteWrite(results, prometheus) {
  await results.check("samples of all GPUs were written to it, with the labels of leases", async () => {
    const gpus = await prometheus.query("count(tessera_gpu_active_ratio)");
    const [held] = await prometheus.query('count(tessera_gpu_active_ratio{account="acme/vision"})');
    return gpus[0]?.value[1] === "32" && held?.value[1] === "8" ? true : { gpus, held };
  });
  await results.check("written samples are in base units", async () => {
    const wrong = await prometheus.query("tessera_gpu_active_ratio > 1 or tessera_gpu_power_watts > 2000");
    const power = await prometheus.query("tessera_gpu_power_watts > 1");
    return wrong.length === 0 && power.length > 0 ? true : wrong;
  });
}

await orExplain(main);
