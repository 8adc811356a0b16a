import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The user of renderers where the tests run as root: a browser has no sandbox as root. */
const UNPRIVILEGED = 65534

export interface TestRenderer {
  process: ChildProcess
  /** Everything that it logged. */
  log(): string
  stop(): Promise<void>
}

/** A folder for the socket that the renderer's user may enter. */
export function socketFolder(): { path: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-previews-'))
  if (process.getuid?.() === 0) chownSync(folder, 0, UNPRIVILEGED)
  chmodSync(folder, 0o750)
  return {
    path: join(folder, 'socket'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Starts a renderer at a market's socket, as an unprivileged user where the tests run as root. */
export async function startRenderer(
  socket: string,
  environment: Record<string, string> = {},
): Promise<TestRenderer> {
  const isRoot = process.getuid?.() === 0
  if (isRoot) spawnSync('chgrp', [String(UNPRIVILEGED), socket])
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../previews/src/main.ts')], {
    env: { PATH: process.env.PATH, PREVIEW_SOCKET: socket, LOG_LEVEL: 'debug', ...environment },
    ...(isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}),
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout!.on('data', (chunk) => (said += chunk))
  child.stderr!.on('data', (chunk) => (said += chunk))
  return {
    process: child,
    log: () => said,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
