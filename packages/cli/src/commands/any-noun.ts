import { nearestName } from "@tessera/wire/nearest";
import type { Command } from "commander";
import { usageFailure } from "../failure.ts";
import { verbsOf } from "../grammar.ts";
import { examples } from "../help.ts";
import { nouns } from "../nouns/index.ts";
import type { Session } from "../session.ts";

const texts: Readonly<Record<string, { does: string; examples: readonly string[] }>> = {
  get: { does: "Lists things, or shows those named", examples: ["tess get nodes", "tess get job llama-ft -o yaml"] },
  describe: {
    does: "Shows everything about one thing",
    examples: ["tess describe job llama-ft", "tess describe node n0 -w"],
  },
  create: {
    does: "Makes one",
    examples: ["tess create account lab/vision --guarantee 8", "tess create user ana --role member --account lab"],
  },
  edit: {
    does: "Changes one",
    examples: ["tess edit llama-ft --set priority=high", "tess edit account lab/vision --max 16"],
  },
  delete: { does: "Removes one", examples: ["tess delete job llama-ft", "tess delete secret HF_TOKEN --account lab"] },
};

/** Help and errors of the verbs that go with any noun; with a noun, the grammar has already turned them round. */
export function define(command: Command, _session: Session): void {
  const verb = command.name();
  const known = verbsOf(verb);
  command
    .description(`${texts[verb]?.does ?? ""}. Nouns: ${known.join(", ")}. The flags are those of tess NOUN ${verb}.`)
    .argument("[noun]", known.join(", "))
    .argument("[name...]")
    .allowUnknownOption()
    .allowExcessArguments();
  examples(command, texts[verb]?.examples ?? []);
  command.action((noun: string | undefined) => {
    if (noun === undefined) throw usageFailure(`${verb} needs a noun`, `one of ${known.join(", ")}`);
    const words = Object.entries(nouns).flatMap(([name, { aliases }]) =>
      known.includes(name) ? [name, ...aliases] : [],
    );
    const close = nearestName(noun, words);
    throw usageFailure(
      `tess ${verb} does not know "${noun}"${close === undefined ? "" : ` (did you mean ${close}?)`}`,
      `nouns: ${known.join(", ")}`,
    );
  });
}
