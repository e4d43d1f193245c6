import { createHash } from "node:crypto";
import { openFrozenReader, type StoreConfig, verify } from "@tessera/server";

/** What a store holds; two with the same contents are the same to everyone who asks. */
export interface Contents {
  readonly rows: number;
  readonly stateHash: string;
  readonly headHash: string;
  /** Over the projections and the private rows. */
  readonly rest: string;
}

/** Undefined where the store is not sound. */
export async function contentsOf(store: StoreConfig): Promise<Contents | undefined> {
  const reader = await openFrozenReader(store);
  try {
    const { sound, rows, stateHash, headHash } = await verify(reader);
    if (!sound) return undefined;
    const lines: string[] = [];
    for await (const page of reader.projected())
      lines.push(
        ...Object.values(page)
          .flat()
          .map((row) => JSON.stringify(row)),
      );
    for await (const page of reader.allPrivates()) {
      lines.push(...page.map(({ kind, key, value }) => `${kind} ${key} ${Buffer.from(value ?? []).toString("hex")}`));
    }
    const rest = createHash("sha256").update(lines.sort().join("\n")).digest("hex");
    return { rows, stateHash, headHash, rest };
  } finally {
    await reader.close();
  }
}
