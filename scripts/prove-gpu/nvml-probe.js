import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { loadNvml } from "../../packages/engine-local/dist/telemetry/nvml/koffi.js";
import { NvmlSource } from "../../packages/engine-local/dist/telemetry/nvml/source.js";

const usage = `node scripts/prove-gpu/nvml-probe.js: what the library of the NVIDIA driver answers to each call that we make

  --seconds N     how long to watch, one reading a second (default: 3)
  --while-open C  a shell command to run while the library is open, such as a reset; may be given several times`;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    "while-open": { type: "string", multiple: true, default: [] },
    help: { type: "boolean", short: "h" },
  },
});

/** One line of JSON for each thing that was tried. */
const say = (what, answer) => console.log(JSON.stringify({ what, answer }, asText));
const asText = (_name, value) => (typeof value === "bigint" ? `0x${value.toString(16)}` : value);

const graphics = 1;
const everyMetric = [graphics, 2, 3, 5, 10, 20, 21, 60, 61];

async function main() {
  if (values.help) return console.log(usage);
  const nvml = loadNvml();
  await nvml.open();
  for (const device of await nvml.devices()) {
    tryDevice(nvml, device, "gpu");
    say("encoder", nvml.encoder(device));
    say("utilization", nvml.utilization(device));
    say("pcie sent, received", [await nvml.pcie(device, "sent"), await nvml.pcie(device, "received")]);
    say("processes", nvml.processes(device));
    say("can sample", nvml.canSample(device));
    const isCut = nvml.isCut(device);
    say("is cut", isCut);
    await trySample(nvml, "gpm of the gpu", device);
    for (const instance of isCut ? nvml.instances(device) : []) {
      tryDevice(nvml, instance, "instance");
      const number = nvml.gpuInstance(instance);
      say("gpu instance", number);
      await trySample(nvml, `gpm of instance ${number}`, device, number);
    }
  }
  nvml.close();
  await watch(nvml);
}

function tryDevice(nvml, device, what) {
  say(what, { handle: device, uuid: nvml.uuid(device), memory: nvml.memory(device) });
  say("mW, mJ, C", [nvml.milliwatts(device), nvml.millijoules(device), nvml.celsius(device)]);
  say("clocks, throttle", [
    ...[nvml.clockMhz(device, "sm"), nvml.clockMhz(device, "memory")],
    ...[nvml.throttleReasons(device)],
  ]);
}

async function trySample(nvml, what, device, number) {
  const [from, to] = [nvml.newSample(), nvml.newSample()];
  if (from === undefined || to === undefined) return say(what, "no sample can be made");
  const get = (sample) =>
    number === undefined
      ? nvml.code("nvmlGpmSampleGet", device, sample)
      : nvml.code("nvmlGpmMigSampleGet", device, number, sample);
  const first = get(from);
  await sleep(500);
  const began = performance.now();
  const second = get(to);
  const ms = performance.now() - began;
  say(what, { codes: [first, second], ms, metrics: Object.fromEntries(nvml.between(from, to, everyMetric)) });
  for (const sample of [from, to]) nvml.freeSample(sample);
}

/** As the engine reads it, then what others can do meanwhile. */
async function watch(nvml) {
  const source = new NvmlSource(() => nvml, { all: async () => new Map() });
  for (let second = 0; second <= Number(values.seconds); second++) {
    const began = performance.now();
    const reading = await source.read();
    say(`reading ${second}`, { ms: performance.now() - began, ...reading });
    await sleep(1_000);
  }
  for (const command of values["while-open"]) {
    const open = spawnSync("sh", ["-c", command], { encoding: "utf8" });
    say(`open: ${command}`, { code: open.status, said: `${open.stdout}${open.stderr}`.trim() });
    if (open.status === 0) continue;
    source.letGo();
    const closed = spawnSync("sh", ["-c", command], { encoding: "utf8" });
    say(`closed: ${command}`, { code: closed.status, said: `${closed.stdout}${closed.stderr}`.trim() });
    await source.read();
  }
  source.letGo();
}

await main();
