import { schnorr } from '@noble/curves/secp256k1.js'
import { buy } from '@ordbook/sdk/index.ts'
import type { Answer } from '@ordbook/sdk/operations.ts'
import { base64, hex } from '@scure/base'
import { Address, OutScript, p2tr, RawTx, Script, TEST_NETWORK, Transaction } from '@scure/btc-signer'
import { tapLeafHash } from '@scure/btc-signer/payment.js'
import { RawPSBTV0, TaprootControlBlock } from '@scure/btc-signer/psbt.js'
import { RawOldTx } from '@scure/btc-signer/script.js'
import { beforeAll, expect, it } from 'vitest'
import { agreementFor, setUpMarket, type TestTrader } from '../support/market.ts'

/**
 * Recomputes the published escrow form (the default) with a library that shares no code with bitcoin/src, from what a third-party client
 * knows: the seller's address, the market's public key and the coin.
 */
const NETWORK = { ...TEST_NETWORK, bech32: 'bcrt' }
const KNOWN = { allowUnknownInputs: true, allowUnknownOutputs: true, allowUnknownVersion: true } as const
const SINGLE_ANYONECANPAY = 0x83
type Step = Answer<'preflightListing'>['listings'][number]['psbts'][number]

const market = setUpMarket()
let seller: TestTrader
beforeAll(async () => {
  seller = await market.trader()
})

function escrowOf(address: string, cosignKey: string) {
  const decoded = Address(NETWORK).decode(address)
  if (decoded.type !== 'tr') throw new Error('the address is not taproot')
  const seller = decoded.pubkey
  const leaf = Script.encode([seller, 'CHECKSIG', hex.decode(cosignKey), 'CHECKSIGADD', 2, 'NUMEQUAL'])
  const payment = p2tr(seller, { script: leaf }, NETWORK, true)
  const [control] = payment.tapLeafScript![0]!
  return {
    seller,
    leaf,
    leafHash: tapLeafHash(leaf),
    controlBlock: TaprootControlBlock.encode(control),
    script: payment.script,
    address: payment.address!,
  }
}

const open = (psbt: string) => RawPSBTV0.decode(base64.decode(psbt))
const hexOf = (psbt: ReturnType<typeof open>) => hex.encode(RawOldTx.encode(psbt.global.unsignedTx!))

it('matches an independent implementation', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const [inscriptionId] = ids as [string]
  const { client, wallet, walletBindingId } = seller
  const { cosignKey } = await client.call('getMarketKeys')
  const coin = await market.coinOf(inscriptionId)
  const due = escrowOf(wallet.ordinalsAddress, cosignKey)
  const request = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    items: [{ inscriptionId, priceSats: 70_000 }],
  }
  const answer = await client.call('preflightListing', { params: { slug }, body: request })
  const [listing] = answer.listings
  const [transferStep, legStep] = listing!.psbts as [Step, Step]

  // The transfer spends coins of the seller and the market, and pays only to the escrow.
  const transferPsbt = open(transferStep.psbtBase64)
  const anchor = transferPsbt.global.unsignedTx!.inputs[1]!
  const transfer = new Transaction({ version: 2, ...KNOWN })
  transfer.addInput({ txid: coin.txid, index: coin.vout, sequence: 0xfffffffd })
  transfer.addInput({ txid: anchor.txid, index: anchor.index, sequence: 0xfffffffd })
  transfer.addOutput({ script: due.script, amount: BigInt(coin.valueSats) })
  expect(hex.encode(transfer.unsignedTx)).toBe(hexOf(transferPsbt))

  // The leg spends the escrow coin through its single leaf, and pays the seller.
  const legPsbt = open(legStep.psbtBase64)
  const [legInput] = legPsbt.inputs
  const leg = new Transaction({ version: 2, ...KNOWN })
  leg.addInput({ txid: transfer.id, index: 0, sequence: 0xfffffffd })
  leg.addOutput({
    script: OutScript.encode(Address(NETWORK).decode(wallet.paymentAddress)),
    amount: legPsbt.global.unsignedTx!.outputs[0]!.amount,
  })
  expect(hex.encode(leg.unsignedTx)).toBe(hexOf(legPsbt))
  expect(legInput!.witnessUtxo).toEqual({ amount: BigInt(coin.valueSats), script: due.script })
  expect(legInput!.tapLeafScript).toHaveLength(1)
  const [control, shown] = legInput!.tapLeafScript![0]!
  expect(hex.encode(TaprootControlBlock.encode(control))).toBe(hex.encode(due.controlBlock))
  expect(hex.encode(shown)).toBe(`${hex.encode(due.leaf)}c0`)
  expect(legStep.inputsToSign).toMatchObject([{ signingIndexes: [0], sigHash: SINGLE_ANYONECANPAY }])

  // The seller's signature is valid for that library's sighash.
  const signedLeg = await wallet.signPsbt(legStep.psbtBase64, legStep.inputsToSign)
  const [at, signature] = open(signedLeg).inputs[0]!.tapScriptSig![0]!
  expect(hex.encode(at.leafHash)).toBe(hex.encode(due.leafHash))
  const amount = BigInt(coin.valueSats)
  const sighash = leg.preimageWitnessV1(0, [due.script], SINGLE_ANYONECANPAY, [amount], -1, due.leaf)
  expect(signature.at(-1)).toBe(SINGLE_ANYONECANPAY)
  expect(schnorr.verify(signature.slice(0, 64), sighash, due.seller)).toBe(true)

  const signed = []
  for (const step of [transferStep, legStep])
    signed.push({ ...step, psbtBase64: await wallet.signPsbt(step.psbtBase64, step.inputsToSign) })
  const { recoveryPsbt } = answer
  const recovery = await wallet.signPsbt(recoveryPsbt.psbtBase64, recoveryPsbt.inputsToSign)
  await client.call('submitListing', {
    params: { slug },
    body: {
      ...request,
      anchors: [{ inscriptionId, anchorUtxoId: listing!.anchorUtxoId }],
      signed: [{ inscriptionId, psbts: signed }],
      signedRecoveryPsbt: { ...recoveryPsbt, psbtBase64: recovery },
    },
  })
  const buyer = await market.trader()
  const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, ids))
  const raw = (txid: string) => market.regtest.call<string>('getrawtransaction', txid)
  const settlement = Transaction.fromRaw(hex.decode(await raw(settlementTxid)), KNOWN)
  const sent = RawTx.decode(hex.decode(await raw(settlementTxid)))
  const place = sent.inputs.findIndex((input) => hex.encode(input.txid) === transfer.id)
  expect(sent.inputs[place]).toMatchObject({ index: 0, sequence: 0xfffffffd })
  const [cosigned, legSigned, leaf, controlBlock] = sent.witnesses![place]!
  expect(hex.encode(leaf!)).toBe(hex.encode(due.leaf))
  expect(hex.encode(controlBlock!)).toBe(hex.encode(due.controlBlock))
  const scripts: Uint8Array[] = []
  const amounts: bigint[] = []
  for (const input of sent.inputs) {
    const spent = RawTx.decode(hex.decode(await raw(hex.encode(input.txid)))).outputs[input.index]!
    scripts.push(spent.script)
    amounts.push(spent.amount)
  }
  const hashOf = (type: number) => settlement.preimageWitnessV1(place, scripts, type, amounts, -1, due.leaf)
  expect(legSigned).toHaveLength(65)
  expect(schnorr.verify(legSigned!.slice(0, 64), hashOf(SINGLE_ANYONECANPAY), due.seller)).toBe(true)
  expect(cosigned).toHaveLength(64)
  expect(schnorr.verify(cosigned!, hashOf(0), hex.decode(cosignKey))).toBe(true)
  await market.mine()
  const receipt = await client.call('getReceipt', { params: { txid: settlementTxid } })
  expect(receipt.facts.items[0]!.escrow).toBe(`${transfer.id}:0`)
})
