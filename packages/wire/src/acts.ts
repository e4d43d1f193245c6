import Type from "typebox";

/**
 * What can be done with each kind of thing, by the names of routes. `may` of a thing holds those of them that its reader
 * may call on it. Routes that only read are left out, but for what a reader of the thing can be refused and looks for.
 */
export const acts = {
  job: [
    "cancelJob",
    "holdJob",
    "releaseJob",
    "suspendJob",
    "requeueJob",
    "editJob",
    "checkJob",
    "enterJob",
    "readLogs",
  ],
  account: [
    "submitJob",
    "createAccount",
    "editAccount",
    "deleteAccount",
    "createUser",
    "bindRole",
    "putSecret",
    "deleteSecret",
    "putVolume",
    "deleteVolume",
    "putGrants",
    "setBudget",
    "dropBudget",
  ],
  budget: ["setBudget", "dropBudget"],
  billing: ["setBilling", "setContract", "postEntry"],
  node: ["cordonNode", "drainNode", "maintainNode", "upNode", "downNode", "checkNode", "closeRepair"],
  engine: ["editEngine", "cordonEngine", "upEngine", "deleteEngine"],
  pool: ["editPool", "deletePool"],
  user: ["disableUser", "enableUser", "eraseUser", "setPassword", "createToken"],
  token: ["revokeToken"],
  binding: ["unbindRole"],
  prices: ["addPrices"],
} as const;

/** A kind of thing that something can be done with. */
export type Thing = keyof typeof acts;
export type ActOn<Kind extends Thing> = (typeof acts)[Kind][number];

/** `all` stands for every act on things of the kind: most lists are of what one administers, and would be long. */
export type MayDo<Kind extends Thing> = "all" | ActOn<Kind>[];

/** What the reader of a thing may do with it. Absent where there is nothing to act on, such as in the past. */
export function May<const Kind extends Thing>(kind: Kind) {
  return Type.Optional(
    Type.Unsafe<MayDo<Kind>>({
      anyOf: [
        { type: "string", const: "all" },
        { type: "array", items: { type: "string", enum: [...acts[kind]] } },
      ],
      description: `What the caller may do with it, by the names of routes, or all: ${acts[kind].join(", ")}. Absent in the answer to a create`,
    }),
  );
}
