import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { asInBundle, fileOf, PROGRAMS, type Program, typed } from './programs.ts'

it('knows the module of each program', () => {
  for (const program of Object.keys(PROGRAMS) as Program[]) expect(existsSync(fileOf(program))).toBe(true)
})

it('names commands as they are typed in a checkout', () => {
  expect(typed('start')).toBe('npm start')
  expect(typed('demo:trade')).toBe('npm run demo:trade')
})

it.each([
  ['usage: npm start [-- --demo]', 'usage: ordbook market start [--demo]'],
  ['usage: npm run backup -- FILE', 'usage: ordbook market backup FILE'],
  ['usage: npm run upgrade -- --look', 'usage: ordbook market upgrade --look'],
  ['usage: npm run operate -- COMMAND', 'usage: ordbook market COMMAND'],
  ['   (beside a running `npm start`)', '   (beside a running `ordbook market start`)'],
])('names those of "%s" as a bundle has them', (inCheckout, inBundle) => {
  expect(asInBundle(inCheckout, false)).toBe(inBundle)
  expect(asInBundle(inCheckout, true)).toBe(inBundle.replace('ordbook', 'npx ordbook'))
})
