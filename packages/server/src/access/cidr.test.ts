import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isNetwork, isWithin } from "./cidr.ts";

describe("networks of tokens", () => {
  it("are CIDR or single addresses", () => {
    for (const fine of ["10.0.0.0/8", "192.168.1.7", "2001:db8::/32", "::1", "0.0.0.0/0"])
      assert.ok(isNetwork(fine), fine);
    for (const bad of [
      "",
      "10.0.0.0/33",
      "10.0.0/8",
      "lab",
      "::/129",
      "1.2.3.4/",
      "1.2.3.4/-1",
      "fe80::1%eth0",
      "1.2.3.4/8 ",
    ])
      assert.ok(!isNetwork(bad), bad);
  });

  it("hold what is inside, and nothing else", () => {
    const networks = ["10.1.0.0/16", "192.168.1.7", "2001:db8::/32"];
    const inside = [
      "10.1.0.0",
      "10.1.255.255",
      "::ffff:10.1.2.3",
      "192.168.1.7",
      "2001:db8:ffff::1",
      "2001:DB8::1%eth0",
    ];
    const outside = ["10.2.0.0", "10.0.255.255", "192.168.1.8", "::ffff:10.2.0.1", "2001:db9::", "::1", "", "unix"];
    for (const address of inside) assert.ok(isWithin(networks, address), address);
    for (const address of outside) assert.ok(!isWithin(networks, address), address);
  });
});
