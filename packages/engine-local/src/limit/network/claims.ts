import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, createWhole } from "../../lease/durable.ts";
import { blocks, freeBlocks } from "./block.ts";
import { type Hub, removalScript } from "./hub.ts";
import { runScript } from "./programs.ts";

/** All servers of the machine keep here which block of addresses is whose. Gone after a restart, as the namespaces are. */
const claimsFolder = "/run/tessera-networks";

/** A block that is taken: by which hub, and the folder that its server keeps for as long as it exists. */
interface Claim extends Hub {
  readonly folder: string;
}

/** Takes a block that no other server has and no route of the machine leads to. */
export async function claimBlock(hub: Omit<Hub, "block">, folder: string): Promise<Hub> {
  await mkdir(claimsFolder, { recursive: true, mode: 0o700 });
  for (const { number } of freeBlocks(await routesHere())) {
    const claimed = { ...hub, block: number };
    const claim: Claim = { ...claimed, folder };
    if (await createWhole(claimFile(number), JSON.stringify(claim))) return claimed;
  }
  throw new Error(`all ${blocks} blocks of addresses for jobs are in use`);
}

/** A block for namespaces to which no route of the machine leads: others may have the same. */
export async function anyBlock(): Promise<number> {
  for (const { number } of freeBlocks(await routesHere())) return number;
  throw new Error("routes of this machine take all addresses that jobs could have");
}

async function routesHere(): Promise<string[]> {
  return (await runScript("ip -4 route show table all")).split("\n").map(destinationOf);
}

/** `198.18.0.0/26 dev …` or `local 192.0.2.2 dev …`. */
function destinationOf(route: string): string {
  const [first = "", second = ""] = route.trim().split(" ");
  return /^\d/.test(first) ? first : second;
}

/** Takes a hub away and frees its block last. One whose block is another's by now is gone already. */
export async function removeHub(hub: Hub): Promise<void> {
  const claim = await readClaim(hub.block);
  if (claim?.id !== hub.id || claim.mark !== hub.mark) return;
  await runScript(removalScript(hub));
  await rm(claimFile(hub.block), { force: true });
}

/** Hubs of this server, and of servers whose folder has been removed: those never come back for theirs. */
export async function claimedHubs(mark: string): Promise<Hub[]> {
  const names = await readdir(claimsFolder).catch(noneIfMissing);
  const claims = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((name) => readClaim(Number(name))));
  return claims
    .filter((claim) => claim !== undefined)
    .filter((claim) => claim.mark === mark || !existsSync(claim.folder));
}

async function readClaim(block: number): Promise<Claim | undefined> {
  const text = await readFile(claimFile(block), "utf8").catch(() => undefined); // freed meanwhile
  return text === undefined ? undefined : (JSON.parse(text) as Claim);
}

function claimFile(block: number): string {
  return join(claimsFolder, String(block));
}

/** Where root keeps the folder for its servers, one of another user has no hubs in it. */
function noneIfMissing(error: unknown): string[] {
  if (codeOf(error) === "ENOENT" || codeOf(error) === "EACCES") return [];
  throw error;
}
