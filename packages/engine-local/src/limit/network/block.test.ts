import assert from "node:assert/strict";
import { it } from "node:test";
import { blockOf, blocks, freeBlocks, nodesMax, tap } from "./block.ts";
import { hostsFileFor, nameservers, resolverFileFor, resolvesHere } from "./resolver.ts";

it("gives each block addresses of its own, none of them where a route of the machine leads", () => {
  const all = [...freeBlocks(["default", "10.0.0.0/8"])];
  assert.equal(all.length, blocks);
  const addresses = all.flatMap((block) => [block.wayOut, block.hub, block.node(0), block.node(nodesMax - 1)]);
  assert.equal(new Set(addresses).size, addresses.length);
  assert.ok(!addresses.includes(tap.address) && !addresses.includes(tap.gateway));
  const { number, range, node } = blockOf(5);
  assert.deepEqual([range, node(0)], ["198.18.1.64/26", "198.18.1.67"]);
  const others = [...freeBlocks([range, "198.19.0.7", "198.18.128.0/17"])].map((block) => block.number);
  assert.equal(others.length, blocks - 1 - 1 - 512);
  assert.ok(!others.includes(number));
});

it("relays names where the resolver is the machine itself, and keeps the rest of the file", () => {
  const file = "# by a program\nnameserver 127.0.0.53\nsearch lab.example\noptions edns0\n";
  assert.deepEqual(nameservers(file), ["127.0.0.53"]);
  assert.ok(resolvesHere(["192.0.2.53", "127.0.0.53"]));
  assert.ok(!resolvesHere(["192.0.2.53"]));
  assert.equal(resolverFileFor("127.53.0.1", file), "nameserver 127.53.0.1\nsearch lab.example\noptions edns0\n");
});

it("knows its host name and the nodes of its gang by the addresses of its own network", () => {
  const text = "127.0.0.1 localhost\n127.0.1.1 box box.lab # here\n10.0.0.9 store\n";
  const nodes = [
    { name: "node-0", address: "198.18.0.3" },
    { name: "node-1", address: "198.18.0.4" },
  ];
  assert.deepEqual(hostsFileFor(nodes, { name: "box", address: "198.18.0.4" }, text).split("\n"), [
    ...["127.0.0.1 localhost", "127.0.1.1 box.lab", "10.0.0.9 store"],
    ...["198.18.0.3 node-0", "198.18.0.4 node-1", "198.18.0.4 box", ""],
  ]);
});
