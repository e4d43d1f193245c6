const short = 500;
const long = 3000;

/** The whole story: from an empty machine to balanced books. */
export async function tell(stage, server) {
  for (const chapter of [
    fleet,
    teams,
    people,
    jobs,
    waiting,
    lending,
    refusals,
    failing,
    crash,
    maintenance,
    books,
    money,
  ]) {
    await chapter(stage, server);
  }
}

async function fleet(stage, server) {
  stage.heading(
    "The month before, lived through on simulated GPUs: two tenants whose invoices are still to be written",
  );
  await stage.run("owner", `"$DEMO_NODE" "$DEMO_HISTORY" --data "$TESSERA_DATA"`);
  stage.heading("This machine, shown as four nodes of eight virtual GPUs; the processes are real");
  await server.start();
  await stage.pause(2000);
  await stage.run("owner", "tess gpus", { pauseMs: 2000 });
}

async function teams(stage) {
  stage.heading("Three teams, each with GPUs that it is guaranteed and a max");
  for (const line of [
    "tess account create lab --guarantee 24 --max 32 -o name",
    "tess account create lab/vision --guarantee 16 --max 24 -o name",
    "tess account create lab/speech --guarantee 8 --max 16 -o name",
    "tess account create studio --guarantee 8 --max 12 -o name",
  ]) {
    await stage.run("owner", line, { pauseMs: short });
  }
  await stage.run("owner", "tess account tree", { pauseMs: 2000 });
}

async function people(stage) {
  stage.heading("Users have roles at an account and below it; each gets a token");
  for (const [user, role, account] of [
    ["ana", "member", "lab/vision"],
    ["ben", "team-admin", "lab/speech"],
    ["cleo", "member", "studio"],
    ["rita", "auditor", "lab"],
  ]) {
    await stage.run("owner", `tess user create ${user} --role ${role} --account ${account}`, { pauseMs: short });
    await stage.run("owner", `tess token create --user ${user} --expires-in 7d > ${user}.token`, { pauseMs: short });
  }
  stage.say('\nFrom here on "ana $" is a shell with ana\'s token in TESS_TOKEN, and so on:');
  await stage.run("ana", "tess whoami");
}

async function jobs(stage) {
  stage.heading("A job, an array, and a gang over four nodes");
  await stage.run("ana", "tess run --gpus 1 -- 'echo hello from $TESS_NODE with $CUDA_VISIBLE_DEVICES'");
  await stage.run(
    "ana",
    "tess run --name frames --gpus 1 --array 1-6%3 --detach -- 'echo frame $TESS_INDEX; sleep 1'",
    { pauseMs: short },
  );
  stage.write(
    "pretrain.yaml",
    `name: pretrain
type: train
nodes: 4
gpus: H100:2
max_time: 10m
run: |
  echo "rank $RANK of $WORLD_SIZE on $TESS_NODE, master $MASTER_ADDR"
  sleep 2
`,
  );
  await stage.run("ana", "cat pretrain.yaml", { pauseMs: 2000 });
  await stage.run("ana", "tess run pretrain.yaml");
  await stage.run("ana", "tess wait frames", { pauseMs: short });
  await stage.run("ana", "tess ps -a", { pauseMs: 2000 });
}

async function waiting(stage) {
  stage.heading("Why does it wait?");
  await stage.run("ana", "tess run --name train --nodes 2 --gpus 8 --detach -- sleep 300", { pauseMs: short });
  await stage.run("ana", "tess run --name sweep --gpus 8 --detach -- sleep 300", { pauseMs: short });
  await stage.run("ana", "tess run --name probe --gpus 1 --detach -- sleep 5", { pauseMs: short });
  await stage.run("ana", "tess explain probe", { pauseMs: long });
  await stage.run("ana", "tess run --name eval --after train:ended --detach -- echo the model is better now", {
    pauseMs: short,
  });
  await stage.run("ana", "tess explain eval", { pauseMs: 2000 });
  await stage.run("ana", "tess hold probe", { pauseMs: short });
  await stage.run("ana", "tess explain probe", { pauseMs: 2000 });
  await stage.run("ana", "tess release probe", { pauseMs: short });
  await stage.run("ana", "tess cancel probe", { pauseMs: short });
  await stage.run("ana", "tess ps", { pauseMs: 2500 });
}

async function lending(stage) {
  stage.heading("Idle GPUs are lent, and taken back for those to whom they are guaranteed");
  const steps = "for i in $(seq 1 300); do echo step $i; sleep 0.5; done";
  await stage.run("ben", `tess run --name asr --gpus 8 --detach -- '${steps}'`, { pauseMs: short });
  await stage.run("owner", "tess gpus", { pauseMs: 1500 });
  await stage.run("cleo", "tess run --name render --gpus 8 --detach -- sleep 300", { pauseMs: short });
  await stage.run("cleo", "tess wait render --for running", { pauseMs: short });
  await stage.run("ana", "tess ps", { pauseMs: 2000 });
  await stage.run("owner", "tess account tree", { pauseMs: 2500 });
  await stage.run("ana", "tess cancel sweep", { pauseMs: short });
}

async function refusals(stage) {
  stage.heading("What cannot be is refused at once; another tenant's job looks like none");
  await stage.run("ana", "tess run --gpus H100:9 -- true", { exit: 65, pauseMs: 2000 });
  await stage.run("cleo", "tess logs train", { exit: 66, pauseMs: 2000 });
}

async function failing(stage) {
  stage.heading("A job that fails is tried again; tess ends with its exit code");
  await stage.run("ben", "tess run --name flaky --retry 1 -- 'echo attempt $TESS_ATTEMPT; exit 7'", {
    exit: 7,
    pauseMs: 2000,
  });
}

async function crash(stage, server) {
  stage.heading("The server is killed in the middle of a job");
  await stage.run("ben", "tess logs asr --tail 2", { pauseMs: short });
  await stage.run("owner", `kill -9 ${server.pid}`, { pauseMs: 0 });
  await server.ended();
  await stage.run("ben", "tess ps", { exit: 69, pauseMs: 2000 });
  await server.start();
  await stage.pause();
  stage.say("\nThe same process, still the first attempt; what it wrote in the meantime is not lost:");
  await stage.run("ben", "tess ps -o wide", { pauseMs: 1500 });
  await stage.run("ben", "tess logs asr --tail 12", { pauseMs: 2000 });
}

async function maintenance(stage) {
  stage.heading("A node is emptied for a new driver; its job starts again elsewhere");
  await stage.run("cleo", "tess cancel render", { pauseMs: short });
  const node = await stage.answer("tess ps -A asr --columns detail --no-headers");
  await stage.run("owner", `tess node drain ${node} -y --within 1s --reason 'new driver'`);
  await stage.until(`tess node get ${node} | grep -q maintenance && tess wait asr --for running --timeout 1s`);
  await stage.run("owner", "tess node get", { pauseMs: 2000 });
  await stage.run("ben", "tess ps -o wide", { pauseMs: 2000 });
  await stage.run("owner", `tess node up ${node}`, { pauseMs: short });
}

async function books(stage) {
  stage.heading("What became of it all, and who used what");
  await stage.run("ben", "tess cancel asr", { pauseMs: short });
  await stage.run("ana", "tess cancel train", { pauseMs: short });
  await stage.run("ana", "tess wait eval", { pauseMs: short });
  await stage.run("ana", "tess logs eval");
  await stage.run("owner", "tess ps -A -a --limit 16", { pauseMs: long });
  await stage.run("owner", "tess usage --by account", { pauseMs: long });
  stage.say("\nrita audits the lab, and sees what concerns it:");
  await stage.run("rita", "tess audit --limit 8", { pauseMs: long });
  await stage.run("owner", "tess admin verify", { pauseMs: 2000 });
}

async function money(stage) {
  stage.heading("The month before becomes invoices, and whoever pays can check them without asking us");
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 7);
  await stage.run("owner", `tess invoice close ${month}`, { pauseMs: 2000 });
  await stage.run("owner", "tess invoice show INV-academy-000001", { pauseMs: long });
  await stage.run("owner", "tess invoice explain INV-academy-000001/1 | head -12", { pauseMs: long });
  await stage.run("owner", "tess invoice head -o name > head", { pauseMs: short });
  await stage.run("owner", "tess invoice show INV-academy-000001 -o json > invoice.json", { pauseMs: short });
  const extract = "tess invoice extract INV-academy-000001 --since $(sed 's/.*row=//; s/ .*//' head) > extract.json";
  await stage.run("owner", extract, { pauseMs: short });
  await stage.run(
    "owner",
    'tess invoice verify INV-academy-000001 --invoice invoice.json --extract extract.json --head "$(cat head)"',
    { pauseMs: 2000 },
  );
  await stage.run("owner", "tess cost --from 60d --by account", { pauseMs: long });
}
