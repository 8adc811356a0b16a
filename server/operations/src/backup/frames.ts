import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { ConfigError } from '@ordbook/db/settings/config.ts'

/**
 * An archive is a gzip-compressed sequence of frames: a letter, a 4-byte length and the body. The last frame
 * contains the SHA-256 of all previous frames.
 */
export interface Frame {
  kind: FrameKind
  body: Buffer
}

const LETTERS = { header: 'H', table: 'T', rows: 'R', done: 'D', sequences: 'S', end: 'E' } as const
export type FrameKind = keyof typeof LETTERS
const KINDS = new Map(
  Object.entries(LETTERS).map(([kind, letter]) => [letter.charCodeAt(0), kind as FrameKind]),
)

const HEAD_BYTES = 5
/** Maximum frame size. PostgreSQL sends row by row, and the largest row has 4 MB of content in hex. */
const MAX_BYTES = 1 << 26

export const damagedArchive = (reason: string, cause?: unknown) =>
  new ConfigError(`the archive is damaged, or was not written by ordbook: ${reason}`, { cause })

export class FrameWriter {
  private readonly hash = createHash('sha256')
  private readonly write: (bytes: Uint8Array) => Promise<void>

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.write = write
  }

  async put(kind: FrameKind, body: Uint8Array | object): Promise<void> {
    const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body))
    const head = Buffer.alloc(HEAD_BYTES)
    head.write(LETTERS[kind], 'latin1')
    head.writeUInt32BE(bytes.length, 1)
    this.hash.update(head).update(bytes)
    await this.write(head)
    await this.write(bytes)
  }

  async end(): Promise<void> {
    await this.put('end', Buffer.from(this.hash.copy().digest('hex')))
  }
}

/** Reads the frames of an archive and verifies its checksum. Throws ConfigError. */
export async function* readFrames(archive: Readable): AsyncGenerator<Frame> {
  const hash = createHash('sha256')
  const bytes = new Bytes(archive)
  for (;;) {
    const head = await bytes.take(HEAD_BYTES)
    const kind = KINDS.get(head[0]!)
    const length = head.readUInt32BE(1)
    if (!kind || length > MAX_BYTES) throw damagedArchive('invalid frame')
    const body = await bytes.take(length)
    if (kind === 'end') {
      if (body.toString('latin1') !== hash.digest('hex')) throw damagedArchive('wrong checksum')
      if (!(await bytes.isOver())) throw damagedArchive('data after the last frame')
      return
    }
    hash.update(head).update(body)
    yield { kind, body }
  }
}

/** Reads a stream in pieces of a given length. */
class Bytes {
  private readonly chunks: AsyncIterator<Buffer>
  private held: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  async take(length: number): Promise<Buffer> {
    const parts = [this.held]
    let count = this.held.length
    while (count < length) {
      const next = await this.next()
      if (next === null) throw damagedArchive('unexpected end of file')
      parts.push(next)
      count += next.length
    }
    const all = parts.length === 1 ? this.held : Buffer.concat(parts)
    this.held = all.subarray(length)
    return all.subarray(0, length)
  }

  async isOver(): Promise<boolean> {
    return this.held.length === 0 && (await this.next()) === null
  }

  private async next(): Promise<Buffer | null> {
    try {
      const { value, done } = await this.chunks.next()
      return done ? null : value
    } catch (error) {
      throw damagedArchive((error as Error).message, error)
    }
  }
}
