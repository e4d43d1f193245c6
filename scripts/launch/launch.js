import { existsSync } from "node:fs";
import { join } from "node:path";
import { build, needsBuild } from "./build.js";
import { describe, Failure } from "./failure.js";
import { install, needsInstall } from "./install.js";
import { withLock } from "./lock.js";
import { checkRuns, findNode, isNewEnough, majorOf, packageFor } from "./node24.js";
import { root } from "./root.js";
import { enterHere, enterOn } from "./run.js";
import { announceStart, serverArguments } from "./starting.js";

/** Installs, builds, then runs `program` (a path from the root) with our arguments and takes over its exit code. */
export async function launch(program) {
  const path = join(root, program);
  const args = serverArguments(program, process.argv.slice(2));
  const start = args && announceStart(root, args, process.env);
  // The server takes the announcement away when it is ready; what is still there at the end was a start that failed.
  process.on("exit", (code) => start?.failed(`it ended with code ${code}; its own terminal says why`));
  const node = await orExplain(async () => {
    const found = await prepare(start?.step);
    if (!existsSync(path)) {
      throw new Failure(`${program} is missing after the build`, { advice: "This is a bug in the checkout." });
    }
    return found;
  }, start?.failed);
  if (node === undefined) return;
  process.env.TESSERA_ROOT = root;
  // Outside of orExplain: an error of the program itself is its own affair and keeps its stack.
  if (isNewEnough()) await enterHere(path);
  else await orExplain(() => enterOn(node, path));
}

/** Installs and builds where that is needed, and tells `step` what it is at. Returns the Node.js to run things with. */
export async function prepare(step = () => {}) {
  if (majorOf(process.version) < 20) {
    throw new Failure(`Node.js 20 or newer is needed to start, this is ${process.version}`, {
      advice: "Install a newer Node.js and start again.",
    });
  }
  if (!isNewEnough()) packageFor(process); // fails at once where a long install would bring no Node.js 24
  if (needsInstall(root) || needsBuild(root)) {
    step("installing and building");
    await withLock(join(root, ".cache", "launch.lock"), putInOrder, { waiting });
  }
  step("starting");
  return findNode(root);
}

/** Asks again what is needed: the previous holder of the lock may have done it. */
async function putInOrder() {
  if (needsInstall(root)) {
    await install(root);
    if (!isNewEnough()) checkRuns(findNode(root));
  }
  if (needsBuild(root)) await build(root, findNode(root));
}

function waiting(owner) {
  const who = owner === undefined ? "" : ` (process ${owner.pid} on ${owner.host})`;
  process.stderr.write(`tessera: another start is installing or building${who}, waiting for it\n`);
}

/** Ends with what to do when `act` meets a failure that a person can put right, and tells `failed`; undefined then. */
export async function orExplain(act, failed = () => {}) {
  try {
    return await act();
  } catch (error) {
    const failure = error instanceof Failure ? error : failureOf(error);
    if (failure === undefined) throw error;
    failed(failure.message);
    process.stderr.write(describe(failure));
    process.exitCode = failure.exitCode;
    return undefined;
  }
}

/** What the system refused to the launcher itself. */
function failureOf(error) {
  if (error?.code === "ENOSPC") {
    return new Failure("there is no space left on the disk", { advice: "Free some and start again.", cause: error });
  }
  if (error?.code === "EACCES" || error?.code === "EROFS") {
    return new Failure(`${error.path} may not be written (${error.code})`, {
      advice: "The clone must be writable for you until it is installed and built. Correct its owner and start again.",
      cause: error,
    });
  }
  return undefined;
}
