import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { JobId, LeaseId } from "@tessera/core";
import type { LogQuery } from "@tessera/engine";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

/** Far beyond what it takes, so that a busy machine does not matter; a stream that goes on is still found. */
const endsWithinMs = 20_000;

describe("a stream", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let job: JobId;
  let ana: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 8));
    tenancy = new Tenancy(control);
    await tenancy.account("lab");
    ana = await tenancy.user("ana", "member", "lab");
    job = await tenancy.job("lab", ana.id, { name: "talks" });
    await control.run(job);
    control.logs = talk;
    control.readFile = async () => ({ mode: 0o644, bytes: 1e12, content: endless() });
    server = await serveApi(control, { streams: { perTokenMax: 4, perUserMax: 6, max: 9, lookEveryMs: 50 } });
  });
  after(() => server.close());

  async function* talk(_lease: LeaseId, { signal }: LogQuery) {
    for (let at = 1; !signal?.aborted; at++) {
      yield { at, rank: 0, stream: "stdout", text: "still here" } as const;
      await sleep(10);
    }
  }

  async function* endless() {
    for (;;) {
      yield Buffer.alloc(1_000, "x");
      await sleep(10);
    }
  }

  const addresses = () => ({
    log: { path: `/v1/jobs/${job}/logs?follow=true`, accept: "application/x-ndjson" },
    file: { path: `/v1/jobs/${job}/file?path=a&output=out`, accept: "*/*" },
    list: { path: "/v1/jobs", accept: "text/event-stream" },
  });
  const open = (token: string, kind: keyof ReturnType<typeof addresses>, headers: Record<string, string> = {}) => {
    const { path, accept } = addresses()[kind];
    const bearer = token === "" ? {} : { authorization: `Bearer ${token}` };
    return fetch(`${server.url}${path}`, { headers: { ...bearer, accept, ...headers } });
  };
  /** Whether it ends by itself; what comes meanwhile is thrown away. */
  const ends = (answer: Response) =>
    Promise.race([
      answer.body!.pipeTo(new WritableStream()).then(
        () => true,
        () => true,
      ),
      sleep(endsWithinMs, false, { ref: false }),
    ]);

  const lossOfRights: Record<string, (user: TestUser) => Promise<unknown>> = {
    "its token is revoked": ({ tokenId }) => control.must({ kind: "token.revoke", token: tokenId }),
    "its user is disabled": ({ id }) => control.must({ kind: "user.disable", user: id }),
    "its role is unbound": ({ id }) =>
      control.must({ kind: "role.unbind", user: id, role: "team-admin", account: "lab" }),
  };
  for (const [what, lose] of Object.entries(lossOfRights)) {
    it(`[S33] ends when ${what}`, async () => {
      const user = await tenancy.user(`u${what.length}`, "team-admin", "lab");
      const opened = await Promise.all((["log", "file", "list"] as const).map((kind) => open(user.token, kind)));
      assert.deepEqual(
        opened.map(({ status }) => status),
        [200, 200, 200],
      );
      const ended = opened.map(ends);
      await lose(user);
      assert.deepEqual(await Promise.all(ended), [true, true, true]);
    });
  }

  it("[S33] ends when its token expires", async () => {
    const { token } = await tenancy.token(ana.id, [], control.now() + 300);
    const ended = await Promise.all([await open(token, "log"), await open(token, "list")].map(ends));
    assert.deepEqual(ended, [true, true]);
  });

  it("is counted by token, by user and in all, and refused beyond with the limit", async () => {
    const opened: Response[] = [];
    const openSome = async (token: string, count: number) => {
      for (let i = 0; i < count; i++) opened.push(await open(token, i % 2 === 0 ? "log" : "list"));
    };
    const refused = async (token: string) => {
      const answer = await open(token, "log");
      return [answer.status, ((await answer.json()) as { detail: string }).detail];
    };
    await openSome(ana.token, 4);
    assert.deepEqual(await refused(ana.token), [429, "There are 4 open streams of this token (limit 4)."]);
    const second = await tenancy.token(ana.id);
    await openSome(second.token, 2);
    assert.deepEqual(await refused(second.token), [429, "There are 6 open streams of yours (limit 6)."]);
    const other = await tenancy.user("other", "team-admin", "lab");
    await openSome(other.token, 3);
    const another = await tenancy.user("another", "team-admin", "lab");
    assert.deepEqual(await refused(another.token), [429, "There are 9 open streams on this server (limit 9)."]);
    for (const answer of opened) await answer.body!.cancel();
    for (let tries = 0; (await refusedOrClosed(another.token)) === 429 && tries < 200; tries++) await sleep(20);
    assert.equal(await refusedOrClosed(another.token), 200);
  });

  async function refusedOrClosed(token: string): Promise<number> {
    const answer = await open(token, "log");
    await answer.body!.cancel();
    return answer.status;
  }
});
