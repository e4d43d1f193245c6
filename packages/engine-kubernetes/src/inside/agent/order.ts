import type { OutputsOrder } from "@tessera/engine";
import type { Pod } from "../../api/types.ts";

/** The container that brings files into a pod and out of it. */
export const agentContainer = "agent";

/** Where the image of Tessera has its Node and its programs: deploy/image. */
const imageRoot = "/tessera";
export const agentCommand: readonly string[] = [
  `${imageRoot}/bin/node`,
  "--max-old-space-size=96",
  `${imageRoot}/packages/engine-kubernetes/dist/inside/agent/main.js`,
];

/** What the agent of one pod has to do. It stands in the pod, so that a control plane which starts later finds it there. */
export interface AgentOrder {
  readonly tenant: string;
  readonly rank: number;
  readonly outputs?: OutputsOrder;
  /** A tree to be laid into each of these folders before the member begins. */
  readonly bring: readonly { readonly tree: string; readonly to: string }[];
}

const variable = "TESS_AGENT";

/** In base64, since Kubernetes replaces parts of an environment that look like its own variables. */
export function agentEnv(order: AgentOrder): { readonly name: string; readonly value: string } {
  return { name: variable, value: Buffer.from(JSON.stringify(order)).toString("base64") };
}

export function agentOrderIn(environment: string): AgentOrder {
  return JSON.parse(Buffer.from(environment, "base64").toString("utf8")) as AgentOrder;
}

export function ownAgentOrder(): AgentOrder {
  return agentOrderIn(process.env[variable] ?? "");
}

/** Undefined for a pod without an agent. */
export function agentOrderOf(pod: Pod): AgentOrder | undefined {
  const agent = pod.spec.initContainers?.find(({ name }) => name === agentContainer);
  const value = agent?.env?.find(({ name }) => name === variable)?.value;
  return value === undefined ? undefined : agentOrderIn(value);
}

/** The folder of the agent in a pod. The member can read it and not write it. */
export const agentFolder = "/tess/.agent";
export const agentFile = {
  /** Everything was brought; its time says when. */
  brought: `${agentFolder}/brought`,
  /** Nothing will be brought, and why, in one line. */
  refused: `${agentFolder}/brought.refused`,
  /** The tree of the work folder. */
  code: `${agentFolder}/code`,
  /** The member has ended. */
  ending: `${agentFolder}/ending`,
  /** What the member left was taken: the agent may end. */
  taken: `${agentFolder}/taken`,
  content: `${agentFolder}/content`,
  lock: `${agentFolder}/unpacking`,
} as const;

/** Where outputs of other jobs are laid; each is shown to the member at a path of its choice. */
export const treesFolder = "/tess/.trees";

/** Follows `collect`: the member starts again. */
export const returnsWord = "returns";

export type AgentVerb = "bring" | "collect" | "end" | "list" | "read" | "port";
