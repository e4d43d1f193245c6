import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse, stringify } from "yaml";
import { root } from "../launch/root.js";

const deployed = join(root, "deploy/prometheus");
const startMsMax = 30_000;

/** A real Prometheus with the scrape configuration that is handed out, pointed at a server; on loopback. */
export async function startPrometheus({ target, tokens, port }) {
  const folder = mkdtempSync(join(tmpdir(), "tess-prometheus-"));
  const config = configFor({ target, tokens, folder });
  const file = join(folder, "prometheus.yaml");
  writeFileSync(file, stringify(config));
  const data = join(folder, "data");
  mkdirSync(data);
  const address = `127.0.0.1:${port}`;
  const child = spawn(
    "prometheus",
    [
      ...[`--config.file=${file}`, `--storage.tsdb.path=${data}`, `--web.listen-address=${address}`],
      ...["--log.level=warn", "--web.enable-remote-write-receiver"],
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  child.stderr.on("data", (part) => {
    said = (said + part).slice(-10_000);
  });
  const url = `http://${address}`;
  const stop = async () => {
    if (child.exitCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const startedAt = performance.now();
  while (!(await isReady(url))) {
    if (child.exitCode !== null || performance.now() - startedAt > startMsMax) {
      await stop();
      throw new Error(`Prometheus did not start: ${said}`);
    }
    await sleep(100);
  }
  return { url, file, stop, query: (expr) => query(url, expr) };
}

/** As it is handed out, with this server, these tokens and a short interval instead. */
function configFor({ target, tokens, folder }) {
  const config = parse(readFileSync(join(deployed, "prometheus.yaml"), "utf8"));
  return {
    ...config,
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: [join(deployed, "rules.yaml")],
    scrape_configs: config.scrape_configs.map((scrape) => {
      const credentials = join(folder, `${scrape.job_name}.token`);
      writeFileSync(credentials, tokens[scrape.job_name], { mode: 0o600 });
      return {
        ...scrape,
        static_configs: [{ targets: [target] }],
        authorization: { credentials_file: credentials },
      };
    }),
  };
}

async function isReady(url) {
  const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
  return answer?.ok === true;
}

/** The series that an expression gives now. */
async function query(url, expr) {
  const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expr })}`);
  const { status, data, error } = await answer.json();
  if (status !== "success") throw new Error(`${expr}: ${error}`);
  return data.result;
}
