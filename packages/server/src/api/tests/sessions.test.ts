import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { type Answer, serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const own = { "sec-fetch-site": "same-origin" };

describe("sessions of a user", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let ana: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 2));
    tenancy = new Tenancy(control);
    await tenancy.account("lab");
    ana = await tenancy.user("ana", "member", "lab");
    server = await serveApi(control);
  });
  after(() => server.close());

  const signIn = async (cookies = "") => {
    const headers = { ...own, "user-agent": firefox, ...(cookies !== "" && { cookie: cookies }) };
    const entered = await server.call(undefined, "POST", "/v1/session", { token: ana.token }, headers);
    assert.equal(entered.status, 200, entered.text);
    const [first, ...others] = entered.headers.getSetCookie().map((each) => each.split(";")[0]!);
    const all = [first!, ...others];
    const cookie = all.find((each) => each.startsWith("tessera="))!;
    const device = all.find((each) => each.startsWith("tessera-device=")) ?? "";
    const halves = { cookie: `${cookie}; ${device}`, "tessera-proof": entered.json.proof, ...own };
    const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
      server.call(undefined, method, path, body, halves);
    return { device, ask };
  };

  it("are listed by device, and a new device is told to the user elsewhere until they know it", async () => {
    const first = await signIn();
    const [only] = (await first.ask("GET", "/v1/sessions")).json.items;
    assert.deepEqual(
      [only.device, only.address, only.by, only.kind, only.here, only.fresh],
      ["Firefox on Linux", "127.0.0.1", "token", "browser", true, false],
      "the first one has nobody to tell",
    );
    await signIn(first.device);
    await signIn();
    const { items } = (await first.ask("GET", "/v1/sessions")).json;
    assert.deepEqual(
      items.map(({ here, fresh }: { here: boolean; fresh: boolean }) => [here, fresh]),
      [
        [false, true],
        [false, false],
        [true, false],
      ],
      "newest first: a browser without the cookie, one with it, and this",
    );
    await server.notices.flush(true);
    const owner = await tenancy.user("owner", "platform-owner");
    const audit = await server.call(owner.token, "GET", "/v1/audit?action=session.new-device");
    assert.deepEqual(
      audit.json.items.map(({ target }: { target: string }) => target),
      [items[0].id],
    );
    const named = await first.ask("PATCH", `/v1/sessions/${items[0].id}`, { label: "desk" });
    assert.deepEqual([named.json.device, named.json.fresh], ["desk", false]);
  });

  it("end one by one, are seen by nobody else, and go with their user", async () => {
    const here = await signIn();
    const other = await signIn();
    const id = (await other.ask("GET", "/v1/sessions")).json.items.find((each: { here: boolean }) => each.here).id;
    const eve = await tenancy.user("eve", "tenant-admin", "lab");
    assert.deepEqual((await server.call(eve.token, "GET", "/v1/sessions")).json.items, []);
    assert.equal((await server.call(eve.token, "PATCH", `/v1/sessions/${id}`, {})).status, 404);
    assert.equal((await here.ask("DELETE", `/v1/tokens/${id}`)).status, 204);
    assert.equal((await other.ask("GET", "/v1/sessions")).status, 401);
    const rows = async () => [...(await control.reader.privates("session-note")).keys()];
    const mine = (await here.ask("GET", "/v1/sessions")).json.items.map((each: { id: string }) => each.id);
    assert.ok((await rows()).some((each) => mine.includes(each)));
    assert.equal((await server.call(eve.token, "DELETE", `/v1/users/${ana.id}`)).status, 204);
    assert.deepEqual(
      (await rows()).filter((each) => mine.includes(each)),
      [],
    );
  });
});
