import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TopologyAsk } from "../model/job.ts";
import { diceOf } from "../testing/dice.ts";
import { nodeOf, World } from "../testing/world.ts";
import { DomainRoom } from "./domain-room.ts";
import { holdsGang, spreadGang } from "./gang.ts";

/** Three blocks of three racks of three nodes; how many members each node takes, block by block and rack by rack. */
function roomsOf(fits: readonly number[]) {
  const w = new World();
  const nodes = fits.map((_, no) => {
    const facts = nodeOf(`n${no}`, "H100:2");
    const [block, rack] = [`b${Math.floor(no / 9)}`, `r${Math.floor(no / 3) % 3}`];
    return { ...facts, place: { ...facts.place, block, rack, nvlink: facts.name } };
  });
  w.must({ kind: "node.register", nodes });
  const { fleet } = w.state;
  return { fleet, rooms: new DomainRoom(fleet, ({ no }) => fits[no]!) };
}

function nodesFor(fits: readonly number[], members: number, topology?: TopologyAsk): string[] | undefined {
  const { fleet, rooms } = roomsOf(fits);
  const spread = spreadGang(fleet, members, rooms, { topology, spread: undefined });
  return spread && [...spread.keys()].map(({ facts }) => facts.name);
}

const block: TopologyAsk = { level: "block", required: false };

describe("the domains of a gang", () => {
  it("[P2] are in one region before they are in few zones, and nodes without a region are in one of their own", () => {
    const w = new World().account("lab");
    const at = (name: string, zone: string, region?: string) => {
      const facts = nodeOf(name, "H100:1");
      return { ...facts, place: { ...facts.place, zone, ...(region !== undefined && { region }) } };
    };
    const nodes = [at("a", "z1", "eu"), at("b", "z1", "us"), at("c", "z2", "us"), at("d", "z1"), at("e", "z1")];
    w.must({ kind: "node.register", nodes });
    const placed = (id: string) => w.job(id).leases.map(({ node }) => w.state.fleet.node(node).facts.name);
    w.submit("plain", "lab", { gpus: 1, nodes: 2 });
    assert.deepEqual(placed("plain"), ["d", "e"], "the region that needs the fewest zones");
    w.submit("near", "lab", { gpus: 1, nodes: 2, topology: "region" });
    assert.deepEqual(placed("near"), ["b", "c"]);
    w.submit("last", "lab", { gpus: 1, nodes: 2, topology: "region" });
    assert.equal(w.stateOf("last"), "waiting");
  });

  it("[P2] are as few as possible, even if others are tighter", () => {
    const fits = [1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    // The first block is the tighter one, and needs two racks.
    assert.deepEqual(nodesFor(fits, 3, block), ["n9", "n10", "n11"]);
  });

  it("[P2] are the tightest of equally few, then the first by name", () => {
    const fits = [1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0];
    assert.deepEqual(nodesFor(fits, 3, block), ["n9", "n10", "n11"]);
  });

  it("[P1, P2] are found exactly if all members fit, in one domain if that is required", () => {
    const roll = diceOf(7);
    for (let round = 0; round < 200; round++) {
      const fits = Array.from({ length: 27 }, () => roll(3));
      const { fleet, rooms } = roomsOf(fits);
      const members = 1 + roll(30);
      for (const level of ["block", "rack", "node"] as const) {
        for (const required of [true, false]) {
          const ask = { topology: { level, required }, spread: undefined };
          const spread = spreadGang(fleet, members, rooms, ask);
          assert.equal(holdsGang(fleet, members, rooms, ask), spread !== undefined);
          if (spread === undefined) continue;
          assert.equal(
            [...spread.values()].reduce((sum, count) => sum + count),
            members,
          );
          for (const [{ no }, count] of spread) assert.ok(count <= fits[no]!);
          const domains = new Set([...spread.keys()].map(({ no }) => fleet.topology.domainOf(no, level)));
          if (required) assert.equal(domains.size, 1);
        }
      }
    }
  });
});
