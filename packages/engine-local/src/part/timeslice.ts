/** Memory that one process holds on one GPU. */
export interface GpuProcess {
  readonly gpu: string;
  readonly pid: number;
  readonly usedMiB: number;
}

/** What `nvidia-smi` is asked; the name of the program comes last, because a path may hold a comma. */
export const computeApps = [
  "--query-compute-apps=gpu_uuid,pid,used_memory,process_name",
  "--format=csv,noheader,nounits",
] as const;

/** Rows without a number (`[N/A]`) are left out: what is not known is no use of anything [S35]. */
export function parseComputeApps(text: string): GpuProcess[] {
  return text.split("\n").flatMap((line) => {
    const [gpu = "", pid = "", used = ""] = line.split(", ");
    return /^\d+$/.test(pid) && /^\d+$/.test(used) ? [{ gpu, pid: Number(pid), usedMiB: Number(used) }] : [];
  });
}

/** What the processes of a member hold on its GPU; undefined where the driver names none of them. */
export function usedBy(apps: readonly GpuProcess[], gpu: string, members: ReadonlySet<number>): number | undefined {
  const own = apps.filter((app) => app.gpu === gpu && members.has(app.pid));
  return own.length === 0 ? undefined : own.reduce((sum, { usedMiB }) => sum + usedMiB, 0);
}

/** For the user of a job that is stopped for it. */
export function overMemoryText(usedMiB: number, askedMiB: number): string {
  return `used ${gib(usedMiB)} of GPU memory, asked for ${gib(askedMiB)}`;
}

/** One decimal: the difference is what matters. */
function gib(mib: number): string {
  return `${(mib / 1024).toFixed(1).replace(/\.0$/, "")} GiB`;
}
