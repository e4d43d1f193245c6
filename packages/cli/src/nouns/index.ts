import type { Noun } from "./noun.ts";

// A noun's code is loaded when it is named; any item type will do for the table of them.
// biome-ignore lint/suspicious/noExplicitAny: each noun has its own item
type AnyNoun = Noun<any>;

interface NounEntry {
  readonly aliases: readonly string[];
  readonly load: () => Promise<AnyNoun>;
}

/** Every noun by the name of its command. */
export const nouns: Readonly<Record<string, NounEntry>> = {
  job: { aliases: ["j", "jobs"], load: async () => (await import("./job.ts")).job },
  node: { aliases: ["no", "nodes"], load: async () => (await import("./node.ts")).node },
  engine: { aliases: ["engines"], load: async () => (await import("./engine.ts")).engine },
  pool: { aliases: ["pools"], load: async () => (await import("./pool.ts")).pool },
  provider: { aliases: ["providers"], load: async () => (await import("./provider.ts")).provider },
  gpu: { aliases: ["g", "gpus"], load: async () => (await import("./node.ts")).gpu },
  account: {
    aliases: ["acc", "accounts", "project", "projects", "tenant", "tenants"],
    load: async () => (await import("./account.ts")).account,
  },
  quota: { aliases: ["quotas"], load: async () => (await import("./account.ts")).quota },
  user: { aliases: ["u", "users"], load: async () => (await import("./access.ts")).user },
  "service-account": {
    aliases: ["sa", "service-accounts"],
    load: async () => (await import("./access.ts")).serviceAccount,
  },
  exchange: { aliases: ["exchanges"], load: async () => (await import("./exchange.ts")).exchange },
  role: { aliases: ["roles", "binding", "bindings"], load: async () => (await import("./access.ts")).role },
  token: { aliases: ["tokens"], load: async () => (await import("./access.ts")).token },
  session: { aliases: ["sessions"], load: async () => (await import("./signed-in.ts")).signedIn },
  factor: { aliases: ["factors"], load: async () => (await import("./signed-in.ts")).factor },
  secret: { aliases: ["secrets"], load: async () => (await import("./access.ts")).secret },
  volume: { aliases: ["vol", "volumes"], load: async () => (await import("./access.ts")).volume },
  event: { aliases: ["ev", "events"], load: async () => (await import("./history.ts")).event },
};

/** The noun's own name for any of its spellings. */
export function nounNamed(word: string): string | undefined {
  const lower = word.toLowerCase();
  return Object.entries(nouns).find(([name, { aliases }]) => name === lower || aliases.includes(lower))?.[0];
}
