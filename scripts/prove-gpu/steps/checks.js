import { Counters, rules } from "../../../packages/engine-local/dist/health/counters.js";
import { runNvidiaSmi } from "../../../packages/engine-local/dist/telemetry/nvidia-smi.js";

/** `tess node check` on the one node of the lab; its results also where one of them failed. */
async function check(lab, ...words) {
  const { items } = await lab.must("GET", "/v1/nodes");
  const node = items[0].name;
  const out = await lab.server.tess("node", "check", node, "--json", ...words).catch((error) => error.stdout);
  const { mode, checks, findings } = JSON.parse(out);
  const shown = checks.map(({ name, result, measured, expected, text, ms }) => {
    return { name, result, measured, expected, text, ms };
  });
  return { mode, checks: shown, findings: findings.map(({ name, text }) => `${name}: ${text ?? ""}`) };
}

const needed = ["memory-pattern", "copy-bandwidth", "matrix-product"];

/** The checks that a new node must pass, with the thresholds of its model. */
export const checks = {
  name: "checks of the hardware",
  async prove(lab) {
    const seen = await check(lab);
    const passed = needed.every((name) => seen.checks.find((each) => each.name === name)?.result === "passed");
    return { passed: passed && seen.mode === "up", seen };
  },
};

/** A GPU whose MIG mode is on cannot be checked as a whole; that must not look like a fault of it. */
export const checksWhileCut = {
  name: "checks of a GPU that is cut",
  async prove(lab) {
    const seen = await check(lab, "--check", ...needed);
    const passed = seen.checks.every(({ result }) => result === "skipped") && seen.mode === "up";
    return { passed, seen };
  },
};

/** Every counter of errors that we watch is one that this driver knows, and none of them finds fault with this GPU. */
export const counters = {
  name: "counters of errors",
  async prove() {
    const fields = [...new Set(rules.flatMap((each) => each.fields))];
    const csv = await runNvidiaSmi([`--query-gpu=uuid,${fields.join(",")}`, "--format=csv,noheader,nounits"]);
    const [uuid, ...values] = csv.trim().split(", ");
    const watch = new Counters(runNvidiaSmi);
    const found = [];
    // Some are told only when they were wrong three times in a row.
    for (let times = 0; times < 3; times++) found.push(...(await watch.read([uuid])));
    const read = Object.fromEntries(fields.map((field, index) => [field, values[index]]));
    const links = await runNvidiaSmi(["nvlink", "--status"]).catch((error) => `refused: ${error.message}`);
    const told = values.filter((value) => !/^\[|N\/A/.test(value)).length;
    const seen = { told, of: fields.length, read, found, links: links.trim().split("\n").slice(0, 4) };
    return { passed: values.length === fields.length && found.length === 0, seen };
  },
};
