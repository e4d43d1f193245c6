import { type JobOutcome, reasonUnits } from "@tessera/core";
import Type, { type Static } from "typebox";
import { May } from "../acts.ts";
import { reasonKinds } from "../reasons.ts";
import {
  AccountPath,
  anyTextPattern,
  CountedPage,
  DateTime,
  Duration,
  Egress,
  idleRule,
  Line,
  Name,
  pathPattern,
  Text,
  Timestamp,
  Zone,
} from "./common.ts";
import { labelKeyPattern } from "./pool.ts";
import { HeldPart, PartOffer } from "./sharing.ts";
import { PurposeName } from "./volume.ts";

const name = Type.String({
  pattern: "^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$",
  maxLength: 100,
  title: "a name",
  description: "A name of at most 100 letters, digits and . _ -, which begins and ends with a letter or digit",
});
const countOrRange = Type.Union(
  [
    Type.Integer({ minimum: 1, maximum: 100_000, title: "a number" }),
    Type.String({
      pattern: "^[0-9]{1,6}(\\.\\.[0-9]{1,6})?$",
      maxLength: 14,
      title: "a range",
      description: "a range such as 4..8 for an elastic gang",
    }),
  ],
  { examples: ["4..8"] },
);
const modelName = "[A-Za-z][A-Za-z0-9._-]{0,62}";
const gpuPattern = `^(((\\*|${modelName}):)?([0-9]{1,6}(\\.[0-9]{1,6})?|[0-9]{1,2}g\\.[0-9]{1,3}gb(\\+me)?|all)|${modelName})$`;
const gpuText = Type.Union(
  [
    Type.Number({ minimum: 0, maximum: 100_000, title: "a number of GPUs" }),
    Type.String({
      pattern: gpuPattern,
      maxLength: 100,
      title: "MODEL:COUNT",
      description: "a model with a count (H100:8), a part (H100:0.25, 1g.10gb), or all for all GPUs of a node",
    }),
  ],
  { examples: ["H100:8"] },
);
const size = Type.Union(
  [
    Type.String({
      pattern: "^[0-9]{1,9}(\\.[0-9]{1,3})? ?(MiB|GiB|TiB|MB|GB|TB|M|G|T)$",
      maxLength: 20,
      title: "a size",
      description: "a size such as 512MiB, 64GiB or 1.5TiB",
    }),
    Type.Integer({ minimum: 0, maximum: 1_000_000_000, title: "a number of MiB", description: "MiB" }),
  ],
  { examples: ["64GiB"] },
);
const needs = Type.Array(Type.Enum(["rt", "nvenc", "nvdec"]), {
  maxItems: 3,
  description: "What each GPU must be able to do: trace rays, encode or decode video",
});
const model = Type.Union([
  Name(200, "Size or name: 7B, llama-3.1-70b"),
  Type.Object(
    {
      name: Name(200, "Size or name: 7B, llama-3.1-70b"),
      precision: Type.Optional(Type.Enum(["fp32", "fp16", "bf16", "fp8", "int8", "int4"])),
      context: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100_000_000, description: "Tokens of one request or training sequence" }),
      ),
      requests: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Served at the same time" })),
      tuning: Type.Optional(Type.Enum(["full", "lora", "qlora"])),
      batch: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Sequences of one training step on one GPU" }),
      ),
    },
    { additionalProperties: false },
  ),
]);
const range = (description: string) =>
  Type.String({
    // Longer numbers than any array has, so that what is too large is refused as that.
    pattern: "^[0-9]{1,12}-[0-9]{1,12}(:[0-9]{1,12})?(%[0-9]{1,12})?$",
    maxLength: 52,
    title: "a range",
    description,
    examples: ["1-240%24"],
  });
const elements = Type.String({
  pattern: "^[0-9]{1,12}(-[0-9]{1,12}(:[0-9]{1,12})?)?(,[0-9]{1,12}(-[0-9]{1,12}(:[0-9]{1,12})?)?)*(%[0-9]{1,12})?$",
  maxLength: 65_536,
  title: "a range or a list",
  description:
    "1-240, 1-240:2 for every second, 1-240%24 for 24 at a time, or a list such as 3,7,20-29; at most 10000 elements",
  examples: ["1-240%24"],
});
/** Where the files of the work folder come from. `tess run` sends a folder and puts its tree here. */
const workdir = Type.Union([
  Line(4096, "An absolute folder on the node in which the job runs, such as /data/run"),
  Type.Object(
    {
      tree: Type.String({
        pattern: "^[0-9a-f]{64}$",
        maxLength: 64,
        description: "The sha256 of a tree that was uploaded as content",
      }),
      commit: Type.Optional(
        Type.String({ pattern: "^[0-9a-f]{40,64}$", maxLength: 64, description: "The commit that the folder was at" }),
      ),
      dirty: Type.Optional(Type.Boolean({ description: "The folder held changes beside the commit" })),
      from: Type.Optional(Line(1024, "The folder that was sent")),
    },
    { additionalProperties: false },
  ),
  Type.Object(
    {
      git: Line(2000, "The address of a repository, fetched inside the job, such as https://example.org/lab/train.git"),
      ref: Type.Optional(Line(200, "A branch, a tag or a commit; the default branch without")),
    },
    { additionalProperties: false },
  ),
  Type.Object(
    { in_place: Line(4096, "An absolute folder on the node, in which the job must be able to write") },
    { additionalProperties: false },
  ),
]);
const venvPath = Line(4096, "The folder of a virtual environment or conda prefix on the node, such as /opt/envs/torch");
const venv = Type.Union([
  venvPath,
  Type.Object(
    {
      path: venvPath,
      optional: Type.Optional(Type.Boolean({ description: "Run without it where the job cannot use it" })),
    },
    { additionalProperties: false },
  ),
]);
const video = Type.Union([
  Duration,
  Type.Object(
    {
      length: Duration,
      picture: Type.Optional(Type.Enum(["1080p", "4k"])),
      fps: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
      speed: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Frames a second that one encoder does" }),
      ),
      segment: Type.Optional(Duration),
    },
    { additionalProperties: false },
  ),
]);
const amount = (description: string) =>
  Type.Union(
    [
      Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000, title: "an amount" }),
      Type.String({ pattern: "^[0-9]{1,9}(\\.[0-9]{1,6})?$", maxLength: 16, title: "an amount", description }),
    ],
    { examples: ["12.50"] },
  );
const outputName = "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$";
const refusedForNow = (what: string) =>
  Type.Unknown({ description: `${what}. Known, but no engine here honours it yet: refused, never ignored.` });

/** The job file. Flat; everything is optional but `run`, which only a notebook may leave out. Resources are per member. */
export const JobSpecBody = Type.Object(
  {
    name: Type.Optional(name),
    project: Type.Optional(AccountPath),
    type: Type.Optional(Type.Enum(["train", "service", "notebook", "batch"])),
    image: Type.Optional(Name(500)),
    workdir: Type.Optional(workdir),
    venv: Type.Optional(venv),
    setup: Type.Optional(Text(200_000, "Shell commands to run once before run")),
    run: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200_000,
        pattern: anyTextPattern,
        description: "the shell command that the job runs; a notebook without one runs JupyterLab",
        examples: ["python3 train.py"],
      }),
    ),
    gpus: Type.Optional(
      Type.Union([
        gpuText,
        Type.Array(gpuText, {
          minItems: 1,
          maxItems: 16,
          description: "a list in order of preference, such as [H100:8, A100:8]",
        }),
        Type.Object(
          {
            any: Type.Array(gpuText, { minItems: 1, maxItems: 16 }),
            needs: Type.Optional(needs),
          },
          { additionalProperties: false, description: "any: with such a list, and needs: beside it" },
        ),
      ]),
    ),
    needs: Type.Optional(needs),
    model: Type.Optional(model),
    frames: Type.Optional(range("frames to render, each on a GPU of its own: 1-240, or 1-240%24 for 24 at a time")),
    scene: Type.Optional(Type.Enum(["simple", "interior", "exterior", "volumes"])),
    frame_time: Type.Optional(Duration),
    video: Type.Optional(video),
    nodes: Type.Optional(countOrRange),
    members: Type.Optional(countOrRange),
    cpus: Type.Optional(Type.Number({ minimum: 0, maximum: 100_000, multipleOf: 0.001 })),
    memory: Type.Optional(size),
    shm: Type.Optional(size),
    scratch: Type.Optional(size),
    gpu_memory: Type.Optional(size),
    gpu_compute: Type.Optional(
      Type.String({
        pattern: "^([1-9][0-9]?|100)%$",
        maxLength: 4,
        title: "a percentage",
        description: "A percentage of one GPU, such as 25%",
        examples: ["25%"],
      }),
    ),
    isolation: Type.Optional(Type.Enum(["whole", "mig", "mps", "timeslice", "any"])),
    strict: Type.Optional(Type.Boolean({ description: "Refuse to start where a limit cannot be enforced" })),
    max_time: Type.Optional(Duration),
    expected_time: Type.Optional(Duration),
    max_price: Type.Optional(amount("the most that an hour of one GPU may cost beyond the guarantee, such as 2.50")),
    budget: Type.Optional(amount("the most that all attempts together may cost, such as 12.50")),
    deadline: Type.Optional(DateTime),
    not_before: Type.Optional(DateTime),
    tz: Type.Optional(Zone),
    priority: Type.Optional(
      Type.Union([Type.Enum(["low", "normal", "high"]), Type.Integer({ minimum: -1000, maximum: 1000 })], {
        examples: ["high"],
      }),
    ),
    preemptible: Type.Optional(Type.Boolean()),
    retry: Type.Optional(
      Type.Union([
        Type.Integer({ minimum: 0, maximum: 100 }),
        Type.Object(
          {
            max: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
            when: Type.Optional(Type.Array(Type.Enum(["failed", "node_lost", "preempted"]), { maxItems: 3 })),
          },
          { additionalProperties: false },
        ),
      ]),
    ),
    checkpoint: Type.Optional(
      Type.Object(
        {
          dir: Type.Optional(Name(4096)),
          signal: Type.Optional(
            Type.String({
              pattern: "^(SIG)?[A-Z0-9]{2,9}$",
              maxLength: 12,
              title: "the name of a signal",
              description: "The name of a signal, such as SIGUSR1",
              examples: ["SIGUSR1"],
            }),
          ),
          grace: Type.Optional(Duration),
          every: Type.Optional(Duration),
        },
        { additionalProperties: false },
      ),
    ),
    slo: Type.Optional(
      Type.Object(
        { p99: Duration, alone: Type.Optional(Duration) },
        { additionalProperties: false, description: "Latency that no neighbour on its GPU may break" },
      ),
    ),
    idle: Type.Optional(
      Type.Object(idleRule, {
        additionalProperties: false,
        description: "What is done when all its GPUs were measured and below a share for some time",
      }),
    ),
    array: Type.Optional(elements),
    after: Type.Optional(
      Type.Union([
        Name(100),
        Type.Object(
          { job: Name(100), when: Type.Optional(Type.Enum(["succeeded", "ended"])) },
          { additionalProperties: false },
        ),
        Type.Array(
          Type.Union([
            Name(100),
            Type.Object(
              { job: Name(100), when: Type.Optional(Type.Enum(["succeeded", "ended"])) },
              { additionalProperties: false },
            ),
          ]),
          { maxItems: 100 },
        ),
      ]),
    ),
    env: Type.Optional(
      Type.Union(
        [
          Type.Record(
            Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]{0,127}$" }),
            Type.Union([
              Text(32_768),
              Type.Number({ minimum: -Number.MAX_VALUE, maximum: Number.MAX_VALUE }),
              Type.Boolean(),
            ]),
            { additionalProperties: false, maxProperties: 1_000 },
          ),
          Type.Array(
            Type.String({
              pattern: "^[A-Za-z_][A-Za-z0-9_]{0,127}=[^\u0000]*$",
              maxLength: 32_900,
              title: "NAME=value",
              description: "NAME=value",
              examples: ["NAME=value"],
            }),
            { maxItems: 1_000, description: "a list of NAME=value" },
          ),
        ],
        { examples: [{ NAME: "value" }] },
      ),
    ),
    secrets: Type.Optional(
      Type.Array(
        Type.String({
          pattern: "^[A-Za-z_][A-Za-z0-9_]{0,127}$",
          maxLength: 128,
          title: "the name of a secret",
          description: "The name of a secret: letters, digits and _",
        }),
        {
          maxItems: 100,
          description: "Names; values are set with tess secret",
        },
      ),
    ),
    egress: Type.Optional(Egress),
    mounts: Type.Optional(
      Type.Record(
        Type.String({ pattern: pathPattern }),
        Line(300, "vol:NAME, vol:ACCOUNT/NAME, job:NAME/OUTPUT, or pvc:NAME"),
        {
          additionalProperties: false,
          maxProperties: 32,
          description:
            "Volumes, outputs of other jobs and claims of a cluster, by the absolute path at which the job sees them",
          examples: [{ "/data": "vol:data" }],
        },
      ),
    ),
    purpose: Type.Optional(PurposeName),
    labels: Type.Optional(
      Type.Record(Type.String({ pattern: labelKeyPattern }), Line(253, "A value"), {
        additionalProperties: false,
        maxProperties: 16,
        description: "Its own labels, by which lists can be cut; they decide nothing",
        examples: [{ sweep: "lr" }],
      }),
    ),
    outputs: Type.Optional(
      Type.Record(
        Type.String({ pattern: outputName }),
        Line(1000, "A pattern of paths in the work folder, $TESS_OUT/ or $TESS_CHECKPOINT/, such as checkpoints/*.pt"),
        { additionalProperties: false, maxProperties: 16, description: "What is kept after the end, by name" },
      ),
    ),
    topology: Type.Optional(
      Type.String({
        pattern: "^(region|zone|block|rack|nvlink|node)\\??$",
        maxLength: 7,
        title: "a topology level",
        examples: ["rack"],
        description:
          "region, zone, block, rack, nvlink or node: all members in one place of this level; add ? to prefer it only",
      }),
    ),
    spread: Type.Optional(
      Type.String({
        pattern: "^(region|zone|block|rack|nvlink|node)\\??$",
        maxLength: 7,
        title: "a topology level",
        examples: ["rack"],
        description:
          "region, zone, block, rack, nvlink or node: members in different places of this level; add ? to prefer it only",
      }),
    ),
    engine: Type.Optional(
      Type.String({
        pattern: "^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$",
        maxLength: 40,
        title: "the name of an engine",
        examples: ["local"],
        description: "Only on nodes of this engine: letters, digits and -, as tess engine get shows it",
      }),
    ),
    region: Type.Optional(Line(253, "Only on nodes of this region")),
    where: Type.Optional(
      Type.Record(Type.String({ pattern: labelKeyPattern }), Line(253, "A value"), {
        additionalProperties: false,
        maxProperties: 16,
        description: "Only on nodes that have all of these labels",
        examples: [{ tier: "gold" }],
      }),
    ),
    apart_from: Type.Optional(
      Type.Union([name, Type.Array(name, { maxItems: 16 })], {
        description: "Names of jobs of the same account with which it shares no node",
      }),
    ),
    port: Type.Optional(refusedForNow("Port of a service")),
    replicas: Type.Optional(refusedForNow("Replicas of a service")),
    probe: Type.Optional(refusedForNow("Readiness probe")),
    schedule: Type.Optional(refusedForNow("Recurring schedule")),
    matrix: Type.Optional(refusedForNow("Parameter matrix")),
    ide: Type.Optional(refusedForNow("Notebook front ends")),
    burst: Type.Optional(refusedForNow("Bursting to providers")),
    providers: Type.Optional(refusedForNow("Outside providers")),
  },
  { additionalProperties: false, title: "Tessera job" },
);
export type JobSpecBody = Static<typeof JobSpecBody>;

/** A change of a job: fields as in a job file, and fields that get their default back; once it runs, labels alone. */
export const JobEdit = Type.Object(
  {
    set: Type.Optional(JobSpecBody),
    unset: Type.Optional(Type.Array(Line(40, "The name of a field"), { maxItems: 50 })),
    labels: Type.Optional(
      Type.Record(
        Type.String({ pattern: labelKeyPattern }),
        Type.Union([Line(253, "A value"), Type.Null({ title: "null" })]),
        {
          additionalProperties: false,
          maxProperties: 32,
          description: "Labels that it gets, or with null loses; the others stay. In any state",
        },
      ),
    ),
  },
  { additionalProperties: false },
);
export type JobEdit = Static<typeof JobEdit>;

/** Why a waiting job does not run: the first of the waiting reasons that holds. */
export const WaitReason = Type.Object({
  kind: Type.Enum(reasonKinds),
  detail: Type.String({ description: "One sentence with amounts, accounts and places" }),
  account: Type.Optional(Type.String()),
  missing: Type.Optional(
    Type.Enum(["cpus", "memory", "gpu_memory"], { description: "What there is too little of, if not GPUs" }),
  ),
  unit: Type.Optional(Type.Enum(reasonUnits, { description: "What the amounts count; absent: GPUs" })),
  needed: Type.Optional(Type.Number()),
  free: Type.Optional(
    Type.Number({
      description:
        "GPUs; for health on nodes that take no work, for reservation on nodes that go into maintenance, for quota idle ones whose owners do not lend them",
    }),
  ),
  fits: Type.Optional(
    Type.Integer({ description: "GPUs, of the free ones, on which members fit as it asks for them" }),
  ),
  held: Type.Optional(Type.Number({ description: "What the account, the user or the array has of the limit" })),
  limit: Type.Optional(Type.Number()),
  of: Type.Optional(Type.Enum(["budget", "credit"], { description: "For budget: what is used up" })),
  money: Type.Optional(
    Type.Object(
      {
        currency: Type.String(),
        heldMicros: Type.String({ description: "Spent, owed, or the price of an hour; millionths of the currency" }),
        limitMicros: Type.String(),
      },
      { description: "For budget to callers who may read it, and for price; in explanations of one job" },
    ),
  ),
  until: Type.Optional(Timestamp),
  waitsFor: Type.Optional(
    Type.Array(Type.Object({ id: Type.String(), name: Type.String(), state: Type.String() }), {
      description:
        "The first of the jobs of its after; while room is made for it, those that leave and that the caller may see",
    }),
  ),
});
export type WaitReason = Static<typeof WaitReason>;

export const Member = Type.Object({
  rank: Type.Integer(),
  lease: Type.String(),
  node: Type.String(),
  gpus: Type.Array(Type.String({ description: "Device uuid" })),
  devices: Type.Optional(Type.Array(Type.String({ description: "What it has of its GPU, such as a MIG uuid" }))),
  part: Type.Optional(HeldPart),
  state: Type.String(),
  enforcement: Type.Optional(Type.Record(Type.String(), Type.String())),
  startedAt: Type.Optional(Timestamp),
});
export type Member = Static<typeof Member>;

/** What a job costs by the class it had: inside a guarantee at the reserved price, beyond it at the other. */
export const JobCost = Type.Object({
  currency: Type.String(),
  micros: Type.String({ description: "So far, in millionths of the currency" }),
  perHourMicros: Type.String({ description: "As it runs now" }),
  atEndMicros: Type.Optional(Type.String({ description: "At its max_time, or its expected_time" })),
});
export type JobCost = Static<typeof JobCost>;

/** One start of a job that is over. */
export const Attempt = Type.Object({
  attempt: Type.Integer(),
  nodes: Type.Array(Type.String()),
  placedAt: Timestamp,
  startedAt: Type.Optional(Timestamp),
  endedAt: Timestamp,
  result: Type.String(),
  why: Type.Optional(Type.String({ description: "Why it was evicted; names no other account" })),
  exitCode: Type.Optional(Type.Integer()),
});

export type Attempt = Static<typeof Attempt>;

/** Files that are kept after the end of a job. */
export const Output = Type.Object({
  name: Type.String(),
  rank: Type.Integer(),
  tree: Type.Optional(Type.String({ description: "SHA-256 of the list of its files; absent where there are none" })),
  files: Type.Integer(),
  bytes: Type.Integer(),
  left: Type.Optional(
    Type.Object(
      { files: Type.Integer(), bytes: Type.Integer(), why: Type.String() },
      { description: "What belongs to it and was not kept" },
    ),
  ),
});
export type Output = Static<typeof Output>;

/** All ways in which a job can end. */
export const jobOutcomes = [
  "succeeded",
  "failed",
  "cancelled",
  "timed-out",
  "infra-failed",
  "preempted",
  "dependency-failed",
  "deadline-passed",
  "over-budget",
] as const satisfies readonly JobOutcome[];

export const OutputList = Type.Object({
  job: Type.String(),
  live: Type.Boolean({ description: "It has not ended: what it will keep is not known yet" }),
  outputs: Type.Array(Output),
  keptUntil: Type.Optional(Timestamp),
});
export type OutputList = Static<typeof OutputList>;

/** A file that a job kept, or that lies in a folder of one that runs. */
export const JobFile = Type.Object({
  output: Type.String({ description: "The name of the output, or work, out or checkpoint" }),
  rank: Type.Integer(),
  path: Type.String(),
  mode: Type.Integer({ description: "Permissions alone" }),
  bytes: Type.Integer(),
  sha256: Type.Optional(Type.String({ description: "Of a file that is kept" })),
  link: Type.Optional(Type.String({ description: "Where it points, if it is a link" })),
});
export type JobFile = Static<typeof JobFile>;

/** When a waiting job starts, as far as that can be told. */
export const Start = Type.Object({
  when: Type.Enum(["now", "later", "unknown"]),
  at: Type.Optional(Timestamp),
  p50: Type.Optional(Timestamp),
  p90: Type.Optional(Timestamp),
  basis: Type.Optional(
    Type.Enum(["plan", "run-times", "wait-times", "eviction", "price", "period"], {
      description:
        "Where the start comes from. plan: the declared limits of running jobs. run-times: past run times of running jobs. wait-times: past waits of jobs of its name, with p50 and p90 but without at. eviction: the grace of the jobs that are being evicted for it. price: the time when its price is low enough, at the earliest. period: the next period of its budget or of its GPU hours, at the earliest",
    }),
  ),
  samples: Type.Optional(Type.Integer({ description: "Ended jobs that p50 and p90 were learned from" })),
  nodes: Type.Optional(Type.Array(Type.String(), { description: "Where it is planned" })),
  missesDeadline: Type.Optional(Timestamp),
  why: Type.Optional(Type.String({ description: "Why it is not known" })),
});
export type Start = Static<typeof Start>;

/** When a job is expected to start, or how far it is. */
export const JobOutlook = Type.Object({
  start: Type.Optional(Start),
  endsAt: Type.Optional(Timestamp),
  percent: Type.Optional(Type.Integer({ description: "Of its expected run time" })),
  basis: Type.Optional(
    Type.Enum(["expected_time", "max_time", "run-times"], {
      description: "Where the end comes from: what its file says, or how long jobs like it took",
    }),
  ),
});
export type JobOutlook = Static<typeof JobOutlook>;

export const Job = Type.Object({
  id: Type.String(),
  name: Type.String(),
  project: Type.String(),
  user: Type.String(),
  /** Absent once the person was erased. */
  userName: Type.Optional(Type.String()),
  type: Type.String(),
  state: Type.Enum(["waiting", "starting", "running", "stopping", "ended"]),
  held: Type.Boolean(),
  outcome: Type.Optional(Type.String()),
  exitCode: Type.Optional(Type.Integer()),
  detail: Type.Optional(
    Type.String({ description: "How it ended, why it is being evicted, or why it waits again, in a sentence" }),
  ),
  reason: Type.Optional(WaitReason),
  class: Type.Optional(Type.Enum(["guaranteed", "burst"])),
  attempt: Type.Integer(),
  priority: Type.Integer(),
  gpus: Type.Number({ description: "GPUs of the whole gang; parts of one in thousandths" }),
  gpuModel: Type.String(),
  members: Type.Array(Member),
  parts: Type.Optional(
    Type.Array(PartOffer, { description: "While it waits for parts of GPUs: what they can be where it may run" }),
  ),
  /** Starts that are over, oldest first. */
  attempts: Type.Optional(Type.Array(Attempt)),
  submittedAt: Timestamp,
  /** When the present attempt got its place; absent while it waits, and after its end, where `attempts` tell. */
  placedAt: Type.Optional(Timestamp),
  startedAt: Type.Optional(Timestamp),
  endedAt: Type.Optional(Timestamp),
  /** Where there are prices and it was asked for; an array has none of its own. */
  cost: Type.Optional(JobCost),
  /** Of its GPUs, as far as it was measured and is still kept; `simulated`: there is no hardware behind it. */
  energy: Type.Optional(Type.Object({ joules: Type.Integer(), simulated: Type.Optional(Type.Literal(true)) })),
  /** Its user was warned that its GPUs are idle; absent as soon as they are not. With one job only, not in lists. */
  idle: Type.Optional(
    Type.Object({
      since: Timestamp,
      activity: Type.Number({ description: "The most that one of its GPUs did since then, in per cent" }),
      below: Type.Number({ description: "The limit of its rule, in per cent" }),
      does: Type.Enum(["notify", "suspend", "stop"]),
      actsAt: Timestamp,
    }),
  ),
  /** Where it was asked for, while it is live; an array has none of its own. */
  outlook: Type.Optional(JobOutlook),
  /** What it left that is kept; absent for an array. */
  outputs: Type.Optional(Type.Array(Output)),
  array: Type.Optional(Type.Object({ id: Type.String(), index: Type.Integer() })),
  /** Present on an array as a whole. */
  elements: Type.Optional(
    Type.Object({
      size: Type.Integer(),
      waiting: Type.Integer(),
      active: Type.Integer(),
      succeeded: Type.Integer(),
      failed: Type.Integer(),
      failedIndexes: Type.Optional(
        Type.Array(Type.Integer(), { description: "Those that did not succeed, at most a hundred" }),
      ),
    }),
  ),
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
  spec: Type.Record(Type.String(), Type.Unknown(), { description: "The job as it was understood, defaults filled in" }),
  may: May("job"),
});
export type Job = Static<typeof Job>;
export const JobPage = CountedPage(Job);

/** What a create answers: fixed at that moment, so that repeating it answers the same for ever. */
export const JobCreated = Type.Object({
  id: Type.String(),
  name: Type.String(),
  project: Type.String(),
  user: Type.String(),
  state: Type.Literal("waiting"),
  size: Type.Integer({ description: "1, or the number of array elements" }),
  gpus: Type.Number(),
  submittedAt: Timestamp,
});
export type JobCreated = Static<typeof JobCreated>;

export const JobApplied = Type.Object({
  ...JobCreated.properties,
  applied: Type.Optional(
    Type.Enum(["created", "unchanged", "labelled", "changed"], {
      description:
        "unchanged: a live job already has this spec, and nothing was submitted. labelled: the same, and it has the labels of this spec now. changed: others of this name go on",
    }),
  ),
  beside: Type.Optional(
    Type.Array(Type.String(), { description: "Live jobs of the same project and name with another spec, which go on" }),
  ),
});
export type JobApplied = Static<typeof JobApplied>;

const JobClass = Type.Enum(["guaranteed", "burst"]);

/** What would have to be evicted. Jobs that the caller may not see are counted, and not named. */
export const Displacement = Type.Object({
  jobs: Type.Integer({ description: "Jobs that would be evicted as a whole" }),
  members: Type.Integer({ description: "Extra members that elastic jobs would lose" }),
  gpus: Type.Number(),
  by: Type.Array(
    Type.Object({
      rule: Type.Enum(["reclaim", "fair-share", "priority", "order"]),
      jobs: Type.Integer(),
      members: Type.Integer(),
      gpus: Type.Number(),
    }),
  ),
  seen: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), project: Type.String(), gpus: Type.Number() }),
  ),
  own: Type.Integer({ description: "Jobs among them of the same account" }),
  hidden: Type.Integer({ description: "Jobs among them that you may not see" }),
  within: Type.String({ description: "How long they have to leave, such as 30s" }),
});
export type Displacement = Static<typeof Displacement>;

/** A change with which the job would start now or sooner; each was planned on the fleet as it is. */
export const Alternative = Type.Object({
  change: Type.Object({
    field: Type.String({ description: "Of the job file" }),
    from: Type.Unknown(),
    to: Type.Unknown(),
  }),
  effect: Type.Enum(["starts now", "starts later"]),
  at: Type.Optional(Timestamp),
  class: Type.Optional(JobClass),
  displaces: Type.Optional(Displacement),
});
export type Alternative = Static<typeof Alternative>;

export const DryRun = Type.Object({
  project: Type.String(),
  spec: Type.Record(Type.String(), Type.Unknown(), { description: "The job as it was understood, defaults filled in" }),
  sizing: Type.Optional(
    Type.Array(Type.String(), { description: "How its GPUs were derived from its model, frames or video" }),
  ),
  wouldStart: Type.Boolean({ description: "Now, or as soon as the jobs that it displaces have left" }),
  class: Type.Optional(JobClass),
  members: Type.Array(
    Type.Object({
      rank: Type.Integer(),
      node: Type.String(),
      gpus: Type.Integer(),
      model: Type.String(),
      part: Type.Optional(Type.String({ description: "Of its one GPU: a MIG profile, or a mode with a share" })),
    }),
  ),
  parts: Type.Optional(
    Type.Array(PartOffer, { description: "What its parts of GPUs would be, and what would hold their limits" }),
  ),
  start: Start,
  displaces: Type.Optional(Displacement),
  reason: Type.Optional(WaitReason),
  alternatives: Type.Optional(Type.Array(Alternative)),
});
export type DryRun = Static<typeof DryRun>;

const ByClass = Type.Object({ guaranteed: Type.Integer(), burst: Type.Integer() });

/** An act other than a change of the job that would help it, and that the caller may do. */
export const Remedy = Type.Object({
  act: Type.Enum(["release", "up", "budget", "credit", "quota"]),
  target: Type.String({ description: "The job, the node, or the account" }),
  text: Type.String({ description: "What it does, in a sentence" }),
});
export type Remedy = Static<typeof Remedy>;

export const Explanation = Type.Object({
  job: Type.String(),
  state: Type.String(),
  reason: Type.Optional(WaitReason),
  again: Type.Optional(Type.String({ description: "Why a job that has run before waits again, in a sentence" })),
  position: Type.Optional(Type.Integer({ description: "1 = next, of all that wait" })),
  ahead: Type.Optional(Type.Integer()),
  /** The same by the class they would start as, of its own account and of all others together. */
  aheadBy: Type.Optional(Type.Object({ account: ByClass, others: ByClass })),
  start: Type.Optional(Start),
  remedies: Type.Optional(Type.Array(Remedy)),
  /** Those that start it now first, and of them those that evict least; then those that start it sooner. */
  alternatives: Type.Optional(Type.Array(Alternative)),
});
export type Explanation = Static<typeof Explanation>;

export const LogEntry = Type.Object({
  at: Timestamp,
  rank: Type.Integer(),
  stream: Type.Enum(["stdout", "stderr", "setup", "tessera"]),
  text: Type.String(),
});
export type LogEntry = Static<typeof LogEntry>;
