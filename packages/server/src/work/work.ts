/** The tasks that other threads can do: what each takes and gives. Both are copied from thread to thread. */
export interface TaskTable {
  readonly [task: string]: { readonly input: unknown; readonly output: unknown };
}

/** Work that is done beside the thread that asks for it. */
export interface Work<Tasks extends TaskTable> {
  /**
   * Has a task done for a caller. Throws QueueFull when too much waits, Stopped when `signal` says so or it takes too
   * long, and WorkFailed when the thread that did it broke: nothing else is touched by that.
   */
  run<Task extends keyof Tasks & string>(
    task: Task,
    input: Tasks[Task]["input"],
    caller: string,
    signal?: AbortSignal,
  ): Promise<Tasks[Task]["output"]>;
}

/** The worker that did a task broke, or ran out of memory. */
export class WorkFailed extends Error {}
