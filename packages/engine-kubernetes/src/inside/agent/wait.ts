import { type AgentOrder, agentFile } from "./order.ts";

/** A control plane that is away for longer than this does not hold the GPUs of a member that cannot begin. */
const bringMinutesMax = 15;

/**
 * The process that stands for the agent between calls, in the shell of our image: it costs a megabyte, and hears the first
 * signal. It stays until the member has ended and what it left was taken. The pod lives as long as this process, which
 * Kubernetes tells to end when the member has, and kills when the grace of the pod is over.
 */
export function waitScript({ bring, outputs }: AgentOrder, folders: readonly string[]): string {
  const { brought, ending, refused, taken } = agentFile;
  const late = `its files did not arrive within ${bringMinutesMax} minutes`;
  return [
    "trap 'ending=1' TERM",
    "umask 022",
    `mkdir -p ${folders.join(" ")}`,
    bring.length === 0
      ? `: > ${brought}`
      : `(sleep ${bringMinutesMax * 60}; [ -e ${brought} ] || echo "${late}" > ${refused}) &`,
    'until [ -n "$ending" ]; do sleep 3600 & wait $!; done',
    `: > ${ending}`,
    ...(outputs === undefined ? [] : [`until [ -e ${taken} ]; do sleep 0.1; done`]),
  ].join("\n");
}
