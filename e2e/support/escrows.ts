import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import { decodeTransaction, hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { buy } from '@ordbook/sdk/index.ts'
import type { Answer } from '@ordbook/sdk/operations.ts'
import { agreementFor, type TestMarket, type TestTrader } from './market.ts'

/** The acts of owners on inscriptions that rest in escrow, and the attack that leaves them there. */

/** Steps as the API gives them, signed in order. */
async function allSigned<S extends Answer<'preflightRelist'>['steps'][number]>(
  wallet: TestTrader['wallet'],
  steps: readonly S[],
): Promise<S[]> {
  const done: S[] = []
  for (const step of steps)
    done.push({ ...step, psbtBase64: await wallet.signPsbt(step.psbtBase64, step.inputsToSign) })
  return done
}

const plain = ({ txid, vout }: Outpoint) => ({ txid, vout })

/** The escrows of a trader. */
export async function escrowsOf({ client }: TestTrader): Promise<Answer<'listMyEscrows'>['escrows']> {
  return (await client.call('listMyEscrows', { query: { limit: 100 } })).escrows
}

/** Lists escrows at prices; gives the listing ids. */
export async function relist(
  { client, wallet, walletBindingId }: TestTrader,
  items: readonly (Outpoint & { priceSats: number })[],
): Promise<Answer<'submitRelist'>['listings']> {
  const body = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    items: items.map((item) => ({ ...plain(item), priceSats: item.priceSats })),
  }
  const { relistId, steps } = await client.call('preflightRelist', { body })
  const signedSteps = await allSigned(wallet, steps)
  return (await client.call('submitRelist', { body: { ...body, relistId, signedSteps } })).listings
}

/** Takes escrows back; gives the transaction. */
export async function reclaim(
  { client, wallet, walletBindingId }: TestTrader,
  escrows: readonly Outpoint[],
): Promise<string> {
  const body = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    escrows: escrows.map(plain),
  }
  const { reclaimId, steps } = await client.call('preflightReclaim', { body })
  const signedSteps = await allSigned(wallet, steps)
  return (await client.call('submitReclaim', { body: { ...body, reclaimId, signedSteps } })).txid
}

/** Moves escrows to new ones at the owner's cost. */
export async function moveEscrows(
  market: TestMarket,
  { client, wallet, walletBindingId }: TestTrader,
  escrows: readonly Outpoint[],
  escrowForm: EscrowForm,
): Promise<Answer<'submitMove'> & { costSats: number }> {
  const coins = await market.regtest.coinsOf(wallet.paymentScript)
  const body = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    paymentPublicKey: wallet.paymentPublicKey,
    escrows: escrows.map(plain),
    escrowForm,
    spendableUtxos: coins.map(({ txid, vout, valueSats }) => ({ txid, vout, valueSats })),
  }
  const { moveId, selectedPaymentUtxos, costSats, steps } = await client.call('preflightMove', { body })
  const signedSteps = await allSigned(wallet, steps)
  const submit = { ...body, moveId, selectedPaymentUtxos, signedSteps }
  return { ...(await client.call('submitMove', { body: submit })), costSats }
}

/**
 * Buys listings and pays the same coins to the buyer instead, which replaces the settlement: its transfers stay in the
 * mempool. The buyer pays by P2TR with `key`. Gives what the attack cost the attacker in sats.
 */
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
  const own = { script: attacker.wallet.paymentScript }
  const coins = agreement.coins.filter((coin) =>
    settlement.inputs.some((input) => input.txid === coin.txid && input.vout === coin.vout),
  )
  for (let rate = 2; rate < 300; rate++) {
    const replacement = buildPayment(coins, [{ valueSats: 10_000, ...own }], {
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
  throw new Error('no payment replaces the settlement')
}

/** Whether an inscription is at the address of its owner. */
export async function isHome(market: TestMarket, id: string, { wallet }: TestTrader): Promise<boolean> {
  return equalBytes((await market.coinOf(id)).script, wallet.ordinalsScript)
}
