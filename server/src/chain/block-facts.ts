/** The part of `getblockheader` that recursion passes on. */
export interface BlockHeader {
  bits: string
  chainwork: string
  confirmations: number
  difficulty: number
  hash: string
  height: number
  mediantime?: number
  merkleroot: string
  nTx: number
  nextblockhash?: string
  nonce: number
  previousblockhash?: string
  time: number
  version: number
}

/** The part of `getblockstats` that recursion passes on; amounts in sats, rates in sat/vB. */
export interface BlockStats {
  avgfee: number
  avgfeerate: number
  feerate_percentiles: number[]
  maxfee: number
  maxfeerate: number
  maxtxsize: number
  medianfee: number
  minfee: number
  minfeerate: number
  subsidy: number
  total_size: number
  total_weight: number
  totalfee: number
}
