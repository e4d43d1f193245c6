import { spawnSync } from "node:child_process";
import { Failure } from "../launch/failure.js";

/** Runs promtool; its output, or a failure with it. */
export function promtool(args, input) {
  const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8", input });
  const said = `${stdout}${stderr}`.trim();
  if (status !== 0) throw new Error(`promtool ${args.join(" ")}: ${said}`);
  return said;
}

/** Prometheus and promtool, from the Debian package where they are not there; the version. */
export function findPrometheus(say) {
  if (!isThere("prometheus") || !isThere("promtool")) install(say);
  const { stdout, stderr } = spawnSync("prometheus", ["--version"], { encoding: "utf8" });
  return /version (\S+)/.exec(`${stdout}${stderr}`)?.[1] ?? "unknown";
}

function isThere(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
}

function install(say) {
  const advice = "Install Prometheus, so that prometheus and promtool are found; on Debian: apt-get install prometheus";
  if (process.getuid?.() !== 0) throw new Failure("prometheus and promtool are not installed", { advice });
  say("installing the Debian package prometheus");
  const { status } = spawnSync("apt-get", ["install", "-y", "--no-install-recommends", "prometheus"], {
    stdio: "ignore",
  });
  if (status !== 0 || !isThere("promtool")) throw new Failure("prometheus cannot be installed", { advice });
}
