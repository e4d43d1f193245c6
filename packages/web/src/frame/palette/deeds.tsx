import type { SearchHit } from "@tessera/wire";
import { useEffect, useRef } from "react";
import { wordsOf } from "../../api/call.ts";
import { useCall } from "../../api/use-call.ts";
import { AskCancel } from "../../pages/job/ask-cancel.tsx";
import { useHoldJob, useReleaseJob } from "../../pages/job/job-acts.ts";
import { AskNode } from "../../pages/nodes/ask-node.tsx";
import type { NodeAct } from "../../pages/nodes/node-acts.ts";
import { useUpNode } from "../../pages/nodes/use-node-acts.ts";
import { AskDisable, useEnableUser } from "../../pages/people/ask-disable.tsx";
import { toast } from "../toasts.tsx";
import type { Deed } from "./verbs.ts";

interface DeedProps {
  readonly deed: Deed;
  readonly hit: SearchHit;
  readonly onClose: () => void;
}

const nodeActs: Readonly<Partial<Record<Deed, NodeAct>>> = { drain: "drain", cordon: "cordon", "declare-lost": "down" };

/** Does what was chosen in the palette: at once what takes nothing away, else after the question that the pages ask. */
export default function Deeds({ deed, hit, onClose }: DeedProps) {
  const nodeAct = nodeActs[deed];
  if (nodeAct !== undefined) return <OnNode act={nodeAct} name={hit.id} onClose={onClose} />;
  if (deed === "cancel") return <OnJob id={hit.id} onClose={onClose} />;
  if (deed === "disable") return <AskDisable user={hit} onClose={onClose} />;
  if (deed === "uncordon") return <Uncordon name={hit.id} onClose={onClose} />;
  return <AtOnce deed={deed} hit={hit} onClose={onClose} />;
}

function OnNode({ act, name, onClose }: { act: NodeAct; name: string; onClose: () => void }) {
  // The node is read again, because what runs there may have changed since the search.
  const { data, error } = useCall("getNode", { at: { node: name } }, { everyMs: 3_000, mayFail: true });
  useSaid(error, onClose);
  return data === undefined ? null : <AskNode node={data} act={act} onClose={onClose} />;
}

function OnJob({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useCall("getJob", { at: { job: id } }, { everyMs: 3_000, mayFail: true });
  useSaid(error, onClose);
  return data === undefined ? null : <AskCancel job={data} onClose={onClose} />;
}

function AtOnce({ deed, hit, onClose }: DeedProps) {
  const hold = useHoldJob();
  const release = useReleaseJob();
  const enable = useEnableUser(hit.name);
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    const { id } = hit;
    if (deed === "hold") hold.mutate({ at: { job: id }, body: {} });
    else if (deed === "release") release.mutate({ at: { job: id }, body: {} });
    else enable.mutate({ at: { user: id }, body: {} });
    onClose();
  });
  return null;
}

function Uncordon({ name, onClose }: { name: string; onClose: () => void }) {
  const { data, error } = useCall("getNode", { at: { node: name } }, { mayFail: true });
  useSaid(error, onClose);
  const up = useUpNode(data);
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current || data === undefined) return;
    isDone.current = true;
    up.mutate({ at: { node: name }, body: {} });
    onClose();
  });
  return null;
}

/** What is gone by now cannot be acted on. */
function useSaid(error: Error | null, onClose: () => void): void {
  useEffect(() => {
    if (error === null) return;
    toast("bad", wordsOf(error));
    onClose();
  }, [error, onClose]);
}
