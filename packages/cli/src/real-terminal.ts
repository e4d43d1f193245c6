import type { Sink, Terminal } from "./terminal.ts";

/** The terminal of this process. */
export function realTerminal(): Terminal {
  return {
    stdout: sinkOf(process.stdout),
    stderr: sinkOf(process.stderr),
    stdin: process.stdin,
    env: process.env,
    cwd: process.cwd(),
    onInterrupt(handler) {
      process.on("SIGINT", handler);
      return () => process.off("SIGINT", handler);
    },
    onResize(handler) {
      process.stdout.on("resize", handler);
      return () => process.stdout.off("resize", handler);
    },
  };
}

function sinkOf(stream: NodeJS.WriteStream): Sink {
  // `tess ps | head` closes the pipe: the reader is gone, which is no error.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  return {
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    get rows() {
      return stream.isTTY ? stream.rows : undefined;
    },
    write(text) {
      return new Promise((resolve) => {
        if (stream.write(text)) resolve();
        else stream.once("drain", resolve);
      });
    },
  };
}
