/** Which of our packages each may know. `engine-*` stands for every engine. */
export const mayImport = {
  core: [],
  oracle: ["core"],
  wire: ["core"],
  content: ["core"],
  engine: ["core"],
  "engine-*": ["engine", "core"],
  "engine-kubernetes": ["engine", "core", "content"],
  "engine-local": ["engine", "core", "content"],
  telemetry: ["core", "engine"],
  server: ["core", "wire", "engine", "content", "telemetry"],
  cli: ["wire"],
  web: ["wire"],
  sim: ["core", "oracle", "server", "engine", "engine-simulated", "telemetry"],
  verifier: [],
  "what-if": ["core", "server", "sim", "engine-simulated"],
};

/**
 * The folders of core from the bottom up, read like a page: a folder imports only folders on lines above its own, or to
 * its left on the same line. ARCHITECTURE.md shows the same list, with a sentence for each line.
 */
export const coreLayers = [
  ["model", "money", "collections", "journal"],
  ["gpu", "health"],
  ["fleet"],
  ["quota"],
  ["learn"],
  ["state"],
  ["submit", "admit", "gate"],
  ["run"],
  ["queue", "place", "plan", "claim"],
  ["meter", "bill"],
  ["schedule"],
  ["decide", "why"],
];

/** The folders of the server, in the same way. */
export const serverLayers = [["journal"], ["store"], ["access"], ["render"], ["flow"], ["work"], ["notify", "api"]];

/** The packages whose folders are held to a list. */
export const layered = { core: coreLayers, server: serverLayers };

/** What stands in the root of the repository. Everything else has a folder where it belongs. */
export const rootHolds = [
  ".ci",
  ".gitignore",
  ".npmrc",
  ".tessignore",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "README.md",
  "SECURITY.md",
  "bin",
  "biome.json",
  "deploy",
  "docs",
  "package-lock.json",
  "package.json",
  "packages",
  "scripts",
  "tsconfig.base.json",
  "tsconfig.json",
];

/** Names of files that a program left behind: logs, profiles, dumps, archives, what editors and patches keep. */
export const leftBehind = [
  /\.log$/,
  /\.(cpu|heap)profile$|\.heapsnapshot$|^isolate-|^flamegraph/,
  /\.(dmp|pid|tmp|swp|orig|rej|bak)$|~$|^\.DS_Store$/,
  /\.(tgz|tar|zip|gz|xz|zst|bz2|7z)$/,
];

/** The two programs that join things name the engines they start; tests of the server start them as well. */
export const mayNameEngines = /^packages\/server\/src\/(main\.ts|helper(-keys)?\.ts|.*\.test\.ts)$/;

/** The slow model that the scheduler is compared with must not share its mistakes: of core it knows the nouns alone. */
export const oracle = { folder: "packages/oracle/src/", mayKnow: "@tessera/core/model" };

/** The checker of decision logs must not share the scheduler's mistakes: it reads files, and knows nothing else of ours. */
export const checker = {
  folder: "packages/sim/src/check/",
  mayKnow: ["packages/sim/src/check/", "packages/sim/src/command/", "packages/sim/src/trace/csv.ts"],
};

/** What core may not touch, and why. A value that comes from outside would make two replays of one journal differ. */
export const forbiddenInCore = [
  { name: "Date", sign: /(?<![.\w$])Date\b/, why: "time is handed in as `now`" },
  { name: "Math.random", sign: /\bMath\s*\.\s*random\b/, why: "core has no chance; ties break by id" },
  {
    name: "timers",
    sign: /(?<![.\w$])(setTimeout|setInterval|setImmediate|queueMicrotask)\b/,
    why: "what happens later is a tick that the shell sends",
  },
  { name: "performance", sign: /(?<![.\w$])performance\b/, why: "time is handed in as `now`" },
  { name: "process", sign: /(?<![.\w$])process\b/, why: "core does not know where it runs" },
  { name: "crypto", sign: /(?<![.\w$])crypto\b/, why: "ids and hashes are made by the shell" },
  {
    name: "locale",
    sign: /(\.\s*(localeCompare|toLocale\w+)\b|(?<![.\w$])Intl\b)/,
    why: "order must not depend on the machine's language; compare code units",
  },
  {
    name: "WeakRef",
    sign: /(?<![.\w$])(WeakRef|FinalizationRegistry)\b/,
    why: "the garbage collector is not deterministic",
  },
  {
    name: "globalThis",
    sign: /(?<![.\w$])(globalThis|fetch|console)\b/,
    why: "core takes values and returns values, nothing else",
  },
];
