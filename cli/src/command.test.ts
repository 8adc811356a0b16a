import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { runCommand } from './command.ts'

afterEach(() => void vi.restoreAllMocks())

it.each(['--version', '-V'])('prints the version for %s', async (option) => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  expect(await runCommand([option])).toBe(0)
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  expect(write.mock.calls.flat()).toEqual([`ordbook ${version}\n`])
})
