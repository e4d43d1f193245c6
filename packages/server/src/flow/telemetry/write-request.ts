import { varint } from "./snappy.ts";

/** One value of one series. */
export interface RemoteSample {
  /** Sorted by name. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
  readonly at: number;
}

/** Tags of the message: the number of a field and how it is written. */
const tags = { series: 0x0a, label: 0x0a, sample: 0x12, name: 0x0a, text: 0x12, value: 0x09, at: 0x10 };

/** `prometheus.WriteRequest` of remote write 1.0 in protobuf: a list of series with their labels and one sample each. */
export function writeRequest(samples: readonly RemoteSample[]): Buffer {
  return Buffer.concat(samples.map((sample) => field(tags.series, seriesOf(sample))));
}

function seriesOf({ labels, value, at }: RemoteSample): Buffer {
  const double = Buffer.alloc(9);
  double[0] = tags.value;
  double.writeDoubleLE(value, 1);
  const sample = Buffer.concat([double, Uint8Array.of(tags.at), varint(at)]);
  const named = labels.map(([name, text]) =>
    field(tags.label, Buffer.concat([field(tags.name, Buffer.from(name)), field(tags.text, Buffer.from(text))])),
  );
  return Buffer.concat([...named, field(tags.sample, sample)]);
}

function field(tag: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.of(tag), varint(bytes.length), bytes]);
}
