import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import { TokenWatch } from "./token-watch.ts";

const day = 24 * 3_600_000;

describe("tokens that expire", () => {
  it("are told of once, days before", async () => {
    const control = await TestControl.start();
    const tenancy = new Tenancy(control);
    const ana = await tenancy.user("ana");
    const { tokenId } = await tenancy.token(ana.id, [], control.now() + 30 * day);
    const told: string[] = [];
    const unfollow = control.follow({
      after: ({ events }) => {
        for (const event of events) if (event.kind === "token-expiring") told.push(event.token);
      },
    });
    const at = (days: number) =>
      new TokenWatch({ state: control.state, now: () => control.now() + days * day, ask: control.ask.bind(control) }, {
        now: () => 0,
      } as never).look();
    await at(20);
    assert.deepEqual(told, []);
    await at(24);
    await at(25);
    assert.deepEqual(told, [tokenId]);
    unfollow();
  });
});
