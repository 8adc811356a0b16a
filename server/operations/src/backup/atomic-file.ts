import { once } from 'node:events'
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { ConfigError } from '@ordbook/db/settings/config.ts'
import { syncFolder } from '@ordbook/process/make-file.ts'

/** Resolves once more bytes can be written. */
export type Write = (bytes: Uint8Array | string) => Promise<void>

/**
 * Writes a new file atomically, readable only by its owner. Throws ConfigError if it exists or cannot be
 * written.
 */
export async function writeAtomically<T>(
  file: string,
  { isCompressed }: { isCompressed: boolean },
  work: (write: Write) => Promise<T>,
): Promise<T> {
  if (existsSync(file)) throw new ConfigError(`${file} already exists.`)
  const partial = `${file}.partial`
  try {
    rmSync(partial, { force: true })
  } catch (error) {
    throw cannotWrite(file, error as Error)
  }
  const target = createWriteStream(partial, { mode: 0o600, flush: true })
  const source = isCompressed ? createGzip() : new PassThrough()
  source.pipe(target)
  const written = finished(target)
  let failure: Error | null = null
  // The next write throws the error, for example if the disk is full.
  written.catch((error: Error) => {
    failure = error
    source.destroy()
  })
  try {
    const report = await work(async (bytes) => {
      if (source.destroyed) await written
      if (!source.write(bytes)) await Promise.race([once(source, 'drain'), written])
    })
    source.end()
    await written
    renameSync(partial, file)
    syncFolder(dirname(file))
    return report
  } catch (error) {
    source.destroy()
    target.destroy()
    rmSync(partial, { force: true })
    if (failure !== null && failure === error) throw cannotWrite(file, failure)
    throw error
  }
}

const cannotWrite = (file: string, cause: Error) =>
  new ConfigError(`${file}: cannot be written (${cause.message}). No partial file remains.`, { cause })
