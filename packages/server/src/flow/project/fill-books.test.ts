import assert from "node:assert/strict";
import { it } from "node:test";
import { hour } from "@tessera/core";
import { MemoryPlace, openMemoryStore } from "../../store/index.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import { recover } from "../write/recover.ts";
import { fillBooks } from "./fill-books.ts";
import { verify } from "./verify.ts";

it("a store from before there were books gets them from its journal at the next start, once", async () => {
  const place = new MemoryPlace();
  const control = await TestControl.start(place, []);
  control.setTime(Date.UTC(2026, 9, 1));
  await control.must({ kind: "node.register", nodes: fleetOf(1, 4) });
  const tenancy = new Tenancy(control);
  await tenancy.account("lab");
  const { id } = await tenancy.user("ada");
  const job = await tenancy.job("lab", id, { gpus: 2 });
  await control.run(job);
  control.setTime(Date.UTC(2026, 9, 1) + hour);
  await control.finish(job);
  const kept = [...place.projections.books];
  assert.ok(kept.some(({ kind }) => kind === "usage"));
  place.projections.books.length = 0;

  place.dropHolder();
  const store = openMemoryStore(place);
  const { state } = await recover(store);
  assert.equal(await fillBooks(store, state), true);
  assert.deepEqual(place.projections.books, kept);
  assert.equal((await verify(store)).sound, true);
  assert.equal(await fillBooks(store, state), false);
});
