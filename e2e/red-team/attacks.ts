import { concatBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { signSchnorr, tweakPrivateKey } from '@ordbook/bitcoin/keys.ts'
import { spentOutputsOf, unsignedTransactionOf } from '@ordbook/bitcoin/psbt.ts'
import { taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { buy, offer, prepareAcceptance, prepareListing, preparePurchase } from '@ordbook/sdk/index.ts'
import { expect } from 'vitest'
import { edited, type Psbt } from '../lying-market/psbt.ts'
import { agreementFor, until } from '../support/market.ts'
import { offering, selling } from '../support/offers.ts'
import { exitOf, honest, listed, PRICE, strand } from './market-moves.ts'
import { isAt, mempoolOf, payItself, refusalOf, type Scene, settle, spentBy } from './scene.ts'

/** An attack. Returns the reason for its failure. Throws if it succeeds. */
export interface Attack {
  name: string
  run(scene: Scene): Promise<string>
}

export const ATTACKS: readonly Attack[] = [
  {
    name: 'H1: a purchase that is not signed as requested',
    async run(scene) {
      const { market, attacker, keys } = scene
      const { slug, ids } = await listed(scene, 1)
      const { body } = await preparePurchase(attacker, slug, await agreementFor(market, attacker, ids))
      const [step] = body.signedSteps
      const validPsbt = step!.psbtBase64
      const tx = unsignedTransactionOf(validPsbt)
      const sign = (type: number) =>
        signSchnorr(taprootSighash(tx, 0, spentOutputsOf(validPsbt), type), tweakPrivateKey(keys.payment))
      const withKeySignature = (bytes: Uint8Array) => (psbt: Psbt) => {
        delete psbt.inputs[0]!.tapKeySig
        psbt.inputs[0]!.finalScriptWitness = [bytes]
      }
      const variants: Record<string, (psbt: Psbt) => void> = {
        'a byte of junk behind the signature': withKeySignature(concatBytes(sign(0), Uint8Array.of(0, 0))),
        'a sighash byte of 0': withKeySignature(concatBytes(sign(0), Uint8Array.of(0))),
        'an annex': (psbt) => {
          delete psbt.inputs[0]!.tapKeySig
          psbt.inputs[0]!.finalScriptWitness = [sign(0), Uint8Array.of(0x50, 1)]
        },
        'no signature': (psbt) => {
          delete psbt.inputs[0]!.tapKeySig
        },
        'another version': ({ global }) => {
          global.unsignedTx.version = 3
        },
        'a locktime': ({ global }) => {
          global.unsignedTx.lockTime = 1
        },
        'another sequence': ({ global }) => {
          global.unsignedTx.inputs[0]!.sequence = 0
        },
        'a smaller payout': ({ global }) => {
          global.unsignedTx.outputs[1]!.amount -= 1n
        },
        'an input twice': ({ global, inputs }) => {
          global.unsignedTx.inputs.push({ ...global.unsignedTx.inputs[0]! })
          inputs.push(structuredClone(inputs[0]!))
        },
      }
      for (const type of [2, 3, 0x81, 0x82, 0x83])
        variants[`sighash ${type}`] = withKeySignature(concatBytes(sign(type), Uint8Array.of(type)))
      const texts = new Set<string>()
      for (const [what, change] of Object.entries(variants)) {
        const signedSteps = [{ ...step!, psbtBase64: edited(validPsbt, change) }]
        const refused = await refusalOf(
          attacker.client.call('submitPurchase', { params: { slug }, body: { ...body, signedSteps } }),
        )
        expect(refused, what).toMatch(/^400/)
        texts.add(refused)
      }
      expect(await mempoolOf(scene)).toEqual([])
      const buyer = await honest(scene, slug, ids)
      expect(await isAt(scene, ids[0]!, buyer.wallet.ordinalsScript)).toBe(true)
      return `${Object.keys(variants).length} variants, each 400 at submit`
    },
  },
  {
    name: 'H2: a leg signed with another sighash, or by the key path',
    async run(scene) {
      const { market, attacker, keys } = scene
      const { slug, ids } = await market.collection(attacker.wallet, 1)
      await market.anchors(4)
      const agreement = {
        inscriptionId: ids[0]!,
        priceSats: PRICE,
        coin: await market.coinOf(ids[0]!),
        maxFeeBps: 100,
      }
      const { body } = await prepareListing(attacker, slug, [agreement])
      const validPsbt = body.signed[0]!.psbts[1]!.psbtBase64
      const variants: ((psbt: Psbt) => void)[] = [
        ...[0, 1, 2, 3, 0x81, 0x82].map((type) => (psbt: Psbt) => {
          const [at, signature] = psbt.inputs[0]!.tapScriptSig![0]!
          const bytes = signature.slice(0, 64)
          psbt.inputs[0]!.tapScriptSig = [[at, type === 0 ? bytes : concatBytes(bytes, Uint8Array.of(type))]]
        }),
        (psbt) => {
          psbt.inputs[0]!.tapKeySig = signSchnorr(new Uint8Array(32).fill(1), keys.ordinals)
        },
        (psbt) => {
          const [at, signature] = psbt.inputs[0]!.tapScriptSig![0]!
          psbt.inputs[0]!.tapScriptSig!.push([{ ...at, leafHash: new Uint8Array(32).fill(7) }, signature])
        },
        (psbt) => {
          psbt.inputs[0]!.finalScriptWitness = [psbt.inputs[0]!.tapScriptSig![0]![1]]
        },
      ]
      for (const [n, change] of variants.entries()) {
        const evil = structuredClone(body)
        evil.signed[0]!.psbts[1]!.psbtBase64 = edited(validPsbt, change)
        expect(
          await refusalOf(attacker.client.call('submitListing', { params: { slug }, body: evil })),
          `variant ${n}`,
        ).toMatch(/^400/)
      }
      const [row] = await market.sql<{ count: number }[]>`
        select count(*)::int as count from listings where inscription_id = ${ids[0]!} and state = 'buyable'`
      expect(row!.count).toBe(0)
      return `${variants.length} variants, each 400 at submit`
    },
  },
  {
    name: 'V4: stranding an item twice, with an honest buyer in between',
    async run(scene) {
      const { market } = scene
      const { seller, slug, ids } = await listed(scene, 3)
      await strand(scene, slug, ids.slice(0, 2))
      expect(await isAt(scene, ids[0]!, seller.wallet.ordinalsScript)).toBe(false)
      const buyer = await honest(scene, slug, ids.slice(0, 1))
      expect(await isAt(scene, ids[0]!, buyer.wallet.ordinalsScript)).toBe(true)
      // A second double-spend strands nothing: the transfer has already confirmed.
      const before = await market.coinOf(ids[1]!)
      await strand(scene, slug, ids.slice(1, 2))
      expect(await market.coinOf(ids[1]!)).toEqual(before)
      const { tx } = await exitOf(scene, seller, ids.slice(1, 2), 5)
      await market.regtest.call('sendrawtransaction', hexOfTransaction(tx))
      await settle(scene)
      expect(await isAt(scene, ids[1]!, seller.wallet.ordinalsScript)).toBe(true)
      return 'the item can be sold from escrow, and withdrawn by the owner’s wallet alone'
    },
  },
  {
    name: 'an exit that front-runs a purchase, and a purchase that front-runs an exit',
    async run(scene) {
      const { market } = scene
      const { seller, slug, ids } = await listed(scene, 2)
      await strand(scene, slug, ids)
      const { tx } = await exitOf(scene, seller, ids.slice(0, 1), 10)
      await market.regtest.call('sendrawtransaction', hexOfTransaction(tx))
      const buyer = await market.trader()
      const lateRefusal = await refusalOf(
        agreementFor(market, buyer, ids.slice(0, 1)).then((agreement) => buy(buyer, slug, agreement)),
      )
      await settle(scene)
      expect(await isAt(scene, ids[0]!, seller.wallet.ordinalsScript)).toBe(true)
      // The owner exits at a higher fee during a purchase, and the buyer pays nothing.
      const before = await market.regtest.coinsOf(buyer.wallet.paymentScript)
      await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(1)))
      const taking = await exitOf(scene, seller, ids.slice(1), 120)
      await market.regtest.call('sendrawtransaction', hexOfTransaction(taking.tx))
      await settle(scene)
      expect(await isAt(scene, ids[1]!, seller.wallet.ordinalsScript)).toBe(true)
      const after = await market.regtest.coinsOf(buyer.wallet.paymentScript)
      expect(after.map((coin) => coin.valueSats).toSorted()).toEqual(
        before.map((coin) => coin.valueSats).toSorted(),
      )
      expect(lateRefusal).toMatch(/not listed/)
      return 'the exit removes the listing from the book, and replaces a purchase at no cost to its buyer'
    },
  },
  {
    name: 'a payment that is spent in the mempool before its purchase is submitted',
    async run(scene) {
      const { market, attacker } = scene
      const { seller, slug, ids } = await listed(scene, 2)
      const agreement = await agreementFor(market, attacker, ids)
      const { body } = await preparePurchase(attacker, slug, agreement)
      await payItself(scene, agreement.coins[0]!)
      const refused = await refusalOf(attacker.client.call('submitPurchase', { params: { slug }, body }))
      expect(await mempoolOf(scene)).toHaveLength(1)
      await settle(scene)
      for (const id of ids) expect(await isAt(scene, id, seller.wallet.ordinalsScript)).toBe(true)
      return refused
    },
  },
  {
    name: 'an inscription that moves in the mempool while its offer is accepted',
    async run(scene) {
      const { market, attacker, keys } = scene
      const buyer = await market.trader()
      const { slug, ids } = await market.collection(attacker.wallet, 1)
      const created = await offer(buyer, slug, await offering(market, buyer, ids, PRICE))
      const { offerId } = created.items[0]!
      const sale = await selling(market, ids[0]!, PRICE)
      const { body } = await prepareAcceptance(attacker, offerId, sale)
      const script = attacker.wallet.ordinalsScript
      // Move the inscription to the owner's address, so that it is in another coin.
      const move = buildPayment([sale.coin as never], [], { privateKey: keys.ordinals, feeRateSatVb: 8 })
      await market.regtest.call('sendrawtransaction', hexOfTransaction(move))
      const refused = await refusalOf(
        attacker.client.call('submitOfferAcceptance', { params: { id: ids[0]!, offerId }, body }),
      )
      expect(await mempoolOf(scene)).toHaveLength(1)
      await settle(scene)
      expect(await isAt(scene, ids[0]!, script)).toBe(true)
      return refused
    },
  },
  {
    name: 'a flood of dust to the market’s address',
    async run(scene) {
      const { market } = scene
      const { coinScript } = market.server.context.market
      for (const valueSats of [330, 331, 10_000])
        await market.regtest.pay(Array.from({ length: 150 }, () => ({ valueSats, script: coinScript })))
      await market.mine()
      const { slug, ids } = await listed(scene, 2)
      const buyer = await honest(scene, slug, ids)
      for (const id of ids) expect(await isAt(scene, id, buyer.wallet.ordinalsScript)).toBe(true)
      return 'the market uses the coins, and continues to trade'
    },
  },
  {
    name: 'a reorg that disconnects a sale whose payment is then spent elsewhere',
    async run(scene) {
      const { market, attacker } = scene
      const { seller, slug, ids } = await listed(scene, 1)
      const agreement = await agreementFor(market, attacker, ids)
      const { settlementTxid } = await buy(attacker, slug, agreement)
      const coin = await spentBy(scene, settlementTxid)
      await market.mine()
      expect(await isAt(scene, ids[0]!, attacker.wallet.ordinalsScript)).toBe(true)
      const tip = await market.regtest.call<string>('getbestblockhash')
      // Replace the block with one that contains the attacker's payment.
      await market.regtest.call('invalidateblock', tip)
      const { tx } = await payItself(scene, coin)
      await market.regtest.mineExactly([tx])
      await market.regtest.mine()
      await market.server.sync()
      await settle(scene)
      expect(await isAt(scene, ids[0]!, attacker.wallet.ordinalsScript)).toBe(false)
      // The seller still owns the unpaid inscription, and it is for sale again.
      const buyer = await until('the listing to be for sale again', async () => {
        const { listings } = await seller.client.call('listListings', { query: { inscriptionId: ids[0]! } })
        return listings.length > 0 && honest(scene, slug, ids)
      })
      expect(await isAt(scene, ids[0]!, buyer.wallet.ordinalsScript)).toBe(true)
      return 'the index follows the chain, and the listing is for sale again'
    },
  },
]
