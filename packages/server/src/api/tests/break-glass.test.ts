import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { breakGlassLinkMs, breakGlassSessionMs, makeBreakGlass } from "../../access/break-glass.ts";
import { Alarms } from "../../flow/alarms.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { FactorBrowser } from "../../testing/factor-browser.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";
import { stepUpMs } from "../guard/second-factors.ts";

const own = { "sec-fetch-site": "same-origin" };

describe("break-glass", () => {
  const data = mkdtempSync(join(tmpdir(), "tessera-break-glass-"));
  const alarms = new Alarms();
  let control: TestControl;
  let server: TestServer;
  let owner: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 2));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    owner = await tenancy.user("owner", "platform-owner");
    await tenancy.user("ana", "tenant-admin", "lab");
    server = await serveApi(control, {}, undefined, undefined, undefined, undefined, undefined, undefined, {
      dataFolder: data,
      alarms,
    });
    // Every factor is lost: what is asked of others cannot be shown.
    await (await FactorBrowser.signIn(server, control, owner)).enrol();
    control.setTime(control.now() + stepUpMs + 1);
  });
  after(async () => {
    await server.close();
    rmSync(data, { recursive: true });
  });

  const bring = (ticket: string) => server.call(undefined, "POST", "/v1/session", { ticket }, own);
  const make = (user?: string) => makeBreakGlass(data, user, control.now()).ticket;

  it("signs the owner in once, with all rights, for half an hour, and tells everyone", async () => {
    const ticket = make();
    assert.doesNotMatch(readdirSync(join(data, "break-glass")).join(), new RegExp(ticket), "the file does not tell it");
    const entered = await bring(ticket);
    assert.equal(entered.status, 200, entered.text);
    assert.equal(entered.json.me.name, "owner");
    assert.equal(entered.json.me.second, undefined, "no factor is asked for");
    assert.equal((await bring(ticket)).status, 401, "once");
    const browser = FactorBrowser.of(server, control, entered);
    control.setTime(control.now() + stepUpMs + 1);
    const { items } = (await browser.ask("GET", "/v1/factors")).json;
    for (const { id } of items.filter(({ kind }: { kind: string }) => kind === "totp"))
      assert.equal((await browser.ask("DELETE", `/v1/factors/${id}`)).status, 204, "what was lost can be removed");
    await browser.enrol();
    const [alarm] = alarms.list();
    assert.equal(alarm?.kind, "break-glass");
    assert.match(alarm!.text, new RegExp(`signed in as ${owner.id}`));
    await server.notices.flush(true);
    const { json } = await server.call(owner.token, "GET", "/v1/audit?action=session.break-glass");
    assert.equal(json.items.length, 1);
    assert.equal(
      json.items[0].token,
      [...control.state.tokens.values()].find(({ signIn }) => signIn?.by === "break-glass")?.id,
    );
    control.setTime(control.now() + breakGlassSessionMs);
    assert.equal((await browser.ask("GET", "/v1/jobs")).status, 401, "it is over");
  });

  it("lets no program in", async () => {
    const browser = FactorBrowser.of(server, control, await bring(make("owner")));
    const { json } = await server.call(undefined, "POST", "/v1/logins", { challenge: "x".repeat(43), label: "x" });
    assert.equal((await browser.ask("POST", `/v1/logins/${json.login}/allow`, {})).status, 403);
  });

  it("is refused for others than owners, too late, or when another user of the machine could have made it", async () => {
    assert.match((await bring(make("ana"))).json.detail, /no user who is a platform owner/);
    assert.match((await bring(make("nobody"))).json.detail, /no user who is a platform owner/);
    const late = make();
    control.setTime(control.now() + breakGlassLinkMs + 1);
    assert.equal((await bring(late)).status, 401);
    const open = make();
    const folder = join(data, "break-glass");
    chmodSync(join(folder, readdirSync(folder)[0]!), 0o644);
    assert.equal((await bring(open)).status, 401, "readable by others");
    const long = make();
    const file = join(folder, readdirSync(folder)[0]!);
    const said = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...said, expiresAt: control.now() + 86_400_000 }));
    assert.equal((await bring(long)).status, 401, "longer than a link may last");
    chmodSync(folder, 0o755);
    const listed = make();
    assert.equal((await bring(listed)).status, 401, "the folder is open to others");
    chmodSync(folder, 0o700);
    assert.equal((await bring("x".repeat(43))).status, 401);
  });
});
