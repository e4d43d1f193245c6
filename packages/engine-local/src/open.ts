import { chmod, mkdir, realpath } from "node:fs/promises";
import type { Engine } from "@tessera/engine";
import { LocalEngine } from "./engine.ts";
import { parseVirtual } from "./inventory/virtual.ts";
import { stateFolder } from "./lease/folder.ts";
import { examineMachine, type Machine } from "./limit/machine.ts";
import type { LocalEngineOptions } from "./options.ts";
import { dcgmFault } from "./telemetry/sources.ts";

/** Opens the engine that runs members as processes of this machine, and takes up what an earlier one left running. */
export async function openLocalEngine(
  options: LocalEngineOptions,
  examine: (stateFolder: string) => Promise<Machine> = examineMachine,
): Promise<Engine> {
  if (options.virtual !== undefined) parseVirtual(options.virtual);
  const fault = options.dcgm === undefined ? undefined : dcgmFault(options.dcgm);
  if (fault !== undefined) throw new Error(fault);
  const state = stateFolder(await realFolder(options.dir));
  for (const folder of Object.values(state)) await mkdir(folder, { recursive: true, mode: 0o700 });
  const machine = await examine(state.root);
  // Without a mount namespace the jobs of other users must pass through to their own folders, and see no names there.
  const passable = machine.means === "user" ? 0o711 : 0o700;
  for (const folder of [state.root, state.work, state.jobs, state.doors, state.cache]) await chmod(folder, passable);
  const content = options.content === undefined ? {} : { content: await realFolder(options.content) };
  const hide = await Promise.all((options.hide ?? []).map((folder) => realpath(folder).catch(() => folder)));
  for (const folder of machine.means === "user" ? hide : []) {
    if (state.root.startsWith(`${folder}/`)) await chmod(folder, passable);
  }
  const engine = new LocalEngine({ ...options, ...content, hide }, state, machine);
  await engine.adopt();
  // What it can do is told to a control plane before that asks for the nodes; a driver that does not answer yet offers no parts.
  await engine.inventory().catch(() => {});
  return engine;
}

/** The folder under its real name, because a mount namespace hides what lies there and not what a link calls it. */
async function realFolder(dir: string): Promise<string> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return realpath(dir);
}
