import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../launch/root.js";

const folder = join(root, "deploy/grafana");

/** Every query of every dashboard, with its variables set as a person would who looks at everything. */
export function panelQueries() {
  const dashboards = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return dashboards.sort().flatMap((file) => {
    const { panels } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    return panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({ dashboard: file.replace(".json", ""), title, expr: filledIn(expr) })),
    );
  });
}

function filledIn(expr) {
  return expr.replaceAll("$__rate_interval", "30s").replaceAll(/\$(account|job)\b/g, ".+");
}
