import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Answers to a request that the document allows. 412 and 422 are beyond what Schemathesis expects by itself: a random
 * revision is never the present one, and some rules hold between fields or depend on the fleet, which no schema can
 * say. A request refused for its shape is answered 400, and so is still a failure. 5xx are not accepted at all.
 */
const acceptable = ["2xx", "401", "403", "404", "409", "412", "422", "429"];

function configOf(parameters) {
  const fixed = Object.entries(parameters).map(([name, value]) => `"path.${name}" = ${JSON.stringify(value)}`);
  return [
    "continue-on-failure = true",
    "[checks.positive_data_acceptance]",
    `expected-statuses = ${JSON.stringify(acceptable)}`,
    ...(fixed.length > 0 ? ["[parameters]", ...fixed] : []),
  ].join("\n");
}

/** Runs all checks of Schemathesis on the server's own document, with these values in its paths. */
export async function runChecks({ program, server, token, name, phases, parameters, seed, examples }) {
  const config = join(server.data, `${name}.toml`);
  const report = join(server.data, `${name}.json`);
  writeFileSync(config, configOf(parameters));
  const child = spawn(
    program,
    [
      ...["--config-file", config, "run", `${server.url}/openapi.json`, "-H", `Authorization: Bearer ${token}`],
      ...["--phases", phases, "--checks", "all", "--seed", String(seed), "-n", String(examples), "--workers", "1"],
      // How fast it makes up requests depends on this machine, and says nothing of the API.
      ...["--suppress-health-check", "too_slow"],
      ...["--report", "json", "--report-json-path", report],
    ],
    // What it learns of a server is not kept: every run begins with the same knowledge.
    { cwd: server.data, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, NO_COLOR: "1" } },
  );
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (part) => {
      said += part;
    });
  }
  await once(child, "close");
  const { operations, test_cases, failures, errors } = JSON.parse(readFileSync(report, "utf8"));
  const count = (list) => list.reduce((sum, each) => sum + each.count, 0);
  const result = {
    operations: operations.tested,
    requests: test_cases.generated,
    failures: count(failures),
    errors: count(errors),
  };
  const good = result.failures + result.errors === 0 && operations.tested === operations.total;
  if (!good) console.error(said);
  return { good, result };
}
