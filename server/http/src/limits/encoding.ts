import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'

/** Encodings that the server decodes for clients that do not accept them. */
const DECODERS = { br: promisify(brotliDecompress), gzip: promisify(gunzip) }

export const canDecode = (encoding: string): encoding is keyof typeof DECODERS =>
  Object.hasOwn(DECODERS, encoding)

/** Decodes content off the event loop. Null if it is corrupt, or larger than `mostBytes` when decoded. */
export async function decode(
  encoding: keyof typeof DECODERS,
  body: Uint8Array,
  mostBytes: number,
): Promise<Buffer | null> {
  return DECODERS[encoding](body, { maxOutputLength: mostBytes }).catch(() => null)
}

/** Whether an Accept-Encoding header contains exactly this encoding, without q=0. */
export function takesEncoding(header: string | undefined, encoding: string): boolean {
  return (header ?? '').split(',').some((each) => {
    const [name, ...parameters] = each.split(';').map((part) => part.trim())
    return name === encoding && !parameters.some((part) => /^q=0(\.0{0,3})?$/i.test(part))
  })
}
