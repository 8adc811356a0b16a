import { Type } from 'typebox'
import { Bps, NonnegativeSats, PositiveSats } from './amounts.ts'
import { Nullable, OneOf } from './choices.ts'
import { operation } from './operation.ts'
import { Address, Bytes32Hex, DateTime, InscriptionId, Text, Txid, Uuid } from './scalars.ts'

/** The public record, at the root of the server, without sign-in. */
const OrderEvent = Type.Object(
  {
    at: DateTime,
    from: Nullable(Text),
    to: Text,
    reason: Text,
    guarantee: Nullable(OneOf('refused', 'anchor-spent', 'impossible')),
    blockHeight: Nullable(Type.Integer({ minimum: 0 })),
  },
  { title: 'OrderEvent' },
)

export const getOrder = operation({
  id: 'getOrder',
  method: 'GET',
  path: '/orders/{listingId}',
  root: true,
  area: 'Public record',
  summary: "All events of a listing, oldest first, and the seller's protection after its end.",
  description:
    "guarantee is the protection from this event on. refused: the market no longer co-signs the listing. anchor-spent: the market broadcast a transaction that spends the transfer's anchor. impossible: the transfer can never confirm, because that transaction is confirmed or the inscription moved.",
  params: Type.Object({ listingId: Uuid }),
  answer: Type.Object(
    {
      listingId: Uuid,
      inscriptionId: InscriptionId,
      priceSats: PositiveSats,
      state: Text,
      transferTxid: Txid,
      events: Type.Array(OrderEvent),
    },
    { title: 'OrderResponse' },
  ),
  statuses: [400, 404, 429, 500],
  token: false,
  sameForAll: true,
  bucket: 'reads',
})

const Hex = Type.String({ pattern: '^([0-9a-f]{2})+$', examples: ['00'] })
const OutpointText = Type.String({
  pattern: '^[0-9a-f]{64}:[0-9]+$',
  examples: ['6fb976ab49dcec017f1e201e84395983204ae1a7c2abf7ced0a85d692e442799:0'],
})

const ReceiptItem = Type.Object(
  {
    listingId: Uuid,
    inscriptionId: InscriptionId,
    /** Offset of the sat in its coin. */
    satOffset: NonnegativeSats,
    priceSats: PositiveSats,
    sellerReceiveSats: NonnegativeSats,
    buyerPayTotalSats: PositiveSats,
    marketplaceRevenueSats: NonnegativeSats,
    creatorRevenueSats: NonnegativeSats,
    buyerFeeBps: Bps,
  },
  { title: 'ReceiptItem' },
)

const SettlementFacts = Type.Object(
  {
    settlementTxid: Txid,
    marketKey: Hex,
    items: Type.Array(
      Type.Object({
        inscriptionCoin: OutpointText,
        sellerScript: Hex,
        escrow: OutpointText,
        escrowForm: OneOf('published', 'wallet'),
        generation: Type.Integer({ minimum: 0 }),
        postageSats: PositiveSats,
        payoutScript: Hex,
        payoutSats: PositiveSats,
        landing: Text,
        ownerScript: Hex,
      }),
    ),
    payments: Type.Array(Type.Object({ outpoint: OutpointText, valueSats: PositiveSats })),
    paymentScript: Hex,
    changeSats: NonnegativeSats,
    costSats: PositiveSats,
    marketScript: Hex,
    marketRevenueSats: NonnegativeSats,
    otherOutputs: Type.Array(Type.Object({ script: Hex, valueSats: PositiveSats })),
    settlementFeeSats: NonnegativeSats,
    transferFeeSats: NonnegativeSats,
  },
  { title: 'SettlementFacts' },
)

export const getReceipt = operation({
  id: 'getReceipt',
  method: 'GET',
  path: '/receipts/{txid}',
  root: true,
  area: 'Public record',
  summary: 'Proof of a sale: the agreed terms and the effects of its transactions, verifiable with any node.',
  description:
    '`facts` are computed from the transactions; `terms` are the agreement that the market recorded. verifyReceipt of the SDK recomputes the facts with a node, traces each inscription back to its reveal, and compares the terms with the facts.',
  params: Type.Object({ txid: Txid }),
  answer: Type.Object(
    {
      state: OneOf('broadcast', 'confirmed'),
      blockHeight: Nullable(Type.Integer({ minimum: 0 })),
      transactions: Type.Array(Type.Object({ txid: Txid, hex: Hex })),
      terms: Type.Object({
        items: Type.Array(ReceiptItem),
        feeRateSatVb: Type.Number({ exclusiveMinimum: 0 }),
        donationSats: NonnegativeSats,
        totalBuyerCostSats: PositiveSats,
      }),
      facts: SettlementFacts,
    },
    { title: 'ReceiptResponse' },
  ),
  statuses: [400, 404, 429, 500],
  token: false,
  sameForAll: true,
  bucket: 'reads',
})

export const getMarketKeys = operation({
  id: 'getMarketKeys',
  method: 'GET',
  path: '/keys',
  root: true,
  area: 'Public record',
  summary: 'The public keys with which this market co-signs, and its fee address.',
  description:
    'Every escrow of a listing or counter contains cosignKey (M). The output of every collection or trait offer contains cosignKey and guardianKey (G). Store the keys: a market with other keys is a different market.',
  answer: Type.Object(
    { cosignKey: Bytes32Hex, guardianKey: Bytes32Hex, marketAddress: Address },
    { title: 'MarketKeysResponse' },
  ),
  statuses: [429, 500],
  token: false,
  sameForAll: true,
  bucket: 'reads',
})

export const getEligibility = operation({
  id: 'getEligibility',
  method: 'GET',
  path: '/eligibility/{txid}',
  root: true,
  area: 'Public record',
  summary: 'Proof that a fill of a collection-wide or trait offer matches the offer.',
  description:
    'Criteria and root are from the preflight that the maker signed; the proof leads from the inscription to the root (/docs/signing#collection-offer). verifyFill of the SDK verifies the proof and the settlement with a node.',
  params: Type.Object({ txid: Txid }),
  answer: Type.Object(
    {
      settlementTxid: Txid,
      fundingParentTxid: Txid,
      priceSats: PositiveSats,
      criteriaCanonicalJson: Text,
      offerCriteriaHash: Bytes32Hex,
      eligibleRoot: Bytes32Hex,
      inscriptionId: InscriptionId,
      inscriptionCoin: OutpointText,
      satOffset: NonnegativeSats,
      buyerReceiveScriptHex: Hex,
      proof: Type.Array(Type.Object({ side: OneOf('left', 'right'), hash: Bytes32Hex })),
    },
    { title: 'EligibilityResponse' },
  ),
  statuses: [400, 404, 429, 500],
  token: false,
  sameForAll: true,
  bucket: 'reads',
})

const Height = Type.Integer({ minimum: 0, examples: [925_000] })
const Health = OneOf('ok', 'unavailable')
const reasonLike = (example: string) => Type.String({ minLength: 1, examples: [example] })
const IndexFault = Type.Object(
  {
    height: Height,
    blockHash: Text,
    txid: Nullable(Text),
    reason: reasonLike('block 925000 cannot be indexed yet'),
    since: DateTime,
  },
  { title: 'IndexFault' },
)

const Maintenance = Type.Object({ notice: Nullable(Text), since: DateTime }, { title: 'Maintenance' })

/** The market's own table of unspent outputs, with `ADDRESS_INDEX_URL=node:///FOLDER`. */
const Utxos = Type.Object(
  {
    state: OneOf('loading', 'ready', 'failed'),
    height: Nullable(Height),
    phase: Nullable(OneOf('waiting', 'reading', 'indexing')),
    coinsRead: Nullable(Type.Integer({ minimum: 0 })),
    coinsTotal: Nullable(Type.Integer({ minimum: 0 })),
    percent: Nullable(Type.Number({ minimum: 0, maximum: 100 })),
    secondsLeft: Nullable(Type.Integer({ minimum: 0 })),
    reason: Nullable(reasonLike('the Bitcoin node does not respond')),
  },
  { title: 'UtxoStatus' },
)

/** How far the index has read the chain. */
const Sync = Type.Object(
  {
    percent: Type.Number({ minimum: 0, maximum: 100 }),
    transactionsPerSecond: Nullable(Type.Number({ minimum: 0 })),
    secondsLeft: Nullable(Type.Integer({ minimum: 0 })),
  },
  { title: 'SyncStatus' },
)

export const getStatus = operation({
  id: 'getStatus',
  method: 'GET',
  path: '/status',
  root: true,
  area: 'Public record',
  summary: 'State of trading, index, node and database.',
  description:
    "Trading is paused while the index or the last read of the mempool is too old, a block cannot be indexed, the node does not have the last block of the index, or node, database or ord server are down. Trading writes then return 503, except cancellations, declines and withdrawals. The operator can also pause trading for maintenance, with a notice for visitors; maintenance is null otherwise. mempoolAgeSeconds is the time since the mempool was last read; nodeAgeSeconds and databaseAgeSeconds are the times since the last response; null means never. notTraded lists trades that the market's node does not relay, with the reason; their operations return 503 before anything is signed. shortages lists exhausted coins and allowances of the market, with the affected trades; null means unknown. ord is null on a market without an ord server; unknown then lists what the market does not know: sat numbers, balances of runes, and rare sats of blocks before its index, which it may pay with. A height is null if it is unavailable. indexFault contains the block that cannot be indexed, the first failing transaction if known, and the reason; after a reorg that is too deep, it contains the last block of the index. The follower retries automatically. utxos is the table in which a market without ord and address server looks up the coins of addresses, otherwise null: while it loads, the phase (waiting for the node, reading, indexing) with its progress and an estimate; if the last load or block failed, the reason. Lookups work only if it is ready. sync is the progress of the follower in transactions while the index is far behind the node, otherwise null. Responds within a second.",
  answer: Type.Object(
    {
      trading: OneOf('open', 'paused'),
      reason: Nullable(reasonLike('the index is 3 blocks behind the node')),
      notTraded: Type.Array(
        Type.Object({
          trade: OneOf('listings', 'counters', 'collection-offers'),
          reason: reasonLike('the Bitcoin node treats outputs of 330 sats as dust (-dustrelayfee)'),
        }),
      ),
      shortages: Nullable(
        Type.Array(
          Type.Object({
            resource: OneOf(
              'anchors',
              'fee-coins',
              'funds',
              'new-wallet-allowance',
              'allowance',
              'ended-allowance',
            ),
            reason: reasonLike(
              'No anchor is free. New listings and counter-offers are rejected until the next block.',
            ),
          }),
        ),
      ),
      chain: Text,
      indexHeight: Nullable(Height),
      nodeHeight: Nullable(Height),
      lagBlocks: Nullable(Type.Integer({ minimum: 0 })),
      mempoolAgeSeconds: Nullable(Type.Number({ minimum: 0 })),
      mempoolTransactions: Nullable(Type.Integer({ minimum: 0 })),
      /** Fee rate of the market's transactions at present. */
      feeRateSatVb: Nullable(Type.Number({ exclusiveMinimum: 0 })),
      node: Health,
      nodeAgeSeconds: Nullable(Type.Number({ minimum: 0 })),
      ord: Nullable(Health),
      ordHeight: Nullable(Height),
      unknown: Type.Array(OneOf('sat-numbers', 'runes', 'rare-sats')),
      database: Health,
      databaseAgeSeconds: Nullable(Type.Number({ minimum: 0 })),
      indexFault: Nullable(IndexFault),
      maintenance: Nullable(Maintenance),
      utxos: Nullable(Utxos),
      sync: Nullable(Sync),
    },
    { title: 'StatusResponse' },
  ),
  statuses: [429, 500],
  token: false,
  bucket: 'status',
})
