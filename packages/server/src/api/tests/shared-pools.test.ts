import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("pools that say how GPUs are shared", () => {
  let control: TestControl;
  let server: TestServer;
  let owner: TestUser;
  let ada: TestUser;

  before(async () => {
    const labels = { tier: "shared" };
    const nodes = fleetOf(1, 2).map((node) => ({ ...node, labels }));
    control = await TestControl.start(undefined, nodes);
    control.capabilities = { images: false, isolation: ["whole", "mig", "mps", "timeslice"], workdir: true };
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    owner = await tenancy.user("own", "platform-owner");
    ada = await tenancy.user("ada", "member", "lab");
    server = await serveApi(control);
    const pool = { name: "shared", labels, mode: "timeslice", ratio: 4, trust: "trusted" };
    const made = await server.call(owner.token, "POST", "/v1/pools", pool);
    assert.equal(made.status, 201, made.text);
  });
  after(() => server.close());

  it("[U5] say which nodes they would have: a node belongs to the first pool, by name, whose labels it has", async () => {
    const preview = async (name: string, labels: object) =>
      (await server.call(owner.token, "POST", "/v1/pools/preview", { name, labels })).json;
    const shared = { tier: "shared" };
    assert.deepEqual(await preview("shared", shared), { nodes: 1, gpus: 2, taken: [], left: [] });
    const before = { pool: "shared", nodes: 1 };
    assert.deepEqual(await preview("early", shared), { nodes: 1, gpus: 2, taken: [before], left: [] });
    assert.deepEqual(await preview("zone-late", shared), { nodes: 0, gpus: 0, taken: [], left: [before] });
    assert.deepEqual(await preview("other", { tier: "gold" }), { nodes: 0, gpus: 0, taken: [], left: [] });
    assert.equal((await server.call(ada.token, "POST", "/v1/pools/preview", { name: "x", labels: {} })).status, 403);
  });

  const edit = (body: object) => server.call(owner.token, "PATCH", "/v1/pools/shared", body);

  it("[U5] show them on the pool, the node and each GPU, with how much is given out", async () => {
    for (let i = 0; i < 3; i++) {
      const asked = await server.call(ada.token, "POST", "/v1/jobs", { run: "true", gpus: 0.5, project: "lab" });
      assert.equal(asked.status, 201, asked.text);
    }
    const { json: pool } = await server.call(ada.token, "GET", "/v1/pools/shared");
    assert.deepEqual([pool.mode, pool.ratio, pool.trust], ["timeslice", 4, "trusted"]);
    const { json: node } = await server.call(ada.token, "GET", "/v1/nodes/n1");
    const sharing = { mode: "timeslice", ratio: 4, trust: "trusted", given: 1.5, of: 8 };
    assert.deepEqual([node.sharing, node.gpusFree], [sharing, 1.625]);
    const { json: gpus } = await server.call(ada.token, "GET", "/v1/gpus");
    assert.deepEqual(gpus.items[0].sharing, { ...sharing, of: 4 });
    assert.deepEqual(gpus.items[1].sharing, { ...sharing, given: 0, of: 4 });
  });

  it("[U5] say beforehand what a part is and what holds its limits, and afterwards what is held", async () => {
    const ask = { run: "true", gpus: 0.5, project: "lab" };
    const { json: dry } = await server.call(ada.token, "POST", "/v1/jobs/dry-run", ask);
    assert.deepEqual(dry.parts, [
      {
        ...{ model: "H100", mode: "timeslice", share: 0.125, memoryMiB: 10_240 },
        limits: {
          "gpu-compute": "environment (virtual GPUs); on real ones: none: jobs take turns",
          "gpu-memory": "environment (virtual GPUs); on real ones: memory watch: a job that holds more is stopped",
          "gpu-faults": "environment (virtual GPUs); on real ones: its processes only",
        },
      },
    ]);
    const { json: jobs } = await server.call(ada.token, "GET", "/v1/jobs");
    const { json: job } = await server.call(ada.token, "GET", `/v1/jobs/${jobs.items[0].id}`);
    const part = { mode: "timeslice", share: 0.125, memoryMiB: 10_240 };
    assert.deepEqual([job.gpus, job.members[0].part, job.parts], [0.125, part, undefined]);
    const large = { ...ask, gpus: 1, gpu_compute: "50%", gpu_memory: "79GiB" };
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await server.call(ada.token, "POST", "/v1/jobs", large)).json.id);
    const { json: waits } = await server.call(ada.token, "GET", `/v1/jobs/${ids[2]}`);
    assert.equal(waits.state, "waiting");
    assert.deepEqual([waits.parts[0].share, waits.parts[0].memoryMiB], [0.125, 80_897]);
  });

  it("keep what an edit leaves out, and take back what it sets to null", async () => {
    const priced = (await edit({ price: "2" })).json;
    assert.deepEqual([priced.mode, priced.ratio, priced.trust, priced.price], ["timeslice", 4, "trusted", "2"]);
    const other = (await edit({ mode: "mps", ratio: 1, trust: null })).json;
    assert.deepEqual([other.mode, other.ratio, other.trust], ["mps", undefined, undefined]);
    assert.equal((await edit({ mode: null })).json.mode, undefined);
    const { json: node } = await server.call(ada.token, "GET", "/v1/nodes/n1");
    assert.equal(node.sharing, undefined);
  });

  it("are refused with the field that is wrong", async () => {
    const refused = await edit({ mode: "mig", ratio: 2 });
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.text, /needs a pool that shares GPUs by time slices/);
    assert.equal((await edit({ ratio: 5 })).status, 400);
    assert.equal((await edit({ mode: "vgpu" })).status, 400);
  });
});
