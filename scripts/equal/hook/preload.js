import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Loaded before a program of one side: every import of the core gets the real one with its public entry recorded. All
 * drivers decide through this one export; a core without it fails here, when the module is linked.
 */
const entry = "decideBatch";

const side = process.env.TESSERA_EQUAL_SIDE;
if (side === undefined) throw new Error("TESSERA_EQUAL_SIDE does not name the folder of a built checkout");
const parentURL = pathToFileURL(join(side, "packages", "sim", "package.json")).href;
const recorder = new URL("record.js", import.meta.url).href;
const mark = "?recorded";

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== "@tessera/core") return next(specifier, context);
    const { url } = next(specifier, { ...context, parentURL });
    return { url: `${url}${mark}`, format: "module", shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.endsWith(mark)) return next(url, context);
    const core = JSON.stringify(url.slice(0, -mark.length));
    const source = `
      import { ${entry} as decide } from ${core};
      import { recorded } from ${JSON.stringify(recorder)};
      export * from ${core};
      export const ${entry} = recorded(decide);`;
    return { source, format: "module", shortCircuit: true };
  },
});
