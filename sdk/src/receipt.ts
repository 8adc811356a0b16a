import { p2trScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { formatOutpoint, type Outpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { traceBack } from '@ordbook/bitcoin/trace.ts'
import { inputFilling, readSettlement, type SettlementFacts } from '@ordbook/bitcoin/trade/receipt.ts'
import { decodeTransaction, type Tx, type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { integer, object, text } from './checks/check.ts'
import { coreRpc, type NodeOptions, NodeRefused } from './core-rpc.ts'
import { CheckFailed, TraceTooLong } from './errors.ts'
import type { Receipt } from './results.ts'
import { assert } from './verify/assert.ts'

/** Access to the chain, through a node with a transaction index. */
export interface ChainSource {
  /** Throws if the transaction does not exist. In the mempool, it has 0 confirmations. */
  transaction(txid: string): Promise<{ tx: Tx; confirmations: number }>
}

const isFoundTransaction = (value: unknown): value is { hex: string; confirmations?: number } =>
  object(value, { hex: text, confirmations: (count) => integer(count, 0) }, ['confirmations']) === null

/** Reads transactions from Bitcoin Core. Throws CheckFailed if the node cannot find a transaction. */
export const transactionsBy = (call: ReturnType<typeof coreRpc>): ChainSource => ({
  async transaction(txid) {
    const found = await call('getrawtransaction', txid, true).catch((error: unknown) => {
      if (error instanceof NodeRefused)
        throw new CheckFailed(`the node cannot find ${txid}: ${error.message}`)
      throw error
    })
    if (!isFoundTransaction(found))
      throw new CheckFailed(`the node's response for ${txid} does not have Bitcoin Core's format`)
    return { tx: decodeTransaction(found.hex), confirmations: found.confirmations ?? 0 }
  },
})

/** Reads from Bitcoin Core, and caches transactions. `url` contains user and password. Reads throw the same errors as `coreRpc`. */
export function coreSource(url: string, options: NodeOptions = {}): ChainSource {
  return remembering(transactionsBy(coreRpc(url, options)))
}

/** Maximum number of cached transactions. */
const MAX_CACHED = 2000

/** Caches the transactions that were read last. */
export function remembering(chain: ChainSource): ChainSource {
  const cache = new Map<string, Awaited<ReturnType<ChainSource['transaction']>>>()
  return {
    async transaction(txid) {
      const found = cache.get(txid) ?? (await chain.transaction(txid))
      cache.delete(txid)
      cache.set(txid, found)
      if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!)
      return found
    },
  }
}

export interface Verified {
  facts: SettlementFacts
  confirmations: number
  /** Satpoints per item from the reveal to the buyer, oldest first. */
  paths: string[][]
}

/**
 * Verifies the receipt of the settlement `txid` with a node: traces each inscription's sat to its reveal, and compares the payments with
 * the terms. The split into price and fees is not proven. Throws CheckFailed at the first mismatch.
 */
export async function verifyReceipt(receipt: Receipt, chain: ChainSource, txid: string): Promise<Verified> {
  const { settlementTxid } = receipt.facts
  assert(settlementTxid === txid.toLowerCase(), `the receipt is for ${settlementTxid} instead of ${txid}`)
  const { tx: settlement, confirmations } = await chain.transaction(settlementTxid)
  assert(
    txidOf(settlement) === settlementTxid,
    'the node returned a different transaction for the settlement',
  )
  const facts = await readFacts(settlement, hexToBytes(receipt.facts.marketScript), chain)
  assert(canonical(facts) === canonical(receipt.facts), 'the facts of the receipt do not match the chain')
  const { terms } = receipt
  assert(
    terms.items.length === facts.items.length,
    'the receipt has a different number of items than the settlement',
  )
  const paths: string[][] = []
  for (const [i, term] of terms.items.entries()) {
    const item = facts.items[i]!
    assert(
      item.payoutSats === term.sellerReceiveSats + item.postageSats,
      `the seller of ${term.inscriptionId} received ${item.payoutSats} sats instead of ${term.sellerReceiveSats} plus postage`,
    )
    assert(
      term.buyerPayTotalSats ===
        term.sellerReceiveSats + term.marketplaceRevenueSats + term.creatorRevenueSats,
      `the terms of ${term.inscriptionId} do not add up`,
    )
    assert(
      term.priceSats >= term.sellerReceiveSats && term.priceSats <= term.buyerPayTotalSats,
      `the price of ${term.inscriptionId} is not between the seller's proceeds and the buyer's payment`,
    )
    assert(
      term.satOffset >= 0 && term.satOffset < item.postageSats,
      `the offset of ${term.inscriptionId} is outside the sold coin`,
    )
    const path = await pathOf(term.inscriptionId, item.inscriptionCoin, term.satOffset, chain)
    paths.push([
      ...path,
      `${item.escrow}:${term.satOffset}`,
      item.landing.replace(/\d+$/, (offset) => String(Number(offset) + term.satOffset)),
    ])
  }
  assert(
    facts.marketRevenueSats === sumSats(terms.items.map((item) => item.marketplaceRevenueSats)),
    `the market received ${facts.marketRevenueSats} sats, which does not match the terms`,
  )
  assert(
    sumSats(facts.otherOutputs.map((output) => output.valueSats)) ===
      sumSats(terms.items.map((item) => item.creatorRevenueSats)) + terms.donationSats,
    'the other payments do not match the royalties and the donation in the terms',
  )
  const costSats =
    sumSats(terms.items.map((item) => item.buyerPayTotalSats)) +
    sumSats(facts.items.map((item) => item.postageSats)) +
    facts.settlementFeeSats +
    facts.transferFeeSats +
    terms.donationSats
  assert(
    facts.costSats === costSats && terms.totalBuyerCostSats === costSats,
    `${facts.costSats} sats left the buyer's coins, but the terms add up to ${costSats}`,
  )
  return { facts, confirmations, paths }
}

/** Maximum number of moves of an escrow to trace. */
const MAX_MOVES = 100

async function readFacts(
  settlement: Tx,
  marketScript: Uint8Array,
  chain: ChainSource,
): Promise<SettlementFacts> {
  const outputs = new Map<string, TxOutput>()
  const addInputs = async (tx: Tx) => {
    for (const input of tx.inputs) {
      const parent = await chain.transaction(input.txid)
      outputs.set(formatOutpoint(input), parent.tx.outputs[input.vout]!)
    }
  }
  const prevoutOf = (outpoint: Outpoint) => outputs.get(formatOutpoint(outpoint))!
  await addInputs(settlement)
  const transfers = new Map<string, Tx>()
  for (const input of settlement.inputs) {
    if (input.witness.length !== 4) continue
    // Trace a moved escrow back to the transfer from the seller's address.
    const sellerScript = p2trScript(input.witness[3]!.slice(1, 33))
    let at: Outpoint | undefined = input
    for (let moves = 0; at && !equalBytes(prevoutOf(at).script, sellerScript); moves++) {
      assert(moves <= MAX_MOVES, `the escrow was moved more than ${MAX_MOVES} times`)
      const { tx } = await chain.transaction(at.txid)
      transfers.set(at.txid, tx)
      await addInputs(tx)
      at = inputFilling(tx, at.vout, prevoutOf)
    }
  }
  return readSettlement(settlement, transfers, marketScript, prevoutOf)
}

/** Limits of the proof of one coin. */
export interface ProofLimits {
  /** Maximum number of transactions to read; default 20,000. */
  mostTransactions?: number
  /** Default 120,000. */
  mostMilliseconds?: number
}

/**
 * Returns the path of a sat from its reveal to a coin. Throws CheckFailed if it is not the inscription's sat, and TraceTooLong beyond the
 * limits.
 */
export async function pathOf(
  inscriptionId: string,
  coin: string,
  satOffset: number,
  chain: ChainSource,
  { mostTransactions = 20_000, mostMilliseconds = 120_000 }: ProofLimits = {},
): Promise<string[]> {
  try {
    return await traceBack(
      inscriptionId,
      parseOutpoint(coin),
      satOffset,
      async (txid) => (await chain.transaction(txid)).tx,
      { mostTransactions, until: performance.now() + mostMilliseconds },
    )
  } catch (error) {
    if (!(error instanceof BitcoinError)) throw error
    if (error.code === 'trace-too-long') throw new TraceTooLong(error.message)
    throw new CheckFailed(error.message)
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member) =>
    member instanceof Uint8Array
      ? bytesToHex(member)
      : typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : member,
  )
}
