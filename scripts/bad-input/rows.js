import * as samples from "../../packages/cli/dist/elsewhere/samples.fixture.js";

const job = (text, shown) => ({
  shown:
    shown ??
    `\`${text
      .trim()
      .split("\n")
      .filter((line) => line !== "run: train")
      .join("; ")}\``,
  async act(world) {
    world.file("job.yaml", text);
    return world.type(["run", "-d", "job.yaml"]);
  },
});
const typed = (line, options) => ({ shown: `\`tess ${line}\``, act: (world) => world.type(line.split(" "), options) });
const file = (name, content, shown, argv = ["run", name]) => ({
  shown,
  async act(world) {
    world.file(name, content);
    return world.type(argv);
  },
});
const field = (line) => job(`${line}\nrun: train\n`);

/** The rows of the page: what people did, and how it is done again. Each case is typed against a real server. */
export const rows = [
  { number: 1, input: "a misspelled field", cases: [field("gpuss: 1")] },
  {
    number: 2,
    input: "a SkyPilot task; its fields in a job of ours",
    cases: [
      job(
        "resources:\n  accelerators: H100:8\nnum_nodes: 2\nrun: train\n",
        "`resources: {accelerators: H100:8}; num_nodes: 2`",
      ),
      job("gpus: 1\nresources: {cpus: 2}\ntimeout: 5\nretries: 2\nrun: train\n"),
    ],
  },
  { number: 3, input: "`run` is not text", cases: [job("run: true\n")] },
  { number: 4, input: "`run` is empty", cases: [job('run: ""\n')] },
  { number: 5, input: "GPUs in words", cases: [field("gpus: lots")] },
  { number: 6, input: "an impossible number of GPUs", cases: [field("gpus: -2"), field("gpus: 1.5")] },
  { number: 7, input: "nodes in words", cases: [field("nodes: two")] },
  { number: 8, input: "no nodes", cases: [field("nodes: 0")] },
  { number: 9, input: "a time without a unit", cases: [field("max_time: 90"), field("max_time: 01:30:00")] },
  { number: 10, input: "not a size", cases: [field("memory: banana")] },
  {
    number: 11,
    input: "`env` as a list",
    cases: [job("env:\n  - A=b\nrun: train\n", "`env: [A=b]`"), job("env:\n  - A b\nrun: train\n", "`env: [A b]`")],
  },
  { number: 12, input: "a variable that Tessera sets", cases: [field("env: {TESS_NODE: x}")] },
  { number: 13, input: "too large an array", cases: [field("array: 1-1000000000")] },
  { number: 14, input: "too high a priority", cases: [field("priority: 99999")] },
  {
    number: 15,
    input: "maintenance in the past",
    cases: [typed("node maintenance virtual-0 --from 2020-01-01T00:00Z --to 2020-01-01T02:00Z")],
  },
  {
    number: 16,
    input: "an account that there is not",
    cases: [field("project: locl"), typed("run -d -p nobody -- true")],
  },
  {
    number: 17,
    input: "a token that is expired, revoked or unknown; a user who is disabled",
    cases: [
      { shown: "expired", act: (world) => world.type(["whoami"], { token: world.tokens.expired }) },
      { shown: "revoked", act: (world) => world.type(["whoami"], { token: world.tokens.revoked }) },
      { shown: "unknown", act: (world) => world.type(["whoami"], { token: `tess_${"x".repeat(43)}` }) },
      { shown: "of a disabled user", act: (world) => world.type(["whoami"], { token: world.tokens.disabled }) },
    ],
  },
  {
    number: 18,
    input: "an address without a scheme",
    cases: [typed("--server localhost:7437 ps"), typed("--server tessera.example.org ps")],
  },
  {
    number: 19,
    input: "a port that is in use",
    cases: [
      {
        shown: "`npm start -- --port PORT`",
        act: (world) =>
          world.failedStart(["--data", `${world.folder}/second`, "--port", world.port, "--virtual", "1x1:H100"]),
      },
    ],
  },
  {
    number: 20,
    input: "a file as data folder; one that may not be written",
    cases: [
      {
        shown: "`npm start -- --data FILE`",
        act(world) {
          world.file("a-file", "");
          return world.failedStart(["--data", `${world.work}/a-file`, "--port", "0"]);
        },
      },
    ],
  },
  {
    number: 21,
    input: "the data folder is on a full disk",
    answer: "reading and cancelling go on, everything else is refused with 507 until there is space again",
    tests: [
      {
        file: "packages/server/src/full-disk.test.ts",
        says: "keeps reading and cancelling, refuses the rest with 507, and recovers by itself",
      },
    ],
  },
  {
    number: 22,
    input: "one bit of `store.sqlite-wal` changed",
    answer: "neither the server nor `verify` goes on: both row numbers are named, and what to do",
    tests: [
      {
        file: "packages/server/src/store/sqlite/damage.test.ts",
        says: "is refused when a bit of its log changed, with both rows and what to do, and is left as it is",
      },
    ],
  },
  {
    number: 23,
    input: "a row of the journal changed",
    answer: "the start is refused with the row, unless it is told to go on",
    tests: [
      {
        file: "packages/server/src/flow/write/start-checks.test.ts",
        says: "refuses a journal row that was changed, also before the snapshot, and goes on when told to",
      },
    ],
  },
  {
    number: 24,
    input: "a damaged backup",
    answer: "restore refuses it and names the place",
    tests: [
      {
        file: "packages/server/src/store/backup/backup.test.ts",
        says: "restores nothing of a file in which one byte was flipped, and names the place",
      },
    ],
  },
  {
    number: 25,
    input: "restored without `keys/`",
    answer: "the start is refused where the store holds secrets, unless they are declared lost",
    tests: [
      {
        file: "packages/server/src/start-keys.test.ts",
        says: "are not made anew where the store holds secrets, unless these are declared lost",
      },
    ],
  },
  {
    number: 26,
    input: "a file that is not UTF-8",
    cases: [file("latin.yaml", Buffer.from("name: x\nrun: echo caf\xe9\n", "latin1"), "`tess run latin.yaml`")],
  },
  {
    number: 27,
    input: "a folder instead of a file",
    cases: [file("jobs/job.yaml", "run: train\n", "`tess run jobs`", ["run", "jobs"])],
  },
  {
    number: 28,
    input: "a working directory that cannot be entered",
    cases: [typed("run --workdir /no/such/folder -- ls")],
  },
  { number: 29, input: "columns that there are not", cases: [typed("ps --columns foo"), typed("ps --sort-by foo")] },
  {
    number: 30,
    input: "words of other programs",
    cases: [
      typed("htop"),
      typed("submit"),
      typed("jobs --state waiting"),
      typed("status --state waiting"),
      typed("kill nojob"),
      typed("sinfo -o name"),
      typed("run --time 5m -N 1 -J five -d -- true"),
      typed("run --partition gpu -- true"),
    ],
  },
  { number: 31, input: "all GPUs", cases: [typed("run -d --gpus all -- true")] },
  {
    number: 32,
    input: "a max below what runs",
    cases: [
      {
        shown: "`tess account edit lab --max 1` while 2 GPUs are in use",
        async act(world) {
          await world.must("run", "-d", "-p", "lab", "--name", "two", "--gpus", "2", "--", "sleep 600");
          await world.must("wait", "two", "--for", "running");
          const answer = await world.type(["account", "edit", "lab", "--max", "1"]);
          await world.must("cancel", "two");
          return answer;
        },
      },
    ],
  },
  {
    number: 33,
    input: "two live jobs of one name",
    cases: [
      {
        shown: "`tess cancel twin`",
        async act(world) {
          for (const _ of [1, 2]) await world.must("run", "-d", "--name", "twin", "--", "sleep 600");
          return world.type(["cancel", "twin"]);
        },
      },
    ],
  },
  {
    number: 34,
    input: "files of other programs",
    cases: [
      file("train.sbatch", samples.sbatch, "`tess run train.sbatch`"),
      file("dstack.yml", samples.dstack, "`tess run dstack.yml`"),
      file("compose.yaml", samples.compose, "`tess run compose.yaml`"),
      file("k8s.yaml", samples.kubernetesJob, "`tess run k8s.yaml`"),
    ],
  },
  {
    number: 35,
    input: "an alias bomb, an alias of itself, a key twice, an empty file, wrong syntax",
    cases: [
      file("bomb.yaml", bomb(), "`tess run bomb.yaml`"),
      file("itself.yaml", "run: &a [x, *a]\n", "`run: &a [x, *a]`"),
      file("twice.yaml", "run: x\nrun: y\n", "`run: x; run: y`"),
      file("empty.yaml", "", "an empty file"),
      file("syntax.yaml", "run: [a\nname: x: y\n", "`run: [a`, `name: x: y`"),
    ],
  },
  {
    number: 36,
    input: "a wrong port or host, https to http",
    cases: [
      { shown: "port 1", act: (world) => world.type(["--server", "http://127.0.0.1:1", "ps"]) },
      {
        shown: "`tess --server http://no-such-host.invalid ps`",
        act: (world) => world.type(["--server", "http://no-such-host.invalid", "ps"]),
      },
      { shown: "https to http", act: (world) => world.type(["--server", world.url.replace("http:", "https:"), "ps"]) },
    ],
  },
  {
    number: 37,
    input: "two servers on one folder",
    cases: [{ shown: "`npm start` twice", act: (world) => world.failedStart(["--data", world.data, "--port", "0"]) }],
  },
  {
    number: 38,
    input: "a deadline in the past, an unknown job, an unknown zone",
    cases: [field("deadline: 2020-01-01T00:00Z"), field("after: nojob"), field("tz: Mars/Base")],
  },
  {
    number: 39,
    input: "no permission",
    cases: [
      {
        shown: "`tess node drain virtual-0` as a member",
        act: (world) => world.type(["node", "drain", "virtual-0", "-y"], { token: world.tokens.member }),
      },
    ],
  },
  {
    number: 40,
    input: "a job file of 3 MB",
    cases: [
      file("large.yaml", `run: |\n${"  echo hello\n".repeat(250_000)}`, "`tess run large.yaml`", [
        "run",
        "-d",
        "--workdir",
        "none",
        "large.yaml",
      ]),
    ],
  },
];

/** Every level holds the one before nine times. */
function bomb() {
  const nine = (item) => `[${Array(9).fill(item).join(", ")}]`;
  const levels = ["a", "b", "c", "d"];
  const lines = levels.map((name, index) => `${name}: &${name} ${nine(index === 0 ? "x" : `*${levels[index - 1]}`)}`);
  return `${lines.join("\n")}\nrun: *d\n`;
}

/** Makes the accounts, people and tokens that the rows are about. */
export async function prepareWorld(world) {
  await world.must("account", "create", "lab", "--max", "8");
  for (const name of ["ana", "ben"]) await world.must("user", "create", name, "--role", "member", "--account", "lab");
  const token = async (user, ...more) =>
    JSON.parse(await world.must("token", "create", "--user", user, "-o", "json", ...more));
  const [expired, revoked, disabled, member] = [
    await token("ana", "--expires-in", "1s"),
    await token("ana"),
    await token("ben"),
    await token("ana"),
  ];
  await world.must("token", "revoke", revoked.id, "-y");
  await world.must("user", "disable", "ben");
  world.tokens = { expired: expired.token, revoked: revoked.token, disabled: disabled.token, member: member.token };
  while (Date.now() < Date.parse(expired.expiresAt)) await world.sleep(100);
}
