import { registerHooks } from "node:module";

/** Loaded before a server: changes one line of one file as it is read. */
const { file, from, to } = JSON.parse(process.env.TESSERA_MUTANT);
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith(`/packages/${file}`)) return loaded;
    const source = String(loaded.source);
    if (!source.includes(from)) throw new Error(`${url} does not hold ${from}: write the mutant again`);
    return { ...loaded, source: source.replace(from, to) };
  },
});
