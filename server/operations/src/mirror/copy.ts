import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { type FileHandle, open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '@ordbook/db/settings/config.ts'
import { makeFile, syncFolder } from '@ordbook/process/make-file.ts'
import { lockFolder } from '@ordbook/process/process-lock.ts'
import { canonical, FORMAT, hashOf, PAGE, startOf, VERSION } from '../order-log/chain.ts'
import { HEAD_FILE, LOG_FILE, readHeadOf, type SignedHead } from '../order-log/copy.ts'
import { LineError, MAX_LINE_BYTES, type Place, readLine } from '../order-log/line.ts'
import { type Header, readHeader } from '../order-log/read.ts'
import type { LogPage } from '../order-log/routes.ts'

/** Proof that the market signed two histories. Copying is disabled while it exists. */
const FORK_FILE = 'fork.json'

/** Maximum distance between index entries, which limits how much a lookup reads. */
const STEP = { lines: 256, bytes: 64 * 1024 }
const CHUNK = 64 * 1024

export interface Identity {
  network: string
  /** The market's x-only key in hex. */
  market: string
}

export interface Line extends Place {
  bytes: Uint8Array
}

/**
 * A mirror's copy of an order log. Lines are synced to disk before the signed head that covers them. Lines
 * after the signed head are not served, and are removed if the market signs a different history.
 */
export class Copy {
  readonly identity: Identity
  private readonly folder: string
  private readonly file: FileHandle
  private readonly letGo: () => void
  private readonly steps: { position: number; offset: number }[]
  private head: SignedHead | null
  private end: Place & { bytes: number }

  private constructor(
    folder: string,
    { file, letGo }: { file: FileHandle; letGo: () => void },
    found: {
      identity: Identity
      head: SignedHead | null
      start: Place & { offset: number }
    },
  ) {
    this.folder = folder
    this.file = file
    this.letGo = letGo
    this.identity = found.identity
    this.head = found.head
    const { position, hash, offset } = found.start
    this.steps = [{ position, offset }]
    this.end = { position, hash, bytes: offset }
  }

  /**
   * Opens the copy in a folder, or creates it, and verifies all lines. Throws ConfigError if it is damaged or
   * belongs to another market.
   */
  static async open(folder: string, identity: Identity, now: Date): Promise<Copy> {
    mkdirSync(folder, { recursive: true })
    const release = await lockFolder(folder, 'mirror')
    const path = join(folder, LOG_FILE)
    const { network, market } = identity
    const header: Header = {
      format: FORMAT,
      version: VERSION,
      network,
      market,
      exportedAt: now.toISOString(),
    }
    if (!existsSync(path)) makeFile(path, `${canonical(header)}\n`)
    const file = await open(path, 'r+')
    try {
      const first = await firstLine(file)
      const found = readHeader(path, first)
      if (found.network !== network || found.market !== market)
        throw new ConfigError(
          `${folder} is the copy of the market ${found.market} on ${found.network}. Use a separate folder for the market ${market} on ${network}.`,
        )
      const start = { position: 0, hash: startOf(network), offset: first.length + 1 }
      const copy = new Copy(
        folder,
        { file, letGo: release },
        { identity, head: readHeadOf(folder, identity), start },
      )
      await copy.readAll(path)
      return copy
    } catch (error) {
      await file.close()
      release()
      throw error
    }
  }

  /** Returns the market whose copy a folder contains, or null. Throws ConfigError. */
  static async identityOf(folder: string): Promise<Identity | null> {
    const path = join(folder, LOG_FILE)
    if (!existsSync(path)) return null
    const file = await open(path, 'r')
    try {
      const { network, market } = readHeader(path, await firstLine(file))
      return { network, market }
    } finally {
      await file.close()
    }
  }

  static hasFork(folder: string): boolean {
    return existsSync(join(folder, FORK_FILE))
  }

  get signed(): SignedHead | null {
    return this.head
  }

  /** The last line, signed or not. */
  get last(): Place {
    return this.end
  }

  get size(): number {
    return this.end.bytes
  }

  /** Whether the signed head covers every line. */
  get isSigned(): boolean {
    return this.end.position === (this.head?.position ?? 0)
  }

  /** Appends lines and syncs them to disk. Adds nothing if a write fails. */
  async append(lines: readonly Line[]): Promise<void> {
    if (lines.length === 0) return
    const bytes = Buffer.concat(lines.flatMap((line) => [line.bytes, Buffer.from('\n')]))
    try {
      await writeAll(this.file, bytes, this.end.bytes)
      await this.file.datasync()
    } catch (error) {
      await this.file.truncate(this.end.bytes).catch(() => {})
      throw error
    }
    for (const line of lines) this.extend(line)
  }

  /** Stores a signed head. */
  async sign(head: SignedHead): Promise<void> {
    const path = join(this.folder, HEAD_FILE)
    const next = await open(`${path}.new`, 'w')
    try {
      await next.writeFile(`${canonical(head)}\n`)
      await next.sync()
    } finally {
      await next.close()
    }
    await rename(`${path}.new`, path)
    syncFolder(this.folder)
    this.head = head
  }

  /** Removes the lines after the signed head. */
  async cutUnsigned(): Promise<void> {
    const position = this.head?.position ?? 0
    let { offset } = this.steps[0]!
    let hash = startOf(this.identity.network)
    if (position > 0)
      for await (const line of this.lines(position)) {
        offset = line.offset + line.bytes.length + 1
        hash = hashOf(line.bytes)
        break
      }
    await this.file.truncate(offset)
    await this.file.datasync()
    while (this.steps.length > 1 && this.steps.at(-1)!.position > position) this.steps.pop()
    this.end = { position, hash, bytes: offset }
  }

  async hashAt(position: number): Promise<string> {
    if (position === this.end.position) return this.end.hash
    for await (const { bytes } of this.lines(position)) return hashOf(bytes)
    throw new RangeError(`The copy has no change ${position}.`)
  }

  /** Returns a page of signed lines, split as the market would. */
  async page(after: number): Promise<LogPage> {
    const most = this.head?.position ?? 0
    const lines: Uint8Array[] = []
    let bytes = 0
    let last = after
    if (after < most)
      for await (const line of this.lines(after + 1)) {
        if (line.position > most || lines.length >= PAGE.rows) break
        bytes += line.bytes.length + 1
        if (lines.length > 0 && bytes > PAGE.bytes) break
        lines.push(line.bytes)
        last = line.position
      }
    return {
      lines: Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])),
      isFinished: last < most,
    }
  }

  /** Returns the proof of two histories, or null. */
  get fork(): string | null {
    const path = join(this.folder, FORK_FILE)
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }

  /** Stores the proof of another history. */
  keepFork(proof: object): void {
    makeFile(join(this.folder, FORK_FILE), `${JSON.stringify(proof, null, 2)}\n`)
  }

  /** Opens an empty file for the lines of another history. */
  async openEvidence(): Promise<{ file: FileHandle; discard(): Promise<void> }> {
    const path = join(this.folder, 'fork.jsonl')
    const file = await open(path, 'w')
    return { file, discard: () => unlink(path) }
  }

  async close(): Promise<void> {
    await this.file.close()
    this.letGo()
  }

  private extend({ position, hash, bytes }: Line): void {
    const offset = this.end.bytes
    const step = this.steps.at(-1)!
    if (position - step.position > STEP.lines || offset - step.offset > STEP.bytes)
      this.steps.push({ position: position - 1, offset })
    this.end = { position, hash, bytes: offset + bytes.length + 1 }
  }

  /**
   * Verifies every line. Removes an incomplete line after the signed head, which a killed process can leave.
   */
  private async readAll(path: string): Promise<void> {
    const signed = this.head
    let signedHash = this.end.hash
    try {
      for await (const { bytes } of this.read(this.end.bytes, Number.MAX_SAFE_INTEGER)) {
        const { position, hash } = readLine(bytes, this.end)
        this.extend({ position, hash, bytes })
        if (position === signed?.position) signedHash = hash
      }
    } catch (error) {
      if (!(error instanceof LineError)) throw error
      if (this.end.position < (signed?.position ?? 0))
        throw new ConfigError(
          `${path}: line ${this.end.position + 2} is damaged: ${error.message}. Move the folder away and restart the mirror.`,
          { cause: error },
        )
    }
    if (signed && (this.end.position < signed.position || signedHash !== signed.hash))
      throw new ConfigError(
        `${path}: change ${signed.position} differs from the change that the market signed. Move the folder away and restart the mirror.`,
      )
    await this.file.truncate(this.end.bytes)
  }

  private async *lines(from: number) {
    // Find the last index entry before the line.
    let low = 0
    for (let high = this.steps.length; high - low > 1; ) {
      const middle = (low + high) >> 1
      if (this.steps[middle]!.position < from) low = middle
      else high = middle
    }
    let { position } = this.steps[low]!
    for await (const line of this.read(this.steps[low]!.offset, this.end.bytes)) {
      position++
      if (position >= from) yield { ...line, position }
    }
  }

  /** Yields the complete lines in a range of the file. Throws LineError if a line is too long. */
  private async *read(offset: number, to: number): AsyncGenerator<{ bytes: Buffer; offset: number }> {
    let rest: Buffer = Buffer.alloc(0)
    for (let at = offset; at < to; ) {
      const { bytesRead, buffer } = await this.file.read(
        Buffer.alloc(Math.min(CHUNK, to - at)),
        0,
        Math.min(CHUNK, to - at),
        at,
      )
      if (bytesRead === 0) return
      at += bytesRead
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
      let from = 0
      for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10, from)) {
        yield { bytes: rest.subarray(from, end), offset: at - rest.length + from }
        from = end + 1
      }
      rest = rest.subarray(from)
      if (rest.length > MAX_LINE_BYTES) throw new LineError('the line is too long')
    }
  }
}

/** Writes all bytes at an offset. On a nearly full disk, a write stores what fits, and the next write fails. */
async function writeAll(file: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, offset + at)
    at += bytesWritten
  }
}

async function firstLine(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1000), 0, 1000, 0)
  const end = buffer.subarray(0, bytesRead).indexOf(10)
  return buffer.subarray(0, Math.max(end, 0))
}
