import { writeFileSync } from "node:fs";
import type { JobFolder } from "@tessera/engine";
import { bring } from "./bring.ts";
import { collect } from "./collect.ts";
import { listFolder, readFolderFile } from "./look.ts";
import { type AgentVerb, agentFile, ownAgentOrder, returnsWord } from "./order.ts";
import { connect } from "./port.ts";

/** One call of the control plane. */
async function main([verb, ...rest]: readonly string[]): Promise<void> {
  switch (verb as AgentVerb) {
    case "bring":
      return bring(ownAgentOrder());
    case "collect":
      return collect(ownAgentOrder(), rest[0] === returnsWord);
    case "end":
      return writeFileSync(agentFile.taken, "");
    case "list":
      return listFolder(rest[0] as JobFolder);
    case "read":
      return readFolderFile(rest[0] as JobFolder, rest[1]!, Number(rest[2]));
    case "port":
      return connect(Number(rest[0]));
  }
}

await main(process.argv.slice(2));
process.exit();
