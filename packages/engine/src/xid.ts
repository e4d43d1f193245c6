/** One `NVRM: Xid` line of the kernel log. */
export interface XidLine {
  /** The address of the GPU as `domain:bus:device`, in the spelling of `pciAddress`. */
  readonly pci: string;
  readonly code: string;
  /** Absent where the driver does not know which process it was. */
  readonly pid?: number;
  /** What stands behind the number. */
  readonly text: string;
}

/** With MIG the instance stands behind the address: `(PCI:0000:3b:00 GPU-I:05)`. */
const line = /NVRM: Xid \(PCI:([0-9a-fA-F:.]+)[^)]*\): (\d{1,5}),?\s*(.*)$/;

export function parseXid(text: string): XidLine | undefined {
  const found = line.exec(text);
  if (found === null) return undefined;
  const [, address = "", code = "", rest = ""] = found;
  const pci = pciAddress(address);
  if (pci === undefined) return undefined;
  const pid = Number(/\bpid='?(\d{1,9})'?/.exec(rest)?.[1]);
  return { pci, code: String(Number(code)), text: rest.trim(), ...(pid > 0 && { pid }) };
}

/** `0000:3b:00`: the kernel names no function, and nvidia-smi has a longer domain and capital letters. */
export function pciAddress(text: string): string | undefined {
  const found = /^(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})(?:\.[0-9a-f])?$/i.exec(text.trim());
  if (found === null) return undefined;
  const [, domain = "0000", bus, device] = found;
  return `${domain.slice(-4)}:${bus}:${device}`.toLowerCase();
}
