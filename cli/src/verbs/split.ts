import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Layout } from '@ordbook/bitcoin/trade/layout.ts'
import { hexOfTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { type CoreNode, contentsByNode } from '@ordbook/sdk'
import { finishSplit, planSplit, type SplitAgreement } from '@ordbook/sdk/verify'
import { money } from '../amounts.ts'
import { Failure, UsageError } from '../failure.ts'
import { spendableCoins } from '../payment-coins.ts'
import type { TradeSession } from '../trade-session.ts'
import { type Arguments, isOutpoint, missing, outpointOf, SPEND, SPEND_HELP, type Verb } from '../verb.ts'

const MIN_POSTAGE = 330

export const split: Verb = {
  usage: 'ID... | TXID:N --fee-rate N',
  summary: 'Move inscriptions on different sats of one coin to separate coins',
  details: `  ID                   Inscription to separate; the others stay together. Inscriptions on one sat cannot be separated
  TXID:N               Coin; all its inscriptions are separated
  --fee-rate N         Fee rate in sat/vB
  --postage AMOUNT     Sats in each new coin (default: all sats up to the next inscription)
  --max-network AMOUNT Maximum network fee
${SPEND_HELP}
A node (--node URL) proves the contents of the coin and broadcasts the transaction. Without a node, the transaction is printed.
`,
  options: {
    'fee-rate': { type: 'string' },
    postage: { type: 'string' },
    'max-network': { type: 'string' },
    ...SPEND,
  },
  async run(desk, args) {
    const feeRateSatVb = args.feeRate()
    const postageSats = args.amount('postage')
    if (postageSats !== undefined && postageSats < MIN_POSTAGE)
      throw new UsageError(`--postage: ${postageSats} sats are below the dust limit of ${MIN_POSTAGE}`)
    const trader = await desk.trader()
    const { at, inscriptionIds } = await readTarget(desk, args)
    const { node } = desk
    const found = await contentsOf(desk, node, at)
    desk.locate(found.coin, found.contents)
    const agreement: SplitAgreement = {
      ...found,
      ...(inscriptionIds ? { inscriptionIds } : {}),
      ...(postageSats === undefined ? {} : { postageSats }),
      coins: await spendableCoins(desk, trader.walletBindingId, args.spend()),
      feeRateSatVb,
      maxNetworkSats: args.amount('max-network') ?? desk.config.maxNetworkSats,
    }
    const draft = planSplit(trader.wallet, agreement)
    const previous = node && (await previousOf(node, draft.layout))
    const plan = previous ? planSplit(trader.wallet, { ...agreement, previous }) : draft
    const { arrivals, feeSats, paddingSats } = plan
    const tx = finishSplit(plan, await trader.wallet.signPsbt(plan.psbtBase64, plan.inputsToSign))
    const transaction = hexOfTransaction(tx)
    const txid = node ? await node.send(tx) : null
    if (!node) desk.out.note('not sent: no node is configured. Broadcast the transaction with any node')
    const lines = arrivals.map(
      (arrival) =>
        `${arrival.inscriptionId} arrives in ${formatOutpoint(arrival)}, ${money(arrival.valueSats)}`,
    )
    return {
      document: { coin: formatOutpoint(at), arrivals, feeSats, paddingSats, transaction, txid },
      text: [...lines, `network fee ${money(feeSats)}`, ...(txid ? [] : [transaction])],
    }
  },
}

/** Returns the coin to split, and the inscriptions to separate, or null for all. Throws UsageError or Failure. */
async function readTarget(
  desk: TradeSession,
  args: Arguments,
): Promise<{ at: Outpoint; inscriptionIds: string[] | null }> {
  const [word, ...more] = args.words
  if (word === undefined) missing('an inscription id, or a coin TXID:N')
  if (isOutpoint(word)) {
    if (more.length > 0) throw new UsageError('expected one coin, or inscriptions in one coin')
    return { at: outpointOf(word), inscriptionIds: null }
  }
  const items = await desk.items(args.ids())
  const names = new Set(items.map(({ coin }) => formatOutpoint(coin)))
  if (names.size > 1)
    throw new Failure(
      'several-coins',
      `the inscriptions are in several coins (${[...names].join(', ')}): split one coin at a time`,
    )
  for (const { inscriptionId, escrowForm } of items)
    if (escrowForm)
      throw new Failure('in-escrow', `${inscriptionId} is in escrow: withdraw it first with ordbook exit`)
  return { at: items[0]!.coin, inscriptionIds: items.map(({ inscriptionId }) => inscriptionId) }
}

/** Returns the coin and its contents, proven by the node or listed by the market. */
async function contentsOf(
  desk: TradeSession,
  node: CoreNode | null,
  at: Outpoint,
): Promise<Pick<SplitAgreement, 'coin' | 'contents'>> {
  const name = formatOutpoint(at)
  if (node) {
    const found = await contentsByNode(node, at, await desk.network())
    if ('inscriptions' in found) {
      if (found.inscriptions.length === 0)
        throw new Failure('nothing-to-split', `${name} holds no inscription`)
      return { coin: found.coin, contents: found.inscriptions }
    }
    desk.out.note(`the node cannot prove the contents of ${name}: ${found.unproven}`)
  }
  desk.out.note(`only the market lists the contents of ${name}; all its sats go to your ordinals address`)
  const holdings = await desk.holdingsIn(at)
  if (!holdings) throw new Failure('not-held', `the market lists no inscription of yours in ${name}`)
  const items = await desk.items(holdings.inscriptionIds)
  const moved = items.find(({ coin }) => formatOutpoint(coin) !== name)
  if (moved) throw new Failure('moved', `${moved.inscriptionId} is in ${formatOutpoint(moved.coin)} now`)
  const script = scriptOfAddress(holdings.address, await desk.network())
  return {
    coin: { txid: at.txid, vout: at.vout, valueSats: items[0]!.coin.valueSats, script },
    contents: items.map(({ inscriptionId, coin }) => ({ inscriptionId, offset: coin.offset })),
  }
}

/** Returns the transactions that created a layout's coins, by txid, which some wallets need to sign. */
async function previousOf(node: CoreNode, { inputs }: Layout): Promise<Map<string, Tx>> {
  const previous = new Map<string, Tx>()
  for (const { txid } of inputs.map(({ coin }) => coin))
    if (!previous.has(txid)) previous.set(txid, (await node.transaction(txid)).tx)
  return previous
}
