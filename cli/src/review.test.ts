import { keySpendOf } from '@ordbook/bitcoin/address.ts'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { psbtOf } from '@ordbook/bitcoin/psbt.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { demoWallets } from '@ordbook/sdk/demo-wallets'
import { expect, it } from 'vitest'
import { linesOfTerms, termsOf } from './review.ts'

const { first: wallet } = demoWallets('regtest')
const coins = [1, 2].map((n) => ({ txid: `${n}`.repeat(64), vout: 0, valueSats: 10_000 }))
const located = new Map(coins.map(({ txid }) => [`${txid}:0`, [{ inscriptionId: `${txid}i0`, offset: 0 }]]))

/** Requests to sell every coin for 50,000 sats. */
function saleSigned(sigHash: number) {
  const spend = {
    by: 'key' as const,
    ...keySpendOf(wallet.ordinalsScript, hexToBytes(wallet.ordinalsPublicKey)),
  }
  const layout = {
    version: 2 as const,
    inputs: coins.map((coin) => ({
      role: 'payment' as const,
      signer: 'seller' as const,
      coin: { ...coin, script: wallet.ordinalsScript },
      spend,
    })),
    outputs: coins.map(() => ({
      role: 'payout' as const,
      valueSats: 50_000,
      script: wallet.paymentScript,
    })),
  }
  const request = { indexes: [0, 1], sighash: sigHash }
  return { psbtBase64: psbtOf(layout, request), inputsToSign: [{ signingIndexes: [0, 1], sigHash }] }
}

const textOf = (...sigHashes: number[]) =>
  linesOfTerms(termsOf(wallet, 'regtest', sigHashes.map(saleSigned), located)).join('\n')

it('names the inscription for each price in a batch of sales', () => {
  const outputs = textOf(SIGHASH.SINGLE_ANYONECANPAY).match(/^ {2}out .*$/gm)
  expect(outputs).toEqual(coins.map(({ txid }) => expect.stringMatching(`^ {2}out .*, for ${txid}i0$`)))
  expect(textOf(SIGHASH.ALL)).not.toContain(', for ')
})

it('states how many transactions there are to sign', () => {
  const { SINGLE_ANYONECANPAY } = SIGHASH
  expect(textOf(SINGLE_ANYONECANPAY, SINGLE_ANYONECANPAY)).toMatch(
    /^2 transactions to sign\nTransaction 1 of 2,[\s\S]*\nTransaction 2 of 2,/,
  )
  expect(textOf(SINGLE_ANYONECANPAY)).toMatch(/^Transaction 1 of 1,/)
})
