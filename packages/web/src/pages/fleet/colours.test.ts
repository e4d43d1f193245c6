import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FleetNodeShape } from "@tessera/wire";
import { strokesOf } from "../../chart/colours.ts";
import { coloursOf, wordsBy } from "./colours.ts";

describe("the colours of the map", () => {
  const read = (name: string) => `var(${name})`;

  it("are fixed for states and those of charts for tenants, in whatever order they come", () => {
    const colours = coloursOf(["idle", "nlp", "vision"], read);
    assert.equal(colours.get("idle"), "var(--map-idle)");
    assert.equal(colours.get("nlp"), strokesOf([{ key: "", label: "nlp" }])[0]!.colour);
    assert.deepEqual(coloursOf(["vision", "idle", "nlp"], read).get("nlp"), colours.get("nlp"));
  });

  it("tell a tenant called like a state from the state", () => {
    const node = { cells: "b.", mode: "up", holders: [0, -1], tenants: ["idle"] } as unknown as FleetNodeShape;
    const words = wordsBy("tenant", undefined);
    assert.deepEqual([words(node, 0), words(node, 1)], ["idle (tenant)", "idle"]);
  });

  it("are different for each of many tenants", () => {
    const tenants = Array.from({ length: 40 }, (_, no) => `org${no}`);
    assert.equal(new Set(coloursOf(tenants, read).values()).size, 40);
  });
});
