import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'

/** Encodings that the server can decode for clients that do not accept them. */
const DECODERS = { br: promisify(brotliDecompress), gzip: promisify(gunzip) }

export const canDecode = (encoding: string): encoding is keyof typeof DECODERS =>
  Object.hasOwn(DECODERS, encoding)

/** Returns null if the content is corrupt or larger than `mostBytes`. */
export async function decode(
  encoding: keyof typeof DECODERS,
  body: Uint8Array,
  mostBytes: number,
): Promise<Buffer | null> {
  return DECODERS[encoding](body, { maxOutputLength: mostBytes }).catch(() => null)
}

/** Returns whether an Accept-Encoding header lists an encoding, without q=0. */
export function takesEncoding(header: string | undefined, encoding: string): boolean {
  return (header ?? '').split(',').some((item) => {
    const [name, ...parameters] = item.split(';').map((part) => part.trim())
    return name === encoding && !parameters.some((part) => /^q=0(\.0{0,3})?$/i.test(part))
  })
}
