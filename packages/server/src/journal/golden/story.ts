import { minute, plainPolicy, type Role, second, type TokenId, type UserId } from "@tessera/core";
import { tellExchanges } from "./exchange-story.ts";
import { tellHealth } from "./health-story.ts";
import { tellMoney } from "./money-story.ts";
import { ana, jobId, nodeOf, submission, Teller, termsOf } from "./teller.ts";

const bo = "usr_bo" as UserId;
const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

/**
 * A day on which everything happens that can be written to a journal. It grows with the format; a golden file that was
 * made from an earlier form of it stays as it is.
 */
export function tellStory(seed: string): Teller {
  const t = new Teller(seed, Date.UTC(2026, 0, 1, 12));
  people(t);
  fleetAndAccounts(t);
  jobs(t);
  plans(t);
  leaving(t);
  code(t);
  results(t);
  trouble(t);
  takingBack(t);
  elastic(t);
  handover(t);
  maintenance(t);
  trail(t);
  leftovers(t);
  tellMoney(t);
  turns(t);
  notes(t);
  longArray(t);
  sessions(t);
  pools(t);
  tellHealth(t);
  engines(t);
  neighbours(t);
  sharedPools(t);
  idle(t);
  factors(t);
  dataKeys(t);
  grants(t);
  providers(t);
  scim(t);
  tellExchanges(t);
  return t;
}

function people(t: Teller): void {
  t.do({ kind: "user.create", user: ana, first: { role: "platform-owner", account: "" } });
  t.do({ kind: "user.create", user: bo }, { key: "make-bo", bodyHash: hash });
  const token = {
    id: "tok_1" as TokenId,
    user: bo,
    prefix: "tess_ab",
    hash,
    label: "laptop",
    scopes: ["job.get"],
    expiresAt: 0,
  };
  t.do({ kind: "token.create", ...token });
  t.do({ kind: "token.create", ...token, id: "tok_2" as TokenId, hash: hash.toUpperCase(), expiresAt: t.now + minute });
  t.do({ kind: "token.revoke", token: "tok_2" as TokenId });
  t.do({ kind: "user.disable", user: bo });
  t.do({ kind: "user.enable", user: bo });
  t.do({ kind: "password.set", user: bo });
}

function fleetAndAccounts(t: Teller): void {
  t.do({ kind: "node.register", nodes: [nodeOf("n0", 4), nodeOf("n1", 4), nodeOf("n2", 1)] });
  t.do({ kind: "node.register", nodes: [nodeOf("n0", 4, { bootId: "n0-boot-2" }), nodeOf("n1", 4)] }); // n2 has left
  t.do({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "on", minRuntimeMs: 0 } });
  t.account("lab", 4, { limits: { gpusPerJobMax: 8, gpuTime: { unitMsMax: 1e12, everyMs: 60 * minute } } });
  t.account("lab/vision", 2);
  t.account("guest", 0, { trust: "untrusted", trustGroup: "outside" });
  t.account("owner", 4);
  t.account("gone", 0);
  t.do({ kind: "account.delete", path: "gone" });
  t.do({ kind: "role.bind", user: bo, role: "member", account: "lab" });
  t.do({ kind: "role.bind", user: bo, role: "viewer", account: "guest" });
  t.do({ kind: "role.unbind", user: bo, role: "viewer", account: "guest" });
  t.do({ kind: "secret.set", account: "lab", name: "WANDB_KEY" });
  t.do({ kind: "secret.set", account: "lab", name: "OLD" });
  t.do({ kind: "secret.delete", account: "lab", name: "OLD" });
  t.do({ kind: "volume.create", account: "lab", name: "data", path: "/srv/data", readOnly: true });
  t.do({ kind: "volume.create", account: "lab", name: "old", path: "/srv/old", readOnly: false });
  t.do({ kind: "volume.delete", account: "lab", name: "old" });
}

function jobs(t: Teller): void {
  const checkpoint = { dir: "/ckpt", signal: "USR1", grace: "2m", every: "10m" };
  t.submit("gang", "lab", {
    nodes: 2,
    gpus: "H100:2",
    cpus: 4,
    memory: "8GiB",
    max_time: "2h",
    checkpoint,
    secrets: ["WANDB_KEY"],
  });
  t.run("gang");
  t.do({ kind: "job.enter", job: jobId("gang"), rank: 1, user: bo, how: "exec", what: "nvidia-smi" });
  t.submit("frames", "lab/vision", { array: "1-4:1%2", priority: "low", retry: 1, env: { N: 3, deep: true } });
  t.submit("film", "lab", { after: [{ job: jobId("frames"), when: "succeeded" }] });
  t.submit("report", "lab", { after: [{ job: jobId("frames"), when: "ended" }], gpus: 0 });
  t.submit("later", "lab", { notBeforeAt: t.now + 5 * minute, deadlineAt: t.now + 10 * minute });
  t.do({ kind: "job.hold", job: jobId("later") });
  t.run("frames.1");
  t.run("frames.2");
  t.tick(30 * second);
  t.exit("frames.1", 0);
  t.exit("frames.2", 7); // comes back once
  t.run("frames.3");
  t.report("frames.3", { kind: "refused", reason: "no such image" });
  t.tick(5 * second);
  t.run("frames.2");
  t.exit("frames.2", 7);
  t.run("frames.4");
  t.report("frames.4", { kind: "stopping", cause: "time-limit" });
  t.report("frames.4", { kind: "exited", ran: true, signal: "SIGTERM", limit: "time" });
  t.run("report");
  t.exit("report", 0);
  t.do({ kind: "job.release", job: jobId("later") });
  t.do({ kind: "job.hold", job: jobId("later") });
  t.tick(10 * minute); // its deadline passes
  t.exit("gang", 0, 0);
  t.exit("gang", 0, 1);
}

function trouble(t: Teller): void {
  t.submit("steady", "lab", { gpus: 4 });
  t.run("steady");
  t.do({ kind: "node.cordon", node: "n1", reason: "noisy fan" });
  t.do({ kind: "node.down", node: "n0", reason: "fire" }); // steady comes back elsewhere
  t.do({ kind: "node.up", node: "n0" });
  t.do({ kind: "node.up", node: "n1" });
  t.run("steady");
  t.do({ kind: "node.drain", node: "n0", reason: "patch", until: t.now + minute });
  t.do({ kind: "node.drain", node: "n1", reason: "patch", until: t.now + minute });
  t.tick(minute);
  t.report("steady", { kind: "exited", ran: true, signal: "SIGTERM" });
  t.do({ kind: "node.up", node: "n0" });
  t.do({ kind: "node.up", node: "n1" });
  t.run("steady");
  t.do({ kind: "job.cancel", job: jobId("steady") });
  t.report("steady", { kind: "exited", ran: true, signal: "SIGKILL" });
  t.submit("unborn", "lab");
  t.do({ kind: "job.cancel", job: jobId("unborn") });
  t.report("unborn", { kind: "exited", ran: false });
  t.submit("lost", "lab", { retry: { max: 0, when: [] } });
  t.run("lost");
  t.report("lost", { kind: "lost", reason: "its supervisor is gone" });
}

function takingBack(t: Teller): void {
  const lent = ["lent1", "lent2"];
  for (const id of lent) {
    t.submit(id, "guest", { gpus: 4 });
    t.run(id);
  }
  t.submit("claim", "owner", { gpus: 4 });
  // The claimed node is cordoned before the victim is gone: the claim falls, and is made again on another node.
  const [seat] = t.state.jobById.get(jobId("claim"))!.claim!.seats;
  const node = t.state.fleet.node(seat!.node).facts.name;
  t.do({ kind: "node.cordon", node, reason: "doubtful" });
  t.do({ kind: "node.up", node });
  for (const id of lent) t.leave(id);
  t.run("claim");
  // The rest of the loan is covered once its account gets a floor, and no longer when the floor is removed.
  const guest = { trust: "untrusted", trustGroup: "outside", overcommit: true } as const;
  t.do({ kind: "account.edit", path: "guest", terms: termsOf(4, guest) });
  t.do({ kind: "account.edit", path: "guest", terms: termsOf(0, guest) });
}

/** Grows into what is idle, and gives it back before anyone must leave. */
function elastic(t: Teller): void {
  for (const id of ["claim", "lent1", "lent2"]) {
    if (!t.state.jobById.has(jobId(id))) continue;
    t.do({ kind: "job.cancel", job: jobId(id) });
    t.leave(id);
  }
  t.submit("stretchy", "guest", { members: "1..4", gpus: 1 });
  t.run("stretchy");
  t.tick(minute);
  t.submit("wide", "owner", { gpus: 4 });
  t.submit("wider", "lab", { gpus: 4 });
}

/** A GPU is cut, passes to another tenant after a scrub, and is not handed over when a scrub fails. */
function handover(t: Teller): void {
  t.do({ kind: "policy.set", policy: { ...t.state.policy, scrubMs: 10 * second, reshapeMs: 15 * second } });
  const gpus = [{ uuid: "GPU-p0-0", model: "A100-80GB", memoryMiB: 81_920 }];
  const known = [nodeOf("n0", 4, { bootId: "n0-boot-2" }), nodeOf("n1", 4)];
  t.do({ kind: "node.register", nodes: [...known, nodeOf("p0", 1, { gpus, pool: "any" })] });
  t.submit("slice", "guest", { gpus: "A100:1g.10gb" });
  t.report("slice", { kind: "reshaped", how: "cut" });
  const devices = ["MIG-e90b3cfa-dc6d-544e-8d64-ab420ffb2541"];
  t.report("slice", { kind: "prepared", engineId: "e-slice", enforcement: { gpu: "mig" }, devices });
  t.report("slice", { kind: "started" });
  t.exit("slice", 0);
  t.submit("next", "owner", { gpus: "A100:1" });
  t.report("next", { kind: "scrubbed", how: "reset" });
  t.report("next", { kind: "reshaped", how: "made whole" });
  t.run("next");
  t.exit("next", 0);
  t.submit("unlucky", "lab", { gpus: "A100:1" });
  t.report("unlucky", { kind: "scrub-failed", reason: "the driver does not answer" });
}

/** A node is out of use for a time, and a later time is planned. */
function maintenance(t: Teller): void {
  const window = (inMs: number) => ({
    from: t.now + inMs,
    to: t.now + inMs + minute,
    reason: "new driver",
    zone: "UTC",
  });
  t.do({ kind: "node.maintenance", node: "n1", window: window(minute) });
  t.tick(minute);
  t.tick(minute);
  t.do({ kind: "node.maintenance", node: "n1", window: window(60 * minute) });
}

function plans(t: Teller): void {
  t.submit("first", "lab", { nodes: 2, gpus: 4, max_time: "30m" });
  t.run("first");
  t.submit("next", "lab", { nodes: 2, gpus: 4, max_time: "20m" });
  t.do({ kind: "node.cordon", node: "n0", reason: "noisy fan" }); // its start can no longer be predicted
  t.do({ kind: "node.up", node: "n0" });
  t.do({ kind: "job.cancel", job: jobId("first") });
  for (const rank of [0, 1]) t.report("first", { kind: "exited", ran: true, signal: "SIGTERM" }, rank);
  t.do({ kind: "job.cancel", job: jobId("next") });
  for (const rank of [0, 1]) t.report("next", { kind: "exited", ran: false }, rank);
}

/** Jobs are asked to leave, by their user too, and one of them is done; a waiting job is edited. */
function leaving(t: Teller): void {
  t.submit("saves", "lab", { checkpoint: { signal: "SIGUSR1", grace: "20s" } });
  t.run("saves");
  t.do({ kind: "job.suspend", job: jobId("saves") });
  t.exit("saves", 0);
  const { spec } = t.state.jobById.get(jobId("saves"))!;
  t.do({ kind: "job.edit", job: jobId("saves"), spec: { ...spec, priority: 3 } });
  t.do({ kind: "job.edit", job: jobId("saves"), spec: { ...spec, memoryMiB: 64 } });
  t.do({ kind: "job.release", job: jobId("saves") });
  t.run("saves");
  t.do({ kind: "job.label", job: jobId("saves"), labels: { sweep: "lr", stage: "2" } });
  t.do({ kind: "job.label", job: jobId("saves"), labels: { stage: null } });
  t.do({ kind: "job.requeue", job: jobId("saves") });
  t.report("saves", { kind: "exited", ran: true, code: 0, done: true });
}

/** Jobs that keep files, and one that mounts them. */
function results(t: Teller): void {
  const fields = { outputs: { model: "ckpt/*.pt", plots: "$TESS_OUT/**" }, shm: "1GiB", scratch: "20GiB" };
  t.submit("keeps", "lab", {
    ...fields,
    members: 2,
    gpus: 0,
    memory: "2GiB",
    mounts: { "/data": "vol:data" },
  } as never);
  t.run("keeps");
  const kept = { name: "model", tree: "ab".repeat(32), files: 2, bytes: 300 };
  const left = { files: 1, bytes: 9, why: "only 300 bytes may be kept" };
  t.report("keeps", {
    kind: "exited",
    ran: true,
    code: 0,
    outputs: [kept, { name: "plots", files: 0, bytes: 0, left }],
  });
  t.report("keeps", { kind: "exited", ran: true, code: 0, outputs: [{ ...kept, rank: 1 }] }, 1);
  t.submit("uses", "lab", { gpus: 0, mounts: { "/in": `job:${jobId("keeps")}/model` } } as never);
  // What an attempt leaves that is followed by another is not kept.
  t.submit("again", "lab", { gpus: 0, retry: 1 });
  t.run("again");
  t.report("again", { kind: "exited", ran: true, code: 1, outputs: [kept] });
}

/** Jobs bring their files, in each way there is; the owner limits what may be sent. */
function code(t: Teller): void {
  const content = { snapshotFilesMax: 10_000, snapshotMiBMax: 512, contentMiBMax: 100_000 };
  t.do({ kind: "policy.set", policy: { ...t.state.policy, ...content } });
  const tree = { tree: hash, commit: hash.slice(0, 40), dirty: true, from: "/home/ana/train" };
  t.submit("sent", "lab", { workdir: tree, venv: { path: "/home/ana/train/.venv", optional: true } });
  t.run("sent");
  t.exit("sent", 0);
  t.submit("fetched", "lab", { workdir: { git: "https://example.org/lab/train.git", ref: "v1" }, venv: "/opt/env" });
  t.report("fetched", { kind: "refused", reason: "train.py is not kept here: send it again" });
  t.submit("placed", "lab", { workdir: { in_place: "/data/run" } });
  t.do({ kind: "job.cancel", job: jobId("placed") });
  t.report("placed", { kind: "exited", ran: false });
}

/** Too many different jobs wait for all of them to claim at once: they take turns. */
function turns(t: Teller): void {
  for (const node of ["n0", "n1"]) t.do({ kind: "node.cordon", node, reason: "full" });
  const jobs = Array.from({ length: 260 }, (_, i) => submission(`q${i}`, "owner", { memory: `${i + 1}MiB` }));
  t.doAll(jobs);
  t.do({ kind: "policy.set", policy: { ...t.state.policy, graceMs: 0 } });
  t.tick(250);
}

/** An array of which only some elements are made; commands about elements that are not; a job that is killed. */
function longArray(t: Teller): void {
  for (const node of ["n0", "n1"]) t.do({ kind: "node.up", node });
  const max = { waitingJobsPerUser: 50_000, cpuMemberCpusMilli: 250 };
  t.do({ kind: "policy.set", policy: { ...t.state.policy, lostWorkMsMax: minute, max } });
  t.submit("sweep", "owner", { array: "1-130", priority: "high" });
  t.do({ kind: "job.cancel", job: jobId("sweep.129") });
  t.do({ kind: "job.hold", job: jobId("sweep.130") });
  t.do({ kind: "job.hold", job: jobId("sweep") });
  t.do({ kind: "job.release", job: jobId("sweep") });
  t.submit("after-all", "owner", { after: [{ job: jobId("sweep.128"), when: "ended" }] });
  for (const { id } of [...t.state.jobs.values()].filter(
    (job) => job.id.startsWith(jobId("sweep.")) && job.leases.length > 0,
  ))
    t.do({ kind: "job.cancel", job: id, force: true });
  t.do({ kind: "job.cancel", job: jobId("sweep") });
}

/** Signing keys, private rows that are covered, anchors, and heads of another server. */
function trail(t: Teller): void {
  t.do({ kind: "key.name", publicKey: "first" });
  t.do({ kind: "key.name", publicKey: "second", signature: "by the first" });
  t.doWith({ kind: "privates.note" }, [{ kind: "person", key: ana, digest: hash }]);
  t.doWith({ kind: "password.set", user: bo }, [{ kind: "password", key: bo, digest: hash }]);
  t.doWith({ kind: "password.set", user: bo }, [{ kind: "password", key: bo, digest: "" }]);
  t.do({ kind: "anchor.set", id: "anc_1", anchor: { kind: "folder", to: "/mnt/heads" } });
  t.do({ kind: "anchor.set", id: "anc_2", anchor: { kind: "tessera", to: "https://other.example" } });
  t.do({ kind: "anchor.drop", id: "anc_2" });
  t.do({ kind: "head.witness", origin: "other", publicKey: "theirs", row: 7, line: "a signed head" });
}

/** What changed nothing and is kept for the audit, and a change that tells what was before. */
function notes(t: Teller): void {
  const where = { account: "lab", target: jobId("saves"), request: "req_1", detail: "GET /v1/jobs/:job/logs" };
  t.do({
    kind: "audit.note",
    notes: [
      {
        action: "job.logs",
        user: ana,
        token: "tok_1" as TokenId,
        origin: "org_1",
        ...where,
        outcome: "read",
        count: 3,
      },
      { action: "session.fail", account: "", target: "", request: "", outcome: "failed", detail: "wrong", count: 1 },
    ],
  });
}

function leftovers(t: Teller): void {
  t.submit("waits", "lab/vision", { gpus: ["A100:1", "H100:2"], preemptible: false, gpu_memory: "40GiB" } as never);
  t.do({ kind: "epoch.begin", reason: "restored from a backup" });
  t.do({ kind: "user.erase", user: bo });
}

/** Sessions that a token was exchanged for end with it. */
function sessions(t: Teller): void {
  const token = { user: bo, scopes: [], expiresAt: t.now + 60 * minute } as const;
  const parent = "tok_3" as TokenId;
  const console = { ...token, prefix: "sess_cd", label: "console", parent };
  t.do({ kind: "token.create", ...token, id: parent, prefix: "tess_cd", hash: hash.slice(1), label: "desk" });
  t.do({ kind: "token.create", ...console, id: "tok_4" as TokenId, hash: hash.slice(2) });
  t.do({ kind: "token.create", ...console, id: "tok_5" as TokenId, hash: hash.slice(3) });
  t.do({ kind: "token.revoke", token: "tok_4" as TokenId });
  t.do({ kind: "token.create", ...console, id: "tok_6" as TokenId, hash: hash.slice(4) });
  t.do({ kind: "token.revoke", token: parent });
  t.do({
    kind: "token.create",
    ...token,
    id: "tok_7" as TokenId,
    prefix: "tess_ef",
    hash: hash.slice(5),
    label: "kept",
  });
  const kept = { ...console, parent: "tok_7" as TokenId };
  t.do({ kind: "token.create", ...kept, id: "tok_8" as TokenId, hash: hash.slice(6) });
}

/** Keys are made, rotated by someone on the machine, destroyed and shredded; what is known already changes nothing. */
function dataKeys(t: Teller): void {
  const [old, next, lab] = ["a1", "b2", "c3"];
  t.do({ kind: "keys.note", changes: [{ key: old, of: "platform", is: "made" }] });
  const rotated = [
    { key: old, of: "platform", is: "made" },
    { key: next, of: "platform", is: "made", by: "root" },
    { key: lab, of: "acc_lab", is: "made" },
  ] as const;
  t.do({ kind: "keys.note", changes: rotated });
  const gone = [
    { key: old, of: "platform", is: "destroyed" },
    { key: lab, of: "acc_lab", is: "shredded", by: "root" },
  ] as const;
  t.do({ kind: "keys.note", changes: gone });
}

/** Second factors, sessions that one was shown for, and tokens for one account and network. */
function factors(t: Teller): void {
  const token = { user: ana, scopes: [], expiresAt: t.now + 60 * minute } as const;
  const own = `${ana}/fac_1`;
  t.doWith({ kind: "factor.set", user: ana, factor: "fac_1", what: "totp" }, [
    { kind: "factor", key: own, digest: hash },
  ]);
  t.do({ kind: "factor.set", user: ana, factor: "fac_2", what: "passkey" });
  t.doWith({ kind: "factor.remove", user: ana, factor: "fac_1" }, [{ kind: "factor", key: own, digest: "" }]);
  const console = { ...token, prefix: "sess_gh", label: "console" };
  const signIn = { by: "sso", provider: "company", factorAt: t.now } as const;
  t.do({ kind: "token.create", ...console, id: "tok_9" as TokenId, hash: hash.slice(7), signIn });
  t.do({
    ...{ kind: "token.create", ...token, id: "tok_10" as TokenId, prefix: "tess_gh", hash: hash.slice(8) },
    ...{ label: "ci", account: "lab", networks: ["10.0.0.0/8", "2001:db8::/32"] },
  });
  const access = { factorRoles: ["platform-owner", "finance"], sessionIdleMs: 10 * minute } as const;
  t.do({
    kind: "policy.set",
    policy: { ...t.state.policy, ...access, sessionLifeMs: 60 * minute, passwordsOff: true },
  });
  const { terms } = t.state.accountByPath.get("mint")!;
  t.do({ kind: "account.edit", path: "mint", terms: { ...terms, factor: true } });
}

/** Nodes with labels in pools of their own, and jobs that ask for some of them. */
function pools(t: Teller): void {
  const place = { region: "eu", zone: "z1", block: "b1", rack: "r1", nvlink: "gold" };
  const facts = [...t.state.fleet.nodes].flatMap((node) => node?.facts ?? []);
  const isolation = ["whole"] as const;
  const offers = { images: true, withoutImage: false, isolation, workdir: false, code: true, mounts: true };
  const labels = { tier: "gold" };
  t.account("mint", 0);
  t.do({ kind: "pool.create", name: "gold", terms: { labels, tenants: ["mint"], perMille: 1500 } });
  t.do({ kind: "pool.create", name: "europe", terms: { labels: { region: "us", tier: "gold" }, perMille: 900 } });
  t.do({ kind: "pool.edit", name: "europe", terms: { labels: { region: "eu", tier: "old" }, perMille: 900 } });
  t.do({ kind: "node.register", nodes: [...facts, nodeOf("gold", 4, { labels, place, offers })] });
  t.submit("coin", "mint", { engine: "golden", region: "eu", where: labels, image: "coin:1", gpus: 1 });
  t.submit("hoard", "mint", { where: labels, image: "coin:1", gpus: 1, members: "1..2" });
  t.submit("bullion", "mint", { where: { ...labels, region: "eu" }, image: "coin:1", gpus: 4 });
  t.run("coin");
  t.run("hoard");
  t.do({ kind: "pool.edit", name: "gold", terms: { labels, tenants: ["mint"], perMille: 2000 } });
  t.do({ kind: "pool.delete", name: "europe" });
  t.tick(minute);
  t.exit("coin", 0);
  t.submit("dearer", "mint", { where: labels, image: "coin:1", gpus: 1 });
  t.tick(minute);
}

/** A second engine with a node of a name that the first has: out of reach, for too long, and gone in the end. */
function engines(t: Teller): void {
  const terms = { kind: "kubernetes", lostAfterMs: 10 * minute, settings: { context: "prod" } } as const;
  t.do({ kind: "engine.create", name: "east", terms });
  t.do({ kind: "engine.create", name: "none", terms: { ...terms, kind: "simulated" } });
  t.do({ kind: "engine.delete", name: "none" });
  const gpus = ["a", "b"].map((each) => ({ uuid: `GPU-east-${each}`, model: "B200", memoryMiB: 183_000 }));
  const place = { region: "us", zone: "z1", block: "b1", rack: "r1", nvlink: "n0" };
  const n0 = nodeOf("n0", 2, { engine: "east", gpus, place });
  const n1 = nodeOf("n1", 1, { engine: "east", condition: { state: "unknown", reason: "NodeStatusUnknown" } });
  const register = (...nodes: (typeof n0)[]) => t.do({ kind: "node.register", engine: "east", nodes });
  register(n0, n1);
  register({ ...n0, withheld: ["GPU-east-a"] });
  t.submit("east", "lab", { gpus: "B200:1", retry: { max: 3 } });
  t.run("east");
  register({ ...n0, withheld: ["GPU-east-a", "GPU-east-b"], condition: { state: "cordoned", reason: "kubectl" } });
  register(n0);
  t.do({ kind: "engine.cordon", name: "east", reason: "upgrade" });
  t.do({ kind: "engine.up", name: "east" });
  t.do({ kind: "engine.reach", name: "east", away: "connection refused" });
  t.tick(minute);
  t.do({ kind: "engine.reach", name: "east" });
  t.do({ kind: "engine.edit", name: "east", terms: { ...terms, lostAfterMs: 5 * minute } });
  t.do({ kind: "engine.reach", name: "east", away: "no route to host" });
  t.tick(6 * minute);
  t.do({ kind: "engine.reach", name: "east" });
  t.tick(minute);
  t.run("east");
  t.do({ kind: "engine.delete", name: "east" });
  t.exit("east", 0);
  t.do({ kind: "engine.create", name: "west", terms: { ...terms, cordoned: "not yet" } });
  t.do({ kind: "engine.reach", name: "west", away: "certificate expired" });
}

/** Jobs that share a GPU by MPS: a fault of one ends the others, which come back; one uses more memory than it may. */
function neighbours(t: Teller): void {
  const facts = [...t.state.fleet.nodes].flatMap((node) => node?.facts ?? []);
  const labels = { by: "mps" };
  t.account("shop", 2);
  t.do({ kind: "pool.create", name: "shared", terms: { labels, tenants: ["shop"], perMille: 1000 } });
  t.do({ kind: "node.register", nodes: [...facts, nodeOf("shared", 2, { pool: "mps", labels })] });
  const ask = { gpus: 0.5, where: labels };
  t.submit("wild", "shop", { ...ask, retry: { max: 0, when: [] } });
  t.submit("calm", "shop", ask);
  t.submit("pair", "shop", { ...ask, members: 2 });
  for (const id of ["wild", "calm", "pair"]) t.run(id);
  t.tick(minute);
  const ended = { kind: "exited", ran: true, code: 1 } as const;
  t.report("wild", { ...ended, reason: "a fault on its GPU" });
  t.report("calm", { ...ended, neighbour: true });
  t.report("pair", { ...ended, neighbour: true }, 1);
  t.report("pair", { kind: "exited", ran: true, signal: "SIGTERM" }, 0);
  t.run("calm");
  t.report("calm", {
    kind: "exited",
    ran: true,
    signal: "SIGKILL",
    limit: "gpu-memory",
    reason: "used 23.1 GiB of GPU memory, asked for 20 GiB",
  });
}

/** Data that is granted to another tenant for one purpose, and taken back. */
function grants(t: Teller): void {
  const facts = [...t.state.fleet.nodes].flatMap((node) => node?.facts ?? []);
  const labels = { by: "school" };
  t.account("clinic", 1);
  t.account("school", 1);
  t.do({ kind: "pool.create", name: "school", terms: { labels, tenants: ["school"], perMille: 1000 } });
  t.do({ kind: "node.register", nodes: [...facts, nodeOf("school", 1, { labels })] });
  t.do({ kind: "volume.create", account: "clinic", name: "scans", path: "/srv/scans", readOnly: false });
  const toSchool = { access: "read", accounts: ["school"], purposes: ["teaching"] } as const;
  const own = { access: "write", roles: ["platform-owner"], trust: ["trusted"], regions: ["eu"] } as const;
  t.do({ kind: "volume.grant", account: "clinic", name: "scans", grants: [own, toSchool] });
  t.submit("lesson", "school", {
    gpus: 1,
    where: labels,
    mounts: { "/scans": "vol:clinic/scans" },
    purpose: "teaching",
  });
  t.run("lesson");
  t.exit("lesson", 0);
  t.do({ kind: "volume.grant", account: "clinic", name: "scans", grants: [] });
  t.do({ kind: "volume.grant", account: "clinic", name: "scans" });
}

/** An account with a rule for idle jobs: one is warned and stopped, one suspended, one only told of. */
function idle(t: Teller): void {
  const facts = [...t.state.fleet.nodes].flatMap((node) => node?.facts ?? []);
  const labels = { by: "night" };
  t.account("night", 3, { idle: { do: "stop", forMs: 30 * minute, gpuBelow: 500, relax: true } });
  t.do({ kind: "pool.create", name: "night", terms: { labels, tenants: ["night"], perMille: 1000 } });
  t.do({ kind: "node.register", nodes: [...facts, nodeOf("night", 3, { labels })] });
  t.submit("dozes", "night", { gpus: 1, where: labels });
  t.submit("rests", "night", { gpus: 1, where: labels, idle: { for: "20m", do: "suspend", gpu_below: "2.5%" } });
  t.submit("told", "night", { gpus: 1, where: labels, idle: { for: "20m", do: "notify" } });
  for (const id of ["dozes", "rests", "told"]) t.run(id);
  const since = t.now;
  const see = (id: string) =>
    t.do({ kind: "job.idle", job: jobId(id), attempt: 1, since, activity: id === "told" ? 400 : 12 });
  t.tick(21 * minute);
  for (const id of ["dozes", "rests", "told"]) see(id);
  t.tick(9 * minute);
  see("dozes");
  for (const id of ["dozes", "rests"]) t.leave(id);
  t.do({ kind: "job.release", job: jobId("rests") });
  t.run("rests");
  for (const id of ["rests", "told"]) t.exit(id, 0);
}

/** A pool that says how its GPUs are shared: time slices given out four times, later MIG for trusted tenants. */
function sharedPools(t: Teller): void {
  const facts = [...t.state.fleet.nodes].flatMap((node) => node?.facts ?? []);
  const labels = { by: "pool" };
  const gpus = [{ uuid: "GPU-pool-a", model: "H100-80GB", memoryMiB: 81_559 }];
  const terms = { labels, tenants: ["press"], perMille: 1000 };
  t.account("press", 1);
  t.do({ kind: "pool.create", name: "slices", terms: { ...terms, mode: "timeslice", ratio: 4 } });
  t.do({ kind: "node.register", nodes: [...facts, nodeOf("slices", 1, { gpus, labels })] });
  for (const id of ["leaf", "page"]) t.submit(id, "press", { gpus: 0.25, where: labels });
  t.report("leaf", { kind: "reshaped", how: "given out by time slices" });
  for (const id of ["leaf", "page"]) t.run(id);
  t.tick(minute);
  t.exit("leaf", 0);
  t.do({ kind: "pool.edit", name: "slices", terms: { ...terms, mode: "mig", trust: "trusted" } });
  t.submit("book", "press", { gpus: "1g.10gb", where: labels });
  t.exit("page", 0);
  t.report("book", { kind: "reshaped", how: "cut" });
  t.run("book");
  t.tick(minute);
}

/** Providers of sign-ins: a group gives roles and takes them away, one is given by hand as well, another provider goes. */
function providers(t: Teller): void {
  const terms = {
    issuer: "https://id.example",
    clientId: "tessera",
    label: "Corp",
    groupsClaim: "groups",
    acr: ["mfa"],
  };
  const rules = [
    { group: "ml", role: "member", account: "lab" },
    { group: "ml", role: "finance", account: "lab" },
    { group: "boss", role: "auditor", account: "" },
  ] as const;
  const carl = "usr_carl" as UserId;
  t.doWith({ kind: "provider.set", name: "corp", terms: { ...terms, scopes: ["email"], rules } }, [
    { kind: "provider", key: "corp", digest: hash },
  ]);
  t.doWith({ kind: "user.create", user: carl }, [{ kind: "identity", key: "0a/1b", digest: hash }]);
  const follow = (bindings: readonly { role: Role; account: string }[]) =>
    t.do({ kind: "role.follow", user: carl, from: "sso:corp", bindings });
  follow([...rules]);
  t.do({ kind: "role.bind", user: carl, role: "finance", account: "lab" });
  follow([rules[0]]);
  t.do({ kind: "provider.set", name: "corp", terms: { ...terms, scopes: [], rules: rules.slice(1) } });
  t.do({
    kind: "provider.set",
    name: "other",
    terms: { ...terms, issuer: "https://other.example", scopes: [], rules },
  });
  t.do({ kind: "role.follow", user: carl, from: "sso:other", bindings: [rules[2]] });
  t.do({ kind: "provider.remove", name: "other" });
}

/** An identity system speaks with a token: a group of it gives what a sign-in gave before, a person is deactivated. */
function scim(t: Teller): void {
  const carl = "usr_carl" as UserId;
  const open = { kind: "scim.open", provider: "corp", prefix: "scim_ab" } as const;
  t.do({ ...open, id: "tok_s1" as TokenId, hash: hash.slice(9) });
  t.do({ ...open, id: "tok_s2" as TokenId, hash: hash.slice(10) });
  t.do({ kind: "scim.close", provider: "corp", token: "tok_s1" as TokenId });
  const auditor = { role: "auditor", account: "" } as const;
  t.do({ kind: "role.follow", user: carl, from: "sso:corp", bindings: [auditor] });
  t.doWith({ kind: "role.follow", user: carl, from: "scim:corp", over: "sso:corp", bindings: [auditor] }, [
    { kind: "scim", key: "corp/p/per_1", digest: hash },
  ]);
  const token = { user: carl, prefix: "tess_ij", label: "", scopes: [], expiresAt: 0 } as const;
  t.do({ kind: "token.create", ...token, id: "tok_11" as TokenId, hash: hash.slice(11) });
  t.do({ kind: "user.disable", user: carl, ends: true });
  t.do({ kind: "user.enable", user: carl });
}
