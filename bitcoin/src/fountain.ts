import { concatBytes } from './bytes.ts'
import { uint32Bytes } from './bytewords.ts'
import { sha256 } from './keys.ts'

/**
 * Returns the fragments that a part combines (BCR-2024-001). The first `count` parts contain one fragment each. Later parts combine
 * pseudorandom fragments with XOR.
 */
export function fragmentsOf(number: number, count: number, checksum: number): number[] {
  if (number <= count) return [number - 1]
  const random = randomOf(concatBytes(uint32Bytes(number), uint32Bytes(checksum)))
  const degree = degreeOf(count, random)
  const left = Array.from({ length: count }, (_, n) => n)
  // Shuffle only the first `degree` entries.
  return Array.from({ length: degree }, () => left.splice(Math.floor(random() * left.length), 1)[0]!)
}

const MASK = 0xffffffffffffffffn
const rotated = (value: bigint, bits: bigint) => ((value << bits) | (value >> (64n - bits))) & MASK

/** Returns a xoshiro256** generator of numbers in [0, 1). */
function randomOf(seed: Uint8Array): () => number {
  const view = new DataView(sha256(seed).slice().buffer)
  let [a, b, c, d] = [0, 8, 16, 24].map((at) => view.getBigUint64(at)) as [bigint, bigint, bigint, bigint]
  return () => {
    const result = (rotated((b * 5n) & MASK, 7n) * 9n) & MASK
    const shifted = (b << 17n) & MASK
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotated(d, 45n)
    return Number(result) / 2 ** 64
  }
}

/** Samples the number of fragments in a part with weights 1/n (Walker's alias method). */
function degreeOf(count: number, random: () => number): number {
  const total = Array.from({ length: count }, (_, n) => 1 / (n + 1)).reduce((sum, weight) => sum + weight, 0)
  const odds = Array.from({ length: count }, (_, n) => ((1 / (n + 1)) * count) / total)
  const aliases = Array.from({ length: count }, () => 0)
  const chances = Array.from({ length: count }, () => 1)
  const small: number[] = []
  const large: number[] = []
  for (let n = count - 1; n >= 0; n--) (odds[n]! < 1 ? small : large).push(n)
  while (small.length > 0 && large.length > 0) {
    const [less, more] = [small.pop()!, large.pop()!]
    chances[less] = odds[less]!
    aliases[less] = more
    odds[more] = odds[more]! + odds[less]! - 1
    ;(odds[more]! < 1 ? small : large).push(more)
  }
  const [first, second] = [random(), random()]
  const n = Math.floor(count * first)
  return (second < chances[n]! ? n : aliases[n]!) + 1
}
