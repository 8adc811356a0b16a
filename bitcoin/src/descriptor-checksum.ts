/** Descriptor characters in checksum order (BIP-380). */
const INPUT =
  '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ '
const CHECKSUM = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATOR = [0xf5dee51989n, 0xa9fdca3312n, 0x1bab10e32dn, 0x3706b1677an, 0x644d626ffdn]

export function hasChecksum(descriptor: string): boolean {
  const [text = '', checksum] = descriptor.split('#')
  return checksum === checksumOf(text)
}

/** Computes a descriptor checksum (BIP-380). Returns null for an invalid character. */
export function checksumOf(text: string): string | null {
  let state = 1n
  let classes = 0
  const add = (value: number) => {
    const top = state >> 35n
    state = ((state & 0x7ffffffffn) << 5n) ^ BigInt(value)
    for (const [bit, term] of GENERATOR.entries()) if ((top >> BigInt(bit)) & 1n) state ^= term
  }
  for (const [n, character] of [...text].entries()) {
    const place = INPUT.indexOf(character)
    if (place < 0) return null
    add(place & 31)
    classes = classes * 3 + (place >> 5)
    if (n % 3 === 2) {
      add(classes)
      classes = 0
    }
  }
  if (text.length % 3 > 0) add(classes)
  for (let n = 0; n < 8; n++) add(0)
  state ^= 1n
  return Array.from({ length: 8 }, (_, n) => CHECKSUM[Number((state >> BigInt(5 * (7 - n))) & 31n)]).join('')
}
