import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RendererConfig } from '@ordbook/previews/config.ts'
import { tune } from '../../support/tune.ts'

/** User id of renderers if tests run as root: Chromium's sandbox requires an unprivileged user. */
const UNPRIVILEGED = 65534

export interface TestRenderer {
  process: ChildProcess
  log(): string
  stop(): Promise<void>
}

/** Creates a socket directory that the renderer's user can access. */
export function socketFolder(): { path: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-previews-'))
  if (process.getuid?.() === 0) chownSync(folder, 0, UNPRIVILEGED)
  chmodSync(folder, 0o750)
  return {
    path: join(folder, 'socket'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const ROOT = join(import.meta.dirname, '../../..')

/**
 * Returns a command that runs a script of this checkout as the unprivileged user. Mounts the checkout elsewhere if that user cannot access
 * it, for example below /root.
 */
function asUnprivileged(
  script: string,
  flags: (root: string) => string[],
): [command: string, args: string[]] {
  const user = ['--reuid', String(UNPRIVILEGED), '--regid', String(UNPRIVILEGED), '--clear-groups', '--']
  const runs = (root: string) => [process.execPath.replace(ROOT, root), ...flags(root), join(root, script)]
  if (spawnSync('setpriv', [...user, 'test', '-r', join(ROOT, script)]).status === 0)
    return ['setpriv', [...user, ...runs(ROOT)]]
  const mountPoint = mkdtempSync(join(tmpdir(), 'ordbook-checkout-'))
  chmodSync(mountPoint, 0o755)
  const mounted = 'mount --bind "$0" "$1" && cd / && shift && exec "$@"'
  return [
    'unshare',
    ['--mount', 'sh', '-c', mounted, ROOT, mountPoint, 'setpriv', ...user, ...runs(mountPoint)],
  ]
}

/** Starts a renderer for a market, unprivileged if the tests run as root. */
export async function startRenderer(
  socket: string,
  {
    tuning = {},
    ...settings
  }: { [setting: Uppercase<string>]: string; tuning?: Partial<RendererConfig> } = {},
): Promise<TestRenderer> {
  const isRoot = process.getuid?.() === 0
  if (isRoot) spawnSync('chgrp', [String(UNPRIVILEGED), socket])
  const script = 'previews/src/main.ts'
  const tuned = (root: string) => tune('@ordbook/previews/config.ts', tuning, join(root, 'e2e/support'))
  const flags = (root: string) => tuned(root).flags
  const [command, args] = isRoot
    ? asUnprivileged(script, flags)
    : [process.execPath, [...flags(ROOT), join(ROOT, script)]]
  const child = spawn(command, args, {
    env: {
      PATH: process.env.PATH,
      PREVIEW_SOCKET: socket,
      LOG_LEVEL: 'debug',
      ...settings,
      ...tuned(ROOT).environment,
    },
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout!.on('data', (chunk) => (output += chunk))
  child.stderr!.on('data', (chunk) => (output += chunk))
  return {
    process: child,
    log: () => output,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
