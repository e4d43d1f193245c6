/**
 * What KWOK plays instead of a kubelet. A pod says how it should go by words anywhere in its annotations, commands or
 * environment, since those are what a job of Tessera can bring there:
 *
 *   sim-start-delay=2s   until it runs
 *   sim-run-for=1.5s     until it ends by itself; without it, it runs until it is stopped
 *   sim-exit-code=3      how it ends by itself
 *   sim-stop-delay=2s    how long it takes to end after it was told to
 *   sim-stop=never       it does not listen, and is killed when its grace is over
 *   sim-fail=pull        its image cannot be pulled; `oom` and `evicted`: how it ends instead of by itself
 */
const text = "[.metadata.annotations, .spec.containers] | tojson";
const word = (name) => `${text} | capture("sim-${name}=(?<value>[0-9a-z.]+)").value`;
const wordInTemplate = (name) => `(regexFind "sim-${name}=[0-9a-z.]+" $text | trimPrefix "sim-${name}=")`;
const withText = "{{ $text := toJson (list .metadata.annotations .spec.containers) }}{{ $now := Now }}";

const pod = { apiGroup: "v1", kind: "Pod" };
const exists = (key) => ({ key, operator: "Exists" });
const absent = (key) => ({ key, operator: "DoesNotExist" });
const among = (key, ...values) => ({ key, operator: "In", values });
const notAmong = (key, ...values) => ({ key, operator: "NotIn", values });

const alive = absent(".metadata.deletionTimestamp");
const leaving = exists(".metadata.deletionTimestamp");
// When it ends by itself stands in a condition: a change of the pod would make KWOK count a delay from the beginning.
const ownEnd = '.status.conditions[]? | select(.type == "SimulatedEnd") | .message';
// A deadline can be shortened while the pod runs, so it is always read from the pod.
const deadline =
  "if .spec.activeDeadlineSeconds then (.status.startTime | fromdateiso8601) + .spec.activeDeadlineSeconds | todate else empty end";
const endsAt = `[(${ownEnd}), (${deadline})] | min // empty`;
const instant = "2006-01-02T15:04:05.000Z07:00";

function stage(name, resourceRef, expressions, rest) {
  return {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "Stage",
    metadata: { name },
    spec: { resourceRef, selector: { matchExpressions: expressions }, ...rest },
  };
}

const delayFrom = (expressionFrom, durationMilliseconds = 0) => ({
  durationMilliseconds,
  durationFrom: { expressionFrom },
});

/**
 * What becomes of the status of exactly the version of the pod that the stage was chosen for. Several workers of KWOK may have
 * one pod in hand, each at another version: without this, one would let a pod run that another has ended, or say of a pod
 * that runs that it never did. KWOK drops what is refused, and chooses again by the newer version.
 */
const podStatus = (template) => ({
  patches: [
    {
      subresource: "status",
      template: `metadata: {resourceVersion: {{ .metadata.resourceVersion | Quote }}}
status:
${template.replace(/^/gm, "  ")}`,
    },
  ],
});

const condition = (type, status, more = "") =>
  `- {lastTransitionTime: {{ $now | Quote }}, status: "${status}", type: ${type}${more}}`;

function statuses(state, { ready }) {
  return `containerStatuses:
{{ range .spec.containers }}
- {name: {{ .name | Quote }}, image: {{ .image | Quote }}, imageID: {{ .image | Quote }}, ready: ${ready}, started: ${ready}, restartCount: 0, state: ${state}}
{{ end }}`;
}

/** All containers have ended with the code and the reason that the template variables hold. */
const terminated = `{{ $start := or .status.startTime $now }}
conditions:
${condition("Ready", "False", ", reason: PodFailed")}
${condition("ContainersReady", "False", ", reason: PodFailed")}
${statuses("{terminated: {exitCode: {{ $code }}, startedAt: {{ $start | Quote }}, finishedAt: {{ $now | Quote }}, reason: {{ $reason | Quote }}}}", { ready: false })}
phase: {{ if eq $code "0" }}Succeeded{{ else }}Failed{{ end }}`;

const nodeReady = stage(
  "node-ready",
  { apiGroup: "v1", kind: "Node" },
  [notAmong('.status.conditions.[]? | select(.type == "Ready") | .status', "True")],
  {
    next: {
      statusTemplate: `{{ $now := Now }}
conditions:
{{ range NodeConditions }}
- {lastHeartbeatTime: {{ $now | Quote }}, lastTransitionTime: {{ $now | Quote }}, message: {{ .message | Quote }}, reason: {{ .reason | Quote }}, status: {{ .status | Quote }}, type: {{ .type | Quote }}}
{{ end }}
phase: Running`,
    },
  },
);

const podRuns = stage("pod-runs", pod, [alive, among(".status.phase", "Pending"), notAmong(word("fail"), "pull")], {
  delay: delayFrom(word("start-delay")),
  next: podStatus(`${withText}
{{ $runFor := ${wordInTemplate("run-for")} }}
conditions:
${condition("Initialized", "True")}
${condition("Ready", "True")}
${condition("ContainersReady", "True")}
{{ if $runFor }}
{{ $end := now | dateModify (printf "+%s" $runFor) }}
${condition("SimulatedEnd", "True", `, reason: Ends, message: {{ $end | date "${instant}" | Quote }}`)}
{{ end }}
${statuses("{running: {startedAt: {{ $now | Quote }}}}", { ready: true })}
hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
podIP: {{ PodIPWith .spec.nodeName (or .spec.hostNetwork false) (or .metadata.uid "") (or .metadata.name "") (or .metadata.namespace "") | Quote }}
phase: Running
startTime: {{ $now | Quote }}`),
});

const podCannotPull = stage(
  "pod-cannot-pull",
  pod,
  [
    alive,
    among(".status.phase", "Pending"),
    among(word("fail"), "pull"),
    absent(".status.containerStatuses[]?.state.waiting.reason"),
  ],
  {
    delay: delayFrom(word("start-delay")),
    next: podStatus(`{{ $now := Now }}
${statuses('{waiting: {reason: ImagePullBackOff, message: {{ printf "Back-off pulling image %q" .image | Quote }}}}', { ready: false })}
startTime: {{ $now | Quote }}`),
  },
);

const podEnds = stage("pod-ends", pod, [alive, among(".status.phase", "Running"), exists(endsAt)], {
  delay: delayFrom(endsAt),
  next: podStatus(`${withText}
{{ $fail := ${wordInTemplate("fail")} }}
{{ $code := or ${wordInTemplate("exit-code")} "0" }}
{{ $reason := "Completed" }}
{{ if ne $code "0" }}{{ $reason = "Error" }}{{ end }}
{{ $ownEnd := "9" }}
{{ range .status.conditions }}{{ if eq .type "SimulatedEnd" }}{{ $ownEnd = .message }}{{ end }}{{ end }}
{{ if .spec.activeDeadlineSeconds }}
{{ $limit := toDate "2006-01-02T15:04:05Z07:00" .status.startTime | dateModify (printf "+%vs" .spec.activeDeadlineSeconds) | date "${instant}" }}
{{ if lt $limit $ownEnd }}{{ $fail = "deadline" }}{{ end }}
{{ end }}
{{ if eq $fail "oom" }}{{ $code = "137" }}{{ $reason = "OOMKilled" }}{{ end }}
{{ if eq $fail "evicted" }}{{ $code = "137" }}{{ $reason = "Error" }}
reason: Evicted
message: "The node was low on resource: memory."
{{ end }}
{{ if eq $fail "deadline" }}{{ $code = "143" }}{{ $reason = "Error" }}
reason: DeadlineExceeded
message: Pod was active on the node longer than the specified deadline
{{ end }}
${terminated}`),
});

/**
 * A pod that is being deleted ends, also one that a finalizer keeps: as the kubelet does, it is then deleted with a grace
 * of 0, so that nothing but the finalizer holds it.
 */
function podStops(name, expressions, { delay, code }) {
  const template = `{{ $now := Now }}{{ $code := "${code}" }}{{ $reason := "Error" }}\n${terminated}`;
  const next = { delete: true, ...podStatus(template) };
  return stage(name, pod, [leaving, among(".status.phase", "Running"), ...expressions], { delay, next });
}

const podListens = podStops("pod-listens", [notAmong(word("stop"), "never")], {
  delay: delayFrom(word("stop-delay")),
  code: 143,
});

const podIsKilled = podStops("pod-is-killed", [among(word("stop"), "never")], {
  delay: delayFrom(".metadata.deletionTimestamp"),
  code: 137,
});

/** What a kubelet says of containers that were never started. */
const podNeverRan = stage("pod-never-ran", pod, [leaving, among(".status.phase", "Pending")], {
  next: {
    delete: true,
    ...podStatus(`{{ $now := Now }}
conditions:
${condition("Ready", "False", ", reason: PodFailed")}
${statuses("{terminated: {exitCode: 137, reason: ContainerStatusUnknown, message: The container could not be located when the pod was terminated}}", { ready: false })}
phase: Failed`),
  },
});

const podGoes = stage(
  "pod-goes",
  pod,
  [leaving, among(".status.phase", "Succeeded", "Failed"), absent(".metadata.finalizers[]?")],
  { next: { delete: true } },
);

export const stages = [nodeReady, podRuns, podCannotPull, podEnds, podListens, podIsKilled, podNeverRan, podGoes];
