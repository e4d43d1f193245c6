import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { describe, Failure } from "../launch/failure.js";
import { root } from "../launch/root.js";
import { makeFolder } from "./folder.js";
import { DemoServer } from "./server.js";
import { Interrupted, Stage } from "./stage.js";
import { tell } from "./story.js";

const usage = `npm run demo: the whole story in at most two minutes, on virtual GPUs with real processes

  --fast      without pauses
  --data DIR  where its server keeps its files (default .tessera-demo of the clone); wiped when the next demo starts

Example: npm run demo -- --fast`;

async function main() {
  const { values } = parseArgs({
    options: {
      fast: { type: "boolean", default: false },
      data: { type: "string", default: join(root, ".tessera-demo") },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const folder = await makeFolder(resolve(values.data));
  const stage = new Stage(folder, values);
  const server = new DemoServer(stage);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stage.interrupt(signal));
  try {
    await tell(stage, server);
  } finally {
    await end(stage, server);
  }
  stage.say(`\nThat was all, in ${stage.seconds()} s. The journal stays in ${folder.shown} until the next demo:`);
  stage.say(`  npx tess admin journal tail --data ${folder.shown}`);
}

/** Leaves no process behind. Jobs outlive the server by design, so they are cancelled before it goes. */
async function end(stage, server) {
  if (server.wasKilled) await server.start();
  const left = "$(tess ps -A -o name)";
  await stage.quietly(`[ -z "${left}" ] || { tess cancel -y ${left}; tess wait ${left}; }`);
  await server.stop();
}

main().catch((error) => {
  if (error instanceof Interrupted) process.stderr.write("\ntessera: the demo was stopped, and its jobs with it\n");
  else if (error instanceof Failure) process.stderr.write(describe(error));
  else if (error.code?.startsWith("ERR_PARSE_ARGS")) process.stderr.write(`${error.message}\n\n${usage}\n`);
  else throw error;
  process.exitCode = error.exitCode ?? 2;
});
