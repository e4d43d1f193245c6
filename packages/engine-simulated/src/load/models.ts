/** What a GPU of a model draws and how fast it is clocked, idle and at full load. */
export interface ModelTraits {
  readonly idleMilliwatts: number;
  readonly fullMilliwatts: number;
  readonly idleMhz: number;
  readonly fullMhz: number;
  readonly memoryMhz: number;
  /** Bytes a second, in one direction. */
  readonly pcie: number;
  readonly nvlink: number;
}

const gigabyte = 1_000_000_000;

const traitsOf = (
  [idleWatts, fullWatts]: readonly [number, number],
  [idleMhz, fullMhz, memoryMhz]: readonly [number, number, number],
  [pcie, nvlink]: readonly [number, number],
): ModelTraits => ({
  ...{ idleMilliwatts: idleWatts * 1000, fullMilliwatts: fullWatts * 1000, idleMhz, fullMhz, memoryMhz },
  ...{ pcie: pcie * gigabyte, nvlink: nvlink * gigabyte },
});

const plain = traitsOf([25, 250], [210, 1_700, 5_000], [25, 0]);

const known: { readonly [model: string]: ModelTraits } = {
  B300: traitsOf([140, 1_400], [345, 1_920, 3_996], [55, 800]),
  B200: traitsOf([120, 1_000], [345, 1_965, 3_996], [55, 800]),
  H200: traitsOf([75, 700], [345, 1_980, 3_201], [50, 400]),
  H100: traitsOf([70, 700], [345, 1_980, 2_619], [50, 400]),
  A100: traitsOf([55, 400], [210, 1_410, 1_593], [25, 270]),
  L40S: traitsOf([35, 350], [210, 2_520, 9_001], [25, 0]),
  L40: traitsOf([35, 300], [210, 2_490, 9_001], [25, 0]),
  A40: traitsOf([30, 300], [210, 1_740, 7_251], [25, 50]),
  L4: traitsOf([16, 72], [210, 2_040, 6_251], [25, 0]),
  A10: traitsOf([20, 150], [210, 1_695, 6_251], [25, 0]),
  V100: traitsOf([40, 300], [135, 1_530, 877], [12, 135]),
  T4: traitsOf([10, 70], [300, 1_590, 5_001], [12, 0]),
};

/** The traits of a model by the longest known name that it begins with; something in the middle for any other. */
export function modelTraits(model: string): ModelTraits {
  const name = Object.keys(known)
    .filter((each) => model === each || model.startsWith(`${each}-`))
    .sort((a, b) => b.length - a.length)[0];
  return name === undefined ? plain : known[name]!;
}
