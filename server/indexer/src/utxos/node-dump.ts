import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  createReadStream,
  mkdirSync,
  openSync,
  type ReadStream,
  rmSync,
  statSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { CoreSource } from '../node/core.ts'
import type { UtxoDump } from '../node/core-answers.ts'
import { RpcFault } from '../node/rpc.ts'

/** The server or the node cannot use the folder. */
export class FolderError extends Error {
  readonly of: 'server' | 'node'

  constructor(of: 'server' | 'node', message: string, cause?: unknown) {
    super(message, { cause })
    this.of = of
  }
}

const ofServer = (cause: unknown) =>
  new FolderError('server', cause instanceof Error ? cause.message : String(cause), cause)

/** Time for the last bytes of a dump to arrive, in milliseconds. */
const ARRIVAL_MS = 2000

/**
 * Lets the node write its UTXO set into a pipe in `folder`, and reads it meanwhile. Nodes that cannot write into a pipe (before Core 31 and
 * Knots 29.4) write a file first. Returns the node's report and the result of `read`. If either fails, ends both.
 */
export async function readDump<T>(
  node: CoreSource,
  folder: string,
  signal: AbortSignal,
  read: (pieces: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<[UtxoDump, T]> {
  const path = join(folder, 'utxos.dump')
  const call = (until: AbortSignal) => node.within({ signal: until }).dumpUtxos(path)
  try {
    mkdirSync(folder, { recursive: true })
    clear(path)
  } catch (error) {
    throw ofServer(error)
  }
  try {
    return await throughPipe(path, signal, call, read)
  } catch (error) {
    if (!(error instanceof RpcFault) || !/already exists/i.test(error.message)) throw error
    clear(path)
    const dump = await call(signal)
    return [dump, await read(await openDump(path, signal))]
  } finally {
    clear(path)
  }
}

async function throughPipe<T>(
  path: string,
  signal: AbortSignal,
  call: (until: AbortSignal) => Promise<UtxoDump>,
  read: (pieces: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<[UtxoDump, T]> {
  // The node's user writes, only this one reads.
  await promisify(execFile)('mkfifo', ['-m', '622', path]).catch((error: unknown) => {
    throw ofServer(error)
  })
  const pipe = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false })
  // Whoever reads gets the error. Without a listener, the event would end the process.
  pipe.on('error', () => {})
  const ended = new AbortController()
  const until = AbortSignal.any([signal, ended.signal])
  try {
    const dumping = call(until)
    dumping.catch((error: Error) => pipe.destroy(error))
    // A node that does not write into pipes fails before it writes. The event also happens at the end of an empty dump.
    const arrived = once(pipe, 'readable', { signal: until }).then(() => true)
    arrived.catch(() => {})
    const late = dumping.then(() => sleep(ARRIVAL_MS, false, { ref: false }))
    if (!(await Promise.race([arrived, late])))
      throw new FolderError('node', `the node wrote ${path}, but not into the pipe of the server`)
    return await Promise.all([dumping, read(pipe)])
  } finally {
    ended.abort()
    pipe.destroy()
  }
}

async function openDump(path: string, signal: AbortSignal): Promise<ReadStream> {
  const file = createReadStream(path, { signal })
  await once(file, 'open').catch((error: unknown) => {
    throw ofServer(error)
  })
  return file
}

/** Removes a dump of an earlier try. A node that still waits for a reader of the pipe fails. */
function clear(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isFIFO()) closeSync(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK))
  rmSync(path, { force: true })
}
