import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { DcgmExporter } from "./dcgm.ts";
import { dcgmFault } from "./sources.ts";

/** An exporter that answers this. */
async function exporter(t: TestContext, answer: () => string | undefined): Promise<string> {
  const server = createServer((_, response) => {
    const text = answer();
    response.writeHead(text === undefined ? 503 : 200).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
}

const row = (id: number, active: number) =>
  `DCGM_FI_PROF_SM_ACTIVE{gpu="0",UUID="GPU-1",GPU_I_PROFILE="1g.18gb",GPU_I_ID="${id}",hostname="n"} ${active}\n`;

describe("a DCGM exporter on this machine", () => {
  it("is asked, and its instances are found by their number", async (t) => {
    let text = row(7, 0.5) + row(8, 0.25);
    let names = new Map([["GPU-1/7", "MIG-a"]]);
    let lookups = 0;
    const source = new DcgmExporter(await exporter(t, () => text), async () => {
      lookups += 1;
      return names;
    });
    const read = async () => (await source.read()).gpus.map(({ instance, metrics }) => [instance, metrics.smActive]);
    const whole = [undefined, undefined];
    assert.deepEqual(await read(), [whole, ["MIG-a", 5_000]]);
    text = row(7, 1);
    assert.deepEqual(await read(), [whole, ["MIG-a", 10_000]]);
    assert.equal(lookups, 1, "the driver is asked only about numbers that are new");
    source.letGo();
    names = new Map([["GPU-1/7", "MIG-b"]]);
    assert.deepEqual(await read(), [whole, ["MIG-b", 10_000]]);
  });

  it("fails when it does not answer, or shows no GPU", async (t) => {
    let text: string | undefined;
    const source = new DcgmExporter(await exporter(t, () => text), async () => new Map());
    await assert.rejects(source.read(), /answered 503/);
    text = "# nothing here\n";
    await assert.rejects(source.read(), /shows no GPU/);
  });

  it("must be on this machine", () => {
    for (const good of ["http://127.0.0.1:9400/metrics", "http://localhost:9400/metrics", "http://[::1]:9400/metrics"])
      assert.equal(dcgmFault(good), undefined, good);
    for (const bad of [
      "127.0.0.1:9400",
      "http://10.0.0.1:9400/metrics",
      "https://127.0.0.1/",
      "http://127.0.0.1.example.com/",
    ])
      assert.match(dcgmFault(bad) ?? "", /such as http:\/\/127/, bad);
  });
});
