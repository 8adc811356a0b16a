import { p2trScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { formatOutpoint, type Outpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { traceBack } from '@ordbook/bitcoin/trace.ts'
import { inputFilling, readSettlement, type SettlementFacts } from '@ordbook/bitcoin/trade/receipt.ts'
import { decodeTransaction, type Tx, type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { coreRpc, type NodeOptions, NodeRefused } from './core-rpc.ts'
import { CheckFailed } from './errors.ts'
import type { Answer } from './operations.ts'
import { demand } from './verify/demand.ts'

/** The verifier's access to the chain: the user's own node with a transaction index. */
export interface ChainSource {
  /** A transaction with its number of confirmations (0: mempool). Throws if there is none. */
  transaction(txid: string): Promise<{ tx: Tx; confirmations: number }>
}

const FoundTransaction = Type.Object({
  hex: Type.String(),
  confirmations: Type.Optional(Type.Integer({ minimum: 0 })),
})

/** Reads transactions through calls of Bitcoin Core. Throws CheckFailed for one that the node does not know. */
export const transactionsBy = (call: ReturnType<typeof coreRpc>): ChainSource => ({
  async transaction(txid) {
    const found = await call('getrawtransaction', txid, true).catch((error: unknown) => {
      if (error instanceof NodeRefused)
        throw new CheckFailed(`the node does not know ${txid}: ${error.message}`)
      throw error
    })
    if (!Check(FoundTransaction, found))
      throw new CheckFailed(`the node's response for ${txid} does not have Bitcoin Core's format`)
    return { tx: decodeTransaction(found.hex), confirmations: found.confirmations ?? 0 }
  },
})

/**
 * Reads from Bitcoin Core by JSON-RPC, each transaction once per source. `url` contains user and password. Reads throw CheckFailed for a
 * malformed response, a TimeoutError after the deadline, and the reason of the signal.
 */
export function coreSource(url: string, options: NodeOptions = {}): ChainSource {
  return remembering(transactionsBy(coreRpc(url, options)))
}

/** The same source with a cache of transactions. */
export function remembering(chain: ChainSource): ChainSource {
  const known = new Map<string, Awaited<ReturnType<ChainSource['transaction']>>>()
  return {
    async transaction(txid) {
      const found = known.get(txid) ?? (await chain.transaction(txid))
      known.set(txid, found)
      return found
    },
  }
}

/** Findings of a verification. */
export interface Verified {
  facts: SettlementFacts
  confirmations: number
  /** By item: the sat's way from its reveal to the buyer, satpoint by satpoint, oldest first. */
  paths: string[][]
}

/**
 * Checks the receipt of the settlement `txid` against a node alone: reads what the settlement did, follows each inscription's sat back to
 * its reveal, and holds the terms against both. What each buyer paid and each seller got is proven; how much of that was price and how
 * much fee is only the market's word. Throws CheckFailed with the first thing that does not hold.
 */
export async function verifyReceipt(
  receipt: Answer<'getReceipt'>,
  chain: ChainSource,
  txid: string,
): Promise<Verified> {
  const { settlementTxid } = receipt.facts
  demand(settlementTxid === txid.toLowerCase(), `the receipt is of ${settlementTxid}, asked for was ${txid}`)
  const { tx: settlement, confirmations } = await chain.transaction(settlementTxid)
  demand(txidOf(settlement) === settlementTxid, 'the node gives another transaction for the settlement')
  const facts = await readFacts(settlement, hexToBytes(receipt.facts.marketScript), chain)
  demand(
    canonical(facts) === canonical(receipt.facts),
    'the facts of the receipt are not what the transactions on the chain say',
  )
  const { terms } = receipt
  demand(terms.items.length === facts.items.length, 'the receipt names another number of items')
  const paths: string[][] = []
  for (const [i, term] of terms.items.entries()) {
    const item = facts.items[i]!
    demand(
      item.payoutSats === term.sellerReceiveSats + item.postageSats,
      `the seller of ${term.inscriptionId} got ${item.payoutSats} sats, agreed were ${term.sellerReceiveSats} and the postage`,
    )
    demand(
      term.buyerPayTotalSats ===
        term.sellerReceiveSats + term.marketplaceRevenueSats + term.creatorRevenueSats,
      `the terms of ${term.inscriptionId} do not add up`,
    )
    demand(
      term.priceSats >= term.sellerReceiveSats && term.priceSats <= term.buyerPayTotalSats,
      `the price of ${term.inscriptionId} is not between the seller's proceeds and the buyer's payment`,
    )
    const path = await pathOf(term.inscriptionId, item.inscriptionCoin, term.satOffset, chain)
    paths.push([
      ...path,
      `${item.escrow}:${term.satOffset}`,
      item.landing.replace(/\d+$/, (offset) => String(Number(offset) + term.satOffset)),
    ])
  }
  demand(
    facts.marketRevenueSats === sumSats(terms.items.map((item) => item.marketplaceRevenueSats)),
    `the market kept ${facts.marketRevenueSats} sats, which is not what the terms say`,
  )
  demand(
    sumSats(facts.otherOutputs.map((output) => output.valueSats)) ===
      sumSats(terms.items.map((item) => item.creatorRevenueSats)) + terms.donationSats,
    'payments to others are not the royalties and the donation of the terms',
  )
  const costSats =
    sumSats(terms.items.map((item) => item.buyerPayTotalSats)) +
    sumSats(facts.items.map((item) => item.postageSats)) +
    facts.settlementFeeSats +
    facts.transferFeeSats +
    terms.donationSats
  demand(
    facts.costSats === costSats && terms.totalBuyerCostSats === costSats,
    `${facts.costSats} sats left the buyer's coins, the terms add up to ${costSats}`,
  )
  return { facts, confirmations, paths }
}

/** Most moves of one escrow that are followed: each costs a look at the chain. */
const MAX_MOVES = 100

async function readFacts(
  settlement: Tx,
  marketScript: Uint8Array,
  chain: ChainSource,
): Promise<SettlementFacts> {
  const outputs = new Map<string, TxOutput>()
  const learn = async (tx: Tx) => {
    for (const input of tx.inputs) {
      const parent = await chain.transaction(input.txid)
      outputs.set(formatOutpoint(input), parent.tx.outputs[input.vout]!)
    }
  }
  const prevoutOf = (outpoint: Outpoint) => outputs.get(formatOutpoint(outpoint))!
  await learn(settlement)
  const transfers = new Map<string, Tx>()
  for (const input of settlement.inputs) {
    if (input.witness.length !== 4) continue
    // A moved escrow is followed back to the transfer that filled it from the seller's address.
    const sellerScript = p2trScript(input.witness[3]!.slice(1, 33))
    let at: Outpoint | undefined = input
    for (let moves = 0; at && !equalBytes(prevoutOf(at).script, sellerScript); moves++) {
      demand(moves <= MAX_MOVES, 'the escrow was moved more often than is followed')
      const { tx } = await chain.transaction(at.txid)
      transfers.set(at.txid, tx)
      await learn(tx)
      at = inputFilling(tx, at.vout, prevoutOf)
    }
  }
  return readSettlement(settlement, transfers, marketScript, prevoutOf)
}

/** A sat's way from its reveal to a coin. Throws CheckFailed when it is not the inscription's. */
export async function pathOf(
  inscriptionId: string,
  coin: string,
  satOffset: number,
  chain: ChainSource,
): Promise<string[]> {
  try {
    return await traceBack(
      inscriptionId,
      parseOutpoint(coin),
      satOffset,
      async (each) => (await chain.transaction(each)).tx,
    )
  } catch (error) {
    if (error instanceof BitcoinError) throw new CheckFailed(error.message)
    throw error
  }
}

/** JSON with keys in order, so that equal values are equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each) =>
    each instanceof Uint8Array
      ? bytesToHex(each)
      : typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : each,
  )
}
