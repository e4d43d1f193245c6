import { admission } from "./admission.js";
import { kept } from "./kept.js";
import { network } from "./network.js";
import { Scene } from "./scene.js";

/**
 * Checks each wall twice: that it holds, and that the same attempt gets through once its object is taken away. A check that
 * would pass without its wall would say nothing.
 */
export async function checkWalls(lab, { say = () => {}, realNode = true, only = "" } = {}) {
  const watched = await watch(lab);
  const scene = await Scene.open(lab, { ...watched, warn: say });
  const results = [];
  try {
    for (const check of [...admission, ...(realNode ? network : []), ...kept].filter(({ name }) =>
      name.includes(only),
    )) {
      const result = await check.run(scene).catch((error) => ({ error: error.message }));
      await scene.keep(); // also where a check failed halfway
      const passed = Object.keys(result).length > 0 && Object.values(result).every((value) => value === true);
      results.push({ name: check.name, passed, ...result });
      say(`${passed ? "ok  " : "FAIL"} ${check.name}${passed ? "" : ` ${JSON.stringify(result)}`}`);
    }
  } finally {
    scene.close();
    await watched.close();
  }
  return { checked: results.length, failed: results.filter(({ passed }) => !passed).length, results };
}

/** What the engine's own watches would know. */
async function watch(lab) {
  const follow = (path) => {
    const found = new Map();
    const take = (object) => found.set(object.metadata.uid, object);
    const watching = lab.api.watch(path, {
      onList(items) {
        found.clear();
        for (const item of items) take(item);
      },
      onEvent: (type, object) => (type === "DELETED" ? found.delete(object.metadata.uid) : take(object)),
    });
    return { found, watching };
  };
  const [nodes, pods] = [follow("/api/v1/nodes"), follow("/api/v1/pods")];
  return {
    gpus: () => [{ kind: "plugin", resource: "nvidia.com/gpu" }],
    nodes: () => nodes.found.values(),
    pods: () => pods.found.values(),
    close: () => Promise.all([nodes.watching.close(), pods.watching.close()]),
  };
}
