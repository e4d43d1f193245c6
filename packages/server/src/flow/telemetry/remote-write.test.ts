import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { AccountId, JobId, LeaseId, UserId } from "@tessera/core";
import type { TelemetryRow } from "@tessera/telemetry";
import { openReceiver } from "../../testing/remote-write-receiver.ts";
import { RemoteWriter } from "./remote-write.ts";

const at = Date.UTC(2026, 0, 1);
const account = "acc_1" as AccountId;

function rowOf(change: Partial<TelemetryRow> = {}): TelemetryRow {
  return {
    ...{ at, spanMs: 10_000, node: "e/n1", gpu: "GPU-1", model: "H100", share: 21_000, source: "nvml" },
    metrics: { smActive: 4_250, memoryUsedMiB: 1_024, powerMilliwatts: 350_500 },
    ...change,
  };
}

async function begin(t: TestContext, statusOf?: (request: number) => number) {
  const receiver = await openReceiver(statusOf);
  t.after(() => receiver.close());
  const warnings: string[] = [];
  const header = { name: "Authorization", value: "Bearer s3cret" };
  const warn = (text: string) => void warnings.push(text);
  const writer = new RemoteWriter({ url: receiver.url, header, warn, retryMs: [1, 1], pathOf: () => "lab" });
  t.after(() => writer.stop());
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { ...receiver, writer, warnings, until };
}

it("[S35] writes what was measured, in base units, with the labels of its lease, and nothing of what was not", async (t) => {
  const { writer, samples, headers, until } = await begin(t);
  const held = {
    ...{ account, job: "job_1" as JobId, lease: "job_1-1-0" as LeaseId, user: "usr_1" as UserId, rank: 2 },
  };
  writer.write([rowOf(held), rowOf({ gpu: "GPU-2", at: at + 1, metrics: { temperatureCelsius: 61 } })]);
  await until(() => writer.counts.rowsSent === 2);
  const labels = { account: "lab", gpu: "GPU-1", job: "job_1", model: "H100", node: "e/n1", rank: "2" };
  assert.deepEqual(samples, [
    { labels: { __name__: "tessera_gpu_active_ratio", ...labels }, value: 0.425, at },
    { labels: { __name__: "tessera_gpu_memory_used_bytes", ...labels }, value: 2 ** 30, at },
    { labels: { __name__: "tessera_gpu_power_watts", ...labels }, value: 350.5, at },
    {
      labels: { __name__: "tessera_gpu_temperature_celsius", gpu: "GPU-2", model: "H100", node: "e/n1" },
      value: 61,
      at: at + 1,
    },
  ]);
  const [{ authorization, "content-encoding": encoding, "content-type": type }] = headers as [(typeof headers)[0]];
  assert.deepEqual([authorization, encoding, type], ["Bearer s3cret", "snappy", "application/x-protobuf"]);
});

it("writes many rows in several requests, in their order", async (t) => {
  const { writer, samples, headers, until } = await begin(t);
  writer.write(Array.from({ length: 1_200 }, (_, i) => rowOf({ at: at + i })));
  await until(() => writer.counts.rowsSent === 1_200);
  assert.deepEqual([headers.length, samples.length], [3, 3_600]);
  assert.deepEqual(
    samples.map((sample) => sample.at),
    samples.map((sample) => sample.at).toSorted((a, b) => a - b),
  );
});

it("tries again where the receiver is away, and gives up where it refuses; that is said once and without the secret", async (t) => {
  const away = await begin(t, (request) => (request < 3 ? 503 : 204));
  away.writer.write([rowOf()]);
  await away.until(() => away.writer.counts.rowsSent === 1);
  assert.deepEqual([away.headers.length, away.samples.length, away.warnings], [3, 3, []]);

  const refuses = await begin(t, () => 400);
  refuses.writer.write(Array.from({ length: 600 }, () => rowOf()));
  await refuses.until(() => refuses.writer.counts.rowsDropped === 600);
  assert.equal(refuses.headers.length, 2);
  assert.equal(refuses.warnings.length, 1);
  assert.match(refuses.warnings[0]!, /it answers 400/);
  assert.ok(!refuses.warnings[0]!.includes("s3cret"));

  const gone = await begin(t, () => 500);
  gone.writer.write([rowOf()]);
  await gone.until(() => gone.writer.counts.rowsDropped === 1);
  assert.equal(gone.headers.length, 3);
});

it("keeps a bounded number of rows for a receiver that does not answer", async (t) => {
  const { writer } = await begin(t, () => 503);
  const many = Array.from({ length: 150_000 }, () => rowOf());
  writer.write(many);
  writer.write(many);
  assert.ok(writer.counts.rowsDropped >= 99_500, String(writer.counts.rowsDropped));
});
