import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { notifyReady } from './notify-ready.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-notify-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Returns an environment in which `systemd-notify` is this shell script. */
function environmentWith(script: string): NodeJS.ProcessEnv {
  const file = join(folder, 'systemd-notify')
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return { PATH: `${folder}:${process.env.PATH}`, NOTIFY_SOCKET: '/run/systemd/notify' }
}

it('reports readiness to the socket of systemd', async () => {
  const sent = join(folder, 'sent')
  await notifyReady(environmentWith(`echo "$NOTIFY_SOCKET $*" >${sent}`))
  expect(readFileSync(sent, 'utf8')).toBe('/run/systemd/notify --ready\n')
})

it('throws if the message is not sent', async () => {
  await expect(notifyReady(environmentWith('echo no socket >&2; exit 1'))).rejects.toThrow('no socket')
})

it('runs nothing outside a service', async () => {
  const sent = join(folder, 'sent')
  const { NOTIFY_SOCKET: _, ...environment } = environmentWith(`touch ${sent}`)
  await notifyReady(environment)
  expect(existsSync(sent)).toBe(false)
})
