import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findingName, meaningOf } from "./catalogue.ts";
import { xids } from "./xids.ts";

const xid = (code: number, text = "") => meaningOf({ source: "xid", code: String(code), text });

describe("the catalogue", () => {
  it("[H1] never takes a node out of use for what the vendor says to ignore or to restart the program for", () => {
    const harmless = [
      8, 11, 13, 25, 31, 32, 37, 38, 43, 44, 45, 63, 66, 67, 69, 80, 92, 93, 106, 107, 121, 137, 141, 152,
    ];
    for (const code of harmless) assert.match(xid(code).action, /^(ignore|watch|restart-job)$/, `Xid ${code}`);
  });

  it("[H1] takes a node out of use for what operators fail nodes for", () => {
    for (const code of [46, 48, 62, 64, 74, 79, 95, 119, 120, 140, 143, 158, 167])
      assert.match(xid(code).action, /^(reset|quarantine|rma)$/, `Xid ${code}`);
  });

  it("says what has to be done about everything that takes a node out of use", () => {
    for (const [code, { action, step }] of xids)
      if (/^(drain|reset|quarantine|rma)$/.test(action)) assert.ok(step, `Xid ${code}`);
  });

  it("watches what it does not know, of every source", () => {
    assert.equal(xid(9_999).action, "watch");
    assert.equal(meaningOf({ source: "ecc", code: "new-counter", text: "" }).action, "watch");
  });

  it("quarantines for a check of the owner's that failed, whatever its name", () => {
    assert.equal(meaningOf({ source: "check", code: "my-own", text: "" }).action, "quarantine");
  });

  it("names findings for people", () => {
    assert.deepEqual(
      [findingName({ source: "xid", code: "79" }), findingName({ source: "pcie", code: "width" })],
      ["Xid 79", "pcie width"],
    );
  });
});
