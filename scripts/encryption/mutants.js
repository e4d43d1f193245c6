import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Load } from "./load.js";
import { search } from "./search.js";
import { Stand } from "./stand.js";

/**
 * Seals that are left out: in which file, what is written instead of what, and which canary must then be found. Where the
 * journal is encrypted too, private rows are sealed twice, so that it is left plain for them.
 */
export const mutants = [
  {
    ...{ left: "rows of the journal", shows: "command", file: "server/dist/store/sqlite/insert.js" },
    ...{ from: "this.#sealing.row(clear)", to: "clear" },
  },
  {
    ...{ left: "snapshots", shows: "name", file: "server/dist/store/sqlite/insert.js" },
    ...{ from: "this.#sealing.snapshot(clear)", to: "clear" },
  },
  {
    ...{ left: "projections", shows: "name", file: "server/dist/store/sqlite/insert.js" },
    ...{ from: "tableValuesOf(fields, this.#sealing)", to: "tableValuesOf(fields, { by: undefined })" },
  },
  {
    ...{ left: "secrets", shows: "secret", file: "server/dist/access/secrets.js", plain: true },
    ...{
      from: 'Buffer.concat([cipher.update(value, "utf8"), cipher.final()])',
      to: '(cipher.update(value, "utf8"), cipher.final(), Buffer.from(value))',
    },
  },
  {
    ...{ left: "code", shows: "code", file: "content/dist/sealed/form.js" },
    ...{ from: "cipher.update(plain), cipher.final()", to: "(cipher.update(plain), cipher.final(), plain)" },
  },
];

/** Breaks one seal after the other in a running server, and sees whether the search notices. */
export async function tryMutants(say) {
  const tried = [];
  for (const mutant of [undefined, ...mutants]) {
    const env = mutant === undefined ? {} : mutantEnv(mutant);
    const stand = new Stand({ env });
    const load = new Load(stand);
    try {
      if (mutant?.plain !== true) await stand.admin(["journal", "encrypt"]);
      await stand.start();
      await load.setSecret();
      await load.submit();
      for (const { id } of load.jobs) await stand.tess(["wait", id]);
      await stand.end("SIGTERM");
      const { found } = search([stand.data]);
      const shown = Object.keys(found).filter((name) => found[name].length > 0);
      const held = mutant === undefined ? shown.length === 0 : shown.includes(mutant.shows);
      say(
        `${mutant === undefined ? "as it is" : `without the seal of ${mutant.left}`}: ${shown.join(", ") || "nothing"} found`,
      );
      tried.push({ held, left: mutant?.left ?? null, shown });
    } finally {
      await stand.close();
    }
  }
  return tried;
}

function mutantEnv(mutant) {
  const hook = pathToFileURL(join(import.meta.dirname, "mutant-hook.js")).href;
  return { NODE_OPTIONS: `--import ${hook}`, TESSERA_MUTANT: JSON.stringify(mutant) };
}
