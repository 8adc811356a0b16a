import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'

/** Encodings that are decoded for a client that does not take them. */
const DECODERS = { br: promisify(brotliDecompress), gzip: promisify(gunzip) }

/** Whether content in this encoding can be decoded here. */
export const canDecode = (encoding: string): encoding is keyof typeof DECODERS =>
  Object.hasOwn(DECODERS, encoding)

/**
 * Decodes content off the event loop. Null where it is broken, or where more than `mostBytes` would come of it.
 */
export async function decode(
  encoding: keyof typeof DECODERS,
  body: Uint8Array,
  mostBytes: number,
): Promise<Buffer | null> {
  return DECODERS[encoding](body, { maxOutputLength: mostBytes }).catch(() => null)
}

/** Whether an Accept-Encoding header takes an encoding: named exactly as the content names it, and not with q=0. */
export function takesEncoding(header: string | undefined, encoding: string): boolean {
  return (header ?? '').split(',').some((each) => {
    const [name, ...parameters] = each.split(';').map((part) => part.trim())
    return name === encoding && !parameters.some((part) => /^q=0(\.0{0,3})?$/i.test(part))
  })
}
