import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { satsOfBtc } from '@ordbook/bitcoin/sats.ts'
import type { TxOutput } from '@ordbook/bitcoin/transaction.ts'
import { type Static, type TSchema, Type } from 'typebox'
import { Count, Hash, Nullable, type Reader, readerOf } from './answers.ts'
import { BlockHeader, BlockStats } from './block-facts.ts'
import type { TxOut } from './source.ts'

/** Readers for Core's JSON-RPC results, with only the fields that this server uses. */
const reads = <S extends TSchema>(schema: S): Reader<Static<S>> => readerOf(schema, 'Bitcoin node')

export const anything: Reader<unknown> = (answer) => answer

const Btc = Type.Number({ minimum: 0, maximum: 21_000_000 })
const Output = Type.Object({ value: Btc, scriptPubKey: Type.Object({ hex: Type.String() }) })

export const outputOf = ({ value, scriptPubKey }: Static<typeof Output>): TxOutput => ({
  valueSats: satsOfBtc(value),
  script: hexToBytes(scriptPubKey.hex),
})

export const envelope = reads(
  Type.Object({
    id: Type.Optional(Nullable(Type.Integer())),
    result: Type.Optional(Type.Unknown()),
    error: Type.Optional(Nullable(Type.Object({ code: Type.Integer(), message: Type.String() }))),
  }),
)
export const list = reads(Type.Array(Type.Unknown()))
export const text = reads(Type.String())
export const hash = reads(Hash)
export const hashes = reads(Type.Array(Hash))
export const chainInfo = reads(Type.Object({ chain: Type.String(), blocks: Count, bestblockhash: Hash }))
/** Without `txcount` while a node that began at a snapshot validates earlier blocks. */
export const chainStats = reads(Type.Object({ txcount: Type.Optional(Count) }))
export const nodeState = reads(
  Type.Object({
    chain: Type.String(),
    blocks: Count,
    headers: Count,
    initialblockdownload: Type.Boolean(),
    pruned: Type.Boolean(),
    pruneheight: Type.Optional(Count),
  }),
)
export const networkInfo = reads(Type.Object({ version: Count, subversion: Type.String() }))
export const indexInfo = reads(
  Type.Object({
    txindex: Type.Optional(Type.Object({ synced: Type.Boolean(), best_block_height: Count })),
  }),
)
export const blockTxids = reads(Type.Object({ tx: Type.Array(Hash) }))
export const blockWithHexes = reads(
  Type.Object({ tx: Type.Array(Type.Object({ txid: Hash, hex: Type.String() })) }),
)
export const blockWithPrevouts = reads(
  Type.Object({
    tx: Type.Array(
      Type.Object({
        hex: Type.String(),
        vin: Type.Array(Type.Object({ prevout: Type.Optional(Output) })),
      }),
    ),
  }),
)
export const blockHeader = reads(BlockHeader)
export const blockStats = reads(BlockStats)
export const transactionInBlock = reads(
  Type.Object({ blockhash: Type.Optional(Hash), vout: Type.Array(Output) }),
)
export const transactionWithPrevouts = reads(
  Type.Object({
    hex: Type.String(),
    vin: Type.Array(
      Type.Object({
        coinbase: Type.Optional(Type.String()),
        prevout: Type.Optional(Type.Object({ height: Count })),
      }),
    ),
  }),
)
const UnspentOutput = Type.Intersect([
  Output,
  Type.Object({ confirmations: Count, coinbase: Type.Boolean() }),
])
export const unspentOutput = reads(Nullable(UnspentOutput))
export const txOutOf = (found: Static<typeof UnspentOutput>): TxOut => ({
  ...outputOf(found),
  confirmations: found.confirmations,
  coinbase: found.coinbase,
})
export const spenders = reads(Type.Array(Type.Object({ spendingtxid: Type.Optional(Hash) })))
export const notifications = reads(Type.Array(Type.Object({ type: Type.String(), address: Type.String() })))
export const mempoolEntry = reads(
  Type.Object({
    depends: Type.Array(Hash),
    descendantcount: Count,
    vsize: Count,
    fees: Type.Object({ base: Btc }),
  }),
)
export const mempoolInfo = reads(Type.Object({ mempoolminfee: Btc, minrelaytxfee: Btc }))
export const feeEstimate = reads(Type.Object({ feerate: Type.Optional(Btc) }))
export const packageTest = reads(
  Type.Array(
    Type.Object({
      txid: Hash,
      allowed: Type.Optional(Type.Boolean()),
      'reject-reason': Type.Optional(Type.String()),
      'package-error': Type.Optional(Type.String()),
      'reject-details': Type.Optional(Type.String()),
    }),
  ),
)
export const packageResult = reads(
  Type.Object({
    package_msg: Type.Optional(Type.String()),
    'tx-results': Type.Optional(
      Type.Record(Type.String(), Type.Object({ txid: Hash, error: Type.Optional(Type.String()) })),
    ),
  }),
)
export type UtxoDump = ReturnType<typeof utxoDump>
export const utxoDump = reads(
  Type.Object({ coins_written: Count, base_hash: Hash, base_height: Count, txoutset_hash: Hash }),
)
/** Null while the node runs another scan. An aborted scan has `success: false`. */
export const scan = reads(
  Nullable(
    Type.Union([
      Type.Object({
        success: Type.Literal(true),
        bestblock: Hash,
        unspents: Type.Array(Type.Object({ txid: Hash, vout: Count, amount: Btc })),
      }),
      Type.Object({ success: Type.Literal(false) }),
    ]),
  ),
)
