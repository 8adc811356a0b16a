import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localGuardian } from '@ordbook/signer/guardian/guardian.ts'
import { makeJournal } from '@ordbook/signer/journal-files.ts'
import { guardianCalls, RevokedRefusal, SignerRefusal, SpentRefusal } from '@ordbook/signer/requests.ts'
import { revocationsIn } from '@ordbook/signer/revocations.ts'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { answeringFaults } from './answers.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-answers-'))
  file = join(folder, 'guardian.journal')
  makeJournal(file)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const log = pino({ level: 'silent' })
const guardian = () =>
  answeringFaults(
    'guardian',
    guardianCalls,
    localGuardian(new Uint8Array(32).fill(1), async () => true, revocationsIn(file)),
    log,
  )

it("converts the guardian's rejection into a conflict", async () => {
  await expect(guardian().release({} as never)).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringMatching(/^The guardian of this market rejected the request: the request/),
  })
})

it("throws unavailable if the guardian's journal fails", async () => {
  const beforeTruncation = guardian()
  await beforeTruncation.revoke([{ id: 'ab'.repeat(32), expiresAt: 0 }])
  writeFileSync(file, '')
  const unavailable = {
    kind: 'unavailable',
    message: 'The guardian is not signing. Try again shortly.',
  }
  await expect(beforeTruncation.revoke([{ id: 'cd'.repeat(32), expiresAt: 0 }])).rejects.toMatchObject(
    unavailable,
  )
  rmSync(file)
  makeJournal(file)
  const beforeDiskFailure = guardian()
  rmSync(folder, { recursive: true })
  await expect(beforeDiskFailure.revoke([{ id: 'cd'.repeat(32), expiresAt: 0 }])).rejects.toMatchObject(
    unavailable,
  )
})

it.each([
  [new RevokedRefusal('revoked'), 'conflict', /^This offer was cancelled by its maker/],
  [new SpentRefusal('spent'), 'unavailable', /has reached its limit on network fees/],
  [new SignerRefusal('no'), 'conflict', /^The guardian of this market rejected the request: no$/],
])('converts %s into %s', async (error, kind, message) => {
  const api = { lock: async () => Promise.reject(error) }
  await expect(answeringFaults('guardian', guardianCalls, api, log).lock()).rejects.toMatchObject({
    kind,
    message: expect.stringMatching(message),
    cause: error,
  })
})
