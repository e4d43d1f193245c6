import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FleetNodeShape } from "@tessera/wire";
import { lookOfAccount, placesOf } from "../../chart/colours.ts";
import { coloursOf, stateColours, wordsBy } from "./colours.ts";

describe("the colours of the map", () => {
  const places = placesOf(["nlp", "vision", "idle"]);

  it("are fixed for states and those of charts for tenants, in whatever order and number they come", () => {
    const colours = coloursOf(["idle", "nlp", "vision"], places);
    assert.equal(colours.get("idle"), "var(--map-idle)");
    assert.equal(colours.get("nlp"), lookOfAccount("nlp", places).colour);
    assert.deepEqual(coloursOf(["nlp"], places).get("nlp"), colours.get("nlp"));
  });

  it("tell a tenant called like a state from the state", () => {
    const node = { cells: "b.", mode: "up", holders: [0, -1], tenants: ["idle"] } as unknown as FleetNodeShape;
    const words = wordsBy("tenant", undefined);
    assert.deepEqual([words(node, 0), words(node, 1)], ["idle (tenant)", "idle"]);
    assert.equal(coloursOf(["idle (tenant)"], places).get("idle (tenant)"), lookOfAccount("idle", places).colour);
  });

  it("are different for each of many tenants, and for models", () => {
    const tenants = Array.from({ length: 40 }, (_, no) => `org${no}`);
    assert.equal(new Set(coloursOf(tenants, placesOf(tenants)).values()).size, 40);
    assert.equal(new Set(coloursOf(["A100", "H100", "L40S", "constructor"], undefined).values()).size, 4);
  });

  it("mean one state each, on the map of classes, tenants and modes", () => {
    const colours = Object.values(stateColours);
    assert.equal(new Set(colours).size, colours.length);
  });
});
