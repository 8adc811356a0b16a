import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSecret } from '@ordbook/signer/secret.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readKeyConfig } from './config.ts'
import { openSignerHere } from './open.ts'
import { backUpKeys, restoreKeys } from './sealed-keys.ts'

const PASSPHRASE = 'zwölf Brücken über den Fluss'
let folder: string
let sealed: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-sealed-'))
  sealed = join(folder, 'keys.sealed')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const host = (name: string) => readKeyConfig({ DATA_DIR: join(folder, name) })
const FIRST = { missing: null, isFirst: true }
const LATER = { missing: null, isFirst: false }

it('restores keys without a journal', () => {
  const before = openSignerHere(host('a'), FIRST).keys.keys
  expect(backUpKeys(host('a'), sealed, PASSPHRASE)).toEqual(['cosign', 'coins'])
  expect(statSync(sealed).mode & 0o777).toBe(0o600)
  const seed = readFileSync(join(folder, 'a', 'cosign.key'), 'utf8').trim()
  expect(readFileSync(sealed, 'utf8')).not.toContain(seed)

  // Decomposed Unicode letters, as some keyboards produce.
  expect(restoreKeys(host('b'), sealed, PASSPHRASE.normalize('NFD'))).toEqual(['cosign', 'coins'])
  expect(readdirSync(join(folder, 'b')).sort()).toEqual(['coins.key', 'cosign.key'])
  expect(statSync(join(folder, 'b', 'cosign.key')).mode & 0o777).toBe(0o600)
  expect(() => openSignerHere(host('b'), LATER)).toThrow(/RESET_JOURNAL=on/)
  const restored = openSignerHere({ ...host('b'), resetJournal: 'on' }, LATER).keys.keys
  expect(restored).toEqual(before)
})

it('never overwrites a backup or key', () => {
  openSignerHere(host('a'), FIRST)
  backUpKeys(host('a'), sealed, PASSPHRASE)
  expect(() => backUpKeys(host('a'), sealed, PASSPHRASE)).toThrow(/already exists/)
  readSecret(join(folder, 'b', 'coins.key'))
  expect(() => restoreKeys(host('b'), sealed, PASSPHRASE)).toThrow(/coins\.key already exists/)
  expect(readdirSync(join(folder, 'b'))).toEqual(['coins.key'])
})

it('restores keys next to an existing journal', () => {
  openSignerHere(host('a'), FIRST)
  backUpKeys(host('a'), sealed, PASSPHRASE)
  for (const name of ['cosign.key', 'coins.key']) rmSync(join(folder, 'a', name))
  restoreKeys(host('a'), sealed, PASSPHRASE)
  expect(openSignerHere(host('a'), LATER).made).toBe(false)
})

it('rejects a wrong passphrase', () => {
  readSecret(join(folder, 'a', 'guardian.key'))
  expect(() => backUpKeys(host('a'), sealed, 'elf letters')).toThrow(/at least 12/)
  expect(() => backUpKeys(host('none'), sealed, PASSPHRASE)).toThrow(/on a host with keys/)
  expect(backUpKeys(host('a'), sealed, PASSPHRASE)).toEqual(['guardian'])
  expect(() => restoreKeys(host('b'), sealed, `${PASSPHRASE}.`)).toThrow(
    /passphrase is wrong, or the file was modified/,
  )
  const whole = JSON.parse(readFileSync(sealed, 'utf8'))
  const changes = {
    ...Object.fromEntries(
      ['salt', 'nonce', 'sealed'].map((name) => [
        name,
        { ...whole, [name]: whole[name].replace(/.$/, (digit: string) => (digit === '0' ? '1' : '0')) },
      ]),
    ),
    title: { ...whole, title: 'ordbook keys 2' },
    more: { ...whole, more: 1 },
    cut: { ...whole, sealed: whole.sealed.slice(0, 20) },
    none: null,
  }
  for (const [name, content] of Object.entries(changes)) {
    const file = join(folder, name)
    writeFileSync(file, JSON.stringify(content))
    expect(() => restoreKeys(host('b'), file, PASSPHRASE), name).toThrow(/was modified|not a backup of keys/)
  }
  writeFileSync(join(folder, 'large'), ' '.repeat(5000))
  expect(() => restoreKeys(host('b'), join(folder, 'large'), PASSPHRASE)).toThrow(/too large/)
  expect(() => restoreKeys(host('b'), join(folder, 'absent'), PASSPHRASE)).toThrow(/cannot find/)
  expect(readdirSync(folder)).not.toContain('b')
})
