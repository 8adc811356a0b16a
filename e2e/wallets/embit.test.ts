import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { SIGHASH, taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import { hexOfTransaction, SEQUENCE_RBF, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { expect, it } from 'vitest'
import { python } from './by-python.ts'

/** Reproduces a bug in embit's sighash. The test fails once embit follows BIP-341. */
const script = Uint8Array.of(0x51, 0x20, ...new Uint8Array(32).fill(0x79))
const tx: Tx = {
  version: 2,
  locktime: 0,
  inputs: [
    { txid: '11'.repeat(32), vout: 0, sequence: SEQUENCE_RBF, scriptSig: new Uint8Array(), witness: [] },
  ],
  outputs: [{ valueSats: 9000, script }],
}

it.each([
  ['DEFAULT', true],
  ['ALL', true],
  ['ALL_ANYONECANPAY', false],
  ['SINGLE_ANYONECANPAY', false],
] as const)('embit follows BIP-341 for sighash %s: %s', (name, agrees) => {
  const prevout = { valueSats: 10_000, script }
  const ours = bytesToHex(taprootSighash(tx, 0, [prevout], SIGHASH[name]))
  const theirs = python(
    'embit_wallet.py',
    'sighash',
    hexOfTransaction(tx),
    bytesToHex(script),
    String(prevout.valueSats),
    String(SIGHASH[name]),
  )
  expect(theirs === ours).toBe(agrees)
})
