import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import type { EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import { decodeTransaction, hexOfTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { buy, exitEscrow } from '@ordbook/sdk/index.ts'
import type { Answer, Body } from '@ordbook/sdk/operations.ts'
import {
  agreementFor,
  listAll,
  signedPackage,
  type TestMarket,
  type TestTrader,
  until,
} from '../../support/market.ts'

async function allSigned<S extends Answer<'preflightRelist'>['steps'][number]>(
  wallet: TestTrader['wallet'],
  steps: readonly S[],
): Promise<S[]> {
  const done: S[] = []
  for (const step of steps)
    done.push({ ...step, psbtBase64: await wallet.signPsbt(step.psbtBase64, step.inputsToSign) })
  return done
}

const toOutpoint = ({ txid, vout }: Outpoint) => ({ txid, vout })

export async function escrowsOf({ client }: TestTrader): Promise<Answer<'listMyEscrows'>['escrows']> {
  const escrows: Answer<'listMyEscrows'>['escrows'] = []
  for (let cursor: string | null = null; ; ) {
    const page: Answer<'listMyEscrows'> = await client.call('listMyEscrows', {
      query: { limit: 100, ...(cursor ? { cursor } : {}) },
    })
    escrows.push(...page.escrows)
    cursor = page.pagination.nextCursor
    if (!cursor) return escrows
  }
}

export interface PreparedAct<Body, Answer> {
  body: Body
  submit(): Promise<Answer>
}

export async function prepareRelist(
  { client, wallet, walletBindingId }: TestTrader,
  items: readonly (Outpoint & { priceSats: number })[],
): Promise<PreparedAct<Body<'submitRelist'>, Answer<'submitRelist'>> & Answer<'preflightRelist'>> {
  const request = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    items: items.map((item) => ({ ...toOutpoint(item), priceSats: item.priceSats })),
  }
  const answer = await client.call('preflightRelist', { body: request })
  const body = {
    ...request,
    relistId: answer.relistId,
    signedSteps: await allSigned(wallet, answer.steps),
  }
  return { ...answer, body, submit: () => client.call('submitRelist', { body }) }
}

export const relist = async (...args: Parameters<typeof prepareRelist>) =>
  (await (await prepareRelist(...args)).submit()).listings

export async function prepareReclaim(
  { client, wallet, walletBindingId }: TestTrader,
  escrows: readonly Outpoint[],
): Promise<PreparedAct<Body<'submitReclaim'>, Answer<'submitReclaim'>> & Answer<'preflightReclaim'>> {
  const request = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    escrows: escrows.map(toOutpoint),
  }
  const answer = await client.call('preflightReclaim', { body: request })
  const body = {
    ...request,
    reclaimId: answer.reclaimId,
    signedSteps: await allSigned(wallet, answer.steps),
  }
  return { ...answer, body, submit: () => client.call('submitReclaim', { body }) }
}

export const reclaim = async (...args: Parameters<typeof prepareReclaim>) =>
  (await (await prepareReclaim(...args)).submit()).txid

export async function prepareMove(
  market: TestMarket,
  { client, wallet, walletBindingId }: TestTrader,
  escrows: readonly Outpoint[],
  escrowForm: EscrowForm,
): Promise<PreparedAct<Body<'submitMove'>, Answer<'submitMove'>> & Answer<'preflightMove'>> {
  const coins = await market.regtest.coinsOf(wallet.paymentScript)
  const request = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    paymentPublicKey: wallet.paymentPublicKey,
    escrows: escrows.map(toOutpoint),
    escrowForm,
    spendableUtxos: coins.map(({ txid, vout, valueSats }) => ({ txid, vout, valueSats })),
  }
  const answer = await client.call('preflightMove', { body: request })
  const { moveId, selectedPaymentUtxos } = answer
  const signedSteps = await allSigned(wallet, answer.steps)
  const body = { ...request, moveId, selectedPaymentUtxos, signedSteps }
  return { ...answer, body, submit: () => client.call('submitMove', { body }) }
}

export async function moveEscrows(
  ...args: Parameters<typeof prepareMove>
): Promise<Answer<'submitMove'> & { costSats: number }> {
  const { submit, costSats } = await prepareMove(...args)
  return { ...(await submit()), costSats }
}

/** Signs an exit with the owner's wallet alone, without broadcasting it. */
export async function signedExit(
  market: TestMarket,
  { wallet }: TestTrader,
  escrows: readonly (Outpoint & { valueSats: number })[],
  { feeRateSatVb = 3, coins }: { feeRateSatVb?: number; coins?: readonly Coin[] } = {},
): Promise<Tx> {
  const { regtest, server } = market
  const paying = coins ?? (await regtest.coinsOf(wallet.paymentScript))
  const cosignKey = bytesToHex(server.context.market.cosignKey)
  const previous = new Map<string, Tx>()
  for (const { txid } of paying)
    previous.set(txid, decodeTransaction(await regtest.call<string>('getrawtransaction', txid)))
  const { tx } = await exitEscrow(wallet, {
    escrows: escrows.map(({ txid, vout, valueSats }) => ({
      txid,
      vout,
      valueSats,
      form: 'wallet' as const,
      cosignKey,
    })),
    coins: paying,
    feeRateSatVb,
    previous,
  })
  return tx
}

export async function leaveAlone(
  market: TestMarket,
  ...args: Parameters<typeof signedExit> extends [unknown, ...infer Rest] ? Rest : never
): Promise<string> {
  const tx = await signedExit(market, ...args)
  return market.regtest.call<string>('sendrawtransaction', hexOfTransaction(tx))
}

export async function strand(
  market: TestMarket,
  attacker: TestTrader,
  key: Uint8Array,
  slug: string,
  ids: readonly string[],
): Promise<{ settlementTxid: string; feeSats: number }> {
  const { regtest } = market
  const agreement = await agreementFor(market, attacker, ids)
  const { settlementTxid } = await buy(attacker, slug, agreement)
  const settlement = decodeTransaction(await regtest.call<string>('getrawtransaction', settlementTxid))
  const ownOutput = { script: attacker.wallet.paymentScript }
  const coins = agreement.coins.filter((coin) =>
    settlement.inputs.some((input) => input.txid === coin.txid && input.vout === coin.vout),
  )
  for (let rate = 2; rate < 300; rate++) {
    const replacement = buildPayment(coins, [{ valueSats: 10_000, ...ownOutput }], {
      privateKey: key,
      feeRateSatVb: rate,
    })
    const hex = hexOfTransaction(replacement)
    const [tested] = await regtest.call<{ allowed: boolean; fees?: { base: number } }[]>(
      'testmempoolaccept',
      [hex],
    )
    if (!tested!.allowed) continue
    await regtest.call('sendrawtransaction', hex)
    return { settlementTxid, feeSats: Math.round(tested!.fees!.base * 1e8) }
  }
  throw new Error('the node accepted no replacement of the settlement')
}

/**
 * Moves inscriptions into escrow without a sale, by mining the transfers of a purchase that is never broadcast. Returns the escrows in the
 * order of `ids`.
 */
export async function rested(
  market: TestMarket,
  owner: TestTrader,
  slug: string,
  ids: readonly string[],
): Promise<Answer<'listMyEscrows'>['escrows']> {
  await listAll(market, owner, slug, ids, 90_000)
  const { signed } = await signedPackage(market, await market.trader(), slug, ids)
  await market.regtest.mineExactly(signed.slice(0, ids.length).map(({ hex }) => decodeTransaction(hex)))
  await market.server.sync()
  const escrows = await escrowsOf(owner)
  return ids.map((id) => escrows.find((escrow) => escrow.inscriptionIds.includes(id))!)
}

export async function isHome(market: TestMarket, id: string, { wallet }: TestTrader): Promise<boolean> {
  return equalBytes((await market.coinOf(id)).script, wallet.ordinalsScript)
}

/** Strands inscriptions in purchases of up to 20. Returns the escrows in the order of `ids`. */
export async function strandAll(
  market: TestMarket,
  { attacker, key }: { attacker: TestTrader; key: Uint8Array },
  seller: TestTrader,
  of: { slug: string; ids: readonly string[]; priceSats: number },
): Promise<Answer<'listMyEscrows'>['escrows']> {
  const { slug, ids, priceSats } = of
  for (let at = 0; at < ids.length; at += 20) {
    const part = ids.slice(at, at + 20)
    await market.anchors(2 * part.length)
    await listAll(market, seller, slug, part, priceSats)
    await strand(market, attacker, key, slug, part)
    await market.mine()
  }
  return until('the escrows', async () => {
    const escrows = await escrowsOf(seller)
    const inOrder = ids.flatMap((id) => escrows.find((escrow) => escrow.inscriptionIds.includes(id)) ?? [])
    return inOrder.length === ids.length && inOrder.every((each) => each.state === 'resting') && inOrder
  })
}
