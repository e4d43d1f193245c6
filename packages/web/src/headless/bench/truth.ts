import type { FleetNodeShape } from "@tessera/wire";
import type { Page } from "playwright-core";
import type { OwnServer } from "../server.ts";

/** What Home's figures must show, counted here from whole lists and not by the server. */
export interface Truth {
  readonly gpus: number;
  readonly held: number;
  readonly waitingGpus: number;
  readonly waitingJobs: number;
  readonly runningJobs: number;
  readonly nodes: number;
  readonly nodesUp: number;
}

/** Waits until what was submitted last runs or waits: a figure that changes cannot be compared. */
export async function settled(server: OwnServer): Promise<void> {
  for (let quiet = 0; quiet < 5; ) {
    const { starting, stopping } = (await server.call("readSummary")).running.byState;
    quiet = starting + stopping === 0 ? quiet + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

const lookMs = 2_000;

export async function truthOf(server: OwnServer): Promise<Truth> {
  const { items: nodes } = await server.call("readFleet");
  const truth = { waitingGpus: 0, waitingJobs: 0, runningJobs: 0 };
  for (let cursor: string | undefined; ; ) {
    const page = await server.call("listJobs", { query: { limit: 1_000, ...(cursor !== undefined && { cursor }) } });
    for (const { state, gpus } of page.items) {
      if (state === "running") truth.runningJobs++;
      if (state !== "waiting") continue;
      truth.waitingJobs++;
      truth.waitingGpus += gpus;
    }
    cursor = page.next;
    if (cursor === undefined) break;
  }
  return {
    ...truth,
    gpus: nodes.reduce((sum, { cells }) => sum + cells.length, 0),
    held: Math.round(nodes.reduce((sum, node) => sum + heldOn(node), 0) * 1000) / 1000,
    nodes: nodes.length,
    nodesUp: nodes.filter(({ mode }) => mode === "up").length,
  };
}

/** How the map of the fleet writes what no job holds: idle, reserved, withheld. */
const unheld = new Set([".", "r", "w"]);

function heldOn({ cells, parts }: FleetNodeShape): number {
  const shares = [...cells].flatMap((letter, gpu) => Object.entries(parts?.[gpu] ?? { [letter]: 1 }));
  return shares.reduce((sum, [letter, part]) => (unheld.has(letter) ? sum : sum + part), 0);
}

/** Waits until the numbers of the owner's home are these, and tells when that was on the page's clock. */
export async function whenRight(page: Page, truth: Truth): Promise<number> {
  const spell = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 2 });
  const wanted = [
    ["Held by jobs", `${spell(truth.held)} of ${spell(truth.gpus)} GPUs`],
    ["Waiting for", spell(truth.waitingGpus)],
    ["Waiting for", `${spell(truth.waitingJobs)} jobs; ${spell(truth.runningJobs)} running`],
    ["nodes up", `${spell(truth.nodesUp)} of ${spell(truth.nodes)} nodes up`],
  ];
  const waiting = page.waitForFunction(
    (all) =>
      all.every(([label, words]) =>
        [...document.querySelectorAll<HTMLElement>(".figure, .card h2")].some(
          ({ textContent }) => textContent?.includes(label!) && textContent.includes(words!),
        ),
      ) && performance.now(),
    wanted,
    { polling: 20 },
  );
  const handle = await waiting.catch(async (cause: Error) => {
    const shown = await page.locator(".figure").allTextContents();
    throw new Error(`Home shows ${JSON.stringify(shown)}, not ${JSON.stringify(wanted)}`, { cause });
  });
  return (await handle.jsonValue()) as number;
}
