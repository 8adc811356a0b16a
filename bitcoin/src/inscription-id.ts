import { bytesToHex, concatBytes, hexToBytes, littleEndian } from './bytes.ts'

const PATTERN = /^([a-f0-9]{64})i(0|[1-9][0-9]{0,9})$/

/** Parses `<txid>i<index>`. Returns null if the id is not canonical. */
export function parseInscriptionId(text: string): { txid: string; index: number } | null {
  const match = PATTERN.exec(text)
  if (!match || Number(match[2]) > 0xffffffff) return null
  return { txid: match[1]!, index: Number(match[2]) }
}

/** Decodes the inscription id in a parent or delegate field (ord handbook, "Provenance"). Returns null if invalid. */
export function inscriptionIdOfBytes(bytes: Uint8Array): string | null {
  if (bytes.length < 32 || bytes.length > 36) return null
  const index = bytes.subarray(32)
  if (index.length > 0 && index.length < 4 && index.at(-1) === 0) return null
  const number = index.reduceRight((sum, byte) => sum * 256 + byte, 0)
  return `${bytesToHex(Uint8Array.from(bytes.subarray(0, 32)).reverse())}i${number}`
}

/** Encodes an inscription id for an envelope. Throws TypeError if invalid. */
export function bytesOfInscriptionId(id: string): Uint8Array {
  const parsed = parseInscriptionId(id)
  if (!parsed) throw new TypeError(`${id} is not an inscription id`)
  const index = littleEndian(parsed.index, 4)
  let length = 4
  while (length > 0 && index[length - 1] === 0) length--
  return concatBytes(hexToBytes(parsed.txid).reverse(), index.subarray(0, length))
}
