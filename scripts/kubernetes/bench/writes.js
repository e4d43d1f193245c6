const writing = new Set(["POST", "PUT", "PATCH", "DELETE", "APPLY"]);
/** What the cluster writes by itself, however many pods there are. */
const background = new Set(["leases", "nodes", "endpointslices", "endpoints", "tokenreviews", "subjectaccessreviews"]);

/** How many writes the API server has taken so far, by verb and resource. */
export async function countWrites(api) {
  const counts = new Map();
  for (const line of (await api.text("/metrics")).split("\n")) {
    if (!line.startsWith("apiserver_request_total{")) continue;
    const labels = Object.fromEntries([...line.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    if (!writing.has(labels.verb) || background.has(labels.resource)) continue;
    const key = `${labels.verb} ${[labels.resource, labels.subresource].filter(Boolean).join("/")}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(line.slice(line.lastIndexOf(" ") + 1)));
  }
  return counts;
}

/** Writes for each pod between two counts: in all, and by verb and resource. */
export function writesPerPod(before, after, pods) {
  const by = {};
  let all = 0;
  for (const [key, count] of after) {
    const more = count - (before.get(key) ?? 0);
    if (more < pods / 100) continue;
    by[key] = round(more / pods);
    all += more;
  }
  return { all: round(all / pods), by };
}

function round(value) {
  return Math.round(value * 100) / 100;
}
