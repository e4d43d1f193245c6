/** When pods began to run, as a watch sees it: one event for each pod, since only running ones are watched. */
export class Observer {
  #watch;
  #runs = new Map();
  #waiting;

  constructor(api) {
    const note = (pod) => {
      if (this.#runs.has(pod.metadata.uid)) return;
      this.#runs.set(pod.metadata.uid, { group: groupOf(pod), at: performance.now() });
      this.#check();
    };
    this.#watch = api.watch("/api/v1/pods?fieldSelector=status.phase%3DRunning", {
      onList: (pods) => pods.forEach(note),
      onEvent: (type, pod) => type !== "DELETED" && note(pod),
    });
  }

  /** Forgets what ran, and waits from now on until `pods` pods run. */
  expect(pods) {
    this.#runs.clear();
    return new Promise((resolve) => {
      this.#waiting = { pods, resolve };
    });
  }

  get count() {
    return this.#runs.size;
  }

  /** When the last pod of each group began to run. */
  groups() {
    const groups = new Map();
    for (const { group, at } of this.#runs.values()) groups.set(group, Math.max(at, groups.get(group) ?? 0));
    return groups;
  }

  close() {
    return this.#watch.close();
  }

  #check() {
    if (this.#waiting === undefined || this.#runs.size < this.#waiting.pods) return;
    this.#waiting.resolve();
    this.#waiting = undefined;
  }
}

/** The job that a pod belongs to, in Tessera's words or in those of this benchmark. */
export function groupOf({ metadata }) {
  return metadata.labels?.["tessera.dev/job"] ?? metadata.labels?.["bench/group"];
}
