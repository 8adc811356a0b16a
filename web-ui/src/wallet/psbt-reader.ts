import { BbqrReader } from '@ordbook/bitcoin/bbqr.ts'
import { base64OfBytes } from '@ordbook/bitcoin/bytes.ts'
import { UrReader } from '@ordbook/bitcoin/ur.ts'
import type { CodeReader } from './code-scanner.tsx'

/** Magic bytes of a PSBT, in base64. */
const BASE64_START = 'cHNidP'

/** Reads a signed PSBT from QR codes: BBQr, UR or base64. */
export class PsbtReader implements CodeReader {
  private readonly readers = [new BbqrReader(), new UrReader()]
  private last = this.readers[0]!
  private plain: string | null = null

  get seen(): number {
    return this.last.seen
  }
  get count(): number {
    return this.last.count
  }

  take(code: string): boolean {
    if (code.startsWith(BASE64_START)) this.plain = code
    const reader = this.readers.find((reader) => reader.take(code))
    this.last = reader ?? this.last
    return reader !== undefined || this.plain !== null
  }

  async text(): Promise<string | null> {
    if (this.plain !== null) return this.plain
    const psbt = await this.last.bytes().catch((cause: unknown) => {
      throw new Error('These codes are damaged. Scan them again, or upload the signed file.', { cause })
    })
    return psbt && base64OfBytes(psbt)
  }
}
