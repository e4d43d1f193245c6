import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event, EventKind } from "../../journal/event.ts";
import type { ExchangeTerms } from "../../model/exchange.ts";
import type { AccountNo, JobNo, LeaseId, NodeNo } from "../../model/ids.ts";
import { must } from "../../model/must.ts";
import type { ProviderTerms } from "../../model/provider.ts";
import { unitsPerGpu } from "../../model/units.ts";
import { ana, jobId, World } from "../../testing/world.ts";
import { emptyState } from "../empty.ts";
import { readSnapshot, writeSnapshot } from "../snapshot/snapshot.ts";
import type { State } from "../state.ts";
import { apply } from "./apply.ts";
import { countHolding } from "./count-usage.ts";

const at = 1_000_000;

/** An event with the head that all have. */
function event<Kind extends EventKind>(
  kind: Kind,
  fields: Omit<Extract<Event, { kind: Kind }>, "kind" | "v" | "at">,
): Event {
  return { kind, v: 1, at, ...fields } as unknown as Event;
}

/** One node of two GPUs, and an account with a running job and a waiting one. */
function busy(): World {
  const w = new World().nodes(["n0", "H100:2"]).account("lab");
  w.submit("runs", "lab", { gpus: 2 });
  w.submit("waits", "lab", { gpus: 2 });
  return w.run("runs");
}

const jobOf = ({ state }: World, id: string) => must(state.jobById.get(jobId(id)), `job ${id}`);

/** A placement of a job on the first GPU. */
function placed(job: JobNo): Event {
  const seats = [{ node: 0 as NodeNo, gpus: [0 as never] }];
  const fields = { job, attempt: 1, choice: 0, unitsEach: unitsPerGpu, class: "burst", cover: -1 as AccountNo, seats };
  return event("job-placed", fields as never);
}

describe("an event that contradicts the state", () => {
  const refusals: readonly [name: string, expected: RegExp, make: (w: World) => Event][] = [
    ["about a job that is not live", /no live job 99/, () => event("job-held", { job: 99 as JobNo, held: true })],
    ["that places a running job", /job_runs is placed and is running/, (w) => placed(jobOf(w, "runs").no)],
    ["that places a job on a GPU that is taken [S1]", /GPU 0 has 0/, (w) => placed(jobOf(w, "waits").no)],
    [
      "that plans the start of a running job",
      /job_runs gets a planned start and is running/,
      (w) => event("job-planned", { job: jobOf(w, "runs").no, startsAt: at }),
    ],
    [
      "that edits a running job",
      /job_runs is edited and is running/,
      (w) => event("job-edited", { job: jobOf(w, "runs").no, spec: jobOf(w, "runs").spec }),
    ],
    [
      "that lets a waiting job grow",
      /job_waits grows and holds no seats/,
      (w) => event("job-grown", { job: jobOf(w, "waits").no, unitsEach: unitsPerGpu, seats: [] }),
    ],
    [
      "that requeues a waiting job [S20]",
      /job_waits is requeued and waits already/,
      (w) => event("job-requeued", { job: jobOf(w, "waits").no, attempt: 2, cause: "failed", notBeforeAt: 0 }),
    ],
    [
      "that requeues a job with leases [S20]",
      /job_runs is requeued while it holds 1 leases/,
      (w) => event("job-requeued", { job: jobOf(w, "runs").no, attempt: 2, cause: "failed", notBeforeAt: 0 }),
    ],
    [
      "that ends a job with leases",
      /job_runs ends while it holds 1 leases/,
      (w) => event("job-ended", { job: jobOf(w, "runs").no, outcome: "succeeded" }),
    ],
    [
      "that gives a job number out twice",
      /job number 1 is given out twice/,
      (w) => ({
        ...must(
          w.events.find(({ kind }) => kind === "job-submitted"),
          "a submission",
        ),
        at,
      }),
    ],
    [
      "that ends a lease that nothing holds",
      /no live lease job_runs-9-0/,
      () => event("lease-ended", { lease: "job_runs-9-0" as LeaseId, sequence: 1, result: "exited" }),
    ],
    [
      "that removes a node in use",
      /node 0 is removed while 1 leases/,
      () => event("node-removed", { node: 0 as NodeNo }),
    ],
    [
      "that deletes an account with live jobs",
      /account 1 is deleted with 2 live jobs/,
      () => event("account-deleted", { account: 1 as AccountNo }),
    ],
    [
      "about a user that does not exist",
      /user usr_ghost changes and does not exist/,
      () => event("user-changed", { user: "usr_ghost" as never, disabled: true }),
    ],
    [
      "that revokes a token that does not exist",
      /token tok_ghost is revoked and does not exist/,
      () => event("token-revoked", { token: "tok_ghost" as never }),
    ],
  ];
  for (const [name, expected, make] of refusals)
    it(`${name} is a bug and stops the work`, () => {
      const w = busy();
      const wrong = make(w);
      assert.throws(() => apply(w.state, wrong), expected);
    });

  it("[T7] of a second claim for the same job stops the work", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("owner", { guarantee: 2 }).account("guest");
    w.submit("lent", "guest", { gpus: 2 });
    w.run("lent").submit("own", "owner", { gpus: 2 });
    const claimed = must(
      w.events.find(({ kind }) => kind === "job-claimed"),
      "a claim",
    );
    assert.throws(() => apply(w.state, claimed), /job_own claims and has a claim already/);
  });

  it("[S25] never takes the usage of an account below zero", () => {
    const w = busy();
    const [lease] = jobOf(w, "runs").leases;
    countHolding(w.state, jobOf(w, "runs"), must(lease, "a lease"), -1);
    assert.throws(
      () => countHolding(w.state, jobOf(w, "runs"), must(lease, "a lease"), -1),
      /gives back more than it holds/,
    );
  });
});

const corp: ProviderTerms = {
  ...{ issuer: "https://id.example", clientId: "tessera", label: "Corp", scopes: ["email"], groupsClaim: "groups" },
  ...{ rules: [{ group: "ml", role: "member", account: 1 as AccountNo }], acr: ["mfa"] },
};
const scimToken = { id: "tok_s" as never, prefix: "scim_ab", hash: "h", createdAt: 1 };

const ciTerms: ExchangeTerms = {
  ...{ issuer: "https://ci.example", audience: "tessera", user: "usr_bot" as never, account: 1 as AccountNo },
  ...{ rules: [{ claim: "repository", value: "acme/*" }], scopes: ["job.submit"], tokenLifeMs: 900_000 },
};

/** What a token can be limited to, and how its session was opened. */
const limits = { signIn: { by: "password", factorAt: 7 }, account: 1, networks: ["10.0.0.0/8"] };

/** People, secrets, keys, money and the epoch: events of which no job takes note. */
function besideJobs(): Event[] {
  const user = "usr_bea" as never;
  const account = 1 as AccountNo;
  const price = { id: "p1", fromAt: 0, currency: "EUR", gpus: [], timesOfDay: [] } as never;
  const entry = { no: 1, at, currency: "EUR", memo: "m", legs: [{ account: "cash", micros: "5" }] };
  const budget = {
    account: "lab",
    currency: "EUR",
    limitMicros: "9",
    every: "once",
    alertsPerMille: [],
    stop: "alert",
  };
  return [
    event("user-created", { user }),
    event("role-bound", { user, role: "viewer", account }),
    event("provider-changed", { provider: "corp", terms: corp }),
    event("scim-changed", { provider: "corp", tokens: [scimToken] }),
    event("provider-changed", { provider: "corp", terms: corp }),
    event("provider-changed", { provider: "old", terms: corp }),
    event("scim-changed", { provider: "old", tokens: [scimToken] }),
    event("scim-changed", { provider: "old", tokens: [] }),
    event("provider-changed", { provider: "old" }),
    event("user-created", { user: "usr_bot" as never, service: account }),
    event("exchange-changed", { exchange: "ci", terms: ciTerms }),
    event("exchange-changed", { exchange: "old", terms: ciTerms }),
    event("exchange-changed", { exchange: "old" }),
    event("role-bound", { user, role: "finance", account, from: "sso:corp" }),
    event("role-bound", { user, role: "member", account }),
    event("role-unbound", { user, role: "viewer", account }),
    event("user-changed", { user, disabled: true }),
    event("token-created", {
      token: "t1",
      user,
      prefix: "p",
      hash: "h1",
      label: "",
      scopes: [],
      expiresAt: 9,
    } as never),
    event("token-created", {
      token: "t2",
      user,
      prefix: "p",
      hash: "h2",
      label: "",
      scopes: [],
      expiresAt: 9,
      ...limits,
    } as never),
    event("token-revoked", { token: "t1" as never }),
    event("token-expiring", { token: "t2" as never, user, expiresAt: 9 }),
    event("secret-changed", { account, name: "key", present: true }),
    event("engine-changed", {
      engine: "east",
      terms: { kind: "kubernetes", lostAfterMs: 60_000, settings: { a: "b" } },
    }),
    event("engine-reached", { engine: "east", away: "connection refused" }),
    event("engine-changed", { engine: "west", terms: { kind: "local", cordoned: "", lostAfterMs: 0, settings: {} } }),
    event("engine-reached", { engine: "west", away: "no answer" }),
    event("engine-reached", { engine: "west" }),
    event("engine-changed", { engine: "old", terms: { kind: "local", lostAfterMs: 0, settings: {} }, leaving: true }),
    event("engine-changed", { engine: "old" }),
    event("pool-changed", {
      pool: "gold",
      terms: { labels: { tier: "gold" }, perMille: 1500, tenants: ["lab"], mode: "any", ratio: 2, trust: "trusted" },
    }),
    event("pool-changed", { pool: "old", terms: { labels: { tier: "old" }, perMille: 1000 } }),
    event("pool-changed", { pool: "old" }),
    event("volume-changed", { account, name: "data", volume: { path: "/data", readOnly: true } }),
    event("volume-changed", { account, name: "old", volume: { path: "/old", readOnly: false } }),
    event("volume-changed", { account, name: "old" }),
    event("volume-changed", {
      account,
      name: "data",
      volume: {
        path: "/data",
        readOnly: true,
        grants: [{ access: "read", accounts: [account], purposes: ["training"] }],
      },
    }),
    event("key-used", { user: ana, key: "k", bodyHash: "b", result: "r" }),
    event("audit-noted", { notes: 2 }),
    event("epoch-began", { epoch: 7, reason: "restore" }),
    event("signing-key-named", { publicKey: "k1" }),
    event("signing-key-named", { publicKey: "k2", signature: "s" }),
    event("privates-noted", { rows: [{ kind: "person", key: "usr_bea", digest: "d1" }] }),
    event("privates-noted", {
      rows: [
        { kind: "person", key: "usr_bea", digest: "" },
        { kind: "person", key: "usr_ana", digest: "d2" },
      ],
    }),
    event("keys-noted", { changes: [{ key: "a1", of: "platform", is: "made", by: "root" }] }),
    event("keys-noted", {
      changes: [
        { key: "b2", of: "platform", is: "made" },
        { key: "a1", of: "platform", is: "destroyed" },
      ],
    }),
    event("anchor-changed", { id: "anc_1", anchor: { kind: "folder", to: "/mnt/heads" } }),
    event("anchor-changed", { id: "anc_2", anchor: { kind: "http", to: "https://example.org" } }),
    event("anchor-changed", { id: "anc_2" }),
    event("head-witnessed", { origin: "o", publicKey: "k", row: 3, line: "l" }),
    event("turn-taken", { upTo: 4, again: true }),
    event("price-added", { version: price }),
    event("prices-foreseen", { ahead: { fromAt: 1, toAt: 2, windows: [] } }),
    event("own-budget-spent", { job: 1 as JobNo, budgetMicros: "1", spentMicros: "2" }),
    event("contract-set", { contract: { tenant: "lab", fromAt: 0, toAt: 9, gpus: [], perMille: 900 } as never }),
    event("tenant-billed", { tenant: "lab", mode: "real", creditLimitMicros: "7" } as never),
    event("budget-set", { budget: budget as never }),
    event("budget-reached", { account: "lab", stop: "none", perMille: 500, spentMicros: "4" }),
    event("budget-foreseen", { account: "lab", over: true, forecastMicros: "10" }),
    event("budget-set", { budget: { ...budget, account: "mill" } as never }),
    event("budget-dropped", { account: "mill" }),
    event("credit-reached", { tenant: "lab", reached: true, owedMicros: "7" }),
    event("entry-posted", { tenant: "lab", entry: { ...entry, kind: "hold" } as never }),
    event("invoice-issued", { tenant: "lab", period: { fromAt: 0, toAt: 8 }, entries: [{ ...entry, no: 2 }] } as never),
  ];
}

/** A story in which every other kind of event happens. */
function story(): Event[] {
  const w = new World().nodes(["n0", "H100:2"], ["n1", "H100:2"], ["n2", "H100:2"], ["spare", "H100:2"]);
  w.nodes(["n0", "H100:2"], ["n1", "H100:2"], ["n2", "H100:2"]);
  w.account("owner", { guarantee: 4 }).account("guest").account("gone");
  w.must({ kind: "account.delete", path: "gone" });
  w.must({ kind: "policy.set", policy: { ...w.state.policy, minRuntimeMs: 0, scrubMs: 1_000, reshapeMs: 1_000 } });
  w.submit("dirty", "owner", { gpus: 1 });
  w.run("dirty").exit("dirty", 0);
  const retry = { max: 3, when: ["preempted"] } as never;
  for (const id of ["a", "b"]) w.submit(id, "guest", { gpus: 2, max_time: "1h", retry });
  w.submit("grows", "guest", { gpus: 1, members: "1..2", retry });
  for (const id of ["a", "b", "grows"])
    for (const { id: lease } of jobOf(w, id).leases) w.reportOn(lease, { kind: "scrubbed", how: "test" });
  happens(w, event("lease-reshaped", { lease: must(jobOf(w, "a").leases[0], "a lease").id, sequence: 2, how: "test" }));
  for (const id of ["a", "b", "grows"]) w.run(id);
  w.must({ kind: "job.enter", job: jobId("a"), rank: 0, user: ana, how: "exec", what: "ls" });
  happens(
    w,
    event("job-idle", { job: jobOf(w, "a").no, since: w.now, activity: 1, below: 500, actsAt: w.now, does: "stop" }),
  );
  w.submit("planned", "guest", { gpus: 2, max_time: "1h" });
  happens(w, event("plan-dropped", { job: jobOf(w, "planned").no }));
  w.must({ kind: "job.hold", job: jobId("planned") });
  const { spec } = jobOf(w, "planned");
  for (const maxTimeMs of [1_000, 2_000])
    w.must({ kind: "job.edit", job: jobId("planned"), spec: { ...spec, maxTimeMs } });
  w.must({ kind: "job.label", job: jobId("planned"), labels: { sweep: "lr" } });
  w.submit("own", "owner", { gpus: 2 });
  happens(w, event("claim-dropped", { job: jobOf(w, "own").no, reason: "test" }));
  for (const job of [...w.state.jobs.values()])
    if (job.state === "stopping")
      for (const { id } of job.leases) w.reportOn(id, { kind: "exited", ran: true, code: 1 }, 9);
  w.must({ kind: "job.cancel", job: jobId("own") });
  for (const [path, gpus] of [
    ["owner", 0],
    ["guest", 6],
  ] as const) {
    const { terms } = must(w.state.accountByPath.get(path), path);
    const quota = { ...terms.quota, guarantee: { "*": gpus * unitsPerGpu } };
    w.must({ kind: "account.edit", path, terms: { ...terms, quota } });
  }
  w.must({ kind: "node.cordon", node: "n2", reason: "test" });
  const window = { from: w.now + 9, to: w.now + 99, reason: "disk" };
  w.must({ kind: "node.maintenance", node: "n2", window });
  const finding = { node: "n1", gpuUuid: "GPU-n1-0", at: w.now, source: "xid", text: "as logged" } as const;
  for (const code of ["31", "79"]) w.must({ kind: "node.finding", ...finding, code });
  w.must({ kind: "node.checked", node: "n1", results: [{ name: "memory", result: "passed", text: "" }] });
  w.submit("long", "guest", { gpus: 1, array: "1-250" });
  w.must({ kind: "job.hold", job: jobId("long.200") });
  w.must({ kind: "job.cancel", job: jobId("long") });
  return w.events;
}

/** An event that no decision made. */
function happens(w: World, each: Event): void {
  apply(w.state, each);
  w.events.push(each);
}

describe("apply", () => {
  it("[S26] gives a state that a snapshot holds, after each event", () => {
    const state = emptyState();
    for (const each of [...story(), ...besideJobs()]) {
      apply(state, JSON.parse(JSON.stringify(each)) as Event);
      const text = writeSnapshot(state);
      assert.equal(writeSnapshot(readSnapshot(text)), text, each.kind);
    }
  });

  it("moves the clock forward only, and counts each event", () => {
    const state = emptyState();
    apply(state, { ...event("epoch-began", { epoch: 2, reason: "a" }), at: 50 } as Event);
    apply(state, { ...event("epoch-began", { epoch: 3, reason: "b" }), at: 40 } as Event);
    assert.deepEqual([state.lastAt, state.clock, state.version, state.epoch], [50, 50, 2, 3]);
  });

  it("keeps people, their roles and their tokens", () => {
    const state = withAll();
    const user = must(state.users.get("usr_bea" as never), "the user");
    assert.deepEqual(user, {
      ...user,
      disabled: true,
      bindings: [
        { role: "finance", account: 1, from: "sso:corp" },
        { role: "member", account: 1 },
      ],
      revision: 6,
    });
    assert.deepEqual([...state.providers.values()], [{ name: "corp", terms: corp, createdAt: at, scim: [scimToken] }]);
    assert.equal(state.users.get("usr_bot" as never)?.service, 1);
    assert.deepEqual([...state.exchanges.values()], [{ name: "ci", terms: ciTerms, createdAt: at }]);
    assert.equal(state.tokens.get("t2" as never)?.warned, true);
    assert.deepEqual([[...state.tokens.keys()], [...state.tokenByHash.keys()]], [["t2"], ["h2"]]);
    const { signIn, account: within, networks } = must(state.tokens.get("t2" as never), "the token");
    assert.deepEqual({ signIn, account: within, networks }, limits);
    assert.deepEqual([...state.secrets.keys()], ["1/key"]);
    assert.deepEqual(state.keys.get(`${ana}/k`), { bodyHash: "b", result: "r", at });
  });

  it("keeps the books", () => {
    const { books } = withAll();
    assert.deepEqual(
      [books.versions.length, books.contracts.size, books.tenants.get("lab")?.creditLimitMicros],
      [1, 1, 7n],
    );
    assert.deepEqual(
      [[...books.budgets.keys()], [...books.foreseen], [...books.creditReached]],
      [["lab"], ["lab"], ["lab"]],
    );
    assert.equal(books.balances.get("EUR cash"), 10n);
    assert.deepEqual(
      [books.holds.size, books.nextEntry, books.nextInvoice, books.closedUntil.get("lab")],
      [1, 3, 2, 8],
    );
  });

  it("keeps signing keys, digests of private rows, anchors and heads of other servers", () => {
    const { trail } = withAll();
    assert.deepEqual(
      trail.keys.map(({ publicKey }) => publicKey),
      ["k1", "k2"],
    );
    assert.deepEqual([...trail.privates], [["person/usr_ana", "d2"]]);
    assert.deepEqual([[...trail.anchors.keys()], trail.witnessed.get("o")?.row], [["anc_1"], 3]);
  });

  it("forgets an idempotency key after a day", () => {
    const state = emptyState();
    const used = (key: string, usedAt: number) =>
      apply(state, { ...event("key-used", { user: ana, key, bodyHash: "b", result: "r" }), at: usedAt } as Event);
    used("old", 0);
    used("young", 1);
    used("new", 24 * 3_600_000);
    assert.deepEqual([...state.keys.keys()], [`${ana}/young`, `${ana}/new`]);
  });

  it("forgets an account with its secrets and the roles of its users", () => {
    const w = new World().account("lab");
    const account = 1 as AccountNo;
    apply(w.state, event("user-created", { user: ana }));
    apply(w.state, event("role-bound", { user: ana, role: "viewer", account }));
    apply(w.state, event("secret-changed", { account, name: "key", present: true }));
    apply(w.state, event("account-deleted", { account }));
    assert.deepEqual([w.state.accounts[1], w.state.secrets.size, w.state.users.get(ana)?.bindings], [undefined, 0, []]);
    assert.equal(w.state.accountByPath.has("lab"), false);
  });
});

function withAll(): State {
  const state = emptyState();
  for (const each of [...story(), ...besideJobs()]) apply(state, each);
  return state;
}

/** Every kind of event; a new one does not compile until it is named, and fails until a story has it. */
const kinds: Record<EventKind, true> = {
  "node-added": true,
  "node-changed": true,
  "node-removed": true,
  "maintenance-planned": true,
  "finding-noted": true,
  "checks-noted": true,
  "repair-opened": true,
  "repair-noted": true,
  "repair-closed": true,
  "engine-changed": true,
  "engine-reached": true,
  "pool-changed": true,
  "account-created": true,
  "account-edited": true,
  "account-deleted": true,
  "user-created": true,
  "user-changed": true,
  "provider-changed": true,
  "scim-changed": true,
  "exchange-changed": true,
  "role-bound": true,
  "role-unbound": true,
  "token-created": true,
  "token-revoked": true,
  "token-expiring": true,
  "secret-changed": true,
  "volume-changed": true,
  "job-submitted": true,
  "elements-made": true,
  "job-held": true,
  "job-entered": true,
  "job-idle": true,
  "job-edited": true,
  "job-labelled": true,
  "job-planned": true,
  "plan-dropped": true,
  "job-placed": true,
  "job-claimed": true,
  "claim-dropped": true,
  "job-classed": true,
  "job-grown": true,
  "lease-scrubbed": true,
  "lease-reshaped": true,
  "lease-prepared": true,
  "lease-started": true,
  "lease-stopping": true,
  "lease-ended": true,
  "job-requeued": true,
  "job-ended": true,
  "key-used": true,
  "policy-set": true,
  "price-added": true,
  "prices-foreseen": true,
  "own-budget-spent": true,
  "contract-set": true,
  "tenant-billed": true,
  "budget-set": true,
  "budget-dropped": true,
  "budget-reached": true,
  "budget-foreseen": true,
  "credit-reached": true,
  "invoice-issued": true,
  "entry-posted": true,
  "audit-noted": true,
  "epoch-began": true,
  "signing-key-named": true,
  "privates-noted": true,
  "keys-noted": true,
  "anchor-changed": true,
  "head-witnessed": true,
  "turn-taken": true,
};

it("the stories above have every kind of event", () => {
  const seen = new Set([...story(), ...besideJobs()].map(({ kind }) => kind));
  assert.deepEqual(
    Object.keys(kinds).filter((kind) => !seen.has(kind as EventKind)),
    [],
  );
});
