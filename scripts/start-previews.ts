import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser } from '@ordbook/previews/browser/launch.ts'

/**
 * The user of the renderer where root starts everything: one of the numbers that systemd keeps for passing users, so that nothing else
 * on the machine is its own.
 */
const PASSING_USER = 61_613

/** The place at which the renderer of `npm start` meets the server. */
export interface RendererPlace {
  socket: string
  /** Null: as the one who started. */
  owner: { uid: number; gid: number } | null
  /** Deletes the folder of the socket. */
  remove(): void
}

/** A place for a renderer; else the reason why this machine has none. */
export function placeForRenderer(): RendererPlace | { reason: string } {
  if (process.platform !== 'linux') return { reason: 'the renderer needs Linux' }
  try {
    createRequire(import.meta.resolve('@ordbook/previews/main.ts')).resolve('sharp')
  } catch {
    return { reason: 'sharp is not installed' }
  }
  if (!findBrowser(process.env.CHROMIUM ?? null)) return { reason: 'there is no Chromium' }
  const owner = process.getuid?.() === 0 ? { uid: PASSING_USER, gid: PASSING_USER } : null
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-previews-'))
  if (owner) {
    chownSync(folder, 0, owner.gid)
    // The socket takes the group of its folder.
    chmodSync(folder, 0o2750)
  }
  return {
    socket: join(folder, 'socket'),
    owner,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Starts a renderer there: it gets no setting but its own, and never runs as root. */
export const spawnRenderer = ({ socket, owner }: RendererPlace) =>
  spawn('nice', [process.execPath, join(import.meta.dirname, '../previews/src/main.ts')], {
    env: {
      PATH: process.env.PATH,
      CHROMIUM: process.env.CHROMIUM,
      PREVIEW_SOCKET: socket,
      LOG_LEVEL: 'silent',
    },
    cwd: tmpdir(),
    stdio: ['ignore', 'ignore', 'ignore'],
    detached: true,
    ...owner,
  })
