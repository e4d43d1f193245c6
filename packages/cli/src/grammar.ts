import { nounNamed, nouns } from "./nouns/index.ts";

/** `tess <verb> <noun>` in terms of the commands that there are: `delete user` is `user erase`. */
const verbs: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  get: Object.fromEntries(Object.keys(nouns).map((noun) => [noun, [noun, "get"]])),
  describe: Object.fromEntries(Object.keys(nouns).map((noun) => [noun, [noun, "describe"]])),
  create: {
    job: ["run"],
    account: ["account", "create"],
    user: ["user", "create"],
    "service-account": ["service-account", "create"],
    role: ["role", "bind"],
    token: ["token", "create"],
    secret: ["secret", "set"],
    volume: ["volume", "create"],
    engine: ["engine", "create"],
    provider: ["provider", "add"],
    exchange: ["exchange", "add"],
    pool: ["pool", "create"],
  },
  edit: {
    job: ["job", "edit"],
    account: ["account", "edit"],
    quota: ["account", "edit"],
    secret: ["secret", "set"],
    engine: ["engine", "edit"],
    provider: ["provider", "add"],
    exchange: ["exchange", "add"],
    pool: ["pool", "edit"],
  },
  delete: {
    job: ["cancel"],
    account: ["account", "delete"],
    user: ["user", "erase"],
    "service-account": ["service-account", "erase"],
    role: ["role", "unbind"],
    token: ["token", "revoke"],
    secret: ["secret", "delete"],
    volume: ["volume", "delete"],
    engine: ["engine", "delete"],
    provider: ["provider", "remove"],
    exchange: ["exchange", "remove"],
    pool: ["pool", "delete"],
  },
};

/** Nouns that a verb goes with. */
export function verbsOf(verb: string): readonly string[] {
  return Object.keys(verbs[verb] ?? {});
}

// Options without a value; any other one takes the word after it along.
const switches = new Set(
  "-h --help -V --version -y --yes --json -w --watch -A --all-projects -a --all --no-headers".split(" "),
);

/** Where the words that are no options stand. */
export function operandsOf(args: readonly string[]): number[] {
  const found: number[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index]!;
    if (!arg.startsWith("-") || arg === "-") found.push(index);
    else if (!switches.has(arg) && !arg.includes("=") && /^(--|-[a-zA-Z]$)/.test(arg)) index += 1;
  }
  return found;
}

/** Turns `get node n0` into `node get n0`, a noun alone into its list, and leaves everything else as it is. */
export function turnRound(args: readonly string[]): readonly string[] {
  const [first, second, third] = operandsOf(args);
  const word = first === undefined ? undefined : args[first];
  if (first === undefined || word === undefined) return args;
  const byNoun = verbs[word];
  if (byNoun === undefined) return withGet(args, word, first, second);
  if (second === undefined) return args;
  const noun = nounNamed(args[second]!);
  // `describe llama-ft`, `edit llama-ft`: what is no noun and stands alone can only be a job.
  if (noun === undefined && (word === "describe" || word === "edit") && third === undefined)
    return args.with(first, "job").toSpliced(first + 1, 0, word);
  const command = noun === undefined ? undefined : byNoun[noun];
  if (command === undefined) return args;
  return args.toSpliced(second, 1).toSpliced(first, 1, ...command);
}

function withGet(args: readonly string[], word: string, first: number, second: number | undefined): readonly string[] {
  const noun = nounNamed(word);
  const helps = args.includes("--help") || args.includes("-h");
  if (noun === undefined || helps || word === "gpus" || word === "events") return args;
  const quotaPath =
    noun === "quota" && second !== undefined && !["get", "describe", "tree", "help"].includes(args[second]!);
  return second === undefined || quotaPath ? args.toSpliced(first + 1, 0, "get") : args;
}
