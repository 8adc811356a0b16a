import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { buildRevealScript } from '@ordbook/bitcoin/envelope.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import { assertExecutable } from '@ordbook/bitcoin/trade/executable.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { describe, expect, it } from 'vitest'
import { effectsOf } from './effects.ts'
import { CannotSplit, OverBudget } from './errors.ts'
import { contentsByNode } from './plain-coins.ts'
import { finishSplit, planSplit, split } from './split.ts'
import { LocalWallet } from './wallet.ts'

const keyOf = (name: string) => sha256(new TextEncoder().encode(name))
const walletOf = (paymentKind: 'p2wpkh' | 'p2sh-p2wpkh' | 'p2tr', payment = 'pays') =>
  new LocalWallet({ ordinals: keyOf('owner'), payment: keyOf(payment) }, { network: 'regtest', paymentKind })
const coinOf = (n: number, valueSats: number, script: Uint8Array): Coin => ({
  txid: n.toString(16).padStart(64, '0'),
  vout: n,
  valueSats,
  script,
})
const ids = [0, 1, 2].map((n) => `${'ab'.repeat(32)}i${n}`)
const contents = [0, 1, 9999].map((offset, n) => ({ inscriptionId: ids[n]!, offset }))
const agreementOf = (wallet: LocalWallet, script = wallet.ordinalsScript) => ({
  coin: coinOf(1, 10_000, script),
  contents: [contents[0]!, contents[2]!],
  coins: [coinOf(2, 40_000, wallet.paymentScript), coinOf(3, 20_000, wallet.paymentScript)],
  feeRateSatVb: 4,
  maxNetworkSats: 5000,
})

describe('split', () => {
  for (const kind of ['p2wpkh', 'p2sh-p2wpkh', 'p2tr'] as const)
    it(`splits a coin with a ${kind} payment wallet`, async () => {
      const wallet = walletOf(kind)
      const { tx, layout, arrivals, feeSats } = await split(wallet, agreementOf(wallet))
      for (const [index, input] of tx.inputs.entries()) assertExecutable(layout, index, input.witness[0]!)
      expect(arrivals).toEqual([
        { inscriptionId: ids[0], txid: txidOf(tx), vout: 0, offset: 0, valueSats: 9670 },
        { inscriptionId: ids[2], txid: txidOf(tx), vout: 1, offset: 329, valueSats: 330 },
      ])
      expect(tx.outputs.slice(0, 2).map(({ script }) => bytesToHex(script))).toEqual(
        [0, 1].map(() => bytesToHex(wallet.ordinalsScript)),
      )
      expect(10_000 + 40_000 - feeSats).toBe(tx.outputs.reduce((sum, { valueSats }) => sum + valueSats, 0))
    })

  it('keeps all inscriptions in the wallet', () => {
    const wallet = walletOf('p2wpkh')
    const agreement = agreementOf(wallet)
    const plan = planSplit(wallet, agreement)
    const located = new Map([[`${agreement.coin.txid}:1`, agreement.contents]])
    const effects = effectsOf(wallet, plan, located)
    expect(effects).toMatchObject({ leaves: [], arrives: [], feeSats: plan.feeSats, netSats: -plan.feeSats })
    expect(effects.outputs.map(({ own, inscriptionIds }) => [own, inscriptionIds])).toEqual([
      ['ordinals', [ids[0]]],
      ['ordinals', [ids[2]]],
      ['payment', []],
    ])
  })

  it.each([
    ['p2wpkh', 1],
    ['p2sh-p2wpkh', 1],
    ['p2tr', 0],
  ] as const)('states the sighash of each input with a %s payment wallet', (kind, sigHash) => {
    const wallet = walletOf(kind)
    const { inputsToSign } = planSplit(wallet, agreementOf(wallet))
    expect(inputsToSign.map((each) => [each.address, each.sigHash])).toEqual([
      [wallet.ordinalsAddress, 0],
      [wallet.paymentAddress, sigHash],
    ])
  })

  it('accepts a wallet with one address', async () => {
    const wallet = walletOf('p2wpkh')
    const { tx } = await split(wallet, agreementOf(wallet, wallet.paymentScript))
    expect(bytesToHex(tx.outputs[0]!.script)).toBe(bytesToHex(wallet.ordinalsScript))
    const one = walletOf('p2tr', 'owner')
    const agreement = agreementOf(one)
    // The coin to split is also in the list of payment coins, and is the largest.
    const coins = [agreement.coin, coinOf(4, 5000, one.paymentScript)]
    const plan = planSplit(one, { ...agreement, coins })
    expect(plan.layout.inputs.map(({ coin }) => coin)).toEqual([agreement.coin, coins[1]])
    expect(plan.inputsToSign).toMatchObject([{ signingIndexes: [0, 1], sigHash: 0 }])
    expect(finishSplit(plan, await one.signPsbt(plan.psbtBase64, plan.inputsToSign)).inputs).toHaveLength(2)
  })

  it('throws before signing an impossible split', () => {
    const wallet = walletOf('p2wpkh')
    const agreement = agreementOf(wallet)
    const plan = (more: object) => () => planSplit(wallet, { ...agreement, ...more })
    const close = [0, 1, 2].map((offset, n) => ({ inscriptionId: ids[n]!, offset }))
    expect(plan({ contents: close })).toThrow(expect.objectContaining({ code: 'sats-too-close' }))
    expect(plan({ contents: close })).toThrow(CannotSplit)
    expect(plan({ contents: close.slice(0, 1) })).toThrow(
      expect.objectContaining({ code: 'nothing-to-split' }),
    )
    expect(plan({ coins: [] })).toThrow(expect.objectContaining({ code: 'coins-insufficient' }))
    expect(plan({ inscriptionIds: [ids[1]] })).toThrow('is not in the coin')
    expect(plan({ maxNetworkSats: 500 })).toThrow(OverBudget)
    const foreign = { ...agreement.coin, script: walletOf('p2tr', 'stranger').paymentScript }
    expect(plan({ coin: foreign })).toThrow('at neither address of the wallet')
  })

  it('rejects a PSBT of another transaction', async () => {
    const wallet = walletOf('p2wpkh')
    const agreement = agreementOf(wallet)
    const plan = planSplit(wallet, agreement)
    const other = planSplit(wallet, { ...agreement, feeRateSatVb: 5 })
    const signed = await wallet.signPsbt(other.psbtBase64, other.inputsToSign)
    expect(() => finishSplit(plan, signed)).toThrow('differs from the prepared one')
  })
})

describe('contentsByNode', () => {
  const script = new Uint8Array([0x51])
  const coinbase: Tx = {
    version: 2,
    locktime: 0,
    inputs: [
      { txid: '0'.repeat(64), vout: 0xffffffff, scriptSig: new Uint8Array(), sequence: 0, witness: [] },
    ],
    outputs: [{ valueSats: 5_000_000_000, script }],
  }
  const envelopes = [0, 700].map((pointer) => ({
    contentType: 'text/plain',
    body: new Uint8Array([97]),
    pointer,
  }))
  const reveal: Tx = {
    ...coinbase,
    inputs: [
      {
        txid: txidOf(coinbase),
        vout: 0,
        scriptSig: new Uint8Array(),
        sequence: 0,
        witness: [
          new Uint8Array(64),
          buildRevealScript(new Uint8Array(32).fill(2), envelopes),
          new Uint8Array(33).fill(0xc0),
        ],
      },
    ],
    outputs: [{ valueSats: 10_000, script }],
  }
  const node = {
    height: async () => 20,
    output: async ({ txid, vout }: { txid: string; vout: number }) =>
      txid === txidOf(reveal) && vout === 0 ? reveal.outputs[0]! : null,
    async transaction(txid: string) {
      return { tx: [coinbase, reveal].find((candidate) => txidOf(candidate) === txid)!, confirmations: 5 }
    },
  }

  it('lists all inscriptions with their offsets', async () => {
    const at = { txid: txidOf(reveal), vout: 0 }
    expect(await contentsByNode(node, at, 'regtest')).toEqual({
      coin: { ...at, valueSats: 10_000, script },
      inscriptions: [0, 700].map((offset, n) => ({ inscriptionId: `${at.txid}i${n}`, offset })),
    })
    await expect(contentsByNode(node, { ...at, vout: 1 }, 'regtest')).rejects.toThrow('is spent')
  })
})
