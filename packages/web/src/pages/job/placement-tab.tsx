import type { Job, Member } from "@tessera/wire";
import { Link } from "wouter";
import { useAct, useCall } from "../../api/use-call.ts";
import { Act } from "../../design/act.tsx";
import { Card, Empty } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";
import { nodeAddress } from "../../frame/address.ts";

const nodesDrawn = 24;

/** The nodes that it holds and, on each, which GPUs. */
export function PlacementTab({ job }: { job: Job }) {
  const byNode = Map.groupBy(job.members, ({ node }) => node);
  if (byNode.size === 0) {
    return (
      <Card>
        <Empty title={job.state === "waiting" ? "It holds no GPUs yet" : "It no longer holds GPUs"}>
          {(job.attempts ?? []).map(({ attempt, nodes }) => (
            <span key={attempt}>
              Attempt {attempt} ran on {nodes.join(", ")}
            </span>
          ))}
        </Empty>
      </Card>
    );
  }
  return (
    <Card
      title={`${count(job.members.length, "member")} on ${count(byNode.size, "node")}`}
      beside={job.state === "running" && <CheckGpus job={job} />}
    >
      <div className="placement">
        {[...byNode].slice(0, nodesDrawn).map(([node, members]) => (
          <NodeBox key={node} node={node} members={members} />
        ))}
      </div>
      {byNode.size > nodesDrawn && <p className="quiet small">and {count(byNode.size - nodesDrawn, "node")} more</p>}
    </Card>
  );
}

/** Whether the GPUs of a job that is slow or fails are well; what they hold stays as it is. */
function CheckGpus({ job }: { job: Job }) {
  const check = useAct(
    "checkJob",
    ({ nodes }) =>
      `${count(nodes.length, "node")} ${nodes.length === 1 ? "is" : "are"} being checked; the page of the node shows the outcome.`,
  );
  return (
    <Act
      act="checkJob"
      of={job}
      at={job.project}
      small
      disabled={check.isPending}
      onClick={() => check.mutate({ at: { job: job.id }, body: {} })}
    >
      Check its GPUs
    </Act>
  );
}

function NodeBox({ node, members }: { node: string; members: readonly Member[] }) {
  const { data } = useCall("listGpus", { query: { node, limit: 64 } });
  const rankOf = new Map(members.flatMap(({ rank, gpus }) => gpus.map((uuid) => [uuid, rank] as const)));
  return (
    <div className="node-box">
      <Link href={nodeAddress(node)}>{node}</Link>
      <div className="gpus">
        {(data?.items ?? []).map(({ uuid, index, free }) => {
          const rank = rankOf.get(uuid);
          return (
            <span
              key={uuid}
              className={rank !== undefined ? "mine" : free === 1 ? "free" : "others"}
              title={`GPU ${index}: ${rank !== undefined ? `rank ${rank}` : free === 1 ? "free" : "held by other jobs"}`}
            >
              {rank !== undefined && rank}
            </span>
          );
        })}
      </div>
      <span className="quiet small">
        {members.length > 4
          ? count(members.length, "member")
          : members.map(({ rank, state }) => `rank ${rank} ${state}`).join(", ")}
      </span>
    </div>
  );
}
