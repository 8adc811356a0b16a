import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { fileOf, PROGRAMS, type Program, typed } from './programs.ts'

it('has a module for each program', () => {
  for (const program of Object.keys(PROGRAMS) as Program[]) expect(existsSync(fileOf(program))).toBe(true)
})

it('prefixes commands with npx in a checkout', () => {
  expect(typed('demo trade')).toBe('npx ordbook market demo trade')
})
