import { BadInput, type Command, exit, type Terminal, WrongUsage } from "../command/command.ts";
import { parseOptions, wantsJson } from "../command/options.ts";
import { readTable } from "./csv.ts";
import { formats } from "./formats.ts";

/** Says what trace files hold, or which row of them cannot be read. */
export const traceCommand: Command = {
  name: "trace",
  usage: `  tess-sim trace FILE... [-o json]       What a trace file holds; its kind is known by its columns`,
  run: trace,
};

async function trace(args: readonly string[], { out }: Terminal): Promise<number> {
  const { values, positionals } = parseOptions(args, { output: { type: "string", short: "o" } });
  if (positionals.length === 0) throw new WrongUsage("trace needs the FILE to look at");
  const json = wantsJson(values.output);
  for (const file of positionals) {
    const table = readTable(file);
    const format = formats.find(({ columns }) => table.has(...columns));
    if (format === undefined) {
      const known = formats.map(({ name, columns }) => `${name} (${columns.join(", ")})`).join("; ");
      throw new BadInput(`${file}: its columns are ${table.columns.join(", ")}; known are: ${known}`);
    }
    const figures = format.describe(file, table);
    if (json) out(JSON.stringify({ file, format: format.name, ...figures }));
    else {
      out(`${file}: ${format.name}`);
      for (const [name, value] of Object.entries(figures)) out(`  ${name}: ${value}`);
    }
  }
  return exit.ok;
}
