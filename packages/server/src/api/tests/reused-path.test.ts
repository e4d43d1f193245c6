import assert from "node:assert/strict";
import { it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy } from "../../testing/tenancy.ts";

it("who is given the path of a deleted account sees nothing of its past", async () => {
  const start = 1_800_000_000_000;
  const control = await TestControl.start(undefined, fleetOf(1, 8));
  control.setTime(start);
  const tenancy = new Tenancy(control);
  await tenancy.account("lab");
  await tenancy.account("lab/x");
  const ada = await tenancy.user("ada", "tenant-admin", "lab");
  const server = await serveApi(control);
  try {
    const job = await tenancy.job("lab/x", ada.id, { gpus: 2, name: "old" });
    await control.run(job);
    control.setTime(start + 1000);
    await control.finish(job);
    control.setTime(start + 2000);
    await control.must({ kind: "account.delete", path: "lab/x" });
    control.setTime(start + 3000);
    await tenancy.account("lab/x");
    const bob = await tenancy.user("bob", "tenant-admin", "lab/x");
    control.setTime(start + 4000);
    const read = async (token: string, path: string) => (await server.call(token, "GET", path)).json;
    const jobsOf = async (token: string) =>
      (await read(token, "/v1/jobs?state=all")).items.map(({ name }: { name: string }) => name);
    assert.deepEqual([await jobsOf(ada.token), await jobsOf(bob.token)], [["old"], []]);
    assert.equal((await server.call(bob.token, "GET", `/v1/jobs/${job}`)).status, 404);
    assert.equal((await server.call(bob.token, "GET", "/v1/jobs/old")).status, 404);
    const [above, mine] = [await read(ada.token, "/v1/usage?from=1h"), await read(bob.token, "/v1/usage?from=1h")];
    assert.deepEqual([above.total, mine.total], [String(2 * 21_000 * 1000), "0"]);
    const actions = (await read(bob.token, "/v1/audit")).items.map(({ at }: { at: string }) => Date.parse(at));
    assert.ok(actions.every((at: number) => at >= start + 3000));
  } finally {
    await server.close();
  }
});
