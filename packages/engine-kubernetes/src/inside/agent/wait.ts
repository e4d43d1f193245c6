import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { folders } from "../parts.ts";
import { type AgentOrder, agentFile } from "./order.ts";

const lookEveryMs = 100;
/** A control plane that is away for longer than this does not hold the GPUs of a member that cannot begin. */
const bringMsMax = 15 * 60_000;

/**
 * Stays until the member has ended and what it left was taken: the pod lives as long as this process, which Kubernetes tells
 * to end when the member has, and kills when the grace of the pod is over.
 */
export async function wait({ bring, outputs }: AgentOrder): Promise<void> {
  const ending = new Promise<void>((resolve) => process.once("SIGTERM", resolve));
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  if (bring.length === 0) writeFileSync(agentFile.brought, "");
  else
    setTimeout(() => {
      if (!existsSync(agentFile.brought))
        writeFileSync(agentFile.refused, `its files did not arrive within ${bringMsMax / 60_000} minutes\n`);
    }, bringMsMax).unref();
  const alive = setInterval(() => {}, 2 ** 30);
  await ending;
  while (outputs !== undefined && !existsSync(agentFile.taken)) await sleep(lookEveryMs);
  clearInterval(alive);
}
