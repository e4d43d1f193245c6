import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AnswerOf } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("a search", () => {
  let server: TestServer;
  let owner: TestUser;
  let ana: TestUser;

  before(async () => {
    const control = await TestControl.start(undefined, fleetOf(3, 8));
    const tenancy = new Tenancy(control);
    for (const path of ["acme", "rival"]) await tenancy.account(path);
    owner = await tenancy.user("owner", "platform-owner");
    ana = await tenancy.user("ana", "member", "acme");
    for (let no = 0; no < 30; no++) await tenancy.job("acme", ana.id, { name: `llama-${no}`, gpus: 1 });
    await tenancy.job("rival", owner.id, { name: "llama-rival", gpus: 1 });
    const ended = await tenancy.job("acme", ana.id, { name: "llama-ended", gpus: 1 });
    await control.must({ kind: "job.cancel", job: ended });
    for (const size of [3, 2]) await tenancy.job("acme", ana.id, { name: "sweep", gpus: 1, array: `1-${size}` });
    server = await serveApi(control);
  });
  after(() => server.close());

  const find = async (user: TestUser, text: string) => {
    const { items } = await server.must<AnswerOf<"search">>(user, "GET", `/v1/search?q=${text}&limit=50`);
    return items.map(({ kind, name }) => `${kind} ${name}`);
  };

  it("gives the best of each kind, and no kind more than twenty", async () => {
    const found = await find(owner, "llama");
    assert.equal(found.filter((hit) => hit.startsWith("job ")).length, 20);
    assert.equal(new Set(found).size, found.length);
    assert.deepEqual(await find(owner, "acme"), ["account acme"]);
    assert.equal((await find(owner, "llama-7"))[0], "job llama-7");
  });

  it("finds what has ended, and nothing of others", async () => {
    assert.deepEqual(await find(ana, "llama-ended"), ["job llama-ended"]);
    assert.deepEqual(await find(ana, "rival"), []);
    assert.deepEqual(await find(owner, "llama-rival"), ["job llama-rival"]);
  });

  it("finds an element of an array by its number and by its id, and tells jobs of one name apart", async () => {
    assert.deepEqual(await find(ana, "sweep.3"), ["job sweep.3"]);
    assert.deepEqual(await find(ana, "sweep[2]"), ["job sweep.2", "job sweep.2"]);
    const { items } = await server.must<AnswerOf<"search">>(ana, "GET", "/v1/search?q=sweep.1");
    const [one, other, ...more] = items;
    assert.deepEqual([more, one?.submittedAt === other?.submittedAt], [[], false]);
    assert.deepEqual(await find(ana, one!.id), ["job sweep.1"]);
    assert.deepEqual(await find(owner, "sweep.4"), []);
  });
});
