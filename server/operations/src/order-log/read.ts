import { closeSync, createReadStream, existsSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ConfigError } from '@ordbook/db/settings/config.ts'
import { Exactly, parse } from '@ordbook/process/parse.ts'
import { type Static, type TSchema, Type } from 'typebox'
import { FORMAT, hashOf, startOf, VERSION } from './chain.ts'
import { LOG_FILE, readHeadOf, type SignedHead } from './copy.ts'
import { Count, Hash, LineError, MAX_LINE_BYTES, type ReadChange, readLine } from './line.ts'

const Header = Exactly({
  format: Type.Literal(FORMAT),
  version: Type.Literal(VERSION),
  network: Type.String({ pattern: '^[a-z0-9]{1,20}$' }),
  market: Type.String({ pattern: '^[0-9a-f]{64,66}$' }),
  exportedAt: Type.String({ maxLength: 40 }),
})
export type Header = Static<typeof Header>

const End = Exactly({ changes: Count, head: Hash, header: Hash })

export interface Summary {
  header: Header
  changes: number
  head: string
}

export interface ReadLog {
  header: Header
  /** The signed head of a mirror's copy; null for an export. */
  signed: SignedHead | null
  /** Yields verified changes. Throws ConfigError if a line is invalid or missing. */
  changes: AsyncGenerator<ReadChange, void, undefined>
}

/** Prefix of the last line. */
const END = Buffer.from('{"changes":')

const incomplete = (file: string, reason: string, cause?: unknown) =>
  new ConfigError(`${file}: not a complete order log: ${reason}`, { cause })

/**
 * Opens an exported log or a mirror's folder for `work`. Throws ConfigError if it is invalid or incomplete.
 */
export async function readLog<T>(path: string, work: (log: ReadLog) => Promise<T>): Promise<T> {
  const isCopy = existsSync(path) && statSync(path).isDirectory()
  const file = isCopy ? join(path, LOG_FILE) : path
  if (!existsSync(file)) throw new ConfigError(`${file}: no such file`)
  const source = createReadStream(file)
  const stream = isCompressed(file) ? source.pipe(createGunzip()) : source
  // The line reader handles the error. Without a listener, the event would end the process.
  stream.on('error', () => {})
  source.on('error', (error) => stream.destroy(error))
  const lines = linesOf(file, stream)
  try {
    const first = await lines.next()
    if (first.done) throw incomplete(file, 'the file is empty')
    const header = readHeader(file, first.value)
    if (!isCopy)
      return await work({
        header,
        signed: null,
        changes: changesOf(file, header, hashOf(first.value), lines),
      })
    const signed = readHeadOf(path, header)
    return await work({ header, signed, changes: changesTo(file, header, signed, lines) })
  } finally {
    source.destroy()
    stream.destroy()
  }
}

async function* changesOf(
  file: string,
  { network }: Header,
  headerHash: string,
  lines: AsyncGenerator<Buffer>,
): AsyncGenerator<ReadChange, void, undefined> {
  let last = { position: 0, hash: startOf(network) }
  for await (const line of lines) {
    const at = `line ${last.position + 2}`
    if (line.subarray(0, END.length).equals(END)) {
      const end = read(file, End, line, at)
      if (end.changes !== last.position || end.head !== last.hash || end.header !== headerHash)
        throw incomplete(file, `${at}: the last line does not match the log`)
      if (!(await lines.next()).done) throw incomplete(file, 'data after the last line')
      return
    }
    const change = next(file, line, last)
    last = { position: change.position, hash: change.hash }
    yield change
  }
  throw incomplete(file, `missing last line after change ${last.position}`)
}

/** Yields the changes of a mirror's copy up to its signed head. The mirror may append in the meantime. */
async function* changesTo(
  file: string,
  { network }: Header,
  signed: SignedHead | null,
  lines: AsyncGenerator<Buffer>,
): AsyncGenerator<ReadChange, void, undefined> {
  let last = { position: 0, hash: startOf(network) }
  while (last.position < (signed?.position ?? 0)) {
    const line = await lines.next()
    if (line.done) throw incomplete(file, `missing changes after ${last.position}`)
    const change = next(file, line.value, last)
    last = { position: change.position, hash: change.hash }
    yield change
  }
  if (signed && last.hash !== signed.hash)
    throw incomplete(file, `change ${last.position} differs from the change that the market signed`)
}

function next(file: string, line: Buffer, last: { position: number; hash: string }): ReadChange {
  try {
    return readLine(line, last)
  } catch (error) {
    if (!(error instanceof LineError)) throw error
    throw incomplete(file, `line ${last.position + 2}: ${error.message}`, error)
  }
}

/** Parses the first line of a log. Throws ConfigError. */
export const readHeader = (file: string, line: Buffer): Header => read(file, Header, line, 'line 1')

function read<S extends TSchema>(file: string, schema: S, line: Buffer, at: string): Static<S> {
  try {
    return parse(schema, JSON.parse(line.toString()), at)
  } catch (error) {
    throw incomplete(
      file,
      error instanceof SyntaxError ? `${at} is not valid JSON` : (error as Error).message,
      error,
    )
  }
}

/** Yields the lines of a stream without line ends. */
async function* linesOf(file: string, stream: Readable): AsyncGenerator<Buffer, void, undefined> {
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of stream) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let from = 0
      for (let to = rest.indexOf(10); to !== -1; to = rest.indexOf(10, from)) {
        yield rest.subarray(from, to)
        from = to + 1
      }
      rest = rest.subarray(from)
      if (rest.length > MAX_LINE_BYTES) throw incomplete(file, 'a line is too long')
    }
  } catch (error) {
    throw error instanceof ConfigError ? error : incomplete(file, (error as Error).message, error)
  }
  if (rest.length > 0) throw incomplete(file, 'the file ends in the middle of a line')
}

/** Whether a file starts with the gzip magic number. */
function isCompressed(file: string): boolean {
  const handle = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(2)
    return readSync(handle, bytes, 0, 2, 0) === 2 && bytes[0] === 0x1f && bytes[1] === 0x8b
  } finally {
    closeSync(handle)
  }
}
