import fs, { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { assertCheckpoint, JournalError } from './checkpoint.ts'
import { openJournal } from './journal.ts'
import { makeJournal } from './journal-files.ts'
import { SignerRefusal, SpentRefusal } from './requests.ts'
import { revocationsIn } from './revocations.ts'
import { memoryIn } from './signer-state.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-journal-'))
  file = join(folder, 'data', 'test.journal')
  makeJournal(file)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const hash = (n: number) => n.toString(16).padStart(64, '0')
const EXPIRES_AT = 1_800_000_000_000
const orders = (...ns: number[]) => ns.map((n) => ({ id: hash(n), expiresAt: EXPIRES_AT }))
const outpoint = (n: number) => `${hash(n)}:0`
const price = (n: number) => n.toString(16).padStart(32, '0')

describe('revocationsIn', () => {
  it('keeps revocations across a restart', async () => {
    const revoked = revocationsIn(file)
    expect(revoked.has(hash(1))).toBe(false)
    await revoked.add(orders(1, 2, 1))
    await revoked.add(orders(2, 3))
    expect(readFileSync(file, 'utf8').split('\n').slice(1)).toEqual([
      ...[1, 2, 3].map((n) => `revoked ${hash(n)} ${EXPIRES_AT}`),
      '',
    ])
    const reopened = revocationsIn(file)
    expect([1, 2, 3, 4].map((n) => reopened.has(hash(n)))).toEqual([true, true, true, false])
    expect(reopened.journal.mark()).toEqual(revoked.journal.mark())
  })

  it('reads revocations of other processes', async () => {
    const [one, other] = [revocationsIn(file), revocationsIn(file)]
    await one.add(orders(1))
    expect(other.has(hash(1))).toBe(true)
    await other.add(orders(2))
    await one.add(orders(3))
    for (const revoked of [one, other]) {
      expect([1, 2, 3].map((n) => revoked.has(hash(n)))).toEqual([true, true, true])
      expect(revoked.journal.mark().lines).toBe(3)
    }
  })

  it('ignores a truncated line', async () => {
    const revoked = revocationsIn(file)
    await revoked.add(orders(1))
    appendFileSync(file, `revoked ${hash(2).slice(0, 20)}`)
    expect(revoked.has(hash(2))).toBe(false)
    await revoked.add(orders(3))
    expect([1, 2, 3].map((n) => revocationsIn(file).has(hash(n)))).toEqual([true, false, true])
    expect(revoked.has(hash(3))).toBe(true)
  })

  it('throws if an old copy replaces the journal', async () => {
    const revoked = revocationsIn(file)
    copyFileSync(file, join(folder, 'old'))
    await revoked.add(orders(1))
    const seen = revoked.journal.mark()
    copyFileSync(join(folder, 'old'), file)
    expect(() => revoked.has(hash(1))).toThrow(JournalError)
    await expect(revoked.add(orders(2))).rejects.toThrow('has lost lines')
    // Only the market can detect that a process started on an old copy.
    const older = revocationsIn(file).journal.mark()
    expect(() => assertCheckpoint(older, seen)).toThrow('the journal has 0 lines, but the market has seen 1')
    expect(() => assertCheckpoint({ ...seen, journal: hash(9) }, seen)).toThrow(
      'Restore the journal that the market has seen',
    )
    assertCheckpoint({ ...seen, lines: 2 }, seen)
  })

  it('openJournal rejects missing and invalid files', async () => {
    const { journal } = openJournal(file, { read() {} }).mark()
    makeJournal(file)
    expect(openJournal(file, { read() {} }).mark().journal).toBe(journal)
    expect(() => openJournal(join(folder, 'none'), { read() {} })).toThrow('cannot find')
    writeFileSync(join(folder, 'text'), `${hash(1)}\n`)
    expect(() => openJournal(join(folder, 'text'), { read() {} })).toThrow('is not an ordbook journal')
  })
})

describe('memoryIn', () => {
  let now = 1_700_000_000_000
  const memory = (mostDaySats = 1000) => memoryIn(file, mostDaySats, () => now)

  it('rejects a leg below the floor of its escrow coin', async () => {
    const one = memory()
    await one.claim([{ outpoint: outpoint(1), generation: 0, price: price(1) }], [])
    await one.raise([{ outpoint: outpoint(1), floor: 2 }])
    await one.raise([{ outpoint: outpoint(1), floor: 1 }])
    for (const state of [one, memory()]) {
      expect(state.floorOf(outpoint(1)).floor).toBe(2)
      for (const generation of [0, 1])
        await expect(
          state.claim([{ outpoint: outpoint(1), generation, price: price(1) }], []),
        ).rejects.toThrow(/was revoked. The lowest valid generation is 2/)
      await state.claim([{ outpoint: outpoint(1), generation: 2, price: price(2) }], [])
      await state.claim([{ outpoint: outpoint(2), generation: 0, price: price(1) }], [])
    }
  })

  it('accepts one price per generation', async () => {
    const leg = { outpoint: outpoint(1), generation: 3, price: price(1) }
    const one = memory()
    await one.claim([leg], [])
    await one.claim([leg], [])
    expect(one.journal.mark().lines).toBe(1)
    for (const state of [one, memory()])
      await expect(state.claim([{ ...leg, price: price(2) }], [])).rejects.toThrow(
        'was signed for a different price',
      )
    await one.claim([{ ...leg, generation: 4, price: price(2) }], [])
  })

  it('enforces the daily limit', async () => {
    const one = memory()
    await one.claim([], [{ txid: hash(1), sats: 600 }])
    await one.claim([], [{ txid: hash(1), sats: 600 }])
    for (const state of [one, memory()])
      await expect(state.claim([], [{ txid: hash(2), sats: 401 }])).rejects.toThrow(SpentRefusal)
    await one.claim([], [{ txid: hash(3), sats: 400 }])
    await expect(memory().claim([], [{ txid: hash(4), sats: 1 }])).rejects.toThrow(
      '1 more sats would make 1001 in 24 hours, above SIGNER_MAX_FEE_PER_DAY_SATS (1000)',
    )
    now += 86_400_000
    for (const state of [one, memory()]) await state.claim([], [{ txid: hash(5), sats: 900 }])
    await expect(one.claim([], [{ txid: hash(6), sats: 101 }])).rejects.toThrow(SpentRefusal)
  })

  it('writes nothing for a rejected request', async () => {
    const one = memory()
    await one.raise([{ outpoint: outpoint(1), floor: 1 }])
    const before = one.journal.mark()
    const legs = [
      { outpoint: outpoint(2), generation: 0, price: price(1) },
      { outpoint: outpoint(1), generation: 0, price: price(1) },
    ]
    await expect(one.claim(legs, [{ txid: hash(1), sats: 10 }])).rejects.toThrow(SignerRefusal)
    await expect(one.claim([], [{ txid: hash(1), sats: 1001 }])).rejects.toThrow(SpentRefusal)
    expect(one.journal.mark()).toEqual(before)
  })

  it('confirms a line of a failed sync only after a sync', async () => {
    const one = memory()
    const legs = [{ outpoint: outpoint(1), generation: 0, price: price(1) }]
    const sync = vi.spyOn(fs, 'fsyncSync')
    syncBuiltinESMExports()
    onTestFinished(() => {
      sync.mockRestore()
      syncBuiltinESMExports()
    })
    sync.mockImplementation(() => {
      throw new Error('EIO')
    })
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(one.claim(legs, [{ txid: hash(1), sats: 10 }])).rejects.toThrow('EIO')
    sync.mockReset()
    await one.claim(legs, [{ txid: hash(1), sats: 10 }])
    expect(sync).toHaveBeenCalledTimes(1)
    expect(one.journal.mark()).toEqual(memory().journal.mark())
    expect(one.journal.mark().lines).toBe(2)
  })

  it('enforces limits across two processes', async () => {
    const [one, other] = [memory(), memory()]
    await one.claim([], [{ txid: hash(1), sats: 700 }])
    await expect(other.claim([], [{ txid: hash(2), sats: 700 }])).rejects.toThrow(SpentRefusal)
    await one.raise([{ outpoint: outpoint(1), floor: 1 }])
    await expect(
      other.claim([{ outpoint: outpoint(1), generation: 0, price: price(1) }], []),
    ).rejects.toThrow('was revoked')
  })
})
