import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { EventStream } from "../../testing/event-stream.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";
import type { ApiWork, AwayCall } from "../away/tasks.ts";

describe("watching a list that another thread reads", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let ada: TestUser;
  let owner: TestUser;
  /** What the other thread is asked for, what it answers, and when. */
  const asked: AwayCall[] = [];
  let page: { readonly items: readonly object[]; readonly next?: string } = { items: [] };
  let mayAnswer: Promise<void> = Promise.resolve();
  let isAsked: PromiseWithResolvers<AbortSignal>;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 8));
    tenancy = new Tenancy(control);
    await tenancy.account("lab");
    ada = await tenancy.user("ada", "member", "lab");
    owner = await tenancy.user("own", "platform-owner");
    const answering = {
      async run(_task: string, input: AwayCall, _caller: string, signal: AbortSignal) {
        asked.push(input);
        isAsked.resolve(signal);
        await mayAnswer;
        return { json: new TextEncoder().encode(JSON.stringify(page)) };
      },
    };
    const work = { answering, reading: answering } as unknown as ApiWork;
    server = await serveApi(control, {}, undefined, undefined, undefined, undefined, undefined, undefined, { work });
    control.reader.jobs = () => assert.fail("the past is read on the thread of the API");
  });
  after(() => server.close());
  beforeEach(() => {
    asked.length = 0;
    isAsked = Promise.withResolvers();
    page = { items: [] };
    mayAnswer = Promise.resolve();
  });

  const watch = (text: string, user = ada) =>
    EventStream.open(`${server.url}/v1/jobs?state=all&text=${text}&limit=3`, user.token);
  const namesIn = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
  /** Begins to watch, and does something before the other thread answers. */
  const watchMeanwhile = async (text: string, act: () => Promise<unknown>, user = ada) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    mayAnswer = promise;
    const opening = watch(text, user);
    await Promise.race([isAsked.promise, opening]);
    await act();
    resolve();
    return opening;
  };

  it("takes its first rows from there, as an ordinary list does", async () => {
    page = { items: [{ id: "job_0000000000000000", name: "llama-old" }] };
    const stream = await watch("llama");
    const { event, data } = (await stream.next())!;
    assert.deepEqual([event, namesIn(data.items)], ["sync", ["llama-old"]]);
    const [call, ...more] = asked;
    assert.deepEqual([call!.id, call!.query?.text, call!.user, more], ["listJobs", "llama", ada.id, []]);
    stream.close();
  });

  it("begins with live jobs too that are older than where a search of the past stopped", async () => {
    for (const name of ["mistral-1", "mistral-2", "mistral-3"]) {
      control.setTime(control.now() + 1); // those of one millisecond are in the order of their ids
      await tenancy.job("lab", ada.id, { name });
    }
    page = { items: [{ id: "job_0000000000000000", name: "mistral-old" }], next: "more" };
    const stream = await watch("mistral");
    const { items } = (await stream.next())!.data;
    assert.deepEqual(namesIn(items), ["mistral-old", "mistral-3", "mistral-2"]);
    stream.close();
  });

  it("tells what happens while it is read", async () => {
    const stream = await watchMeanwhile("gemma", () => tenancy.job("lab", ada.id, { name: "gemma-new" }));
    const [sync, put] = [(await stream.next())!, (await stream.next())!];
    assert.deepEqual([sync.event, put.event, put.data.name], ["sync", "put", "gemma-new"]);
    stream.close();
  });

  it("[S33] is not given to a reader whose token was revoked while it was read", async () => {
    const eve = await tenancy.user("eve", "viewer", "lab");
    const revoke = () => control.must({ kind: "token.revoke", token: eve.tokenId });
    const { response } = await watchMeanwhile("phi", revoke, eve);
    assert.equal(response.status, 503);
  });

  it("is not counted for a reader who left while it was read", async () => {
    const leave = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    mayAnswer = promise;
    const headers = { authorization: `Bearer ${ada.token}`, accept: "text/event-stream" };
    const opening = fetch(`${server.url}/v1/jobs?text=qwen`, { headers, signal: leave.signal });
    const left = (await Promise.race([isAsked.promise, opening])) as AbortSignal;
    leave.abort();
    await assert.rejects(opening);
    while (!left.aborted) await sleep(5);
    resolve();
    const next = await watch("qwen");
    await next.next();
    assert.match((await server.call(owner.token, "GET", "/metrics")).text, /^tessera_http_streams 1$/m);
    next.close();
  });
});
