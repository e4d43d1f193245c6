import { createSocket } from "node:dgram";
import { once } from "node:events";

const types = { a: 1, aaaa: 28 };
const codes = { ok: 0, noName: 3, notHere: 5 };
const domain = "svc.cluster.local";

/**
 * The names of headless Services, answered from EndpointSlices: `service.namespace.svc.cluster.local` and, for pods with
 * a host name, `host.service.…`. Enough for gangs; there is nothing behind it that knows other names.
 */
export class Dns {
  #sockets = new Map();
  #slices = new Map();
  #watch;

  constructor(api) {
    const keep = (slice) => this.#slices.set(slice.metadata.uid, slice);
    this.#watch = api.watch("/apis/discovery.k8s.io/v1/endpointslices", {
      onList: (slices) => {
        this.#slices.clear();
        for (const slice of slices) keep(slice);
      },
      onEvent: (type, slice) => (type === "DELETED" ? this.#slices.delete(slice.metadata.uid) : keep(slice)),
    });
  }

  /** Answers on port 53 of this address. */
  async listen(address) {
    const socket = createSocket("udp4", (query, from) => {
      const answer = answerTo(query, (name) => this.addressesOf(name));
      if (answer !== undefined) socket.send(answer, from.port, from.address);
    });
    socket.bind(53, address);
    await once(socket, "listening");
    this.#sockets.set(address, socket);
  }

  forget(address) {
    this.#sockets.get(address)?.close();
    this.#sockets.delete(address);
  }

  /** The addresses behind a name in lower case; undefined where there is no such name. */
  addressesOf(name) {
    if (!name.endsWith(`.${domain}`)) return undefined;
    const parts = name.slice(0, -domain.length - 1).split(".");
    const [namespace, service, host] = parts.reverse();
    const found = [...this.#slices.values()].filter(
      ({ metadata, addressType }) =>
        addressType === "IPv4" &&
        metadata.namespace === namespace &&
        metadata.labels?.["kubernetes.io/service-name"] === service,
    );
    const ready = found
      .flatMap(({ endpoints }) => endpoints ?? [])
      .filter(({ conditions, hostname }) => conditions?.ready !== false && (host === undefined || hostname === host));
    const addresses = ready.flatMap((endpoint) => endpoint.addresses);
    return addresses.length === 0 && (host !== undefined || found.length === 0) ? undefined : addresses;
  }

  async close() {
    for (const address of [...this.#sockets.keys()]) this.forget(address);
    await this.#watch.close();
  }
}

/** The answer to one question in the form of RFC 1035; undefined for what is none. */
export function answerTo(query, lookUp) {
  if (query.length < 17 || query.readUInt16BE(4) !== 1) return undefined;
  const labels = [];
  let at = 12;
  while (at < query.length && query[at] > 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + query[at]));
    at += 1 + query[at];
  }
  const end = at + 5;
  if (end > query.length) return undefined;
  const type = query.readUInt16BE(at + 1);
  const name = labels.join(".").toLowerCase();
  const isOurs = name.endsWith("cluster.local");
  const addresses = lookUp(name);
  const given = type === types.a ? (addresses ?? []) : [];
  const code = addresses !== undefined ? codes.ok : isOurs ? codes.noName : codes.notHere;
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8480 | (query.readUInt16BE(2) & 0x0100) | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(given.length, 6);
  return Buffer.concat([head, query.subarray(12, end), ...given.map(record)]);
}

/** An address for the name that stands in the question; to be asked for again after a second. */
function record(address) {
  const bytes = Buffer.from([0xc0, 12, 0, types.a, 0, 1, 0, 0, 0, 1, 0, 4, 0, 0, 0, 0]);
  for (const [no, part] of address.split(".").entries()) bytes[12 + no] = Number(part);
  return bytes;
}
