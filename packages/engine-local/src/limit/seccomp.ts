import { allowedCalls, newestCall } from "./calls.ts";

interface Architecture {
  readonly column: 0 | 1;
  /** AUDIT_ARCH_… of the kernel. */
  readonly audit: number;
  readonly clone: number;
  readonly ioctl: number;
  readonly personality: number;
  readonly socket: number;
  readonly socketpair: number;
}

const architectures: { readonly [arch: string]: Architecture } = {
  x64: { column: 0, audit: 0xc000003e, clone: 56, ioctl: 16, personality: 135, socket: 41, socketpair: 53 },
  arm64: { column: 1, audit: 0xc00000b7, clone: 220, ioctl: 29, personality: 92, socket: 198, socketpair: 199 },
};

const clone3 = 435;
/** Every flag of `clone` that makes a namespace. */
const namespaceFlags = 0x7e020000;
/** Calls of the x32 interface are numbered from here; they would pass under other names. */
const x32Bit = 0x40000000;

/** AF_UNIX, AF_INET and AF_INET6. Others reach the hypervisor (AF_VSOCK), raw packets or rarely used kernel code. */
const families = { unix: 1, internet: 2, internet6: 10, netlink: 16 } as const;
/** NETLINK_ROUTE, with which a C library lists the addresses of the machine. */
const netlinkRoute = 0;
/** TIOCSTI and TIOCLINUX put characters into a terminal as if somebody had typed them. */
const typingRequests = [0x5412, 0x541c];
/** FS_IOC_SETFLAGS and FS_IOC_FSSETXATTR take a file out of the project whose quota it counts in. */
const fileRequests = [0x40086602, 0x401c5820];
/** The usual personalities, and the one without address randomisation that sanitizers ask for; the last only asks. */
const personalities = [0, 8, 0x20000, 0x20008, 0x40000, 0xffffffff];

const load = 0x20; // BPF_LD | BPF_W | BPF_ABS
const ifEqual = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const ifAtLeast = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const ifAnyBit = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const answer = 0x06; // BPF_RET | BPF_K

const allow = 0x7fff0000;
const fail = (errno: number) => 0x00050000 | errno;
const notPermitted = fail(1);
const notImplemented = fail(38);
const noSuchProtocol = fail(93);
const noSuchFamily = fail(97);

/** Offsets in `struct seccomp_data`. Arguments are little-endian: the low half comes first. */
const at = { call: 0, architecture: 4, argument: (index: number) => 16 + 8 * index };

type Instruction = readonly [op: number, ifTrue: number, ifFalse: number, value: number];

/**
 * The filter as an array of `struct sock_filter`, or undefined for an architecture it was not written for. An allow list:
 * what is not named is refused, as not permitted where it was known when this was written and as missing otherwise,
 * because libraries fall back from a call that is missing.
 */
export function seccompFilter(arch: string): Buffer | undefined {
  const target = architectures[arch];
  if (target === undefined) return undefined;
  const code: Instruction[] = [
    [load, 0, 0, at.architecture],
    ...unless(ifEqual, target.audit, notPermitted),
    [load, 0, 0, at.call],
  ];
  if (arch === "x64") code.push(...when(ifAtLeast, x32Bit, notPermitted));
  // The flags of clone3 are behind a pointer and cannot be looked at; told that it is missing, libraries use `clone`.
  code.push(...when(ifEqual, clone3, notImplemented), ...when(ifAtLeast, newestCall + 1, notImplemented));
  for (const [call, rules] of byArguments(target)) code.push([ifEqual, 0, rules.length, call], ...rules);
  const numbers = Object.values(allowedCalls).map((columns) => columns[target.column]);
  for (const [first, last] of rangesOf(numbers.filter((number) => number >= 0))) {
    code.push(...unless(ifAtLeast, first, notPermitted), ...unless(ifAtLeast, last + 1, allow));
  }
  code.push([answer, 0, 0, notPermitted]);
  return encode(code);
}

/** Calls that depend on their arguments; the rules of each end with an answer. */
function byArguments({ clone, ioctl, personality, socket, socketpair }: Architecture): [number, Instruction[]][] {
  const { unix, internet, internet6, netlink } = families;
  return [
    [clone, [...argument(0), ...when(ifAnyBit, namespaceFlags, notPermitted), ...otherwise(allow)]],
    [
      ioctl,
      [
        ...argument(1),
        ...[...typingRequests, ...fileRequests].flatMap((request) => when(ifEqual, request, notPermitted)),
        ...otherwise(allow),
      ],
    ],
    [
      personality,
      [...argument(0), ...personalities.flatMap((value) => when(ifEqual, value, allow)), ...otherwise(notPermitted)],
    ],
    [
      socket,
      [
        ...argument(0),
        ...[unix, internet, internet6].flatMap((family) => when(ifEqual, family, allow)),
        ...unless(ifEqual, netlink, noSuchFamily),
        ...argument(2),
        ...when(ifEqual, netlinkRoute, allow),
        ...otherwise(noSuchProtocol),
      ],
    ],
    [socketpair, [...argument(0), ...when(ifEqual, unix, allow), ...otherwise(noSuchFamily)]],
  ];
}

function argument(index: number): Instruction[] {
  return [[load, 0, 0, at.argument(index)]];
}

function when(op: number, value: number, result: number): Instruction[] {
  return [
    [op, 0, 1, value],
    [answer, 0, 0, result],
  ];
}

function unless(op: number, value: number, result: number): Instruction[] {
  return [
    [op, 1, 0, value],
    [answer, 0, 0, result],
  ];
}

function otherwise(result: number): Instruction[] {
  return [[answer, 0, 0, result]];
}

/** Numbers as ranges without a gap, in ascending order. */
function rangesOf(numbers: readonly number[]): [first: number, last: number][] {
  const ranges: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

function encode(code: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(code.length * 8);
  code.forEach(([op, ifTrue, ifFalse, value], index) => {
    bytes.writeUInt16LE(op, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}
