import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SeriesGroup, SeriesMetric } from "@tessera/wire";
import { hueOf } from "../design/meanings.ts";
import { lookOfAccount, lookOfHue, lookOfPlace, looksOf, looksOfNames, placesOf } from "./colours.ts";

const names = (many: number) => Array.from({ length: many }, (_, no) => `team-${String(no).padStart(2, "0")}`);

describe("the colours of charts", () => {
  const accounts = ["lab", "ops", ...names(12).map((name) => `lab/${name}`), "ops/team-00"];
  const places = placesOf(accounts);
  const line = (key: string, by: SeriesGroup = "account", metric: SeriesMetric = "allocated") => ({
    ...{ metric, by, key, label: key },
  });

  it("are those of a meaning, in its family alone", () => {
    const [burst] = looksOf([line("burst", "class")], places);
    assert.deepEqual(burst, { ...lookOfHue("orange"), isMeant: true });
    // What is paid for is the guarantee; what is kept for a claim has another colour.
    const paid = looksOf([line("reserved", "class", "spend")], places)[0]!;
    const kept = looksOf([line("", "none", "reserved")], places)[0]!;
    assert.deepEqual(
      [paid.colour, kept.colour],
      [lookOfHue(hueOf("class", "guaranteed")!).colour, lookOfHue("sky").colour],
    );
    for (const label of ["constructor", "idle", "__proto__"])
      assert.equal(looksOf([line(label)], places)[0]!.isMeant, false);
  });

  it("are the same for an account whatever else is shown, in whatever order, and different for all accounts", () => {
    const teams = accounts.filter((path) => path.includes("/"));
    const all = looksOf(
      teams.map((path) => line(path)),
      places,
    );
    const some = looksOf([line("lab/team-07"), line("lab/team-03")], places);
    assert.deepEqual(some, [all[7], all[3]]);
    assert.equal(new Set(all.map(({ colour }) => colour)).size, teams.length);
    assert.deepEqual(looksOf([line("ops")], placesOf(accounts.toReversed())), looksOf([line("ops")], places));
  });

  it("are neutral for what an account has itself, and of names where no accounts are known", () => {
    assert.deepEqual(lookOfAccount("lab itself", places), lookOfHue("slate"));
    assert.deepEqual(looksOf([line("lab")], undefined)[0], { ...looksOfNames(["lab"]).get("lab")!, isMeant: false });
  });

  it("are different for names of which there is no list, and do not depend on their order", () => {
    const users = names(24);
    const looks = looksOfNames(users);
    assert.equal(new Set([...looks.values()].map((look) => JSON.stringify(look))).size, 24);
    assert.deepEqual(looksOfNames(users.toReversed()), looks);
  });

  it("are those of its number for a rank, so that a rank keeps its colour when others come and go", () => {
    const ranks = looksOf(
      ["0", "1", "2", "10"].map((key) => line(key, "rank", "activity")),
      places,
    );
    assert.deepEqual(looksOf([line("10", "rank", "activity")], places)[0], ranks[3]);
    const many = Array.from({ length: 512 }, (_, no) => JSON.stringify(lookOfPlace(no)));
    assert.ok(new Set(many.slice(0, 60)).size === 60);
  });
});
