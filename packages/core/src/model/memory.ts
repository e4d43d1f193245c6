/** MiB exactly, as a job file writes them: `64GiB`. */
export function memoryText(mebibytes: number): string {
  if (mebibytes > 0 && mebibytes % 1_048_576 === 0) return `${mebibytes / 1_048_576}TiB`;
  if (mebibytes > 0 && mebibytes % 1024 === 0) return `${mebibytes / 1024}GiB`;
  return `${mebibytes}MiB`;
}

/** MiB in a sentence, rounded down to a tenth: `23.5 GiB`. */
export function shortMemory(mebibytes: number): string {
  const tenths = (unit: number) => Math.floor((mebibytes * 10) / unit) / 10;
  if (mebibytes >= 1_048_576) return `${tenths(1_048_576)} TiB`;
  return mebibytes >= 1024 ? `${tenths(1024)} GiB` : `${mebibytes} MiB`;
}
