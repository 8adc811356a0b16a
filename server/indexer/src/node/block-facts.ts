import { type Static, Type } from 'typebox'
import { Count, Hash } from './answers.ts'

/** Fields of `getblockheader` that recursive endpoints return. */
export const BlockHeader = Type.Object({
  bits: Type.String({ pattern: '^[0-9a-f]{8}$' }),
  chainwork: Type.String(),
  confirmations: Type.Integer(),
  difficulty: Type.Number(),
  hash: Hash,
  height: Count,
  mediantime: Type.Optional(Count),
  merkleroot: Hash,
  nTx: Count,
  nextblockhash: Type.Optional(Hash),
  nonce: Count,
  previousblockhash: Type.Optional(Hash),
  time: Count,
  version: Type.Integer(),
})
export type BlockHeader = Static<typeof BlockHeader>

/** Fields of `getblockstats` that recursive endpoints return; amounts in sats, rates in sat/vB. */
export const BlockStats = Type.Object({
  avgfee: Count,
  avgfeerate: Count,
  feerate_percentiles: Type.Array(Count),
  maxfee: Count,
  maxfeerate: Count,
  maxtxsize: Count,
  medianfee: Count,
  minfee: Count,
  minfeerate: Count,
  subsidy: Count,
  total_size: Count,
  total_weight: Count,
  totalfee: Count,
})
export type BlockStats = Static<typeof BlockStats>
