import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { guards } from '../e2e/guards/guards.ts'

it.each(guards)('the guard matches exactly once: $name', ({ file, find }) => {
  const source = readFileSync(join(import.meta.dirname, '..', file), 'utf8')
  expect(source.split(find).length - 1, `${file}: ${find}`).toBe(1)
})
