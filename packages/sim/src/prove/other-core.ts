import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Loaded before a program, replaces the built core by another one; the naive model is not replaced. */
const core = process.env.TESSERA_OTHER_CORE;
if (core === undefined) throw new Error("TESSERA_OTHER_CORE does not name the folder of a built core");
const url = pathToFileURL(join(core, "index.js")).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "@tessera/core" ? { url, shortCircuit: true } : next(specifier, context),
});
