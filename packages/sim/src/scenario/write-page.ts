import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chaptersOf, pageOf, readShown } from "./page.ts";

/** Writes docs/scenarios.md from SPEC.md and the scenario files. */
const root = new URL("../../../../", import.meta.url);
const shown = readShown(fileURLToPath(new URL("packages/sim/scenarios", root)));
const chapters = chaptersOf(readFileSync(new URL("packages/core/SPEC.md", root), "utf8"));
writeFileSync(new URL("docs/scenarios.md", root), await pageOf(shown, chapters));
