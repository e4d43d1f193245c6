import { Results } from "../test/results.js";
import { admission } from "./admission.js";
import { kept } from "./kept.js";
import { network } from "./network.js";
import { Scene } from "./scene.js";

/**
 * Checks each wall twice: that it holds, and that the same attempt gets through once its object is taken away. A check that
 * would pass without its wall would say nothing.
 */
export async function testWalls(lab, { say }) {
  const results = new Results(say);
  const watched = await watch(lab);
  const scene = await Scene.open(lab, { ...watched, warn: say });
  const shown = [];
  try {
    for (const { name, run } of [...admission, ...network, ...kept]) {
      await results.check(name, async () => {
        const found = await run(scene);
        shown.push({ name, ...found });
        return Object.values(found).every((value) => value === true) || found;
      });
      await scene.keep(); // also where a check ended halfway
    }
    return { ...results.summary, shown };
  } finally {
    scene.close();
    await watched.close();
  }
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
