import { readDuration } from "@tessera/wire/duration";
import { type Command, Option } from "commander";
import { usageFailure } from "../failure.ts";

/** Flags of `engine create` and `engine edit`. */
export interface EngineFlags {
  readonly kind?: "kubernetes" | "simulated";
  readonly kubeconfig?: string;
  readonly set?: string[];
  readonly lostAfter?: string;
}

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];

function termFlags(command: Command, settingText: string): Command {
  return (
    command
      .option("--kubeconfig <file>", "file with the address and the credentials of the cluster; - for standard input")
      // Here it is the kubeconfig's: a context of tess is chosen by TESS_CONTEXT.
      .option("--context <name>", "context of the kubeconfig to use instead of its current one")
      .addOption(new Option("--set <name=value>", settingText).argParser(collect))
      .option("--lost-after <duration>", "count its jobs as lost after this long out of reach, such as 10m; or never")
  );
}

export function createFlags(command: Command): Command {
  const kinds = new Option("--kind <kind>", "kubernetes unless given").choices(["kubernetes", "simulated"]);
  return termFlags(command.addOption(kinds), "a setting, such as rackLabel=KEY or defaultImage=IMAGE; may be repeated");
}

export function editFlags(command: Command): Command {
  return termFlags(command, "change a setting; name= takes it away; may be repeated");
}

/** Settings as `name=value` words; in a change, an empty value takes one away. */
export function settingsOf(words: readonly string[] | undefined, how: "given"): Record<string, string>;
export function settingsOf(words: readonly string[] | undefined, how: "changed"): Record<string, string | null>;
export function settingsOf(words: readonly string[] = [], how: "given" | "changed"): Record<string, string | null> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf("=");
      const [name, value] = at < 0 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)];
      if (name === "" || at < 0 || (value === "" && how === "given"))
        throw usageFailure(
          `--set must be NAME=VALUE, got "${word}"`,
          "such as --set rackLabel=topology.example.com/rack",
        );
      return [name, value === "" ? null : value];
    }),
  );
}

/** Null: its jobs are waited for. */
export function lostAfterOf(text: string): string | null {
  if (text === "never") return null;
  if (readDuration(text) !== undefined) return text;
  throw usageFailure(`--lost-after must be a duration or never, got "${text}"`, "such as 10m or 2h");
}
