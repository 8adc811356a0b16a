import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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
const psbtWith = (valueSats: number) =>
  psbtOf(
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
      outputs: [{ role: 'change', valueSats, script }],
    } as unknown as Parameters<typeof psbtOf>[0],
    { indexes: [0] },
  )
const [PSBT, OTHER] = [psbtWith(9000), psbtWith(8000)]
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

/** Returns the response files of the requests in the folder. */
const answers = () =>
  readdirSync(folder)
    .filter((name) => /^1-of-1-\w+\.psbt$/.test(name))
    .map((name) => join(folder, name.replace('.psbt', '.signed.psbt')))

it('writes a request file that only its owner can read', async () => {
  const signed = wallet().signPsbt(PSBT, inputs)
  const [answer] = answers()
  const request = answer!.replace('.signed.psbt', '.psbt')
  expect(readFileSync(request, 'utf8')).toBe(`${PSBT}\n`)
  expect(statSync(request).mode & 0o777).toBe(0o600)
  writeFileSync(answer!, PSBT)
  expect(await signed).toBe(PSBT)
})

it('writes different files for two requests at the same time', async () => {
  const signed = [wallet().signPsbt(PSBT, inputs), wallet().signPsbt(OTHER, inputs)]
  expect(answers()).toHaveLength(2)
  for (const answer of answers())
    writeFileSync(answer, readFileSync(answer.replace('.signed.psbt', '.psbt'), 'utf8'))
  expect(await Promise.all(signed)).toEqual([PSBT, OTHER])
  expect(readdirSync(folder)).toEqual([])
})

it.each([
  ['base64', () => PSBT],
  ['hex', () => bytesToHex(bytesOfBase64(PSBT)!)],
  ['bytes', () => bytesOfBase64(PSBT)!],
])('waits for a complete %s response', async (_, answerOf) => {
  const answer = answerOf()
  const signed = wallet().signPsbt(PSBT, inputs)
  const file = answers()[0]!
  // A prefix that is itself valid hex and base64.
  writeFileSync(file, answer.slice(0, 64))
  await sleep(1000)
  writeFileSync(file, answer)
  expect(await signed).toBe(PSBT)
})

it('rejects a response that stays incomplete', async () => {
  const signed = wallet(1).signPsbt(PSBT, inputs)
  writeFileSync(answers()[0]!, PSBT.slice(0, 64))
  await expect(signed).rejects.toThrow(/1-of-1-\w+\.signed\.psbt is incomplete/)
  expect(readdirSync(folder)).toEqual([])
})
