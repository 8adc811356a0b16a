import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { holdInFolder, isHeld, lockFolder } from './process-lock.ts'

// A path longer than the limit for sockets.
const folder = mkdtempSync(join(tmpdir(), `ordbook-${'held-'.repeat(30)}`))
afterAll(() => rmSync(folder, { recursive: true }))

/** Starts a process that holds the lock. */
async function holderProcess() {
  const program = `import { lockFolder } from ${JSON.stringify(join(import.meta.dirname, 'process-lock.ts'))}
await lockFolder(${JSON.stringify(folder)}, 'signer'); console.log('holds'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

it('locks a folder against other processes', async () => {
  const child = await holderProcess()
  await expect(lockFolder(folder, 'signer')).rejects.toThrow(`another signer runs on ${folder}`)
  // Simulates another container: abstract socket names belong to a network namespace.
  await expect(holdInFolder(folder, 'signer')).rejects.toThrow('perhaps in another container')
  expect([await isHeld(folder, 'signer'), await isHeld(folder, 'mirror')]).toEqual([true, false])
  ;(await lockFolder(folder, 'mirror'))()
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  expect(readdirSync(folder)).toEqual(['.signer.alone'])
  expect(await isHeld(folder, 'signer')).toBe(false)
  const unlock = await lockFolder(folder, 'signer')
  await expect(holdInFolder(folder, 'signer')).rejects.toThrow('perhaps in another container')
  unlock()
  expect(readdirSync(folder)).toEqual([])
})

it('releases the lock when its holder is killed', async () => {
  const child = await holderProcess()
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => holdInFolder(folder, 'signer')))
  const unlocks = all.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  expect(unlocks).toHaveLength(1)
  unlocks[0]!()
  expect(readdirSync(folder)).toEqual([])
})
