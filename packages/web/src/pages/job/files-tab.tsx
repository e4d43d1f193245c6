import { useQuery } from "@tanstack/react-query";
import type { Job, JobFile } from "@tessera/wire";
import { useMemo, useState } from "react";
import { addressOf, isNotShown, wordsOf } from "../../api/call.ts";
import { readObjects } from "../../api/objects.ts";
import { problemOf } from "../../api/problem.ts";
import { withProof } from "../../api/proof.ts";
import { Button, Card, Empty, Notice, Skeleton } from "../../design/parts.tsx";
import { Select } from "../../design/select.tsx";
import { saveBlob } from "../../format/csv.ts";
import { count, spellBytes } from "../../format/numbers.ts";
import { inZone } from "../../format/times.ts";
import { toast } from "../../frame/toasts.tsx";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Table } from "../../table/table.tsx";
import { rankOptions } from "./rank-options.ts";

/** More rows make the page slow; the command line reads all of them. */
const filesMax = 2_000;
/** A browser keeps a file in memory while it is fetched: larger ones are for the command line. */
const bytesMax = 512 * 1024 * 1024;
const liveEveryMs = 10_000;
/** While what an ended job kept is still being put away. */
const collectingEveryMs = 1_500;

/** The files that a job kept, or that lie in its folders while it runs, each to be fetched. */
export default function FilesTab({ job }: { job: Job }) {
  const [text, setText] = useState("");
  const [rank, setRank] = useState(0);
  const columns = useMemo(() => columnsOf(job.id), [job.id]);
  const { look } = useLook(columns, { name: "files" });
  const live = job.state !== "ended";
  const ranks = Math.max(job.members.length, job.attempts?.at(-1)?.nodes.length ?? 0, 1);
  const kept = (job.outputs ?? []).reduce((sum, each) => sum + (each.rank === rank ? each.files : 0), 0);
  const { data, error } = useQuery({
    queryKey: ["files", job.id, job.state, rank],
    queryFn: ({ signal }) => readObjects("listFiles", { job: job.id }, { rank }, { signal, max: filesMax }),
    throwOnError: isNotShown,
    refetchInterval: ({ state }) => {
      if (live) return liveEveryMs;
      return (state.data?.length ?? 0) < Math.min(kept, filesMax) ? collectingEveryMs : false;
    },
  });
  if (error !== null && data === undefined) return <Notice kind="bad">{wordsOf(error)}</Notice>;
  if (data === undefined && ranks === 1) return <Skeleton lines={6} />;
  const shown = data?.filter(({ path }) => path.toLowerCase().includes(text.trim().toLowerCase()));
  const none = <None live={live} kept={kept} job={job} {...(ranks > 1 && { rank })} />;
  if (data?.length === 0 && ranks === 1) return <Card>{none}</Card>;
  return (
    <Card
      flush
      title={data === undefined ? "Files" : titleOf(data.length, live)}
      beside={
        <div className="row wrap">
          {ranks > 1 && (
            <Select
              style={{ width: 110 }}
              aria-label="Rank"
              value={String(rank)}
              of={rankOptions(ranks)}
              onChange={(next) => setRank(Number(next))}
            />
          )}
          <input
            className="input"
            style={{ width: 180 }}
            aria-label="Find a file"
            placeholder="Find"
            maxLength={200}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
      }
    >
      <Table
        label="Files"
        items={shown}
        columns={columns}
        look={look}
        keyOf={keyOf}
        about={`${job.id} ${rank} ${text}`}
        height={560}
        empty={data?.length === 0 ? none : <Empty title="No file matches" />}
      />
      {data?.length === filesMax && (
        <p className="quiet small" style={{ padding: "8px 16px" }}>
          There may be more: <code>npx tess outputs {job.id} --download FOLDER</code> fetches all of them.
        </p>
      )}
    </Card>
  );
}

function titleOf(files: number, live: boolean): string {
  return `${files === filesMax ? "the first " : ""}${count(files, "file")} ${live ? "in its folders now" : "kept"}`;
}

interface NoneProps {
  readonly live: boolean;
  readonly kept: number;
  readonly job: Job;
  /** Of a job of several ranks. */
  readonly rank?: number;
}

function None({ live, kept, job, rank }: NoneProps) {
  const [whose, which] = rank === undefined ? ["Its", "It"] : [`Rank ${rank}: its`, `Rank ${rank}`];
  const title = live
    ? `${whose} folders are empty`
    : kept > 0
      ? `${whose} files are being put away`
      : `${which} kept no files`;
  return (
    <Empty title={title} command={`npx tess outputs ${job.id}`}>
      {!live && kept === 0 && <span>What a job keeps is named in its file: outputs.</span>}
    </Empty>
  );
}

const keyOf = ({ output, rank, path }: JobFile) => `${output} ${rank} ${path}`;

function columnsOf(job: string): readonly Column<JobFile>[] {
  return [
    {
      label: "Path",
      width: [180, 3],
      show: ({ path, link }) => <span className="mono">{link === undefined ? path : `${path} → ${link}`}</span>,
      by: ({ path }) => path,
    },
    { label: "Output", width: [90, 1], show: ({ output }) => output, by: ({ output }) => output },
    { label: "Size", width: 90, number: true, show: ({ bytes }) => spellBytes(bytes), by: ({ bytes }) => bytes },
    { label: "Fetch", hasNoHead: true, width: [110, 1], number: true, show: (file) => <Fetch job={job} file={file} /> },
  ];
}

function Fetch({ job, file }: { job: string; file: JobFile }) {
  const [busy, setBusy] = useState(false);
  const { path, bytes, link } = file;
  const fetchIt = async () => {
    setBusy(true);
    await fetchFile(job, file).catch((error) => toast("bad", wordsOf(error)));
    setBusy(false);
  };
  if (link !== undefined) return null;
  if (bytes > bytesMax) return <code className="small">{`npx tess cp ${job}:${path} .`}</code>;
  return (
    <Button small disabled={busy} onClick={() => void fetchIt()}>
      {busy ? "Fetching" : "Download"}
    </Button>
  );
}

/** By a request and not by a link: a link cannot show the proof of the session. */
async function fetchFile(job: string, { path, output, rank }: JobFile): Promise<void> {
  const address = addressOf("readFile", { job }, { path, output, rank });
  const answer = await fetch(address, { headers: withProof() });
  if (!answer.ok) throw new Error(inZone((await problemOf(answer)).detail));
  saveBlob(path.split("/").at(-1)!, await answer.blob());
}
