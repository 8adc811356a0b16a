import { hash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, linkSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from './variables.ts'

/**
 * Locks a folder (a key's journal or a mirror's copy) until this process ends, even if it is killed. Returns a function that releases the
 * lock. Throws ConfigError if another process holds it. Linux only.
 *
 * Uses two sockets. One has an abstract name, which is exclusive and disappears when the process is killed. The other is in the folder, for
 * processes in other containers on the same volume.
 */
export async function lockFolder(folder: string, holder: string): Promise<() => void> {
  if (process.platform !== 'linux') return () => {}
  const server = await listening(`\0ordbook ${holder} ${hash('sha256', realpathSync(folder))}`).catch(
    (error: Error) => {
      throw new ConfigError(`another ${holder} runs on ${folder}: ${error.message}`)
    },
  )
  try {
    const unlock = await holdInFolder(folder, holder)
    return () => {
      unlock()
      server.close()
    }
  } catch (error) {
    server.close()
    throw error
  }
}

/** Milliseconds until concurrently starting processes agree on the holder. */
const SETTLE = 300

/** Locks a folder with only the socket in it. Throws ConfigError if another process listens there or access is denied. */
export async function holdInFolder(folder: string, holder: string): Promise<() => void> {
  const opened = openSync(folder, 'r')
  const name = socketOf(opened, holder)
  const own = pathIn(opened, `.${holder}.${randomUUID()}`)
  const lockedError = () =>
    new ConfigError(`another ${holder} runs on ${folder}, perhaps in another container`)
  let server: Server | undefined
  try {
    server = await listening(own).catch((error: Error) => {
      throw new ConfigError(`the file system of ${folder} must support sockets: ${error.message}`)
    })
    // link() is atomic, so only one of several processes succeeds.
    for (let tries = 0; !isLinked(own, name); tries++) {
      if (tries === 5 || (await mayAnswer(name))) throw lockedError()
      // The socket belongs to a killed process, or was created since the check. In the second case, restore the link below, unless a third
      // process was faster.
      const left = pathIn(opened, `.${holder}.${randomUUID()}`)
      try {
        renameSync(name, left)
      } catch {
        continue
      }
      if (await mayAnswer(left)) isLinked(left, name)
      rmSync(left, { force: true })
    }
    await sleep(SETTLE)
    if (inodeOf(name) !== inodeOf(own)) throw lockedError()
  } catch (error) {
    server?.close()
    closeSync(opened)
    throw error
  } finally {
    rmSync(own, { force: true })
  }
  const listener = server
  return () => {
    rmSync(name, { force: true })
    listener.close()
    closeSync(opened)
  }
}

/** Returns whether a process holds a folder; null if the system does not support the check. */
export async function isHeld(folder: string, holder: string): Promise<boolean | null> {
  if (process.platform !== 'linux') return null
  const opened = openSync(folder, 'r')
  try {
    return await mayAnswer(socketOf(opened, holder))
  } finally {
    closeSync(opened)
  }
}

/** Shortens a path, because socket paths are limited to 107 bytes. */
const pathIn = (opened: number, name: string) => `/proc/self/fd/${opened}/${name}`
const socketOf = (opened: number, holder: string) => pathIn(opened, `.${holder}.alone`)

/** Undefined if the file does not exist. */
const inodeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino

/** Links a file. Returns false if the name exists. */
function isLinked(file: string, name: string): boolean {
  try {
    linkSync(file, name)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Returns true if a process listens on a socket, or if access is denied (another user's process). */
async function mayAnswer(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    return !['ECONNREFUSED', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')
  } finally {
    socket.destroy()
  }
}

async function listening(name: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).unref()
  server.listen(name)
  await once(server, 'listening')
  return server
}
