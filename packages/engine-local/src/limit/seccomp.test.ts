import assert from "node:assert/strict";
import { it } from "node:test";
import { seccompFilter } from "./seccomp.ts";

const allow = 0x7fff0000;
const notPermitted = 0x00050001;
const notImplemented = 0x00050026;
const noSuchProtocol = 0x0005005d;
const noSuchFamily = 0x00050061;

/** Runs a filter as the kernel would, on one system call. */
function verdict(filter: Buffer, call: { arch: number; number: number; arguments?: readonly number[] }): number {
  const words = new Map([
    [0, call.number],
    [4, call.arch],
    ...[0, 1, 2].map((index) => [16 + 8 * index, call.arguments?.[index] ?? 0] as const),
  ]);
  let value = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const [op, ifTrue, ifFalse] = [filter.readUInt16LE(at), filter.readUInt8(at + 2), filter.readUInt8(at + 3)];
    const constant = filter.readUInt32LE(at + 4);
    if (op === 0x06) return constant;
    if (op === 0x20) {
      assert.ok(words.has(constant), `reads at ${constant}, where nothing is`);
      value = words.get(constant)!;
      continue;
    }
    const holds = { 21: value === constant, 53: value >= constant, 69: (value & constant) !== 0 }[op];
    assert.notEqual(holds, undefined, `unknown instruction ${op}`);
    at += 8 * (holds === true ? ifTrue : ifFalse);
  }
  throw new Error("the filter ends without an answer");
}

const machines = [
  {
    arch: "x64",
    audit: 0xc000003e,
    ptrace: 101,
    mount: 165,
    unshare: 272,
    bpf: 321,
    clone: 56,
    read: 0,
    execve: 59,
    socket: 41,
    ioctl: 16,
  },
  {
    arch: "arm64",
    audit: 0xc00000b7,
    ptrace: 117,
    mount: 40,
    unshare: 97,
    bpf: 280,
    clone: 220,
    read: 63,
    execve: 221,
    socket: 198,
    ioctl: 29,
  },
];
for (const { arch, audit, clone, read, execve, socket, ioctl, ...denied } of machines) {
  it(`refuses on ${arch} what reaches beyond a job and lets ordinary calls pass`, () => {
    const filter = seccompFilter(arch)!;
    const ask = (number: number, ...args: number[]) => verdict(filter, { arch: audit, number, arguments: args });
    for (const number of Object.values(denied)) assert.equal(ask(number), notPermitted, `call ${number}`);
    for (const number of [read, execve]) assert.equal(ask(number), allow);
    assert.equal(ask(clone, 0x1200011), allow, "an ordinary fork");
    assert.equal(ask(clone, 0x3d0f00), allow, "an ordinary thread");
    assert.equal(ask(clone, 0x10000011), notPermitted, "a new user namespace");
    assert.equal(ask(clone, 0x20000 | 17), notPermitted, "a new mount namespace");
    assert.equal(ask(435), notImplemented, "clone3");
    assert.equal(ask(500), notImplemented, "a call that is newer than the filter");
    assert.equal(ask(arch === "x64" ? 134 : 42), notPermitted, "a call that no list names (uselib, nfsservctl)");
    for (const family of [1, 2, 10]) assert.equal(ask(socket, family, 1), allow, `socket family ${family}`);
    assert.equal(ask(socket, 16, 3, 0), allow, "addresses of the machine");
    assert.equal(ask(socket, 16, 3, 4), noSuchProtocol, "sockets of the machine");
    assert.equal(ask(socket, 40, 1), noSuchFamily, "the hypervisor");
    assert.equal(ask(socket, 17, 3), noSuchFamily, "raw packets");
    assert.equal(ask(ioctl, 0, 0x5413), allow, "the size of a terminal");
    assert.equal(ask(ioctl, 0, 0x5412), notPermitted, "typing into a terminal");
    assert.equal(ask(ioctl, 0, 0x401c5820), notPermitted, "leaving a quota");
    assert.equal(verdict(filter, { arch: 0x40000003, number: read }), notPermitted, "another architecture's interface");
    if (arch === "x64") assert.equal(ask(0x40000000 + read), notPermitted, "the x32 interface");
  });
}

it("has no filter for a machine it does not know", () => {
  assert.equal(seccompFilter("riscv64"), undefined);
});
