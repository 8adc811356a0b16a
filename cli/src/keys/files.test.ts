import { linkSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { bytesOfBase64, bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { publicKeyOf } from '@ordbook/bitcoin/keys.ts'
import { psbtOf } from '@ordbook/bitcoin/psbt.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fileWallet } from './files.ts'

const publicKey = publicKeyOf(new Uint8Array(32).fill(7))
const script = scriptOfPublicKey(publicKey, 'p2tr')
const PSBT = psbtOf(
  {
    version: 2,
    inputs: [
      {
        role: 'funding',
        coin: { txid: '11'.repeat(32), vout: 0, valueSats: 10_000, script },
        spend: keySpendOf(script, publicKey),
        signer: 'buyer',
      },
    ],
    outputs: [{ role: 'change', valueSats: 9000, script }],
  } as unknown as Parameters<typeof psbtOf>[0],
  { indexes: [0] },
)
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-files-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const ADDRESS = 'bcrt1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqvg32hk'
const wallet = (waitSeconds = 20) =>
  fileWallet(
    {
      kind: 'files',
      folder,
      waitSeconds,
      ordinalsAddress: ADDRESS,
      paymentAddress: ADDRESS,
      ordinalsPublicKey: '',
      paymentPublicKey: '',
    },
    'regtest',
    () => {},
  )
const inputs = [{ address: ADDRESS, signingIndexes: [0] }]

it('replaces a request file atomically', async () => {
  const request = join(folder, '1-of-1.psbt')
  writeFileSync(request, 'an older request')
  linkSync(request, join(folder, 'seen-before'))
  const signed = wallet().signPsbt(PSBT, inputs)
  expect(readFileSync(request, 'utf8')).toBe(`${PSBT}\n`)
  expect(statSync(request).mode & 0o777).toBe(0o600)
  // Writing in place would also change the hard link.
  expect(readFileSync(join(folder, 'seen-before'), 'utf8')).toBe('an older request')
  writeFileSync(join(folder, '1-of-1.signed.psbt'), PSBT)
  expect(await signed).toBe(PSBT)
})

it.each([
  ['base64', () => PSBT],
  ['hex', () => bytesToHex(bytesOfBase64(PSBT)!)],
  ['bytes', () => bytesOfBase64(PSBT)!],
])('waits for a complete %s response', async (_, answerOf) => {
  const answer = answerOf()
  const file = join(folder, '1-of-1.signed.psbt')
  const signed = wallet().signPsbt(PSBT, inputs)
  // A prefix that is itself valid hex and base64.
  writeFileSync(file, answer.slice(0, 64))
  await sleep(1000)
  writeFileSync(file, answer)
  expect(await signed).toBe(PSBT)
})

it('rejects a response that stays incomplete', async () => {
  const signed = wallet(1).signPsbt(PSBT, inputs)
  writeFileSync(join(folder, '1-of-1.signed.psbt'), PSBT.slice(0, 64))
  await expect(signed).rejects.toThrow(/1-of-1\.signed\.psbt is incomplete/)
})
