/** A key with which a store seals what it holds. Which of them did, the store itself says. */
export interface StoreKey {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** 32 bytes in base64. */
  readonly key: string;
}
