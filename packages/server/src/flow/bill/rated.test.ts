import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import {
  type AccountTerms,
  canonicalJson,
  day,
  hour,
  minute,
  plainTerms,
  spelled,
  type Totals,
  unitsPerGpu,
} from "@tessera/core";
import type { BookQuery, StoreReader } from "../../store/port.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy, type TestUser, testPrices } from "../../testing/tenancy.ts";
import { ratePeriod } from "./bill.ts";
import { RatedTime } from "./rated.ts";

const termsOf = (gpus: number): AccountTerms => ({
  ...plainTerms,
  quota: { guarantee: { H100: gpus * unitsPerGpu }, weight: 1 },
});
const start = Date.UTC(2026, 9, 1);

function textOf(totals: Totals): string {
  const lines = totals.tenants().map((tenant) => [totals.linesOf(tenant), totals.within(tenant)]);
  return canonicalJson(spelled([totals.tenants(), lines, totals.shared(), totals.unused()]));
}

describe("time that was rated", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let user: TestUser;
  let rated: RatedTime;
  let reader: StoreReader;
  /** Stretches of usage that were read. */
  let read: { fromAt: number; toAt: number }[];
  /** Happens once, when usage has been read and not yet been rated. */
  let meanwhile: (() => Promise<void>) | undefined;
  /** A reading of this kind fails once, as it does when its caller has left. */
  let failing: BookQuery["kind"] | undefined;

  /** Each time from nothing, by the whole span. */
  const same = async (fromAt: number, toAt: number): Promise<void> => {
    const period = { label: "", fromAt, toAt, zone: "UTC" };
    const whole = await ratePeriod(control.reader, control.state, period, control.now());
    assert.equal(textOf(await rated.totals(period)), textOf(whole.totals));
  };
  const begin = async (account: string, gpus: number) => {
    const job = await tenancy.job(account, user.id, { name: "work", gpus: `H100:${gpus}` });
    await control.run(job);
    return job;
  };

  beforeEach(async () => {
    control = await TestControl.start(undefined, []);
    control.setTime(start);
    await control.must({ kind: "node.register", nodes: fleetOf(2, 4) });
    tenancy = new Tenancy(control);
    const night = {
      zone: "Europe/Berlin",
      days: [1, 2, 3, 4, 5, 6, 7],
      fromMinute: 1320,
      toMinute: 390,
      perMille: 613,
    };
    await control.must({ kind: "price.add", version: { ...testPrices, lenderPerMille: 300, timesOfDay: [night] } });
    await tenancy.account("lab", termsOf(2));
    await tenancy.account("lab/vision");
    await tenancy.account("ops", termsOf(4));
    user = await tenancy.user("root", "platform-owner", "");
    read = [];
    meanwhile = undefined;
    failing = undefined;
    reader = new Proxy(control.reader, {
      get: (target, name) =>
        name !== "books"
          ? Reflect.get(target, name)
          : async (query: BookQuery) => {
              if (query.kind === failing) {
                failing = undefined;
                throw new Error("stopped");
              }
              const rows = await target.books(query);
              if (query.kind !== "usage") return rows;
              read.push({ fromAt: query.fromAt!, toAt: query.toAt! });
              const act = meanwhile;
              meanwhile = undefined;
              await act?.();
              return rows;
            },
    }) as StoreReader;
    rated = new RatedTime({ state: control.state, reader, follow: (listener) => control.follow(listener) });
  });

  it("[S11] comes to what rating the whole of it comes to, wherever it begins and ends", async () => {
    const first = await begin("lab/vision", 4);
    control.setTime(start + 5 * hour + 20 * minute);
    const second = await begin("ops", 2);
    await same(start, control.now());
    control.setTime(start + 26 * hour + 7 * minute);
    await control.end(first);
    await same(start + 90 * minute, control.now());
    await control.must({ kind: "account.edit", path: "lab", terms: termsOf(1) });
    control.setTime(start + 3 * day + 61 * minute);
    await control.end(second);
    for (const from of [start, start + 1, start + hour, start + day, start + 2 * day + 5 * minute]) {
      for (const to of [start + 2 * day + 6 * minute, start + 3 * day, control.now()]) await same(from, to);
    }
    const days = await rated.days({ fromAt: start + hour, toAt: control.now() });
    assert.deepEqual(
      days.map(({ fromAt }) => (fromAt - start) / hour),
      [1, 24, 48, 72],
    );
  });

  it("answers after a reading that failed, whatever was read", async () => {
    await begin("lab/vision", 4);
    control.setTime(start + day + 3 * hour + minute);
    for (const kind of ["floor", "capacity", "usage"] as const) {
      failing = kind;
      await assert.rejects(rated.totals({ fromAt: start, toAt: control.now() }), /stopped/);
      await same(start, control.now());
      rated = new RatedTime({ state: control.state, reader, follow: () => {} });
    }
  });

  it("reads only what was used since the last look", async () => {
    await begin("lab/vision", 4);
    control.setTime(start + 2 * day + 3 * hour + minute);
    await same(start, control.now());
    read.length = 0;
    control.setTime(start + 2 * day + 4 * hour + 2 * minute);
    await rated.totals({ fromAt: start, toAt: control.now() });
    assert.deepEqual(
      read.map(({ fromAt, toAt }) => [fromAt - start - 2 * day, toAt - start - 2 * day]),
      [
        [3 * hour, 4 * hour],
        [4 * hour, 4 * hour + 2 * minute],
      ],
    );
  });

  it("is rated again from where something that became known late begins to count", async () => {
    const job = await begin("lab/vision", 4);
    control.setTime(start + 2 * day + 6 * hour);
    await rated.totals({ fromAt: start, toAt: control.now() });
    // The engine says that it ended three hours ago; three hours were rated as if it went on.
    await control.end(job, control.now() - 3 * hour + minute);
    read.length = 0;
    await same(start, control.now());
    assert.deepEqual(
      read.map(({ fromAt }) => (fromAt - start - 2 * day) / hour),
      [3, 4, 5],
      "the days before and the hours before are as they were",
    );
    assert.equal(control.state.leases.size, 0);
  });

  it("is not kept if something that counts in it becomes known while it is rated", async () => {
    const job = await begin("lab/vision", 4);
    control.setTime(start + 2 * day);
    meanwhile = () => control.end(job, start + 3 * hour);
    await rated.totals({ fromAt: start, toAt: control.now() });
    await same(start, control.now());
    assert.equal(control.state.leases.size, 0);
  });

  it("is rated again from where a new price or contract begins", async () => {
    await begin("lab/vision", 4);
    control.setTime(start + 3 * day);
    await rated.totals({ fromAt: start, toAt: control.now() });
    const contract = { tenant: "lab", fromAt: start + 2 * day, toAt: start + 9 * day, gpus: [], perMille: 500 };
    await control.must({ kind: "contract.set", contract });
    read.length = 0;
    await same(start, control.now());
    assert.deepEqual(
      read.map(({ fromAt }) => (fromAt - start) / day),
      [2],
    );
  });
});
