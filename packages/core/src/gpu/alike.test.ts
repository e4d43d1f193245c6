import assert from "node:assert/strict";
import { it } from "node:test";
import type { Trust } from "../model/account.ts";
import type { PartMode } from "../model/part.ts";
import { sharingOf } from "../model/sharing.ts";
import { alikeKey, isAlikeFor } from "./alike.ts";
import { type Newcomer, type Occupant, type PartAsk, type PartDevice, seatPart } from "./seat.ts";

const device: PartDevice = { model: "H100-80GB", memoryMiB: 81_559, sharing: sharingOf({ pool: "any" }, undefined) };
const ask: PartAsk = { compute: 3_000, memory: 2_000, memoryMiB: 0, isolation: "any" };

function who(tenant: number, trust: Trust = "trusted", migWith: readonly number[] = []): Newcomer {
  return { tenant, trust, group: "lab", migWith, type: "batch" };
}

function occupied(by: Newcomer, mode: PartMode, compute = 3_000): Occupant[] {
  const cut = mode === "mig" ? { slot: 6, profile: "1g.10gb" } : {};
  return [{ ...by, mode, compute, memory: 2_625, ...cut }];
}

it("[S3] MIG GPUs of different trusted tenants are alike for a trusted newcomer, not for an untrusted one", () => {
  const [first, second] = [occupied(who(1), "mig"), occupied(who(2, "trusted", [3]), "mig")];
  assert.equal(alikeKey(device, first), alikeKey(device, second));
  assert.ok(isAlikeFor(who(4), first));
  assert.deepEqual(seatPart(device, first, who(4), ask), seatPart(device, second, who(4), ask));
  const guest = who(3, "untrusted", [2]);
  assert.ok(!isAlikeFor(guest, first));
  assert.equal(seatPart(device, first, guest, ask), "isolation");
  assert.equal(typeof seatPart(device, second, guest, ask), "object");
});

it("[S3] the neighbours make a difference in every other mode, and beside untrusted tenants", () => {
  const pairs: [Occupant[], Occupant[]][] = [
    [occupied(who(1), "mps"), occupied(who(2), "mps")],
    [occupied(who(1, "untrusted"), "mig"), occupied(who(2, "untrusted"), "mig")],
  ];
  for (const [first, second] of pairs) {
    assert.notEqual(alikeKey(device, first), alikeKey(device, second));
    assert.ok(isAlikeFor(who(3, "untrusted"), first));
  }
});

it("[P3] one more unit of compute makes a difference", () => {
  assert.notEqual(alikeKey(device, occupied(who(1), "mps")), alikeKey(device, occupied(who(1), "mps", 3_001)));
});
