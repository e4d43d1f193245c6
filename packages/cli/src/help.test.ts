import assert from "node:assert/strict";
import test from "node:test";
import type { Command } from "commander";
import { commands } from "./commands/index.ts";
import { buildProgram } from "./program.ts";
import { Session } from "./session.ts";
import { FakeTerminal } from "./testing/terminal.ts";

/** The whole help as it is printed, with what was added below it. */
function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

test("every command and every verb below it says what it does and gives an example", async () => {
  let checked = 0;
  for (const { name, hidden } of commands) {
    if (name.startsWith("__")) continue;
    const program = await buildProgram([name], new Session(new FakeTerminal()));
    const command = program.commands.find((each) => each.name() === name)!;
    for (const each of [command, ...command.commands.filter((child) => child.name() !== "help")]) {
      const path = each === command ? name : `${name} ${each.name()}`;
      assert.notEqual(each.description(), "", path);
      assert.match(helpOf(each), /Examples:\n {2}.*tess /, path);
      if (!hidden) assert.notEqual(each.summary(), "", path);
      checked += 1;
    }
  }
  assert.ok(checked > 60, `only ${checked} commands were found`);
});
