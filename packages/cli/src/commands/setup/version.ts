import type { Command } from "commander";
import { examples } from "../../help.ts";
import { emitObject } from "../../output/emit.ts";
import type { Session } from "../../session.ts";
import { versionOfPackage } from "../../version.ts";

export function define(command: Command, session: Session): void {
  command.description("Shows the version of tess.");
  examples(command, ["tess version", "tess version -o json"]);
  command.action(() => {
    const version = {
      tess: versionOfPackage(),
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
    };
    return emitObject(
      session,
      version,
      version.tess,
      () => `tess ${version.tess} (Node.js ${version.node}, ${version.platform})\n`,
    );
  });
}
