import assert from "node:assert/strict";
import { it } from "node:test";
import { nobodyElseWords, ownTakenWords, takenWords } from "./take-role.ts";

const owner = { role: "platform-owner", account: "" } as const;
const admin = { role: "tenant-admin", account: "lab" } as const;

it("taking one's own role says that it is one's own, and whether one could give it back to oneself", () => {
  const all = { ...owner, gives: ["platform-owner", "tenant-admin"] } as const;
  const both = {
    bindings: [
      { ...all, gives: [...all.gives] },
      { ...admin, gives: ["tenant-admin" as const] },
    ],
  };
  assert.match(
    ownTakenWords(both, admin),
    /^This is your own role\. You may not .* tenant-admin allows, from now on\.$/,
  );
  assert.match(ownTakenWords(both, owner), /from now on\. Only somebody else can give it back to you\.$/);
  const [only] = both.bindings;
  assert.match(ownTakenWords({ bindings: [only!] }, owner), /your only role, so nothing is left for you to see\. Only/);
  assert.match(takenWords({ name: "ana", bindings: [admin] }, admin), /^ana may not .* the only role/);
});

it("taking a role says that nobody else has it there, and that the platform keeps its last owner", () => {
  const all = [
    { ...owner, user: "usr_1" },
    { ...admin, user: "usr_1" },
    { role: "tenant-admin", account: "lab/nlp", user: "usr_2" } as const,
  ];
  assert.equal(nobodyElseWords(all, "usr_1", admin), "Nobody else is tenant-admin of lab.");
  assert.equal(nobodyElseWords([...all, { ...admin, user: "usr_3" }], "usr_1", admin), undefined);
  assert.match(
    nobodyElseWords(all, "usr_1", owner)!,
    /Nobody else is platform-owner of the platform, so this is refused/,
  );
});
