import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ServerProcess } from "../soak/server-process.ts";
import { spreadOf } from "./figures.ts";
import { cordonAll, makeUsers } from "./ground.ts";
import type { LoadAsk, LoadFigures } from "./load.ts";

const admin = fileURLToPath(new URL("../../../server/dist/admin.js", import.meta.url));

/** What is measured, and how. */
export interface Comparison {
  readonly clients: readonly number[];
  readonly rounds: number;
  readonly ms: number;
  readonly users: number;
  readonly project: string;
  /** A new, empty database; undefined for the embedded store. */
  readonly freshDatabase?: () => Promise<string>;
  readonly ask: (what: LoadAsk) => Promise<LoadFigures>;
  readonly say: (text: string) => void;
}

interface Stand {
  readonly data: string;
  readonly server: ServerProcess;
  measure(clients: number): Promise<number>;
}

/** Submissions with an encrypted journal beside those with a plain one, in turn; `ratio` is encrypted to plain. */
export async function compareEncrypted(comparison: Comparison) {
  const { clients, rounds, say } = comparison;
  const stands: Stand[] = [];
  try {
    const plain = await open(comparison, false, stands);
    const encrypted = await open(comparison, true, stands);
    const measured = clients.map((count) => ({ clients: count, plain: [], encrypted: [], ratio: [] }) as Measured);
    // The first round only warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const each of measured) {
        const order = round % 2 === 0 ? [plain, encrypted] : [encrypted, plain];
        const rates = new Map<Stand, number>();
        for (const stand of order) rates.set(stand, await stand.measure(each.clients));
        const [without, having] = [rates.get(plain)!, rates.get(encrypted)!];
        say(`round ${round}, ${each.clients} clients: plain ${without.toFixed(0)}/s, encrypted ${having.toFixed(0)}/s`);
        if (round === 0) continue;
        each.plain.push(without);
        each.encrypted.push(having);
        each.ratio.push(having / without);
      }
    }
    return measured.map((each) => ({
      clients: each.clients,
      plainPerSecond: spreadOf(each.plain),
      encryptedPerSecond: spreadOf(each.encrypted),
      ratio: spreadOf(each.ratio, 2),
    }));
  } finally {
    for (const { server, data } of stands) {
      if (server.alive) await server.end("SIGKILL");
      rmSync(data, { recursive: true, force: true });
    }
  }
}

interface Measured {
  readonly clients: number;
  readonly plain: number[];
  readonly encrypted: number[];
  readonly ratio: number[];
}

async function open(comparison: Comparison, encrypted: boolean, stands: Stand[]): Promise<Stand> {
  const { ms, users, project, freshDatabase, ask } = comparison;
  const data = mkdtempSync(join(tmpdir(), "tessera-submit-"));
  const database = await freshDatabase?.();
  const place = ["--data", data, ...(database === undefined ? [] : ["--database", database])];
  if (encrypted) execFileSync(process.execPath, [admin, "journal", "encrypt", ...place], { stdio: "ignore" });
  const server = new ServerProcess({ data, virtual: "4x8:H100", ...(database !== undefined && { database }) });
  let tokens: string[] = [];
  const stand: Stand = {
    ...{ data, server },
    async measure(clients) {
      const url = (await server.url) ?? "";
      return (await ask({ url, tokens, clients, ms, what: "submit", project })).perSecond;
    },
  };
  stands.push(stand);
  const url = await server.url;
  if (url === undefined) throw new Error(`the server did not start:\n${server.said.join("\n")}`);
  const token = readFileSync(join(data, "owner.token"), "utf8").trim();
  await cordonAll(url, token);
  tokens = [...(await makeUsers(url, token, project, users))];
  return stand;
}
