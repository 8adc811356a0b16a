import { type KeySpend, keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { signKeyInput } from '@ordbook/bitcoin/inscribe.ts'
import { publicKeyOf, sha256, signSchnorr, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import { psbtOf, type SigningRequest, signaturesFrom } from '@ordbook/bitcoin/psbt.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import {
  type Coin,
  keyWitness,
  type Layout,
  sighashOf,
  transactionOf,
} from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS, buildTransfer, type ListingTerms } from '@ordbook/bitcoin/trade/listing.ts'
import type { EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import { buildPurchase, type PurchaseTerms } from '@ordbook/bitcoin/trade/purchase.ts'
import { hexOfTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { LocalWallet, type Wallet } from '@ordbook/sdk/wallet.ts'
import { startNode, type TestNode } from '../../support/node.ts'

/** Builds escrows without a server or signer, with all keys in the test. */
const keyOf = (name: string) => sha256(new TextEncoder().encode(`escrow kit ${name}`))
const COSIGN = keyOf('cosign')
const COINS = keyOf('market coins')
export const cosignKey = xOnlyKeyOf(COSIGN)
const marketScript = scriptOfPublicKey(publicKeyOf(COINS), 'p2tr')
const market = keySpendOf(marketScript, publicKeyOf(COINS))

export function ownerOf(name: string, paymentKind: KeySpend['kind'] = 'p2wpkh') {
  const keys = { ordinals: keyOf(`${name} ordinals`), payment: keyOf(`${name} payment`) }
  const wallet = new LocalWallet(keys, { network: 'regtest', paymentKind })
  return { keys, wallet, spend: keySpendOf(wallet.ordinalsScript, publicKeyOf(keys.ordinals)) }
}
export interface EscrowOwner {
  wallet: Wallet
  spend: KeySpend
}

export const LEG = { indexes: [0], sighash: SIGHASH.SINGLE_ANYONECANPAY }

export async function startKit(started?: TestNode) {
  const node = started ?? (await startNode())
  const { regtest } = node
  await regtest.mine(130)

  const coins = async (script: Uint8Array, values: readonly number[]): Promise<Coin[]> => {
    const tx = await regtest.pay(values.map((valueSats) => ({ valueSats, script })))
    await regtest.mine()
    return values.map((valueSats, n) => ({ txid: txidOf(tx), vout: n + 1, valueSats, script }))
  }

  return {
    node,
    regtest,
    coins,
    anchors: (count: number) => coins(marketScript, Array(count).fill(ANCHOR_SATS)),

    /** Creates listing terms without broadcasting the transfers. */
    async terms(owner: EscrowOwner, forms: readonly EscrowForm[]): Promise<ListingTerms[]> {
      const inscriptionCoins = await coins(owner.wallet.ordinalsScript, Array(forms.length).fill(10_000))
      const small = await this.anchors(forms.length * 2)
      return forms.map((escrowForm, n) => ({
        inscriptionCoin: inscriptionCoins[n]!,
        seller: owner.spend,
        marketKey: cosignKey,
        escrowForm,
        movedTo: null,
        generation: 0,
        anchor: small[n]!,
        recoveryCoin: small[forms.length + n]!,
        market,
        payoutSats: 110_000,
        payoutScript: owner.wallet.paymentScript,
      }))
    },

    /** Creates listing terms with confirmed transfers. */
    async escrowed(owner: EscrowOwner, forms: readonly EscrowForm[]): Promise<ListingTerms[]> {
      const all = await this.terms(owner, forms)
      for (const terms of all) await this.send(await transferOf(owner, terms))
      await regtest.mine()
      return all
    },

    send: (tx: Tx) => regtest.call<string>('sendrawtransaction', hexOfTransaction(tx)),

    /** Returns the node's verdict. Several transactions are tested as a package. */
    async says(...txs: readonly Tx[]): Promise<string> {
      const results = await regtest.call<
        { allowed?: boolean; 'reject-reason'?: string; 'package-error'?: string }[]
      >('testmempoolaccept', txs.map(hexOfTransaction))
      const refused = results.find((result) => !result.allowed)
      return refused ? (refused['reject-reason'] ?? refused['package-error'] ?? 'not validated') : 'allowed'
    },

    async isUnspent({ txid, vout }: Coin): Promise<boolean> {
      return (await regtest.call('gettxout', txid, vout)) !== null
    },
  }
}
export type Kit = Awaited<ReturnType<typeof startKit>>

/** Signs with the owner's wallet. Returns signatures by input index. */
export async function signedBy(
  { wallet }: EscrowOwner,
  layout: Layout,
  request: SigningRequest,
): Promise<Map<number, Uint8Array>> {
  const { spend } = layout.inputs[request.indexes[0]!]!
  const psbt = await wallet.signPsbt(psbtOf(layout, request), [
    {
      address: wallet.ordinalsAddress,
      disableTweakSigner: spend.by === 'escrow' && spend.form === 'wallet',
      signingIndexes: request.indexes,
      ...(request.sighash === undefined ? {} : { sigHash: request.sighash }),
    },
  ])
  return signaturesFrom(psbt, layout, request)
}

/** Builds the final transaction from both sides' signatures. */
export function completed(layout: Layout, given: ReadonlyMap<number, Uint8Array>): Tx {
  const tx = transactionOf(layout)
  for (const [index, { spend, signer }] of layout.inputs.entries()) {
    const input = tx.inputs[index]!
    if (spend.by === 'escrow') {
      const cosigned = signSchnorr(sighashOf(layout, index, SIGHASH.DEFAULT), COSIGN)
      input.witness = [cosigned, given.get(index)!, spend.leaf, spend.controlBlock]
    } else if (spend.by === 'key')
      input.witness = keyWitness(
        spend,
        signer === 'market' ? signKeyInput(layout, index, COINS) : given.get(index)!,
      )
  }
  return tx
}

export async function transferOf(owner: EscrowOwner, terms: ListingTerms): Promise<Tx> {
  const layout = buildTransfer(terms)
  return completed(layout, await signedBy(owner, layout, { indexes: [0], sighash: SIGHASH.DEFAULT }))
}

export async function settlementOf(
  kit: Kit,
  buyer: ReturnType<typeof ownerOf>,
  items: readonly { terms: ListingTerms; leg: Uint8Array; confirmed: boolean }[],
): Promise<Tx> {
  const { wallet } = buyer
  const [payment] = await kit.coins(wallet.paymentScript, [items.length * 200_000])
  const [tail] = await kit.coins(marketScript, [100_000])
  const terms: PurchaseTerms = {
    items: items.map(({ terms, confirmed }) => ({
      terms,
      transferConfirmed: confirmed,
      marketplaceRevenueSats: 2000,
      royalty: null,
    })),
    payments: [payment!],
    payer: keySpendOf(wallet.paymentScript, publicKeyOf(buyer.keys.payment)),
    buyerScript: wallet.ordinalsScript,
    changeScript: wallet.paymentScript,
    market,
    marketScript,
    feeCoins: { by: 'tail', tail: tail! },
    feeRateSatVb: 4,
    donationScript: null,
  }
  const { settlement } = buildPurchase(terms)
  const signatures = new Map([[0, signKeyInput(settlement, 0, buyer.keys.payment)]])
  for (const [n, { leg }] of items.entries()) signatures.set(1 + n, leg)
  return completed(settlement, signatures)
}
