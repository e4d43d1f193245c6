import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Role, roles } from "@tessera/core";
import { type RouteId, routes } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { EventStream } from "../../testing/event-stream.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const canary = "zqcanary";

describe("[S23] nothing of one tenant reaches another", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  const walkers: [Role, TestUser][] = [];
  const marks: string[] = [canary];
  let theirs: { user: TestUser; job: string; ended: string; array: string };

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 8));
    tenancy = new Tenancy(control);
    for (const path of ["acme", "acme/team"]) await tenancy.account(path);
    for (const path of [canary, `${canary}/${canary}-team`]) marks.push(await tenancy.account(path));
    server = await serveApi(control);
    const user = await tenancy.user(`${canary}-user`, "tenant-admin", canary);
    await tenancy.secret(canary, `${canary.toUpperCase()}_SECRET`, canary);
    marks.push(canary.toUpperCase());
    const raw = { name: `${canary}-job`, run: `echo ${canary}`, env: { X: canary }, gpus: 8 };
    const ended = await tenancy.job(canary, user.id, raw);
    await control.run(ended);
    await control.finish(ended, 1);
    const job = await tenancy.job(`${canary}/${canary}-team`, user.id, raw);
    await control.run(job);
    control.logLines.set(`${job}-1-0`, [{ at: 1, rank: 0, stream: "stdout", text: canary }]);
    const array = await tenancy.job(canary, user.id, { ...raw, gpus: 2, array: "1-30" });
    theirs = { user, job, ended, array };
    marks.push(user.id, user.tokenId, user.token, job, ended, array);
    // One user with roles on both sides: what it has over there is no business of this side.
    const both = await tenancy.user("double", "member", "acme");
    await control.must({ kind: "role.bind", user: both.id, role: "member", account: canary });
    for (const role of roles) {
      if (role !== "platform-owner") walkers.push([role, await tenancy.user(`w-${role}`, role, "acme")]);
    }
    await control.must({ kind: "node.drain", node: "n1", reason: "fan" });
  });
  after(() => server.close());

  const clean = (where: string, text: string, asked = "") => {
    for (const mark of marks) {
      if (!asked.includes(mark))
        assert.equal(text.includes(mark), false, `${where} holds ${mark}: ${text.slice(0, 500)}`);
    }
  };

  it("in no list, no error and no header, whatever is asked", async () => {
    const { user, job, ended, array } = theirs;
    const values: Record<string, string[]> = {
      ":job": [job, ended, array, `${array}.3`, `${canary}-job`],
      ":account": [canary, encodeURIComponent(`${canary}/${canary}-team`), marks[1]!],
      ":user": [user.id, user.name],
      ":token": [user.tokenId],
      ":binding": [encodeURIComponent(`${user.id}:tenant-admin:${canary}`)],
      ":node": ["n1", "n2"],
      ":secret": ["X"],
    };
    const queries = [
      "",
      "?limit=1000",
      "?state=all&limit=1000",
      "?by=user",
      "?by=job",
      "?by=gpu",
      `?project=${canary}`,
      `?account=${canary}`,
      `?user=${user.id}`,
      `?job=${job}`,
      `?actor=${user.id}`,
      `?array=${array}`,
    ];
    const bodies: object[] = [
      {},
      { run: "true", project: canary },
      { run: "true", project: "acme", after: job },
      { run: "true", project: "acme", gpus: 16 },
      { path: `${canary}/x` },
      { path: canary },
      { name: "made", role: "member", account: "acme" },
      { user: user.id, role: "member", account: "acme" },
      { user: user.id },
      { weight: 1 },
      { value: "x" },
      { password: "a long enough one" },
    ];
    let asked = 0;
    for (const [role, walker] of walkers) {
      for (const id of Object.keys(routes) as RouteId[]) {
        const { method, path } = routes[id];
        let paths = [path as string];
        for (const [name, choices] of Object.entries(values)) {
          paths = paths.flatMap((each) =>
            each.includes(name) ? choices.map((choice) => each.replace(name, choice)) : [each],
          );
        }
        const requests = paths.flatMap((each): [string, object | undefined][] => {
          if (method === "GET") return queries.map((query) => [`${each}${query}`, undefined]);
          return method === "DELETE" ? [[each, undefined]] : bodies.map((body) => [each, body]);
        });
        for (const [address, body] of requests) {
          const answer = await server.call(walker.token, method, address, body);
          const sent = `${decodeURIComponent(address)} ${JSON.stringify(body) ?? ""}`;
          assert.ok(answer.status < 500, `${sent}: ${answer.text}`);
          clean(`${id} as ${role} (${sent})`, `${answer.text} ${JSON.stringify([...answer.headers])}`, sent);
          asked++;
        }
      }
    }
    assert.ok(asked > 2000, String(asked));
    for (const [role, { token }] of walkers)
      for (const address of ["/metrics", "/metrics/tenant"])
        clean(`${address} as ${role}`, (await server.call(token, "GET", address)).text);
  });

  it("in no event stream while things happen next door", async () => {
    const lists = (Object.keys(routes) as RouteId[]).filter((id) => "watch" in routes[id]);
    const [, walker] = walkers.find(([role]) => role === "tenant-admin")!;
    const streams = await Promise.all(
      lists.map((id) =>
        EventStream.open(`${server.url}${routes[id].path}${id === "listJobs" ? "?state=all" : ""}`, walker.token),
      ),
    );
    const { user } = theirs;
    await tenancy.account(`${canary}/new`);
    const job = await tenancy.job(`${canary}/new`, user.id, { name: canary, gpus: 1 });
    marks.push(job);
    const finish = async (id: string) => {
      await control.run(id);
      await sleep(5); // so that something is metered
      await control.finish(id);
    };
    await finish(job);
    await server.call(user.token, "POST", "/v1/users", { name: `${canary}2`, role: "viewer", account: canary });
    await server.call(user.token, "POST", "/v1/tokens", { label: canary });
    await control.must({ kind: "node.up", node: "n1" });
    const terms = { labels: { engine: "test" }, tenants: [canary, "acme"], perMille: 1_000 };
    await control.must({ kind: "pool.create", name: "lent", terms });
    const engine = { kind: "simulated", lostAfterMs: 0, settings: { note: canary } } as const;
    await control.must({ kind: "engine.create", name: "far", terms: engine });
    await control.must({ kind: "engine.reach", name: "far", away: "no connection" });
    // Something of one's own comes last, so that everything before it must have been told.
    await tenancy.account("acme/last");
    const last = await tenancy.job("acme", walker.id, { name: "last", gpus: 0 });
    await finish(last);
    await server.call(walker.token, "POST", "/v1/users", { name: "lastone", role: "viewer", account: "acme" });
    await server.call(walker.token, "POST", "/v1/tokens", { label: "last" });
    await server.call(walker.token, "POST", "/v1/role-bindings", { user: "lastone", role: "member", account: "acme" });
    const enough: Partial<Record<RouteId, RegExp>> = {
      listJobs: new RegExp(last),
      listAccounts: /acme\/last/,
      listUsers: /lastone/,
      listRoles: /lastone/,
      listTokens: /"last"/,
      listAudit: /role.bind/,
      listEvents: new RegExp(last),
      listUsageEvents: new RegExp(last),
      readFleet: /"name":"n1".*"mode":"up"/,
      listNodes: /"name":"n1".*"mode":"up"/,
      listGpus: /"uuid":"GPU-1-7".*"mode":"up"/,
      listEngines: /"name":"far".*"reach":"unreachable"/,
      listPools: /"name":"lent".*"tenants":\["acme"\]/,
    };
    for (const [i, id] of lists.entries()) {
      const seen = await streams[i]!.until((event) => enough[id]!.test(JSON.stringify(event.data)));
      clean(`watching ${id}`, JSON.stringify(seen));
      streams[i]!.close();
    }
  });
});
