/** Files of one member that are kept after the end of its job. */
export interface KeptOutput {
  readonly name: string;
  /** Whose files they are; absent = rank 0. */
  readonly rank?: number;
  /** The tree in the content of its tenant; absent where nothing was there to keep. */
  readonly tree?: string;
  readonly files: number;
  readonly bytes: number;
  /** What belongs to it and was not kept. */
  readonly left?: { readonly files: number; readonly bytes: number; readonly why: string };
}

/** What a job that declares no outputs keeps: its output folder, and what it wrote into its work folder. */
export const outputUndeclared = { out: "out", work: "work" } as const;

/** How long outputs are kept, and how much of them a tenant may keep, where no account says otherwise. */
export const outputsUsual = { keptMs: 30 * 24 * 60 * 60 * 1000, mibMax: 100 * 1024 } as const;
