import { ByNumber } from "../collections/by-number.ts";
import { JobsById } from "../collections/jobs-by-id.ts";
import { JobsUnder } from "../collections/jobs-under.ts";
import { SlotPool } from "../collections/slots.ts";
import { Fleet } from "../fleet/fleet.ts";
import { Arrivals } from "../learn/arrivals.ts";
import { RunTimes } from "../learn/run-times.ts";
import type { Account } from "../model/account.ts";
import { plainTerms } from "../model/account.ts";
import type { AccountId, JobNo } from "../model/ids.ts";
import { noAccount, rootAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { plainPolicy } from "../model/policy.ts";
import { nothingUsed } from "../quota/held.ts";
import { emptyBooks } from "./books.ts";
import { ApartNames } from "./indexes/apart.ts";
import { BurstOrder } from "./indexes/burst-order.ts";
import { Endings } from "./indexes/endings.ts";
import { Leases } from "./indexes/leases.ts";
import { Load } from "./indexes/load.ts";
import { NodePools } from "./indexes/node-pools.ts";
import { OfferKinds } from "./indexes/offer-kinds.ts";
import { Resumable } from "./indexes/resumable.ts";
import { Timers } from "./indexes/timers.ts";
import { VictimClasses } from "./indexes/victim-classes.ts";
import { Waiting } from "./indexes/waiting.ts";
import { Wishes } from "./indexes/wish.ts";
import type { State } from "./state.ts";
import { emptyTrail } from "./trail.ts";

/** The state before anything happened: the root account and nothing else. */
export function emptyState(): State {
  const root: Account = {
    no: rootAccount,
    id: "acc_root" as AccountId,
    path: "",
    parent: noAccount,
    tenant: rootAccount,
    createdAt: 0,
    terms: plainTerms,
    revision: 1,
    children: [],
    liveJobs: 0,
  };
  const jobs = new ByNumber<JobNo, Job>();
  const jobById = new JobsById();
  const apart = new ApartNames();
  return {
    lastAt: 0,
    epoch: 1,
    nextJob: 1,
    accounts: [root],
    former: new Map(),
    fleet: new Fleet(),
    users: new Map(),
    tokens: new Map(),
    secrets: new Map(),
    volumes: new Map(),
    engines: new Map(),
    providers: new Map(),
    exchanges: new Map(),
    jobs,
    arrays: new Map(),
    keys: new Map(),
    gpuTime: new Map(),
    history: new Map(),
    pace: new Map(),
    runTimes: new RunTimes(),
    lengths: new Map(),
    arrivals: new Arrivals(),
    policy: plainPolicy,
    pools: new Map(),
    health: new Map(),
    repairs: new Map(),
    nextRepair: 1,
    books: emptyBooks(),
    trail: emptyTrail(),
    movedAt: [],
    dedicated: new Map(),
    rest: new Map(),
    dependents: new Map(),
    clock: 0,
    accountByPath: new Map([["", root]]),
    accountById: new Map([[root.id, root]]),
    usage: [nothingUsed()],
    paths: [],
    floors: [],
    wishes: new Wishes(),
    tokenByHash: new Map(),
    slots: new SlotPool(),
    jobById,
    arrayById: new Map(),
    leases: new Leases(jobs, jobById),
    apart,
    nodePools: new NodePools(),
    offerKinds: new OfferKinds(),
    waiting: new Waiting(apart),
    lendingLimits: 0,
    lendingNames: new Map(),
    confidential: 0,
    userLimits: 0,
    tenantsOn: new Map(),
    active: new JobsUnder(),
    priorities: [],
    elastic: new Set(),
    movable: new Map(),
    resumable: new Resumable(),
    version: 0,
    coveredBy: new JobsUnder(),
    burst: new BurstOrder(),
    victimClasses: new VictimClasses(),
    planned: new Set(),
    claimants: new Set(),
    claimantsOn: new Map(),
    endings: new Endings(),
    timers: new Timers(),
    load: new Load(),
    priced: new Set(),
  };
}
