import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("sizes over the API", () => {
  let control: TestControl;
  let server: TestServer;
  let owner: TestUser;
  let ada: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 8));
    control.capabilities = { images: false, isolation: ["whole", "mig", "mps"], workdir: true };
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    owner = await tenancy.user("own", "platform-owner");
    ada = await tenancy.user("ada", "member", "lab");
    server = await serveApi(control);
    const { revision, ...policy } = (await server.call(owner.token, "GET", "/v1/policy")).json;
    const sizes = { Small: "H100:1g.10gb", Large: "H100:1" };
    const set = await server.call(owner.token, "PUT", "/v1/policy", { ...policy, sizes }, { "if-match": revision });
    assert.deepEqual([set.status, set.json.sizes], [200, sizes], set.text);
  });
  after(() => server.close());

  const edit = (body: object) => server.call(owner.token, "PATCH", "/v1/accounts/lab", body);

  it("[U1] a quota given in sizes is exact in units, and shown both ways", async () => {
    const given = (await edit({ guarantee: { Small: 14, Large: 1 }, max: { small: 70 } })).json;
    assert.deepEqual([given.guarantee, given.guaranteeSizes], [{ H100: 3 }, { Large: 1, Small: 14 }]);
    assert.deepEqual([given.max, given.maxSizes], [{ H100: 10 }, { Small: 70 }]);
    assert.deepEqual(given.guaranteeHolds, { Large: 3, Small: 21 });
    const plain = (await edit({ guarantee: 4 })).json;
    assert.deepEqual([plain.guarantee, plain.guaranteeSizes, plain.maxSizes], [{ "*": 4 }, undefined, { Small: 70 }]);
  });

  it("a job asks for a size", async () => {
    const dry = await server.call(ada.token, "POST", "/v1/jobs/dry-run", { run: "true", gpus: "Large:2" });
    assert.equal(dry.json.spec.gpus, "H100:2", dry.text);
  });

  it("[U4] changing one half of CPUs or memory leaves the other, also while a window is in force", async () => {
    await edit({ cpus: { guarantee: 8, max: 16 }, memoryMiB: { max: 4096 } });
    const now = new Date(control.now()).toISOString();
    const window = { from: now, to: "2099-01-01T00:00:00Z" };
    const during = (await edit({ cpus: { guarantee: 12 }, window })).json;
    assert.deepEqual(during.cpus, { guarantee: 12, max: 16 });
    await edit({ cpus: { max: 20 }, memoryMiB: { guarantee: 1024 } });
    const back = (await edit({ window: null })).json;
    assert.deepEqual(
      [back.cpus, back.memoryMiB],
      [
        { guarantee: 8, max: 20 },
        { guarantee: 1024, max: 4096 },
      ],
    );
    assert.deepEqual((await edit({ cpus: { max: null } })).json.cpus, { guarantee: 8 });
  });
});
