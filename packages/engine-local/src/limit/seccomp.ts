/**
 * The system calls that no job needs and that reach beyond it: looking into other processes, changing what is
 * mounted, new namespaces, kernel modules, keys, clocks. Numbers per architecture, x86-64 first; -1 = does not exist.
 */
const deniedCalls: { readonly [name: string]: readonly [x64: number, arm64: number] } = {
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  delete_module: [176, 106],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioperm: [173, -1],
  iopl: [172, -1],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  setns: [308, 268],
  settimeofday: [164, 170],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
};

interface Architecture {
  readonly column: 0 | 1;
  /** AUDIT_ARCH_… of the kernel. */
  readonly audit: number;
  readonly clone: number;
}

const clone3 = 435;
const architectures: { readonly [arch: string]: Architecture } = {
  x64: { column: 0, audit: 0xc000003e, clone: 56 },
  arm64: { column: 1, audit: 0xc00000b7, clone: 220 },
};

/** Every flag of `clone` that makes a namespace. */
const namespaceFlags = 0x7e020000;
/** Calls of the x32 interface are numbered from here; they would pass under other names. */
const x32Bit = 0x40000000;

const load = 0x20; // BPF_LD | BPF_W | BPF_ABS
const ifEqual = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const ifAtLeast = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const ifAnyBit = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const answer = 0x06; // BPF_RET | BPF_K

const allow = 0x7fff0000;
const fail = (errno: number) => 0x00050000 | errno;
const notPermitted = fail(1);
const notImplemented = fail(38);

/** Offsets in `struct seccomp_data`. The first argument is little-endian: its low half comes first. */
const at = { call: 0, architecture: 4, firstArgument: 16 };

/** The filter as an array of `struct sock_filter`, or undefined for an architecture it was not written for. */
export function seccompFilter(arch: string): Buffer | undefined {
  const target = architectures[arch];
  if (target === undefined) return undefined;
  const code: (readonly [op: number, ifTrue: number, ifFalse: number, value: number])[] = [
    [load, 0, 0, at.architecture],
    [ifEqual, 1, 0, target.audit],
    [answer, 0, 0, notPermitted],
    [load, 0, 0, at.call],
  ];
  const when = (op: number, value: number, result: number) => code.push([op, 0, 1, value], [answer, 0, 0, result]);
  if (arch === "x64") when(ifAtLeast, x32Bit, notPermitted);
  for (const numbers of Object.values(deniedCalls)) {
    if (numbers[target.column] >= 0) when(ifEqual, numbers[target.column], notPermitted);
  }
  // Its flags are behind a pointer and cannot be looked at; told that it does not exist, libraries use `clone`.
  when(ifEqual, clone3, notImplemented);
  code.push([ifEqual, 0, 3, target.clone], [load, 0, 0, at.firstArgument]);
  when(ifAnyBit, namespaceFlags, notPermitted);
  code.push([answer, 0, 0, allow]);
  const bytes = Buffer.alloc(code.length * 8);
  code.forEach(([op, ifTrue, ifFalse, value], index) => {
    bytes.writeUInt16LE(op, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}
