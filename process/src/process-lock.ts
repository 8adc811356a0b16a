import { hash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, linkSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from './variables.ts'

/**
 * Holds a folder, the journal of a key or a mirror's copy, for this process until it ends, however it ends. On Linux by two sockets: one with an
 * abstract name, which no kill leaves behind and no two processes can take over at one moment, and one in the folder, which processes in other
 * containers on the same volume find, too. Gives what lets go of it before. Throws ConfigError where another process holds it.
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

/** Milliseconds in which all who begin at one moment have found out whose the folder is. */
const SETTLE = 300

/** Holds a folder by the socket in it alone. Throws ConfigError where a process answers there, or may. */
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
    // A link is made or not, however many try at the same moment.
    for (let tries = 0; !isLinked(own, name); tries++) {
      if (tries === 5 || (await mayAnswer(name))) throw refused()
      // A kill left this behind. Another process may have taken its place since: then that one has it back, if no third was faster.
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

/** Whether a process holds a folder; null where the system does not say. */
export async function isHeld(folder: string, holder: string): Promise<boolean | null> {
  if (process.platform !== 'linux') return null
  const opened = openSync(folder, 'r')
  try {
    return await mayAnswer(socketOf(opened, holder))
  } finally {
    closeSync(opened)
  }
}

/** The path of a socket has 107 bytes at most, and that of a folder may have more. */
const pathIn = (opened: number, name: string) => `/proc/self/fd/${opened}/${name}`
const socketOf = (opened: number, holder: string) => pathIn(opened, `.${holder}.alone`)

/** The number of a file on its file system; undefined where there is none. */
const inodeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino

/** Whether a file got a second name; not where something has that name. */
function isLinked(file: string, name: string): boolean {
  try {
    linkSync(file, name)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Whether a process holds a socket; that of another user cannot be asked, so it may. */
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
