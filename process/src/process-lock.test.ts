import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { holdAlone, holdInFolder, isHeld } from './process-lock.ts'

// Longer than a socket path may be.
const folder = mkdtempSync(join(tmpdir(), `ordbook-${'held-'.repeat(30)}`))
afterAll(() => rmSync(folder, { recursive: true }))

/** A process that holds the lock. */
async function holderProcess() {
  const program = `import { holdAlone } from ${JSON.stringify(join(import.meta.dirname, 'process-lock.ts'))}
await holdAlone(${JSON.stringify(folder)}, 'signer'); console.log('holds'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

it('locks a folder against a second process, also without the abstract socket', async () => {
  const child = await holderProcess()
  await expect(holdAlone(folder, 'signer')).rejects.toThrow(`another signer runs on ${folder}`)
  // As in another container: abstract socket names belong to a network namespace.
  await expect(holdInFolder(folder, 'signer')).rejects.toThrow('perhaps in another container')
  expect([await isHeld(folder, 'signer'), await isHeld(folder, 'mirror')]).toEqual([true, false])
  ;(await holdAlone(folder, 'mirror'))()
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  expect(readdirSync(folder)).toEqual(['.signer.alone'])
  expect(await isHeld(folder, 'signer')).toBe(false)
  const letGo = await holdAlone(folder, 'signer')
  await expect(holdInFolder(folder, 'signer')).rejects.toThrow('perhaps in another container')
  letGo()
  expect(readdirSync(folder)).toEqual([])
})

it('gives a folder left by a killed process to exactly one of many new ones', async () => {
  const child = await holderProcess()
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => holdInFolder(folder, 'signer')))
  const held = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  expect(held).toHaveLength(1)
  held[0]!()
  expect(readdirSync(folder)).toEqual([])
})
