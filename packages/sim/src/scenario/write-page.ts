import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pageOf, readShown } from "./page.ts";

/** Writes docs/scenarios.md anew from the scenario files. */
const root = new URL("../../../../", import.meta.url);
const shown = readShown(fileURLToPath(new URL("packages/sim/scenarios", root)));
writeFileSync(new URL("docs/scenarios.md", root), await pageOf(shown));
