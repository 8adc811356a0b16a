import { bbqrOf } from '@ordbook/bitcoin/bbqr.ts'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { bytewordsOf } from '@ordbook/bitcoin/bytewords.ts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AccountCodes, accountTextIn } from './account-codes.ts'
import { accountsFrom, readAccountKeys } from './account-export.ts'

/** Account of "abandon abandon … about" with BIP-44, BIP-86 and BIP-84 in CBOR, encoded by urtypes 1.0.0. */
const ACCOUNT = hexToBytes(
  'a2011a73c5da0a0283d90193d9012fa403582103418278a2885c8bb98148158d1474634097a179c642f23cf1cc04da62' +
    '9ac6f0fb045820c61a8f27e98182314d2444da3e600eb5836ec8ad183c86c311f95df8082b18aa06d90130a30186182c' +
    'f500f500f5021a73c5da0a0303081a035270dad90199d9012fa403582103418278a2885c8bb98148158d1474634097a1' +
    '79c642f23cf1cc04da629ac6f0fb045820c61a8f27e98182314d2444da3e600eb5836ec8ad183c86c311f95df8082b18' +
    'aa06d90130a301861856f500f500f5021a73c5da0a0303081a035270dad90194d9012fa403582102707a62fdacc26ea9' +
    'b63b1c197906f56ee0180d0bcf1966e1a2da34f5f3a09a9b0458204a53a0ab21b9dc95869c4e92a161194e03c0ef3ff5' +
    '014ac692f433c4765490fc06d90130a301861854f500f500f5021a73c5da0a0303081a7ef32bdb',
)
const SINGLE = `ur:crypto-account/${bytewordsOf(ACCOUNT)}`

async function textOf(codes: readonly string[]): Promise<string | null> {
  const reader = new AccountCodes()
  for (const code of codes) expect(reader.take(code)).toBe(true)
  expect(reader.seen).toBe(reader.count)
  return reader.text()
}

it.each([
  ['one UR code', [SINGLE]],
  ['a UR code in capitals', [SINGLE.toUpperCase()]],
])('parses an account from %s', async (_, codes) => {
  const keys = readAccountKeys((await textOf(codes))!, 'mainnet')
  const { ordinals, payment } = accountsFrom(keys, 0, 'mainnet')
  expect(ordinals).toMatchObject({
    address: 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
    origin: '73c5da0a/86h/0h/0h/0/0',
  })
  expect(payment).toMatchObject({
    address: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    origin: '73c5da0a/84h/0h/0h/0/0',
  })
})

it('parses an account-descriptor', async () => {
  const [, , taproot, segwit] = bytesToHex(ACCOUNT)
    .replaceAll('d90130', 'd99d70')
    .split(/d901(?:93|99|94)d9012f/)
  const output = (source: string, key: string) =>
    `d99d74a201${(0x60 + source.length).toString(16)}${bytesToHex(new TextEncoder().encode(source))}0281d99d6f${key}`
  const account = `a2011a73c5da0a0282${output('tr(@0)', taproot!)}${output('wpkh(@0)', segwit!)}`
  const text = await textOf([`ur:account-descriptor/${bytewordsOf(hexToBytes(account))}`])
  expect(text!.split('\n')).toEqual([
    expect.stringMatching(/^tr\(\[73c5da0a\/86h\/0h\/0h\]xpub6BgBgses\w+\)$/),
    expect.stringMatching(/^wpkh\(\[73c5da0a\/84h\/0h\/0h\]xpub6CatWdi\w+\)$/),
  ])
})

it('decodes text from BBQr codes', async () => {
  const json = JSON.stringify({ xfp: '73C5DA0A', bip86: { desc: 'tr(…)' }, more: 'x'.repeat(500) })
  const [psbt, ...codes] = bbqrOf(new TextEncoder().encode(json), 200)
  const asJson = [psbt!, ...codes].map((code) => code.replace('B$2P', 'B$2J'))
  expect(asJson.length).toBeGreaterThan(1)
  expect(await textOf(asJson)).toBe(json)
  expect(new AccountCodes().take(psbt!)).toBe(false)
  expect(new AccountCodes().take('ur:crypto-psbt/hdosjojkidjyzm')).toBe(false)
})

it('accepts a single code of plain text', async () => {
  for (const plain of [
    'tr([73c5da0a/86h/0h/0h]xpub…/<0;1>/*)',
    'sh(wpkh([73c5da0a/49h/0h/0h]xpub…/0/*))',
    "[73C5DA0A/86'/0'/0']xpub6BgBgses",
    'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
    '{"xfp":"73C5DA0A"}',
  ])
    expect(await textOf([plain]), plain).toBe(plain)
  for (const other of ['bitcoin:bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'cHNidP8BAA==', 'https://xpub'])
    expect(new AccountCodes().take(other), other).toBe(false)
  const reader = new AccountCodes()
  reader.take('xpub6BgBgses')
  reader.take('B$HU0200FF')
  expect([await reader.text(), reader.seen, reader.count]).toEqual([null, 1, 2])
})

it('returns null until all codes are scanned', async () => {
  const reader = new AccountCodes()
  expect(await reader.text()).toBeNull()
  reader.take('B$HU0200FF')
  expect(await reader.text()).toBeNull()
  const damaged = new AccountCodes()
  damaged.take('B$HJ0100FF')
  await expect(damaged.text()).rejects.toThrow(/Scan them again/)
})

it('throws only WalletRefused on invalid input', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), async (text) => {
      const reader = new AccountCodes()
      const isTaken = reader.take(text)
      expect(await reader.text()).toBe(isTaken ? text : null)
    }),
  )
})

it('decodes codes in pasted text', async () => {
  expect(await accountTextIn(`\n${SINGLE}\n`)).toContain('tr([73c5da0a/86h/0h/0h]xpub')
  expect(await accountTextIn('tr([73c5da0a/86h/0h/0h]xpub…/0/*)')).toBe('tr([73c5da0a/86h/0h/0h]xpub…/0/*)')
  await expect(accountTextIn('B$HU0200FF')).rejects.toThrow('1 of 2 codes')
  await expect(accountTextIn('ur:crypto-psbt/hdosjojkidjyzm')).rejects.toThrow(/not an account code/)
})
