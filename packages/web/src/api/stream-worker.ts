/// Runs as a SharedWorker: one for all windows of the console in a browser.
import { Channel, type State } from "./channel.ts";
import { goneMs, hereMs, type ToWindow, type ToWorker } from "./port.ts";

/** A window: what it watches, and when it was last heard of. */
interface Window {
  readonly leave: Map<number, () => void>;
  wanted: boolean;
  heardAt: number;
}

const windows = new Map<MessagePort, Window>();
let proof: Record<string, string> = {};
let state: State | undefined;

const channel = new Channel(
  () => proof,
  (now) => {
    state = now;
    for (const port of windows.keys()) say(port, { say: "state", state: now });
  },
);

function say(port: MessagePort, words: ToWindow): void {
  port.postMessage(words);
}

function windowOf(port: MessagePort): Window {
  const known = windows.get(port);
  if (known !== undefined) return known;
  const made = { leave: new Map<number, () => void>(), wanted: false, heardAt: Date.now() };
  windows.set(port, made);
  return made;
}

function forget(port: MessagePort): void {
  for (const leave of windows.get(port)?.leave.values() ?? []) leave();
  windows.delete(port);
  wantAsWindowsDo();
}

function wantAsWindowsDo(): void {
  channel.want([...windows.values()].some(({ wanted }) => wanted));
}

function take(port: MessagePort, words: ToWorker): void {
  if (words.say === "bye") {
    forget(port);
    return;
  }
  const isNew = !windows.has(port);
  const window = windowOf(port);
  window.heardAt = Date.now();
  switch (words.say) {
    case "here": {
      const isOther = JSON.stringify(words.proof) !== JSON.stringify(proof);
      proof = words.proof;
      window.wanted = words.wanted;
      if (isOther) channel.restart();
      wantAsWindowsDo();
      if (isNew) say(port, { say: "again" });
      if (isNew && state !== undefined && state.is !== "ended") say(port, { say: "state", state });
      return;
    }
    case "watch": {
      const { topic, address } = words;
      window.leave.get(topic)?.();
      const leave = channel.watch(address, {
        heard: (event, data) => say(port, { say: "heard", topic, event, data }),
        refused: (problem) => say(port, { say: "refused", topic, problem }),
      });
      window.leave.set(topic, leave);
      return;
    }
    case "leave":
      window.leave.get(words.topic)?.();
      window.leave.delete(words.topic);
  }
}

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => take(port, data);
  port.start();
});

setInterval(() => {
  for (const [port, { heardAt }] of windows) if (Date.now() - heardAt > goneMs) forget(port);
}, hereMs);
