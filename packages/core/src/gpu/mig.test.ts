import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { unitsPerGpu } from "../model/units.ts";
import { bestStart, type MigUse, smallestProfile, uncut, withInstance } from "./mig.ts";
import { type MigModel, type MigProfile, migModelOf, migModels } from "./mig-models.ts";

const h100 = migModelOf("H100-80GB")!;

function named(model: MigModel, name: string): MigProfile {
  const profile = model.profileByName.get(name);
  assert.ok(profile, name);
  return profile;
}

/** Places instances one after another, each at its best start; undefined if one finds none. */
function cut(model: MigModel, profiles: readonly MigProfile[]): { starts: number[]; use: MigUse } | undefined {
  const starts: number[] = [];
  let use = uncut;
  for (const profile of profiles) {
    const start = bestStart(model, use, profile);
    if (start === -1) return undefined;
    use = withInstance(model, use, profile, start);
    starts.push(start);
  }
  return { starts, use };
}

/** The starts at which an instance fits now, lowest first. */
function legalStarts(model: MigModel, use: MigUse, profile: MigProfile): readonly number[] {
  return profile.starts.filter((start) => {
    try {
      withInstance(model, use, profile, start);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Every legal layout by brute force, from nothing but the table: each subset of (profile, start) pairs without overlap
 * and within the compute slices. Returned as sets of profile names with their number.
 */
function allLayouts(model: MigModel): Map<string, MigProfile[]> {
  const pairs = model.profiles
    .filter(({ plain }) => plain)
    .flatMap((profile) => profile.starts.map((start) => ({ profile, start })));
  const layouts = new Map<string, MigProfile[]>();
  const extend = (from: number, taken: boolean[], compute: number, chosen: MigProfile[]): void => {
    if (chosen.length > 0)
      layouts.set(
        chosen
          .map(({ name }) => name)
          .sort()
          .join(" "),
        chosen,
      );
    for (let i = from; i < pairs.length; i++) {
      const { profile, start } = pairs[i]!;
      const end = start + profile.memorySlices;
      if (compute + profile.computeSlices > model.grid.computeSlices || taken.slice(start, end).includes(true))
        continue;
      const next = taken.map((held, slot) => held || (slot >= start && slot < end));
      extend(i + 1, next, compute + profile.computeSlices, [...chosen, profile]);
    }
  };
  extend(
    0,
    Array.from({ length: model.grid.memorySlices }, () => false),
    0,
    [],
  );
  return layouts;
}

describe("the MIG grid", () => {
  it("[S2] has 77 different legal layouts on a GPU of 7 compute and 8 memory slices", () => {
    assert.equal(allLayouts(h100).size, 77);
  });

  it("[P3] never refuses a legal layout whose instances come in descending size", () => {
    for (const model of migModels) {
      for (const [layout, profiles] of allLayouts(model)) {
        const descending = profiles.toSorted(
          (a, b) => b.memorySlices - a.memorySlices || b.computeSlices - a.computeSlices,
        );
        assert.ok(cut(model, descending), `${model.key}: ${layout}`);
      }
    }
  });

  it("[P3] takes a start after which at least as many layouts remain as after any other", () => {
    const layouts = [...allLayouts(h100).values()];
    /** The layouts that contain these instances at these starts, found by trying all continuations. */
    const remaining = (use: MigUse): number => {
      const seen = new Set<string>();
      const plain = h100.profiles.filter((profile) => profile.plain);
      const extend = (now: MigUse, names: readonly string[]): void => {
        seen.add([...names].sort().join(" "));
        for (const profile of plain) {
          for (const start of legalStarts(h100, now, profile)) {
            extend(withInstance(h100, now, profile, start), [...names, profile.name]);
          }
        }
      };
      extend(use, []);
      return seen.size;
    };
    let compared = 0;
    for (const layout of layouts.filter(({ length }) => length >= 3)) {
      const held = cut(h100, layout.slice(0, 2));
      if (held === undefined) continue;
      for (const profile of new Set(layout.slice(2))) {
        const best = bestStart(h100, held.use, profile);
        for (const start of legalStarts(h100, held.use, profile)) {
          const [ours, theirs] = [best, start].map((each) => remaining(withInstance(h100, held.use, profile, each)));
          assert.ok(ours! > theirs! || (ours === theirs && best >= start), `${layout.map(({ name }) => name)}`);
          compared++;
        }
      }
    }
    assert.ok(compared > 100);
  });

  it("[P3] fits 3g, 2g, 1g and 1g on one H100 in their order of arrival", () => {
    const profiles = ["3g.40gb", "2g.20gb", "1g.10gb", "1g.10gb"].map((name) => named(h100, name));
    assert.deepEqual(cut(h100, profiles)?.starts.slice(0, 2), [4, 2]);
  });

  it("[P3] puts the first 3g high, so that a 4g still finds its only start", () => {
    assert.deepEqual(cut(h100, [named(h100, "3g.40gb"), named(h100, "4g.40gb")])?.starts, [4, 0]);
  });

  it("[S2] gives at most one instance the media engines, and none beside one that holds them all", () => {
    const mine = withInstance(h100, uncut, named(h100, "1g.10gb+me"), 6);
    assert.deepEqual(legalStarts(h100, mine, named(h100, "1g.10gb+me")), []);
    assert.equal(legalStarts(h100, mine, named(h100, "1g.10gb")).length, 6);
    const rtx = migModelOf("RTX-PRO-6000")!;
    const all = withInstance(rtx, uncut, named(rtx, "1g.24gb+me.all"), 0);
    assert.deepEqual(legalStarts(rtx, all, named(rtx, "1g.24gb+me")), []);
    assert.deepEqual(legalStarts(rtx, all, named(rtx, "1g.24gb")), []);
    assert.deepEqual(legalStarts(rtx, all, named(rtx, "1g.24gb-me")), [1, 2, 3]);
  });

  it("[S2] throws rather than let two instances overlap", () => {
    const use = withInstance(h100, uncut, named(h100, "3g.40gb"), 4);
    assert.throws(() => withInstance(h100, use, named(h100, "2g.20gb"), 4), /cannot start at 4/);
    assert.throws(() => withInstance(h100, use, named(h100, "2g.20gb"), 1), /cannot start at 1/);
  });

  it("[U1] counts sevenths of compute and eighths of memory, quarters on the models with four slices", () => {
    const amounts = (model: string, profile: string) => {
      const { compute, memory } = named(migModelOf(model)!, profile);
      return [compute, memory];
    };
    assert.deepEqual(amounts("H100", "1g.10gb"), [3000, 2625]);
    assert.deepEqual(amounts("H100", "1g.20gb"), [3000, 5250]);
    assert.deepEqual(amounts("H100", "3g.40gb"), [9000, 10_500]);
    assert.deepEqual(amounts("H200", "7g.141gb"), [unitsPerGpu, unitsPerGpu]);
    assert.deepEqual(amounts("A30", "2g.12gb"), [10_500, 10_500]);
  });

  it("[P3] serves an amount with the smallest profile that covers it; where that does not fit, no larger one does", () => {
    const name = (compute: number, memory: number, memoryMiB: number) =>
      smallestProfile(h100, compute, memory, memoryMiB)?.name;
    assert.equal(name(2100, 2100, 0), "1g.10gb");
    assert.equal(name(5250, 5250, 0), "2g.20gb");
    assert.equal(name(6300, 6300, 0), "3g.40gb");
    assert.equal(name(10_500, 10_500, 0), "4g.40gb");
    assert.equal(name(0, 0, 20_000), "1g.20gb");
    assert.equal(name(0, 0, 20_480), "3g.40gb");
    assert.equal(name(0, 0, 81_153), undefined);
    for (const model of migModels) {
      const plain = model.profiles.filter((profile) => profile.plain);
      for (const layout of allLayouts(model).values()) {
        const use = cut(model, layout)?.use;
        if (use === undefined) continue;
        for (const wanted of plain) {
          const smallest = smallestProfile(model, wanted.compute, wanted.memory, 0)!;
          if (legalStarts(model, use, smallest).length > 0) continue;
          const covering = plain.filter((each) => each.compute >= wanted.compute && each.memory >= wanted.memory);
          for (const other of covering) assert.deepEqual(legalStarts(model, use, other), []);
        }
      }
    }
  });
});

describe("the MIG models", () => {
  it("are found by the names that people and drivers use", () => {
    const key = (name: string, memoryMiB?: number) => migModelOf(name, memoryMiB)?.key;
    assert.equal(key("H100"), "H100-80GB");
    assert.equal(key("H100", 95_830), "H100-NVL-94GB");
    assert.equal(key("H100-NVL"), "H100-NVL-94GB");
    assert.equal(key("H100-SXM5-80GB", 95_830), "H100-80GB");
    assert.equal(key("A100", 40_960), "A100-40GB");
    assert.equal(key("A100"), "A100-80GB");
    assert.equal(key("GH200-144G"), "GH200-144GB");
    assert.equal(key("GH200-480GB", 97_871), "H100-96GB");
    assert.equal(key("NVIDIA H200", 81_920), "H200-141GB");
    assert.equal(key("RTX-PRO-6000-Blackwell-Server-Edition"), "RTX-PRO-6000-BLACKWELL-96GB");
    for (const uncuttable of ["L40S", "H1000", "RTX-PRO", "V100-SXM2-16GB", ""])
      assert.equal(key(uncuttable), undefined);
  });

  const path = fileURLToPath(new URL("../../../../../shared/facts/mig-profiles.json", import.meta.url));
  const skip = existsSync(path) ? false : "the published tables are not beside this clone";

  it("[S2] agree with the published tables in every profile, start, size and count", { skip }, () => {
    const { gpus, legalLayouts7 } = JSON.parse(readFileSync(path, "utf8")) as Published;
    assert.equal(allLayouts(h100).size, legalLayouts7.distinctMultisets);
    const withStarts = gpus.filter(({ profiles }) => profiles.every(({ placements }) => placements !== null));
    assert.deepEqual(migModels.map(({ key }) => key).sort(), withStarts.map(({ key }) => key).sort());
    for (const gpu of withStarts) {
      const model = migModelOf(gpu.key)!;
      assert.equal(model.grid.computeSlices, gpu.computeSlices, gpu.key);
      assert.equal(model.grid.memorySlices, gpu.memorySlices, gpu.key);
      if (gpu.memoryMiB !== null) assert.equal(model.memoryMiB, gpu.memoryMiB, gpu.key);
      for (const alias of gpu.matchNames) assert.equal(migModelOf(alias, gpu.memoryMiB ?? 0), model, alias);
      assert.equal(model.profiles.length, gpu.profiles.length, gpu.key);
      for (const published of gpu.profiles) {
        const profile = named(model, published.name);
        const what = `${gpu.key} ${published.name}`;
        assert.equal(profile.computeSlices, published.computeSlices, what);
        assert.equal(profile.memorySlices, published.memorySlices, what);
        assert.equal(profile.memorySlices, published.placements!.size, what);
        assert.deepEqual(profile.starts, published.placements!.starts, what);
        assert.equal(profile.plain, published.attributes.length === 0, what);
        if (published.memoryGiB !== null) {
          assert.equal(profile.memoryMiB, Math.floor(published.memoryGiB * 1024), what);
          const inName = Number(/\.(\d+)gb/.exec(published.name)![1]);
          assert.ok(
            profile.memoryMiB >= (inName * 1024 * 7) / 8,
            `${what}: the rule for unlisted sizes must hold here`,
          );
        }
        let most = 0;
        while (
          cut(
            model,
            Array.from({ length: most + 1 }, () => profile),
          ) !== undefined
        )
          most++;
        assert.equal(most, published.maxInstances, what);
      }
    }
  });
});

interface Published {
  legalLayouts7: { distinctMultisets: number };
  gpus: {
    key: string;
    matchNames: string[];
    computeSlices: number;
    memorySlices: number;
    memoryMiB: number | null;
    profiles: {
      name: string;
      computeSlices: number;
      memorySlices: number;
      memoryGiB: number | null;
      maxInstances: number;
      placements: { starts: number[]; size: number } | null;
      attributes: string[];
    }[];
  }[];
}
