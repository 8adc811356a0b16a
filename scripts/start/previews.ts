import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findBrowser } from '@ordbook/previews/browser/launch.ts'
import { fileOf } from '../../cli/src/programs.ts'

/** User of the renderer if root starts the market, from systemd's range for dynamic users. */
const PASSING_USER = 61_613

export interface RendererPlace {
  socket: string
  /** Null for the current user. */
  owner: Owner | null
  /** Deletes the folder of the socket. */
  remove(): void
}

interface Owner {
  uid: number
  gid: number
}

const SCRIPT = fileOf('previews')

export const canRead = (path: string, owner: Owner): boolean =>
  spawnSync('test', ['-r', path], { stdio: 'ignore', cwd: '/', ...owner }).status === 0

/** Returns the setup of a renderer, or the reason why it cannot run here. */
export function placeForRenderer(): RendererPlace | { reason: string } {
  if (process.platform !== 'linux') return { reason: 'the renderer needs Linux' }
  try {
    createRequire(SCRIPT).resolve('sharp')
  } catch {
    return { reason: 'sharp is not installed' }
  }
  if (!findBrowser(process.env.CHROMIUM ?? null)) return { reason: 'Chromium not found' }
  const owner = process.getuid?.() === 0 ? { uid: PASSING_USER, gid: PASSING_USER } : null
  const hidden = owner && [process.execPath, SCRIPT].find((path) => !canRead(path, owner))
  if (hidden) return { reason: `the renderer's user, ${owner.uid}, cannot read ${hidden}` }
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-previews-'))
  if (owner) {
    chownSync(folder, 0, owner.gid)
    // The socket inherits the group of its folder.
    chmodSync(folder, 0o2750)
  }
  return {
    socket: join(folder, 'socket'),
    owner,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Starts a renderer with only its own settings in the environment, never as root. */
export function spawnRenderer({ socket, owner }: RendererPlace, say: (text: string) => void) {
  const child = spawn('nice', [process.execPath, SCRIPT], {
    env: {
      PATH: process.env.PATH,
      CHROMIUM: process.env.CHROMIUM,
      PREVIEW_SOCKET: socket,
      LOG_LEVEL: 'warn',
      ORDBOOK_STOP_WITH_PARENT: '1',
    },
    cwd: tmpdir(),
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
    ...owner,
  })
  createInterface({ input: child.stderr }).on('line', (line) =>
    say(`the preview renderer: ${messageIn(line)}`),
  )
  return child
}

/** Extracts the message of a log line, without control characters. */
function messageIn(line: string): string {
  let message: unknown
  try {
    message = JSON.parse(line).msg
  } catch {
    // Not a log line, but output of Node.
  }
  return String(message ?? line).replace(/\p{C}/gu, ' ')
}
