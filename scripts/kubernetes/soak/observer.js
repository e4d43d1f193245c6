const leasePattern = /^(.+)-(\d+)-(\d+)$/;
const gpusPerNode = 8;

/**
 * What really happened on the cluster, seen from outside by a watch of pods of its own: every pod that ever ran, when, where and how it
 * ended. It knows Tessera's pods by their annotations alone.
 */
export class PodObserver {
  faults = [];
  #watch;
  /** Every pod of Tessera that was ever seen, by uid. */
  #pods = new Map();
  #deleted = new Set();

  constructor(api) {
    this.#watch = api.watch("/api/v1/pods?labelSelector=tessera.dev/job", {
      onList: (pods) => {
        const there = new Set(pods.map(({ metadata }) => metadata.uid));
        for (const pod of pods) this.#see(pod);
        for (const seen of this.#pods.values()) if (!there.has(seen.uid)) this.#missed(seen);
        this.#judge();
      },
      onEvent: (type, pod) => {
        this.#see(pod);
        if (type === "DELETED") this.#gone(this.#pods.get(pod.metadata.uid));
        this.#judge(pod.spec.nodeName);
      },
    });
  }

  /** Somebody else deletes this pod: if that is what ends it, that it ended is all that can be known of how it did. */
  noteDeleted(uid) {
    this.#deleted.add(uid);
  }

  /** This node is about to vanish with all that is on it: which of it still ends by itself cannot be known. */
  noteRemoved(node) {
    for (const pod of this.#pods.values()) {
      if (pod.node === node && !pod.over) Object.assign(pod, { vanished: true, runs: false });
    }
  }

  /** Pods that run at the moment. */
  running() {
    return [...this.#pods.values()].filter(({ runs }) => runs);
  }

  /**
   * Everything that ran, in the form in which the soak of the local engine judges. An end beside which its node vanished counts
   * where `toldCode(job, attempt)` has one: it may be missing, but not be another. An end that was not seen is taken as told.
   */
  ran(toldCode = () => undefined) {
    return [...this.#pods.values()]
      .filter(({ startedAt }) => startedAt !== undefined)
      .map((pod) => {
        const code = toldCode(pod.job, pod.attempt);
        if (pod.unseen) return { ...pod, endedAt: pod.startedAt, code };
        return pod.vanished && code === undefined ? { ...pod, endedAt: undefined, code: undefined } : pod;
      })
      .map(({ uid, ...pod }) => ({
        job: pod.job,
        attempt: pod.attempt,
        rank: pod.rank,
        // Which device it was is the kubelet's choice; how many counts.
        gpus: Array.from({ length: pod.gpus }, (_, no) => `${uid}/${no}`),
        // Times are in whole seconds, rounded down: the least that it can have run.
        startedAt: nanoseconds(pod.startedAt) + 1_000_000_000n,
        ...(pod.endedAt && {
          endedAt: greatest(nanoseconds(pod.endedAt), nanoseconds(pod.startedAt) + 1_000_000_000n),
        }),
        ...(pod.code !== undefined && { code: pod.code }),
      }));
  }

  /** Members that ended while the API server was away from this watch too: how, only Tessera saw. */
  get unseen() {
    return [...this.#pods.values()].filter(({ unseen }) => unseen).length;
  }

  close() {
    return this.#watch.close();
  }

  #see({ metadata, spec, status }) {
    const [, job, attempt, rank] = leasePattern.exec(metadata.annotations?.["tessera.dev/lease"] ?? "") ?? [];
    if (job === undefined) {
      this.faults.push(`ranTwice: the pod ${metadata.name} names no lease`);
      return;
    }
    const known = this.#pods.get(metadata.uid) ?? {
      uid: metadata.uid,
      name: metadata.name,
      namespace: metadata.namespace,
      lease: metadata.annotations["tessera.dev/lease"],
      job,
      attempt: Number(attempt),
      rank: Number(rank),
      gpus: Number(spec.containers[0].resources?.limits?.["nvidia.com/gpu"] ?? 0),
    };
    const state = status.containerStatuses?.[0]?.state ?? {};
    const startedAt = state.running?.startedAt ?? state.terminated?.startedAt;
    if (startedAt) known.startedAt ??= startedAt;
    known.node = spec.nodeName;
    known.runs = state.running !== undefined && status.phase === "Running" && !known.vanished;
    if (known.runs && known.over) this.#fault(`ranTwice: ${known.lease} ran in a pod that was over`);
    known.over ||= status.phase === "Succeeded" || status.phase === "Failed";
    if (state.terminated !== undefined && known.startedAt !== undefined && known.endedAt === undefined) {
      known.endedAt = state.terminated.finishedAt;
      // It may have ended by itself just before others deleted it.
      const byOthers = (known.vanished || this.#deleted.has(known.uid)) && metadata.deletionTimestamp !== undefined;
      if (!byOthers) known.code = state.terminated.exitCode;
    }
    this.#pods.set(metadata.uid, known);
  }

  #missed(seen) {
    if (seen.runs && seen.endedAt === undefined) seen.unseen = true;
    this.#gone(seen);
  }

  #gone(seen) {
    if (seen !== undefined) seen.runs = false;
  }

  /** Nothing may be true at any moment that is not allowed: too many GPUs of a node in use, or two attempts of a job at once. */
  #judge(node) {
    const running = this.running();
    const gpus = new Map();
    for (const pod of running) {
      if (node !== undefined && pod.node !== node) continue;
      gpus.set(pod.node, (gpus.get(pod.node) ?? 0) + pod.gpus);
    }
    for (const [name, count] of gpus)
      if (count > gpusPerNode) this.#fault(`gpuOverlaps: ${count} GPUs of ${name} are in use`);
    const attempts = new Map();
    for (const { job, attempt, lease } of running) {
      const other = attempts.get(job);
      if (other !== undefined && other.attempt !== attempt)
        this.#fault(`ranTwice: ${lease} ran together with ${other.lease}`);
      attempts.set(job, { attempt, lease });
    }
  }

  #fault(text) {
    if (!this.faults.includes(text)) this.faults.push(text);
  }
}

function nanoseconds(text) {
  return BigInt(Date.parse(text)) * 1_000_000n;
}

function greatest(a, b) {
  return a > b ? a : b;
}
