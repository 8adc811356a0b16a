import { hash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, linkSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from './variables.ts'

/**
 * Locks a folder (a key's journal or a mirror's copy) for this process until it ends, even by a kill. Does nothing except on Linux. There
 * it uses two sockets. One has an abstract name: a kill does not leave it behind, and two processes cannot take it at the same time. The
 * other is in the folder, so that processes in other containers on the same volume find it. Returns a function that releases the lock.
 * Throws ConfigError if another process holds it.
 */
export async function holdAlone(folder: string, holder: string): Promise<() => void> {
  if (process.platform !== 'linux') return () => {}
  const server = await listening(`\0ordbook ${holder} ${hash('sha256', realpathSync(folder))}`).catch(
    (error: Error) => {
      throw new ConfigError(`another ${holder} runs on ${folder}: ${error.message}`)
    },
  )
  try {
    const letGo = await holdInFolder(folder, holder)
    return () => {
      letGo()
      server.close()
    }
  } catch (error) {
    server.close()
    throw error
  }
}

/** Milliseconds after which processes that started at the same time have determined which one holds the folder. */
const SETTLE = 300

/** Locks a folder only with the socket in it. Throws ConfigError if a process listens there, or may. */
export async function holdInFolder(folder: string, holder: string): Promise<() => void> {
  const opened = openSync(folder, 'r')
  const name = socketOf(opened, holder)
  const own = pathIn(opened, `.${holder}.${randomUUID()}`)
  const refused = () => new ConfigError(`another ${holder} runs on ${folder}, perhaps in another container`)
  let server: Server | undefined
  try {
    server = await listening(own).catch((error: Error) => {
      throw new ConfigError(`the file system of ${folder} has to take sockets: ${error.message}`)
    })
    // link() is atomic, however many processes try at the same time.
    for (let tries = 0; !isLinked(own, name); tries++) {
      if (tries === 5 || (await mayAnswer(name))) throw refused()
      // A killed process left this socket behind. If another process replaced it since the check, the link is restored below, unless a
      // third process was faster.
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
    if (inodeOf(name) !== inodeOf(own)) throw refused()
  } catch (error) {
    server?.close()
    closeSync(opened)
    throw error
  } finally {
    rmSync(own, { force: true })
  }
  const held = server
  return () => {
    rmSync(name, { force: true })
    held.close()
    closeSync(opened)
  }
}

/** Whether a process holds a folder; null if the system cannot tell. */
export async function isHeld(folder: string, holder: string): Promise<boolean | null> {
  if (process.platform !== 'linux') return null
  const opened = openSync(folder, 'r')
  try {
    return await mayAnswer(socketOf(opened, holder))
  } finally {
    closeSync(opened)
  }
}

/** A socket path has at most 107 bytes, but the folder's path may be longer. */
const pathIn = (opened: number, name: string) => `/proc/self/fd/${opened}/${name}`
const socketOf = (opened: number, holder: string) => pathIn(opened, `.${holder}.alone`)

/** Inode number; undefined if the file does not exist. */
const inodeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino

/** Links a file to a second name. Returns false if the name is taken. */
function isLinked(file: string, name: string): boolean {
  try {
    linkSync(file, name)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Whether a process listens on a socket. If access is denied (another user's socket), assume that one does. */
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
